//! Reviews of access: may I, may somebody, what may I in a namespace.

use super::super::Core;
use super::super::authz::{self, About};
use super::super::failure::Failure;
use super::super::hooks::Attributes;
use super::super::identity::UserInfo;
use super::super::object;
use super::super::rbac;
use super::super::refusals::{self, FieldError, bad_request};
use super::{AUTHORIZATION, text, tidy};
use serde_json::{Value, json};

fn invalid(errors: &[FieldError]) -> Failure {
    refusals::invalid_as("", AUTHORIZATION, "", errors)
}

/// What an access review asks about.
fn attributes(spec: &Value) -> Attributes {
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    if path.is_object() {
        return Attributes { verb: text(path, "verb"), path: text(path, "path"), ..Attributes::default() };
    }
    Attributes {
        verb: text(resource, "verb"),
        group: text(resource, "group"),
        version: text(resource, "version"),
        resource: text(resource, "resource"),
        subresource: text(resource, "subresource"),
        namespace: text(resource, "namespace"),
        name: text(resource, "name"),
        path: String::new(),
    }
}

/// A question has no name, labels or the like; only a local one has a namespace.
fn check_metadata(asked: &Value, local: bool) -> Option<FieldError> {
    let mut metadata = tidy(&asked["metadata"]);
    if let Some(fields) = metadata.as_object_mut() {
        fields.retain(|key, _| key != "managedFields" && !(local && key == "namespace"));
    }
    let why = if local { "must be empty except for namespace" } else { "must be empty" };
    let extra = metadata.as_object().is_some_and(|fields| !fields.is_empty());
    extra.then(|| FieldError::invalid("metadata", &metadata, why))
}

/// Exactly one kind of attributes.
fn check_attributes(spec: &Value) -> Vec<FieldError> {
    match (spec["resourceAttributes"].is_object(), spec["nonResourceAttributes"].is_object()) {
        (true, true) => vec![FieldError::invalid(
            "spec.nonResourceAttributes",
            &spec["nonResourceAttributes"],
            "cannot be specified in combination with resourceAttributes",
        )],
        (false, false) => vec![FieldError::invalid(
            "spec.resourceAttributes",
            &Value::Null,
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        )],
        _ => Vec::new(),
    }
}

fn check_subject(spec: &Value) -> Option<FieldError> {
    let nobody = text(spec, "user").is_empty() && spec["groups"].as_array().is_none_or(Vec::is_empty);
    let why = "at least one of user or group must be specified";
    nobody.then(|| FieldError::invalid("spec.user", &json!(""), why))
}

fn verdict(core: &Core, user: &UserInfo, spec: &Value, about: About) -> Value {
    let decision = authz::decide(core, user, &attributes(spec), about);
    let mut status = json!({"allowed": decision.allowed});
    if !decision.reason.is_empty() {
        status["reason"] = json!(decision.reason);
    }
    status
}

pub(super) fn own_access(core: &Core, user: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
    let mut errors = check_attributes(&asked["spec"]);
    errors.extend(check_metadata(asked, false));
    if !errors.is_empty() {
        return Err(invalid(&errors));
    }
    Ok(verdict(core, user, &asked["spec"], About::Oneself))
}

/// The user of a review is what it says, nothing is looked up.
fn subject(spec: &Value) -> UserInfo {
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let extra = spec["extra"].as_object().into_iter().flatten();
    UserInfo {
        username: text(spec, "user"),
        uid: text(spec, "uid"),
        groups: strings(&spec["groups"]),
        extra: extra.map(|(key, values)| (key.clone(), strings(values))).collect(),
    }
}

pub(super) fn access(core: &Core, _: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
    let spec = &asked["spec"];
    let mut errors = check_attributes(spec);
    errors.extend(check_subject(spec));
    errors.extend(check_metadata(asked, false));
    if !errors.is_empty() {
        return Err(invalid(&errors));
    }
    Ok(verdict(core, &subject(spec), spec, About::Others))
}

pub(super) fn local_access(
    core: &Core,
    _: &UserInfo,
    namespace: &str,
    asked: &Value,
) -> Result<Value, Failure> {
    let given = object::namespace(asked);
    if !given.is_empty() && given != namespace {
        return Err(bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let spec = &asked["spec"];
    let mut errors = check_attributes(spec);
    errors.extend(check_subject(spec));
    errors.extend(check_metadata(asked, true));
    let inside = text(&spec["resourceAttributes"], "namespace");
    if spec["nonResourceAttributes"].is_object() {
        let why = "disallowed on this kind of request";
        errors.push(FieldError::invalid("spec.nonResourceAttributes", &spec["nonResourceAttributes"], why));
    } else if inside != namespace {
        let why = "must match metadata.namespace";
        errors.push(FieldError::invalid("spec.resourceAttributes.namespace", &json!(inside), why));
    }
    if !errors.is_empty() {
        return Err(invalid(&errors));
    }
    Ok(verdict(core, &subject(spec), spec, About::Others))
}

/// Rules that only an authorizer outside RBAC knows cannot be listed; the review says so.
pub(super) fn own_rules(core: &Core, user: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
    let namespace = text(&asked["spec"], "namespace");
    if namespace.is_empty() {
        return Err(bad_request("no namespace on request"));
    }
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    for rule in rbac::rules(&core.store, user, &namespace) {
        if rule["nonResourceURLs"].as_array().is_some_and(|urls| !urls.is_empty()) {
            paths.push(json!({"verbs": rule["verbs"], "nonResourceURLs": rule["nonResourceURLs"]}));
        } else {
            resources.push(tidy(&json!({
                "verbs": rule["verbs"], "apiGroups": rule["apiGroups"], "resources": rule["resources"],
                "resourceNames": rule["resourceNames"],
            })));
        }
    }
    let others = core.hooks().is_some_and(|hooks| !hooks.authorizers.is_empty());
    let mut status = json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": others});
    if others {
        status["evaluationError"] = json!("webhook authorizer does not support user rule resolution");
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_of_attributes_is_asked_for() {
        assert_eq!(check_attributes(&json!({})).len(), 1);
        assert_eq!(
            check_attributes(&json!({"resourceAttributes": {}, "nonResourceAttributes": {}})).len(),
            1
        );
        assert!(check_attributes(&json!({"nonResourceAttributes": {"path": "/x"}})).is_empty());
    }
}
