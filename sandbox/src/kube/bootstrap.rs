//! Objects that every API server makes for itself: system namespaces, the roles that everybody has, the two system
//! priority classes.

use super::local::LocalApi;
use serde_json::{Value, json};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Creates what is missing; what is there is left as it is.
pub fn install(api: &LocalApi) {
    for (resource, object) in namespaces().into_iter().chain(priority_classes()).chain(rights()) {
        let name = super::object::name(&object).to_owned();
        if api.get(resource, "", &name).is_some() {
            continue;
        }
        if let Err(failure) = api.create(resource, "", object) {
            tracing::error!(resource, name, why = failure.message, "a bootstrap object was refused");
        }
    }
}

fn namespaces() -> Vec<(&'static str, Value)> {
    let namespace = |name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    ["default", "kube-system", "kube-public", "kube-node-lease"]
        .map(|name| ("namespaces", namespace(name)))
        .into()
}

fn priority_classes() -> Vec<(&'static str, Value)> {
    let classes = [
        (
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
        (
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
        ),
    ];
    let class = |(name, value, description): (&str, i64, &str)| {
        json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
            "value": value, "description": description, "preemptionPolicy": "PreemptLowerPriority",
        })
    };
    classes.map(|facts| ("priorityclasses", class(facts))).into()
}

/// Names and rules as documented in "Using RBAC Authorization", default roles.
fn rights() -> Vec<(&'static str, Value)> {
    const HEALTH: [&str; 5] = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    const DOCUMENTS: [&str; 6] = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"];
    let all = "*";
    let paths = |paths: &[&str]| json!({"nonResourceURLs": paths, "verbs": ["get"]});
    let create = |group: &str, resources: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": ["create"]});
    let reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
    let everybody = ["system:authenticated"];
    let mut objects = vec![
        role(
            "cluster-admin",
            &json!([
                {"apiGroups": [all], "resources": [all], "verbs": [all]},
                {"nonResourceURLs": [all], "verbs": [all]},
            ]),
        ),
        role("system:discovery", &json!([paths(&[&HEALTH[..], &DOCUMENTS[..]].concat())])),
        role(
            "system:basic-user",
            &json!([
                create("authorization.k8s.io", &reviews),
                create("authentication.k8s.io", &["selfsubjectreviews"]),
            ]),
        ),
        role("system:public-info-viewer", &json!([paths(&HEALTH)])),
        binding("cluster-admin", &["system:masters"]),
        binding("system:discovery", &everybody),
        binding("system:basic-user", &everybody),
        binding("system:public-info-viewer", &["system:authenticated", "system:unauthenticated"]),
    ];
    objects.extend(["view", "edit", "admin"].map(aggregated));
    objects
}

fn role(name: &str, rules: &Value) -> (&'static str, Value) {
    let metadata = json!({"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}});
    let role = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": metadata, "rules": rules,
    });
    ("clusterroles", role)
}

/// A role that gathers the rules of all roles with its label, as add-ons extend `view`, `edit` and `admin`.
fn aggregated(name: &str) -> (&'static str, Value) {
    let (resource, mut object) = role(name, &json!([]));
    let label = format!("{GROUP}/aggregate-to-{name}");
    object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]});
    (resource, object)
}

fn binding(role: &str, groups: &[&str]) -> (&'static str, Value) {
    let subjects: Vec<Value> =
        groups.iter().map(|group| json!({"apiGroup": GROUP, "kind": "Group", "name": group})).collect();
    let metadata = json!({"name": role, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}});
    let binding = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRoleBinding", "metadata": metadata,
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role}, "subjects": subjects,
    });
    ("clusterrolebindings", binding)
}
