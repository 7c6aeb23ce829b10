//! May they: the authorizers together, in front of every request and behind every review.

use super::Core;
use super::failure::Failure;
use super::hooks::{Attributes, Verdict};
use super::identity::UserInfo;
use super::rbac::{self, Decision};
use super::refusals;
use serde_json::json;

/// May bypass every check, as upstream's privileged group.
const MASTERS: &str = "system:masters";

/// Whose authorizers answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The one who asks.
    Oneself,
    /// Somebody else: authorizers that know only who is calling say nothing.
    Others,
}

/// Is it allowed?
pub fn decide(core: &Core, user: &UserInfo, asked: &Attributes, about: About) -> Decision {
    if user.in_group(MASTERS) {
        return Decision { allowed: true, reason: String::new() };
    }
    let authorizers = core.hooks().map_or(&[][..], |hooks| hooks.authorizers.as_slice());
    for authorizer in authorizers {
        if about == About::Others && !authorizer.answers_reviews_about_others() {
            continue;
        }
        if let Verdict::Allow(reason) = authorizer.authorize(user, asked) {
            return Decision { allowed: true, reason };
        }
    }
    rbac::authorize(&core.store, user, asked)
}

/// The gate in front of a request.
///
/// # Errors
/// 403 in the wording of upstream.
pub fn require(core: &Core, user: &UserInfo, asked: &Attributes) -> Result<(), Failure> {
    let decision = decide(core, user, asked, About::Oneself);
    if decision.allowed { Ok(()) } else { Err(refusal(&user.username, asked, &decision.reason)) }
}

/// What a user is told who may not (apiserver `responsewriters.Forbidden`).
pub fn refusal(who: &str, asked: &Attributes, reason: &str) -> Failure {
    let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let who = refusals::quote(who);
    if !asked.path.is_empty() {
        let message = format!("forbidden: User {who} cannot {} path \"{}\"{why}", asked.verb, asked.path);
        return Failure::new(403, "Forbidden", message).with_details(json!({}));
    }
    let resource = match asked.subresource.as_str() {
        "" => asked.resource.clone(),
        sub => format!("{}/{sub}", asked.resource),
    };
    let place = match asked.namespace.as_str() {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace \"{namespace}\""),
    };
    let qualified = match asked.group.as_str() {
        "" => asked.resource.clone(),
        group => format!("{}.{group}", asked.resource),
    };
    let subject = match asked.name.as_str() {
        "" => qualified,
        name => format!("{qualified} \"{name}\""),
    };
    let message = format!(
        "{subject} is forbidden: User {who} cannot {} resource \"{resource}\" in API group \"{}\" {place}{why}",
        asked.verb, asked.group
    );
    Failure::new(403, "Forbidden", message).with_details(refusals::details(
        &asked.name,
        &asked.group,
        &asked.resource,
    ))
}
