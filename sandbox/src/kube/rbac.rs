//! Role-based access: what the stored roles and bindings allow. Rights add up; nothing denies.

use super::hooks::Attributes;
use super::identity::UserInfo;
use super::kinds;
use super::object;
use super::store::Store;
use serde_json::Value;
use std::sync::Arc;

/// What RBAC says of one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    /// Which binding allows it; or what is wrong with bindings that could have.
    pub reason: String,
}

/// A rule that a user has, and the binding it comes from.
struct Grant {
    rule: Value,
    /// `ClusterRoleBinding "b" of ClusterRole "r" to Group "g"`
    source: String,
}

/// Is it allowed?
pub fn authorize(store: &Store, user: &UserInfo, asked: &Attributes) -> Decision {
    let mut problems = Vec::new();
    for binding in bindings(store, &asked.namespace) {
        let Some(grants) = grants(store, &binding, user, &mut problems) else { continue };
        if let Some(grant) = grants.iter().find(|grant| rule_allows(&grant.rule, asked)) {
            return Decision { allowed: true, reason: format!("RBAC: allowed by {}", grant.source) };
        }
    }
    problems.dedup();
    let reason = match problems.as_slice() {
        [] => String::new(),
        [only] => format!("RBAC: {only}"),
        several => format!("RBAC: [{}]", several.join(", ")),
    };
    Decision { allowed: false, reason }
}

/// Every rule that a user has in a namespace, cluster-wide ones first.
pub fn rules(store: &Store, user: &UserInfo, namespace: &str) -> Vec<Value> {
    let mut problems = Vec::new();
    bindings(store, namespace)
        .iter()
        .filter_map(|binding| grants(store, binding, user, &mut problems))
        .flatten()
        .map(|grant| grant.rule)
        .collect()
}

/// Cluster-wide bindings, then those of the namespace.
fn bindings(store: &Store, namespace: &str) -> Vec<Arc<Value>> {
    let list =
        |plural, namespace| kinds::by_plural(plural).map_or(Vec::new(), |kind| store.list(kind, namespace));
    let mut found = list("clusterrolebindings", None);
    if !namespace.is_empty() {
        found.extend(list("rolebindings", Some(namespace)));
    }
    found
}

/// The rules of a binding, if the user is one of its subjects.
fn grants(store: &Store, binding: &Value, user: &UserInfo, problems: &mut Vec<String>) -> Option<Vec<Grant>> {
    let namespace = object::namespace(binding);
    let subjects = binding["subjects"].as_array()?;
    let subject = subjects.iter().find_map(|subject| subject_text(subject, namespace, user))?;
    let (kind, name) = (text(&binding["roleRef"], "kind"), text(&binding["roleRef"], "name"));
    let (plural, place) = if kind == "Role" { ("roles", namespace) } else { ("clusterroles", "") };
    let role =
        kinds::by_plural(plural).and_then(|kind| store.get(kind, &super::store::Key::new(place, name)));
    let Some(role) = role else {
        let singular = kind.to_lowercase();
        problems.push(format!("{singular}.rbac.authorization.k8s.io \"{name}\" not found"));
        return None;
    };
    let (own, place) = if namespace.is_empty() {
        ("ClusterRoleBinding", object::name(binding).to_owned())
    } else {
        ("RoleBinding", format!("{}/{namespace}", object::name(binding)))
    };
    let source = format!("{own} \"{place}\" of {kind} \"{name}\" to {subject}");
    let rules = role_rules(store, &role).into_iter();
    Some(rules.map(|rule| Grant { rule, source: source.clone() }).collect())
}

/// How a review names the subject, when it is this user.
fn subject_text(subject: &Value, namespace: &str, user: &UserInfo) -> Option<String> {
    let name = text(subject, "name");
    match text(subject, "kind") {
        "User" => (user.username == name).then(|| format!("User \"{name}\"")),
        "Group" => user.in_group(name).then(|| format!("Group \"{name}\"")),
        "ServiceAccount" => {
            let own = text(subject, "namespace");
            let namespace = if own.is_empty() { namespace } else { own };
            let username = UserInfo::service_account(namespace, name).username;
            (user.username == username).then(|| format!("ServiceAccount \"{name}/{namespace}\""))
        }
        _ => None,
    }
}

/// A role's rules. Upstream a controller writes those of aggregating roles; here they are gathered on the spot.
fn role_rules(store: &Store, role: &Value) -> Vec<Value> {
    let mut rules = role["rules"].as_array().cloned().unwrap_or_default();
    let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array();
    let Some(kind) = kinds::by_plural("clusterroles") else { return rules };
    for selector in selectors.into_iter().flatten() {
        let wanted = selector["matchLabels"].as_object();
        let fits = |labels: &Value| {
            wanted.is_some_and(|wanted| wanted.iter().all(|(key, value)| labels[key] == *value))
        };
        for other in store.list(kind, None).iter().filter(|other| fits(&other["metadata"]["labels"])) {
            if other["aggregationRule"].is_null() {
                rules.extend(other["rules"].as_array().into_iter().flatten().cloned());
            }
        }
    }
    rules
}

/// Matching as in apiserver `rbac.RuleAllows`.
fn rule_allows(rule: &Value, asked: &Attributes) -> bool {
    let has = |field: &str, value: &str| strings(rule, field).any(|known| known == "*" || known == value);
    if !has("verbs", &asked.verb) {
        return false;
    }
    if !asked.path.is_empty() {
        return strings(rule, "nonResourceURLs").any(|pattern| path_matches(pattern, &asked.path));
    }
    has("apiGroups", &asked.group) && resource_matches(rule, asked) && name_matches(rule, &asked.name)
}

fn path_matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => path.starts_with(prefix),
        None => pattern == path,
    }
}

fn resource_matches(rule: &Value, asked: &Attributes) -> bool {
    strings(rule, "resources").any(|known| {
        if known == "*" {
            return true;
        }
        match known.split_once('/') {
            Some(("*", sub)) => !asked.subresource.is_empty() && sub == asked.subresource,
            Some((resource, sub)) => resource == asked.resource && sub == asked.subresource,
            None => asked.subresource.is_empty() && known == asked.resource,
        }
    })
}

fn name_matches(rule: &Value, name: &str) -> bool {
    let mut names = strings(rule, "resourceNames").peekable();
    names.peek().is_none() || names.any(|known| known == name)
}

fn strings<'r>(rule: &'r Value, field: &str) -> impl Iterator<Item = &'r str> {
    rule[field].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    object[field].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(verb: &str, resource: &str, subresource: &str, name: &str) -> Attributes {
        Attributes {
            verb: verb.to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            name: name.to_owned(),
            ..Attributes::default()
        }
    }

    #[test]
    fn a_resource_does_not_stand_for_its_subresources() {
        let rule = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
        assert!(rule_allows(&rule, &asked("get", "pods", "", "p")));
        assert!(!rule_allows(&rule, &asked("get", "pods", "log", "p")));
        let logs = json!({"apiGroups": [""], "resources": ["*/log"], "verbs": ["get"]});
        assert!(rule_allows(&logs, &asked("get", "pods", "log", "p")));
        assert!(!rule_allows(&logs, &asked("get", "pods", "", "p")));
    }

    #[test]
    fn names_narrow_a_rule() {
        let rule =
            json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"], "resourceNames": ["a"]});
        assert!(rule_allows(&rule, &asked("update", "configmaps", "", "a")));
        assert!(!rule_allows(&rule, &asked("update", "configmaps", "", "b")));
        assert!(!rule_allows(&rule, &asked("list", "configmaps", "", "")));
    }

    #[test]
    fn paths_match_whole_or_by_prefix() {
        assert!(path_matches("/api/*", "/api/v1"));
        assert!(!path_matches("/api/*", "/api"));
        assert!(path_matches("/version", "/version"));
        assert!(!path_matches("/version", "/version/"));
    }
}
