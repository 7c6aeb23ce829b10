//! Who may do what to a Space: owner, administrators, reserved keys, service accounts.

use crate::cluster::fields::{self, annotation, entries, text};
use crate::cluster::names::{
    CONTROLLER_USER, CREATED_BY, LABEL_STRATEGY, LABEL_STRATEGY_NAMESPACE, LABEL_TEMPLATE,
    LABEL_TEMPLATE_NAMESPACE, LAST_UPDATED_BY, PREEMPTION_REASON, RESERVED_PREFIX, escape_username,
};
use crate::kube::identity::UserInfo;
use serde_json::Value;

/// Keys below the reserved prefix that the webhook itself writes, or that a client may remove.
const MANAGED: [&str; 7] = [
    LABEL_TEMPLATE,
    LABEL_TEMPLATE_NAMESPACE,
    LABEL_STRATEGY,
    LABEL_STRATEGY_NAMESPACE,
    CREATED_BY,
    LAST_UPDATED_BY,
    PREEMPTION_REASON,
];

/// The operator, cluster administrators and the workspace administrators' group.
pub(super) fn is_exempt(user: &UserInfo, admin_group: &str) -> bool {
    user.username == CONTROLLER_USER || user.in_group("system:masters") || user.in_group(admin_group)
}

/// Only the owner changes a private Space, and only an owner can make one private.
pub(super) fn check_owner(user: &UserInfo, old: &Value, new: &Value) -> Result<(), String> {
    let private = |space: &Value| space["spec"]["ownershipType"] == "OwnerOnly";
    if (private(old) || private(new)) && annotation(old, CREATED_BY) != escape_username(&user.username) {
        return Err("access denied: only workspace owner can modify OwnerOnly workspaces".to_owned());
    }
    Ok(())
}

/// Labels and annotations below the reserved prefix are the operator's. What was there before may stay.
pub(super) fn check_reserved(old: Option<&Value>, new: &Value) -> Result<(), String> {
    for (kind, word) in [("labels", "label"), ("annotations", "annotation")] {
        for (key, value) in entries(&new["metadata"][kind]) {
            let unchanged = old.is_some_and(|old| &old["metadata"][kind][key.as_str()] == value);
            if key.starts_with(RESERVED_PREFIX) && !MANAGED.contains(&key.as_str()) && !unchanged {
                return Err(format!("{word} '{key}' uses reserved prefix {RESERVED_PREFIX}"));
            }
        }
    }
    match old {
        Some(old) if annotation(old, CREATED_BY) != annotation(new, CREATED_BY) => {
            Err(format!("annotation '{CREATED_BY}' is immutable"))
        }
        _ => Ok(()),
    }
}

/// A service account that lists its users is closed to others; one without a list is open.
pub(super) fn check_account(user: &UserInfo, account: &Value) -> Result<(), String> {
    let list = |key: &str| -> Option<Vec<String>> {
        let written = account["metadata"]["annotations"][format!("{RESERVED_PREFIX}{key}")].as_str()?;
        // A list that cannot be read admits nobody.
        Some(serde_saphyr::from_str(written).unwrap_or_default())
    };
    let lists = [
        (list("service-account-users"), Match::User),
        (list("service-account-user-patterns"), Match::Pattern),
        (list("service-account-groups"), Match::Group),
    ];
    if lists.iter().all(|(list, _)| list.is_none()) {
        return Ok(());
    }
    let admitted = lists.iter().any(|(list, how)| {
        list.iter().flatten().any(|entry| match how {
            Match::User => *entry == user.username,
            Match::Pattern => wildcard_matches(entry, &user.username),
            Match::Group => user.in_group(entry),
        })
    });
    if admitted {
        return Ok(());
    }
    Err(format!("access denied: user does not have access to service account {}", fields::name(account)))
}

enum Match {
    User,
    Pattern,
    Group,
}

/// `*` any run of characters, `?` any one. Linear in the text for each star, so no pattern is slow.
fn wildcard_matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            last_star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == text[t]) {
            p += 1;
            t += 1;
        } else if let Some((star, from)) = last_star {
            p = star + 1;
            t = from + 1;
            last_star = Some((star, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// A reference's namespace must be the Space's own or the shared one; empty means the Space's own.
pub(super) fn check_scope(
    field: &str,
    what: &str,
    reference: &Value,
    own: &str,
    shared: &str,
) -> Result<(), String> {
    let namespace = text(&reference["namespace"]);
    if namespace.is_empty() || namespace == own || namespace == shared {
        return Ok(());
    }
    Err(format!(
        "{field}.namespace \"{namespace}\" is not allowed: {what} must be in the workspace namespace \"{own}\" or the \
         shared namespace \"{shared}\""
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::names::ADMIN_GROUP;
    use serde_json::json;

    fn user(name: &str, groups: &[&str]) -> UserInfo {
        UserInfo {
            username: name.into(),
            groups: groups.iter().map(|g| (*g).to_owned()).collect(),
            ..UserInfo::default()
        }
    }

    fn space(ownership: &str) -> Value {
        json!({"metadata": {"annotations": {CREATED_BY: "ds-a1"}}, "spec": {"ownershipType": ownership}})
    }

    #[test]
    fn only_the_owner_changes_a_private_space_or_makes_one_private() {
        let (owner, other) = (user("ds-a1", &[]), user("ds-a2", &[]));
        assert!(check_owner(&owner, &space("OwnerOnly"), &space("Public")).is_ok());
        assert!(check_owner(&other, &space("OwnerOnly"), &space("Public")).is_err());
        assert!(check_owner(&other, &space("Public"), &space("OwnerOnly")).is_err());
        assert!(check_owner(&other, &space("Public"), &space("Public")).is_ok());
    }

    #[test]
    fn the_operator_and_administrators_are_exempt() {
        assert!(is_exempt(&user(CONTROLLER_USER, &[]), ADMIN_GROUP));
        assert!(is_exempt(&user("x", &["system:masters"]), ADMIN_GROUP));
        assert!(is_exempt(&user("x", &[ADMIN_GROUP]), ADMIN_GROUP));
        assert!(!is_exempt(&user("x", &["system:authenticated"]), ADMIN_GROUP));
    }

    #[test]
    fn reserved_keys_are_refused_unless_they_were_there() {
        let with = |key: &str| json!({"metadata": {"labels": {key: "v"}}});
        let message = check_reserved(None, &with("workspace.jupyter.org/x"));
        assert_eq!(
            message,
            Err("label 'workspace.jupyter.org/x' uses reserved prefix workspace.jupyter.org/".to_owned())
        );
        let old = with("workspace.jupyter.org/x");
        assert!(check_reserved(Some(&old), &old).is_ok());
        assert!(check_reserved(None, &with("kueue.x-k8s.io/queue-name")).is_ok());
    }

    #[test]
    fn the_owner_annotation_is_immutable() {
        let old = space("Public");
        let mut new = old.clone();
        new["metadata"]["annotations"][CREATED_BY] = json!("ds-a2");
        let immutable = Err("annotation 'workspace.jupyter.org/created-by' is immutable".to_owned());
        assert_eq!(check_reserved(Some(&old), &new), immutable);
        assert_eq!(check_reserved(Some(&old), &json!({"metadata": {}})), immutable, "nor can it be removed");
    }

    #[test]
    fn a_service_account_that_lists_users_is_closed_to_others() {
        let account = json!({"metadata": {"name": "train", "annotations": {
            "workspace.jupyter.org/service-account-users": "- ds-a1\n",
            "workspace.jupyter.org/service-account-user-patterns": "[\"arn:*:assumed-role/Lead/?*\"]",
            "workspace.jupyter.org/service-account-groups": "[team-a]",
        }}});
        for (name, groups, allowed) in [
            ("ds-a1", &[][..], true),
            ("arn:aws:sts::1:assumed-role/Lead/x", &[], true),
            ("arn:aws:sts::1:assumed-role/Lead/", &[], false),
            ("ds-b1", &["team-a"], true),
            ("ds-b1", &["team-b"], false),
        ] {
            assert_eq!(check_account(&user(name, groups), &account).is_ok(), allowed, "{name}");
        }
        assert!(check_account(&user("anyone", &[]), &json!({"metadata": {"name": "default"}})).is_ok());
    }

    #[test]
    fn references_stay_in_the_own_or_the_shared_namespace() {
        let check = |namespace: &str| {
            check_scope("templateRef", "templates", &json!({"namespace": namespace}), "own", "shared")
        };
        assert!(check("").is_ok() && check("own").is_ok() && check("shared").is_ok());
        assert_eq!(
            check("x"),
            Err("templateRef.namespace \"x\" is not allowed: templates must be in the workspace namespace \"own\" or \
                 the shared namespace \"shared\""
                .to_owned())
        );
    }
}
