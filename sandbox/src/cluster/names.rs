//! Names that the Spaces add-on gives things: labels, annotations, finalizers, children (jupyter-k8s, `api/v1alpha1`).

/// Operator, default templates and access strategy live here.
pub const SYSTEM_NAMESPACE: &str = "jupyter-k8s-system";
pub const GROUP: &str = "workspace.jupyter.org";
pub const API_VERSION: &str = "workspace.jupyter.org/v1alpha1";
pub const CONNECTION_API_VERSION: &str = "connection.workspace.jupyter.org/v1alpha1";
/// Reserved for the add-on; people may not use it in labels or annotations.
pub const RESERVED_PREFIX: &str = "workspace.jupyter.org/";

pub const CONTROLLER_ACCOUNT: &str = "jupyter-k8s-controller-manager";
/// Kubernetes username of the operator.
pub const CONTROLLER_USER: &str = "system:serviceaccount:jupyter-k8s-system:jupyter-k8s-controller-manager";
/// Members may do to every Space what only its owner may (`CLUSTER_ADMIN_GROUP` of the operator).
pub const ADMIN_GROUP: &str = "cluster-workspace-admin";

pub const LABEL_SPACE: &str = "workspace.jupyter.org/workspace-name";
pub const LABEL_COMPONENT: &str = "workspace.jupyter.org/component";
pub const LABEL_TEMPLATE: &str = "workspace.jupyter.org/template-name";
pub const LABEL_TEMPLATE_NAMESPACE: &str = "workspace.jupyter.org/template-namespace";
pub const LABEL_STRATEGY: &str = "workspace.jupyter.org/access-strategy-name";
pub const LABEL_STRATEGY_NAMESPACE: &str = "workspace.jupyter.org/access-strategy-namespace";
pub const LABEL_DEFAULT_TEMPLATE: &str = "workspace.jupyter.org/default-template";
pub const LABEL_DEFAULT_ACCOUNT: &str = "workspace.jupyter.org/default-service-account";

pub const CREATED_BY: &str = "workspace.jupyter.org/created-by";
pub const LAST_UPDATED_BY: &str = "workspace.jupyter.org/last-updated-by";
pub const PREEMPTION_REASON: &str = "workspace.jupyter.org/preemption-reason";

pub const SPACE_FINALIZER: &str = "workspace.jupyter.org/workspace-protection";
pub const TEMPLATE_FINALIZER: &str = "workspace.jupyter.org/template-protection";
pub const STRATEGY_FINALIZER: &str = "workspace.jupyter.org/accessstrategy-protection";
/// Held on a strategy while a template names it.
pub const STRATEGY_TEMPLATE_FINALIZER: &str = "workspace.jupyter.org/accessstrategy-template-protection";

/// The container that holds the application, and its port.
pub const MAIN_CONTAINER: &str = "workspace";
pub const MAIN_PORT: u16 = 8888;
pub const REMOTE_SIDECAR: &str = "ssm-agent-sidecar";

pub fn deployment(space: &str) -> String {
    format!("workspace-{space}")
}

pub fn service(space: &str) -> String {
    format!("workspace-{space}-service")
}

pub fn claim(space: &str) -> String {
    format!("workspace-{space}-pvc")
}

/// A username as the created-by annotation holds it: JSON's escapes of backslash and quote.
pub fn escape_username(username: &str) -> String {
    let quoted = serde_json::Value::from(username).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_are_escaped_as_json() {
        assert_eq!(escape_username("arn:aws:sts::1:assumed-role/R/s"), "arn:aws:sts::1:assumed-role/R/s");
        assert_eq!(escape_username("a\"b\\c"), "a\\\"b\\\\c");
    }
}
