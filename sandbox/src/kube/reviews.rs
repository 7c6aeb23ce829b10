//! Reviews: questions about access and identity, answered at once and never stored (`authorization.k8s.io`,
//! `authentication.k8s.io`).
//!
//! Questions about oneself are put to every authorizer, those about somebody else only to the ones that can know
//! (EKS access policies cannot).

use super::Core;
use super::authn;
use super::authz::{self, About};
use super::failure::Failure;
use super::hooks::Attributes;
use super::identity::UserInfo;
use super::object;
use super::rbac;
use super::refusals::{self, FieldError, bad_request};
use serde_json::{Map, Value, json};

pub const AUTHORIZATION: &str = "authorization.k8s.io";
pub const AUTHENTICATION: &str = "authentication.k8s.io";
/// The audience of tokens for this server.
const AUDIENCE: &str = "https://kubernetes.default.svc";

/// One kind of review. Its only verb is create.
pub struct Review {
    pub group: &'static str,
    pub kind: &'static str,
    pub plural: &'static str,
    pub namespaced: bool,
    answer: fn(&Core, &UserInfo, &str, &Value) -> Result<Value, Failure>,
}

pub const REVIEWS: [Review; 6] = [
    Review {
        group: AUTHENTICATION,
        kind: "SelfSubjectReview",
        plural: "selfsubjectreviews",
        namespaced: false,
        answer: who_am_i,
    },
    Review {
        group: AUTHENTICATION,
        kind: "TokenReview",
        plural: "tokenreviews",
        namespaced: false,
        answer: token,
    },
    Review {
        group: AUTHORIZATION,
        kind: "LocalSubjectAccessReview",
        plural: "localsubjectaccessreviews",
        namespaced: true,
        answer: local_access,
    },
    Review {
        group: AUTHORIZATION,
        kind: "SelfSubjectAccessReview",
        plural: "selfsubjectaccessreviews",
        namespaced: false,
        answer: own_access,
    },
    Review {
        group: AUTHORIZATION,
        kind: "SelfSubjectRulesReview",
        plural: "selfsubjectrulesreviews",
        namespaced: false,
        answer: own_rules,
    },
    Review {
        group: AUTHORIZATION,
        kind: "SubjectAccessReview",
        plural: "subjectaccessreviews",
        namespaced: false,
        answer: access,
    },
];

/// The review behind a path.
pub fn find(group: &str, version: &str, plural: &str) -> Option<&'static Review> {
    REVIEWS.iter().find(|review| review.group == group && version == "v1" && review.plural == plural)
}

impl Review {
    pub fn api_version(&self) -> String {
        format!("{}/v1", self.group)
    }

    /// Answers one. `namespace` is that of the path; `manager` goes into its managedFields, as everywhere.
    ///
    /// # Errors
    /// 400 and 422 for questions that make no sense.
    pub fn answer(
        &self,
        core: &Core,
        user: &UserInfo,
        namespace: &str,
        manager: &str,
        asked: &Value,
    ) -> Result<Value, Failure> {
        let mut spec = tidy(&asked["spec"]);
        let question = json!({"metadata": asked["metadata"], "spec": spec});
        let status = (self.answer)(core, user, namespace, &question)?;
        let mut answer = json!({"kind": self.kind, "apiVersion": self.api_version(), "metadata": {}});
        if !namespace.is_empty() {
            answer["metadata"]["namespace"] = json!(namespace);
        }
        if self.kind == "SelfSubjectReview" {
            answer["metadata"]["creationTimestamp"] = json!(object::now());
        } else {
            answer["metadata"]["managedFields"] = json!([self.ownership(manager, &spec)]);
            answer["spec"] = spec.take();
        }
        answer["status"] = status;
        Ok(answer)
    }

    fn ownership(&self, manager: &str, spec: &Value) -> Value {
        let fields: Map<String, Value> = children(spec);
        json!({
            "manager": manager, "operation": "Update", "apiVersion": self.api_version(), "time": object::now(),
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": fields},
        })
    }
}

fn children(value: &Value) -> Map<String, Value> {
    let fields = value.as_object().into_iter().flatten();
    let owned = fields.map(|(key, value)| {
        let mut inner = children(value);
        if value.is_object() {
            inner.insert(".".to_owned(), json!({}));
        }
        (format!("f:{key}"), Value::Object(inner))
    });
    owned.collect()
}

/// Leaves out what is empty, as Go does when it writes a spec.
fn tidy(value: &Value) -> Value {
    let fields = value.as_object().into_iter().flatten();
    let kept = fields.filter(|(_, value)| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    });
    Value::Object(
        kept.map(|(key, value)| (key.clone(), if value.is_object() { tidy(value) } else { value.clone() }))
            .collect(),
    )
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

fn invalid(group: &str, errors: &[FieldError]) -> Failure {
    refusals::invalid_as("", group, "", errors)
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

fn own_access(core: &Core, user: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
    let mut errors = check_attributes(&asked["spec"]);
    errors.extend(check_metadata(asked, false));
    if !errors.is_empty() {
        return Err(invalid(AUTHORIZATION, &errors));
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

fn access(core: &Core, _: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
    let spec = &asked["spec"];
    let mut errors = check_attributes(spec);
    errors.extend(check_subject(spec));
    errors.extend(check_metadata(asked, false));
    if !errors.is_empty() {
        return Err(invalid(AUTHORIZATION, &errors));
    }
    Ok(verdict(core, &subject(spec), spec, About::Others))
}

fn local_access(core: &Core, _: &UserInfo, namespace: &str, asked: &Value) -> Result<Value, Failure> {
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
        return Err(invalid(AUTHORIZATION, &errors));
    }
    Ok(verdict(core, &subject(spec), spec, About::Others))
}

/// Rules that only an authorizer outside RBAC knows cannot be listed; the review says so.
fn own_rules(core: &Core, user: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
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

fn user_json(user: &UserInfo) -> Value {
    let mut shown = json!({"username": user.username, "uid": user.uid, "groups": user.groups});
    if !user.extra.is_empty() {
        shown["extra"] = json!(user.extra);
    }
    tidy(&shown)
}

fn who_am_i(_: &Core, user: &UserInfo, _: &str, _: &Value) -> Result<Value, Failure> {
    Ok(json!({"userInfo": user_json(user)}))
}

fn token(core: &Core, _: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
    let token = text(&asked["spec"], "token");
    if token.is_empty() {
        return Err(bad_request("token is required for TokenReview in authentication"));
    }
    let audiences = asked["spec"]["audiences"].as_array();
    if audiences.is_some_and(|audiences| !audiences.iter().any(|audience| audience == AUDIENCE)) {
        return Ok(json!({"user": {}}));
    }
    Ok(match authn::verify(core, &token) {
        Some(Ok(user)) => {
            json!({"authenticated": true, "user": user_json(&user), "audiences": [AUDIENCE]})
        }
        _ => json!({"user": {}, "error": "invalid bearer token"}),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_are_left_out() {
        let spec = json!({"user": "", "groups": [], "resourceAttributes": {"verb": "get", "name": ""}});
        assert_eq!(tidy(&spec), json!({"resourceAttributes": {"verb": "get"}}));
    }

    #[test]
    fn ownership_names_every_field() {
        let owned = Value::Object(children(&json!({"groups": ["g"], "resourceAttributes": {"verb": "get"}})));
        assert_eq!(owned, json!({"f:groups": {}, "f:resourceAttributes": {".": {}, "f:verb": {}}}));
    }

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
