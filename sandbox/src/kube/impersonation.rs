//! Acting as somebody else: the `Impersonate-*` headers, and who may use them.
//!
//! Since 1.36 two kinds of right exist: the constrained verbs (KEP-5284: `impersonate-on:<mode>:<verb>` on the target
//! and `impersonate:<mode>` on the identity) and the older `impersonate` on users, groups, uids and extras. Each is
//! tried; the refusal shown is that of the mode that last worked for the caller, or of the first one.

use super::Core;
use super::authn::ANONYMOUS;
use super::authz::{self, About};
use super::failure::Failure;
use super::hooks::Attributes;
use super::identity::UserInfo;
use super::refusals::bad_request;
use http::HeaderMap;
use percent_encoding::percent_decode_str;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";
const AUTHENTICATION: &str = "authentication.k8s.io";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    ServiceAccount,
    UserInfo,
    Legacy,
}

/// Which mode last worked for a caller; it is tried first.
#[derive(Debug, Default)]
pub struct LastModes(Mutex<HashMap<String, Mode>>);

impl LastModes {
    fn get(&self, caller: &str) -> Option<Mode> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(caller).copied()
    }

    fn set(&self, caller: &str, mode: Mode) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(caller.to_owned(), mode);
    }
}

/// The user that the request acts as: the caller, or who the headers name.
///
/// # Errors
/// 400 for headers without a user name, 403 when the caller may not.
pub fn resolve(
    core: &Core,
    caller: UserInfo,
    headers: &HeaderMap,
    asked: &Attributes,
) -> Result<UserInfo, Failure> {
    let Some(wanted) = wanted(headers)? else { return Ok(caller) };
    let check = |mode: Mode| match mode {
        Mode::Legacy => legacy(core, &caller, &wanted).map(|()| true),
        Mode::ServiceAccount | Mode::UserInfo => constrained(core, &caller, &wanted, asked, mode),
    };
    let modes: &[Mode] = if core.config.classic_impersonation {
        &[Mode::Legacy]
    } else {
        &[Mode::ServiceAccount, Mode::UserInfo, Mode::Legacy]
    };
    let last = core.impersonation.get(&caller.username).filter(|last| modes.contains(last));
    let order = last.into_iter().chain(modes.iter().copied().filter(|mode| Some(*mode) != last));
    let mut refusal = None;
    for mode in order {
        match check(mode) {
            Ok(true) => {
                core.impersonation.set(&caller.username, mode);
                return Ok(complete(wanted));
            }
            Ok(false) => {}
            Err(failure) => {
                refusal.get_or_insert(failure);
            }
        }
    }
    Err(refusal.unwrap_or_else(|| Failure::new(403, "Forbidden", "impersonation is not allowed")))
}

/// Who the headers name; `None` without any.
fn wanted(headers: &HeaderMap) -> Result<Option<UserInfo>, Failure> {
    let values = |name: &str| -> Vec<String> {
        headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).map(str::to_owned).collect()
    };
    let first = |name: &str| values(name).into_iter().next().unwrap_or_default();
    let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in headers.keys() {
        if let Some(key) = name.as_str().strip_prefix(EXTRA) {
            let key = percent_decode_str(key).decode_utf8_lossy().into_owned();
            extra.insert(key, values(name.as_str()));
        }
    }
    let user = UserInfo { username: first(USER), uid: first(UID), groups: values(GROUP), extra };
    if !user.username.is_empty() {
        return Ok(Some(user));
    }
    if user.groups.is_empty() && user.uid.is_empty() && user.extra.is_empty() {
        return Ok(None);
    }
    Err(bad_request(format!("requested {} without impersonating a user name", go_syntax(&user))))
}

/// The user as Go prints the struct: the message of upstream shows it.
fn go_syntax(user: &UserInfo) -> String {
    let list = |items: &[String]| {
        let items: Vec<String> = items.iter().map(|item| super::refusals::quote(item)).collect();
        format!("[]string{{{}}}", items.join(", "))
    };
    let groups = if user.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&user.groups) };
    let extra = if user.extra.is_empty() {
        "map[string][]string(nil)".to_owned()
    } else {
        let pairs: Vec<String> =
            user.extra.iter().map(|(key, values)| format!("\"{key}\":{}", list(values))).collect();
        format!("map[string][]string{{{}}}", pairs.join(", "))
    };
    format!(
        "&user.DefaultInfo{{Name:\"{}\", UID:\"{}\", Groups:{groups}, Extra:{extra}}}",
        user.username, user.uid
    )
}

fn service_account(username: &str) -> Option<(&str, &str)> {
    username.strip_prefix("system:serviceaccount:")?.split_once(':')
}

/// The constrained rights; `Ok(false)` when the mode does not fit the user wanted.
fn constrained(
    core: &Core,
    caller: &UserInfo,
    wanted: &UserInfo,
    asked: &Attributes,
    mode: Mode,
) -> Result<bool, Failure> {
    let account = service_account(&wanted.username);
    if account.is_some() != (mode == Mode::ServiceAccount) || wanted.in_group("system:masters") {
        return Ok(false);
    }
    let name = if mode == Mode::ServiceAccount { "serviceaccount" } else { "user-info" };
    let on_target = Attributes { verb: format!("impersonate-on:{name}:{}", asked.verb), ..asked.clone() };
    authz::require(core, caller, &on_target)?;
    let verb = format!("impersonate:{name}");
    if let Some((namespace, name)) = account {
        require(core, caller, &verb, ("", "serviceaccounts", ""), namespace, name)?;
        return Ok(true);
    }
    require(core, caller, &verb, (AUTHENTICATION, "users", ""), "", &wanted.username)?;
    parts(core, caller, wanted, &verb, AUTHENTICATION)?;
    Ok(true)
}

/// The right of old, `impersonate` on each part of the identity.
fn legacy(core: &Core, caller: &UserInfo, wanted: &UserInfo) -> Result<(), Failure> {
    match service_account(&wanted.username) {
        Some((namespace, name)) => {
            require(core, caller, "impersonate", ("", "serviceaccounts", ""), namespace, name)?;
        }
        None => require(core, caller, "impersonate", ("", "users", ""), "", &wanted.username)?,
    }
    parts(core, caller, wanted, "impersonate", "")
}

fn parts(
    core: &Core,
    caller: &UserInfo,
    wanted: &UserInfo,
    verb: &str,
    groups_in: &str,
) -> Result<(), Failure> {
    for group in &wanted.groups {
        require(core, caller, verb, (groups_in, "groups", ""), "", group)?;
    }
    for (key, values) in &wanted.extra {
        for value in values {
            require(core, caller, verb, (AUTHENTICATION, "userextras", key), "", value)?;
        }
    }
    if !wanted.uid.is_empty() {
        require(core, caller, verb, (AUTHENTICATION, "uids", ""), "", &wanted.uid)?;
    }
    Ok(())
}

fn require(
    core: &Core,
    caller: &UserInfo,
    verb: &str,
    (group, resource, subresource): (&str, &str, &str),
    namespace: &str,
    name: &str,
) -> Result<(), Failure> {
    let asked = Attributes {
        verb: verb.to_owned(),
        group: group.to_owned(),
        version: if group.is_empty() { String::new() } else { "v1".to_owned() },
        resource: resource.to_owned(),
        subresource: subresource.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        path: String::new(),
    };
    let decision = authz::decide(core, caller, &asked, About::Oneself);
    if decision.allowed { Ok(()) } else { Err(authz::refusal(&caller.username, &asked, &decision.reason)) }
}

/// Adds the groups that authentication would have added.
fn complete(mut user: UserInfo) -> UserInfo {
    if user.username == ANONYMOUS {
        if !user.in_group("system:unauthenticated") {
            user.groups.push("system:unauthenticated".to_owned());
        }
        return user;
    }
    if user.groups.is_empty()
        && let Some((namespace, _)) = service_account(&user.username)
    {
        user.groups =
            vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
    }
    if !user.in_group("system:authenticated") && !user.in_group("system:unauthenticated") {
        user.groups.push("system:authenticated".to_owned());
    }
    user
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn parts_without_a_user_are_refused() {
        let mut headers = HeaderMap::new();
        assert_eq!(wanted(&headers).unwrap(), None);
        headers.insert(GROUP, "g".parse().unwrap());
        let failure = wanted(&headers).unwrap_err();
        assert_eq!(failure.code, 400);
        assert!(failure.message.contains(r#"Groups:[]string{"g"}"#), "{}", failure.message);
    }

    #[test]
    fn keys_of_extras_are_unescaped() {
        let mut headers = HeaderMap::new();
        headers.insert(USER, "u".parse().unwrap());
        headers.insert("impersonate-extra-a%2fb", "1".parse().unwrap());
        assert_eq!(wanted(&headers).unwrap().unwrap().extra["a/b"], ["1"]);
    }

    #[test]
    fn groups_follow_from_the_name() {
        let user =
            |name: &str| complete(UserInfo { username: name.to_owned(), ..UserInfo::default() }).groups;
        assert_eq!(user("u"), ["system:authenticated"]);
        assert_eq!(user(ANONYMOUS), ["system:unauthenticated"]);
        assert_eq!(user("system:serviceaccount:n:a")[1], "system:serviceaccounts:n");
    }
}
