//! Reviews: questions about access and identity, answered at once and never stored (`authorization.k8s.io`,
//! `authentication.k8s.io`).
//!
//! Questions about oneself are put to every authorizer, those about somebody else only to the ones that can know
//! (EKS access policies cannot).

mod access;
mod identity;

use super::Core;
use super::failure::Failure;
use super::identity::UserInfo;
use super::object;
use serde_json::{Map, Value, json};

pub const AUTHORIZATION: &str = "authorization.k8s.io";
pub const AUTHENTICATION: &str = "authentication.k8s.io";

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
        answer: identity::who_am_i,
    },
    Review {
        group: AUTHENTICATION,
        kind: "TokenReview",
        plural: "tokenreviews",
        namespaced: false,
        answer: identity::token,
    },
    Review {
        group: AUTHORIZATION,
        kind: "LocalSubjectAccessReview",
        plural: "localsubjectaccessreviews",
        namespaced: true,
        answer: access::local_access,
    },
    Review {
        group: AUTHORIZATION,
        kind: "SelfSubjectAccessReview",
        plural: "selfsubjectaccessreviews",
        namespaced: false,
        answer: access::own_access,
    },
    Review {
        group: AUTHORIZATION,
        kind: "SelfSubjectRulesReview",
        plural: "selfsubjectrulesreviews",
        namespaced: false,
        answer: access::own_rules,
    },
    Review {
        group: AUTHORIZATION,
        kind: "SubjectAccessReview",
        plural: "subjectaccessreviews",
        namespaced: false,
        answer: access::access,
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
}
