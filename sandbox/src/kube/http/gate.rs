//! May they: authorization in front of every request.

use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::hooks::{Attributes, Verdict};
use crate::kube::identity::UserInfo;

/// Rights add up; nothing said is refused.
///
/// # Errors
/// 403 in the wording of upstream.
pub fn authorize(core: &Core, user: &UserInfo, attributes: &Attributes) -> Result<(), Failure> {
    let authorizers = core.hooks().map_or(&[][..], |hooks| hooks.authorizers.as_slice());
    let allowed = user.in_group("system:masters")
        || authorizers.iter().any(|a| matches!(a.authorize(user, attributes), Verdict::Allow(_)));
    if allowed { Ok(()) } else { Err(refusal(user, attributes)) }
}

fn refusal(user: &UserInfo, asked: &Attributes) -> Failure {
    let who = &user.username;
    if !asked.path.is_empty() {
        let message = format!("forbidden: User \"{who}\" cannot {} path \"{}\"", asked.verb, asked.path);
        return Failure::new(403, "Forbidden", message).with_details(serde_json::json!({}));
    }
    let resource = if asked.subresource.is_empty() {
        asked.resource.clone()
    } else {
        format!("{}/{}", asked.resource, asked.subresource)
    };
    let place = if asked.namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace \"{}\"", asked.namespace)
    };
    let qualified = if asked.group.is_empty() {
        asked.resource.clone()
    } else {
        format!("{}.{}", asked.resource, asked.group)
    };
    let subject = if asked.name.is_empty() { qualified } else { format!("{qualified} \"{}\"", asked.name) };
    let message = format!(
        "{subject} is forbidden: User \"{who}\" cannot {} resource \"{resource}\" in API group \"{}\" {place}",
        asked.verb, asked.group
    );
    let details = crate::kube::refusals::details(&asked.name, &asked.group, &asked.resource);
    Failure::new(403, "Forbidden", message).with_details(details)
}
