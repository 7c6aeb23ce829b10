//! RBAC of the seed: what a platform team adds to the EKS access policies.

use crate::cluster::names::SYSTEM_NAMESPACE;
use crate::landscape::{ClusterFacts, HUB_SESSION, NAMESPACE_SHARED, NAMESPACE_TEAM_A, SANDBOX};
use serde_json::{Value, json};

const GROUP: &str = "rbac.authorization.k8s.io";
const READ: [&str; 3] = ["get", "list", "watch"];
const SPACES: &str = "workspace.jupyter.org";
const KUEUE: &str = "kueue.x-k8s.io";

/// Everything, in the order of creation, each with its plural name.
pub fn objects(facts: &ClusterFacts) -> Vec<(&'static str, Value)> {
    let mut objects = hub(facts);
    objects.extend(teams());
    if facts.name == SANDBOX.name {
        objects.extend(team_a());
    }
    objects
}

fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
    json!({"apiGroups": groups, "resources": resources, "verbs": verbs})
}

fn cluster_role(name: &str, rules: &[Value]) -> (&'static str, Value) {
    (
        "clusterroles",
        json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules,
        }),
    )
}

fn cluster_binding(name: &str, role: &str, subjects: &[Value]) -> (&'static str, Value) {
    (
        "clusterrolebindings",
        json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role}, "subjects": subjects,
        }),
    )
}

fn role(namespace: &str, name: &str, rules: &[Value]) -> (&'static str, Value) {
    (
        "roles",
        json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "Role",
            "metadata": {"name": name, "namespace": namespace}, "rules": rules,
        }),
    )
}

fn binding(namespace: &str, name: &str, subjects: &[Value]) -> (&'static str, Value) {
    (
        "rolebindings",
        json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "RoleBinding",
            "metadata": {"name": name, "namespace": namespace},
            "roleRef": {"apiGroup": GROUP, "kind": "Role", "name": name}, "subjects": subjects,
        }),
    )
}

fn group(name: &str) -> Value {
    json!({"apiGroup": GROUP, "kind": "Group", "name": name})
}

fn user(name: &str) -> Value {
    json!({"apiGroup": GROUP, "kind": "User", "name": name})
}

/// The watch identity: list and watch of exactly the kinds that the product watches, and nothing more. No logs, no
/// secrets, no writes.
fn hub(facts: &ClusterFacts) -> Vec<(&'static str, Value)> {
    let watch = ["list", "watch"];
    let rules = [
        rule(&[""], &["namespaces", "nodes", "pods", "events", "persistentvolumeclaims"], &watch),
        rule(&["apps"], &["deployments", "replicasets"], &watch),
        rule(&[SPACES], &["workspaces", "workspacetemplates", "workspaceaccessstrategies"], &watch),
        rule(&[KUEUE], &["workloads"], &watch),
        // That a binding changed says that somebody's rights may have.
        rule(&[GROUP], &["rolebindings", "clusterrolebindings"], &watch),
    ];
    let name = user(&facts.session_arn("SpaceportHub", HUB_SESSION));
    vec![cluster_role("spaceport-hub", &rules), cluster_binding("spaceport-hub", "spaceport-hub", &[name])]
}

/// Both teams: the shared access strategy tells which ways of connecting there are; classes are for the form.
fn teams() -> Vec<(&'static str, Value)> {
    let teams = [group("team-a"), group("team-b")];
    let strategies = [rule(&[SPACES], &["workspaceaccessstrategies"], &READ)];
    let mut objects = Vec::new();
    for namespace in [SYSTEM_NAMESPACE, NAMESPACE_SHARED] {
        objects.push(role(namespace, "spaces-strategy-reader", &strategies));
        objects.push(binding(namespace, "spaces-strategy-reader", &teams));
    }
    objects.push(cluster_role(
        "spaces-class-reader",
        &[
            rule(&["storage.k8s.io"], &["storageclasses"], &READ),
            rule(&["scheduling.k8s.io"], &["priorityclasses"], &READ),
        ],
    ));
    objects.push(cluster_binding("spaces-class-reader", "spaces-class-reader", &teams));
    objects
}

/// Team A's extra role: container logs and its own queue, which the SpacePolicy lacks. Team B has none of it.
fn team_a() -> Vec<(&'static str, Value)> {
    let logs_and_queue =
        [rule(&[""], &["pods/log"], &["get"]), rule(&[KUEUE], &["localqueues", "workloads"], &READ)];
    let lead = [
        rule(&["apps"], &["deployments", "replicasets"], &READ),
        rule(
            &[SPACES],
            &["workspacetemplates"],
            &["get", "list", "watch", "create", "update", "patch", "delete"],
        ),
        rule(&[""], &["resourcequotas"], &READ),
        rule(&[GROUP], &["roles", "rolebindings"], &READ),
    ];
    vec![
        role(NAMESPACE_TEAM_A, "team-a-extra", &logs_and_queue),
        binding(NAMESPACE_TEAM_A, "team-a-extra", &[group("team-a")]),
        role(NAMESPACE_TEAM_A, "team-a-lead", &lead),
        binding(NAMESPACE_TEAM_A, "team-a-lead", &[group("team-a-leads")]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hub_lists_and_watches_and_nothing_else() {
        let (_, role) = &hub(&SANDBOX)[0];
        for rule in role["rules"].as_array().into_iter().flatten() {
            assert_eq!(rule["verbs"], json!(["list", "watch"]));
            let resources = rule["resources"].to_string();
            assert!(
                !resources.contains("secrets") && !resources.contains("/log") && !resources.contains('*')
            );
        }
    }

    #[test]
    fn the_extra_role_is_team_a_s_alone() {
        let text = json!(team_a().iter().map(|(_, object)| object).collect::<Vec<_>>()).to_string();
        assert!(text.contains("pods/log") && !text.contains("team-b"));
    }
}
