//! Many Spaces at once, for lists, watches and browsers under load. Small, simulated and labelled as such; the
//! operator makes their children, so that stored states are its own.

use crate::cluster::names::{API_VERSION, SYSTEM_NAMESPACE};
use serde_json::{Value, json};

/// Marks what stands for nobody's work.
pub const SIMULATED: &str = "sandbox.spaceport.dev/simulated";
const NAMESPACES: usize = 200;
/// One in so many is running, the others are stopped: as many nodes as that needs must fit in memory.
const RUNNING_ONE_IN: usize = 8;
/// What a data scientist of a team does in a namespace of the load.
const ROLE: &str = "spaces-load-user";

pub fn running(spaces: usize) -> usize {
    spaces.div_ceil(RUNNING_ONE_IN)
}

pub fn namespace(index: usize) -> String {
    format!("hyperpod-ns-load-{:03}", index % NAMESPACES)
}

/// Namespaces take turns between the teams.
fn team(index: usize) -> &'static str {
    if (index % NAMESPACES).is_multiple_of(2) { "team-a" } else { "team-b" }
}

/// Who makes the Space: its team's people in turns.
pub fn owner(index: usize) -> &'static str {
    match (team(index), (index / NAMESPACES).is_multiple_of(2)) {
        ("team-a", true) => "ds-a1",
        ("team-a", false) => "ds-a2",
        _ => "ds-b1",
    }
}

/// Namespaces with the rights of their teams.
pub fn surroundings(spaces: usize) -> Vec<(&'static str, Value)> {
    let rules = json!([
        {"apiGroups": ["workspace.jupyter.org"], "resources": ["workspaces"],
         "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"]},
        {"apiGroups": ["connection.workspace.jupyter.org"], "resources": ["workspaceconnections"],
         "verbs": ["create"]},
        {"apiGroups": ["", "apps"], "verbs": ["get", "list", "watch"],
         "resources": ["pods", "events", "persistentvolumeclaims", "services", "deployments", "replicasets"]},
    ]);
    let mut objects = vec![(
        "clusterroles",
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": ROLE}, "rules": rules,
        }),
    )];
    for index in 0..spaces.min(NAMESPACES) {
        let name = namespace(index);
        objects.push(("namespaces", json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "labels": {SIMULATED: "true", "kubernetes.io/metadata.name": name}},
        })));
        objects.push((
            "rolebindings",
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": ROLE, "namespace": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ROLE},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": team(index)}],
            }),
        ));
    }
    objects
}

pub fn space(index: usize) -> Value {
    let resources = json!({"cpu": "100m", "memory": "256Mi"});
    let sharing = if index.is_multiple_of(3) { "OwnerOnly" } else { "Public" };
    let status = if index.is_multiple_of(RUNNING_ONE_IN) { "Running" } else { "Stopped" };
    json!({
        "apiVersion": API_VERSION, "kind": "Workspace",
        "metadata": {
            "name": format!("load-{index:05}"), "namespace": namespace(index), "labels": {SIMULATED: "true"},
        },
        "spec": {
            "displayName": format!("Load {index}"), "desiredStatus": status,
            "templateRef": {"name": "sagemaker-jupyter-template", "namespace": SYSTEM_NAMESPACE},
            "ownershipType": sharing, "accessType": sharing,
            "resources": {"requests": resources, "limits": resources},
            "storage": {"size": "1Gi"},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_and_their_people_are_of_one_team() {
        for index in 0..1000 {
            assert_eq!(team(index) == "team-b", owner(index) == "ds-b1");
        }
        let objects = surroundings(10_000);
        assert_eq!(objects.iter().filter(|(kind, _)| *kind == "namespaces").count(), NAMESPACES);
    }

    #[test]
    fn as_many_run_as_nodes_are_made_for() {
        let count = (0..1001).filter(|index| space(*index)["spec"]["desiredStatus"] == "Running").count();
        assert_eq!(count, running(1001));
    }
}
