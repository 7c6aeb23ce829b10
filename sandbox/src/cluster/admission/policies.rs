//! The two ValidatingAdmissionPolicies of the HyperPod add-on, decided here and worded as the API server words them.
//! They see every write of the main resource, administrators' and the operator's too.

use crate::cluster::fields;
use crate::cluster::names::GROUP;
use crate::kube::failure::Failure;
use serde_json::{Value, json};
use spaceport_shared::quantity::Quantity;

/// A policy: its object's names, and its rule in CEL (for people) and as code.
pub struct Policy {
    pub name: &'static str,
    pub binding: &'static str,
    pub message: &'static str,
    pub expression: &'static str,
    holds: fn(&Value) -> bool,
}

pub const APP_TYPE: Policy = Policy {
    name: "hyperpod-workspace-app-type-policy",
    binding: "hyperpod-workspace-app-type-binding",
    message: "Workspace app type must be either 'jupyterlab' or 'code-editor'",
    expression: "!has(object.spec.appType) || object.spec.appType in ['jupyterlab', 'code-editor']",
    holds: app_type_is_known,
};

/// Only where remote access is installed: its sidecar needs room.
pub const MEMORY: Policy = Policy {
    name: "hyperpod-workspace-memory-policy",
    binding: "hyperpod-workspace-memory-binding",
    message: "HyperPod workspace requires minimum 8GB memory for remote access functionality",
    expression: "has(object.spec.resources) && has(object.spec.resources.requests) && \
                 'memory' in object.spec.resources.requests && \
                 quantity(object.spec.resources.requests['memory']).compareTo(quantity('8Gi')) >= 0",
    holds: has_8_gib,
};

fn app_type_is_known(space: &Value) -> bool {
    let app_type = &space["spec"]["appType"];
    app_type.is_null() || app_type == "jupyterlab" || app_type == "code-editor"
}

fn has_8_gib(space: &Value) -> bool {
    let memory = fields::quantity(&space["spec"]["resources"]["requests"]["memory"]);
    memory.is_some_and(|memory| memory >= Quantity::from_units(8 << 30))
}

/// Checks a Space after mutation, so template defaults count.
///
/// # Errors
/// 422 with the words of `k8s.io/apiserver` (`policy/validating/dispatcher.go`); every violated policy is a cause, the
/// first is the message.
pub(super) fn check(space: &Value, remote_access: bool) -> Result<(), Failure> {
    let policies: &[Policy] = if remote_access { &[APP_TYPE, MEMORY] } else { &[APP_TYPE] };
    let denials: Vec<String> = policies
        .iter()
        .filter(|policy| !(policy.holds)(space))
        .map(|policy| {
            format!(
                "ValidatingAdmissionPolicy '{}' with binding '{}' denied request: {}",
                policy.name, policy.binding, policy.message
            )
        })
        .collect();
    let Some(first) = denials.first() else { return Ok(()) };
    let name = fields::name(space);
    let causes: Vec<Value> = denials.iter().map(|message| json!({"message": message})).collect();
    let details = json!({"name": name, "group": GROUP, "kind": "workspaces", "causes": causes});
    let message = format!("workspaces.{GROUP} \"{name}\" is forbidden: {first}");
    Err(Failure::new(422, "Invalid", message).with_details(details))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn space(app_type: &str, memory: Value) -> Value {
        json!({
            "metadata": {"name": "lab"},
            "spec": {"appType": app_type, "resources": {"requests": {"memory": memory}}},
        })
    }

    #[test]
    fn an_unknown_app_type_is_refused_in_the_api_servers_words() {
        let failure = check(&space("rstudio", json!("8Gi")), false).unwrap_err();
        assert_eq!((failure.code, failure.reason.as_str()), (422, "Invalid"));
        assert_eq!(
            failure.message,
            "workspaces.workspace.jupyter.org \"lab\" is forbidden: ValidatingAdmissionPolicy \
             'hyperpod-workspace-app-type-policy' with binding 'hyperpod-workspace-app-type-binding' denied request: \
             Workspace app type must be either 'jupyterlab' or 'code-editor'"
        );
    }

    #[test]
    fn memory_counts_only_where_remote_access_is_installed() {
        assert!(check(&space("jupyterlab", json!("4Gi")), false).is_ok());
        assert!(check(&space("jupyterlab", json!("4Gi")), true).is_err());
        assert!(check(&space("jupyterlab", json!(8_589_934_592_u64)), true).is_ok());
        assert!(check(&json!({"spec": {}}), true).is_err(), "no memory request at all");
    }

    #[test]
    fn every_violated_policy_is_a_cause() {
        let failure = check(&space("x", json!("1Gi")), true).unwrap_err();
        assert_eq!(failure.details.unwrap()["causes"].as_array().unwrap().len(), 2);
    }
}
