//! Objects as others may write them.

use super::*;
use serde_json::{Value, json};
use spaceport_shared::space::facts::ContainerState;
use spaceport_shared::space::{DesiredStatus, Sharing};

fn workspace(spec: Value) -> Value {
    json!({
        "metadata": {"name": "lab", "namespace": "n", "uid": "u1", "resourceVersion": "5",
            "annotations": {"workspace.jupyter.org/created-by": "arn:aws:sts::1:assumed-role/R/ds-a1"}},
        "spec": spec
    })
}

fn odd_paths(object: &Value) -> Vec<String> {
    space::project("c", object)
        .facts
        .row
        .oddities
        .into_iter()
        .map(|o| format!("{} {}", o.path, o.problem))
        .collect()
}

#[test]
fn an_ordinary_space_has_no_oddities() {
    let object = workspace(json!({
        "displayName": "Lab", "image": "i", "accessType": "OwnerOnly", "appType": "jupyterlab",
        "resources": {"requests": {"cpu": "1500m", "memory": "8Gi", "nvidia.com/mig-1g.5gb": "2"}},
        "storage": {"size": "5Gi"}, "templateRef": {"name": "t"},
        "idleShutdown": {"enabled": true, "idleTimeoutInMinutes": 30,
            "detection": {"httpGet": {"port": 8888, "path": "/api/idle"}}}
    }));
    let row = space::project("c", &object).facts.row;
    assert_eq!(row.oddities, []);
    assert_eq!((row.resources.cpu_millis, row.resources.memory_bytes), (Some(1500), Some(8 << 30)));
    assert_eq!((row.resources.mig_profile.as_deref(), row.resources.mig_count), (Some("1g.5gb"), Some(2)));
    assert_eq!(row.owner.display_name, "ds-a1");
    assert_eq!((row.access_type, row.ownership_type), (Sharing::OwnerOnly, Sharing::Public));
    assert_eq!(row.template.map(|t| t.namespace), Some("n".to_owned()));
    assert_eq!(row.idle.detection.as_deref(), Some("GET :8888/api/idle"));
    assert_eq!(row.storage.and_then(|s| s.size_bytes), Some(5 << 30));
}

#[test]
fn absurd_fields_cost_one_field_and_are_named() {
    let object = workspace(json!({
        "displayName": 7, "desiredStatus": "Paused", "accessType": "Everyone",
        "resources": {"requests": {"memory": "lots", "cpu": -1}}, "storage": {"size": {}},
        "idleShutdown": {"enabled": "yes", "idleTimeoutInMinutes": "soon"}
    }));
    let row = space::project("c", &object).facts.row;
    assert_eq!(row.display_name, "lab");
    assert_eq!(row.desired_status, DesiredStatus::Unknown);
    assert_eq!(row.access_type, Sharing::Unknown);
    assert_eq!((row.resources.cpu_millis, row.resources.memory_bytes), (None, None));
    for path in [
        "spec.displayName unreadable",
        "spec.desiredStatus unreadable",
        "spec.accessType unreadable",
        "spec.resources.requests.memory unreadable",
        "spec.resources.requests.cpu unreadable",
        "spec.storage.size unreadable",
        "spec.idleShutdown.enabled unreadable",
        "spec.idleShutdown.idleTimeoutInMinutes unreadable",
    ] {
        assert!(odd_paths(&object).contains(&path.to_owned()), "{path} in {:?}", odd_paths(&object));
    }
}

#[test]
fn no_shape_whatever_loses_the_row() {
    for spec in
        [Value::Null, json!([]), json!("x"), json!({}), json!({"resources": [1], "storage": 3, "env": {}})]
    {
        let mut object = workspace(spec);
        object["metadata"]["annotations"] = json!([]);
        object["status"] = json!({"conditions": {"type": 1}});
        let row = space::project("c", &object).facts.row;
        assert_eq!((row.name.as_str(), row.owner.username), ("lab", None));
    }
}

#[test]
fn an_owner_is_read_back_from_its_escaped_form() {
    let mut object = workspace(json!({"displayName": "x"}));
    object["metadata"]["annotations"]["workspace.jupyter.org/created-by"] = json!("a\\\"b\\\\c");
    let owner = space::project("c", &object).facts.row.owner.username;
    assert_eq!(owner.as_deref(), Some("a\"b\\c"));
}

#[test]
fn the_name_of_a_child_tells_its_space() {
    for (kind, name, expected) in [
        ("Workspace", "lab", Some("lab")),
        ("Deployment", "workspace-my-lab", Some("my-lab")),
        ("ReplicaSet", "workspace-my-lab-5d8f", Some("my-lab")),
        ("Pod", "workspace-my-lab-5d8f-x2x4z", Some("my-lab")),
        ("PersistentVolumeClaim", "workspace-my-lab-pvc", Some("my-lab")),
        ("Pod", "other-1-2", None),
        ("Pod", "workspace", None),
        ("Job", "workspace-x", None),
    ] {
        assert_eq!(event::space_of(kind, name), expected, "{kind} {name}");
    }
}

#[test]
fn a_pod_takes_the_larger_of_its_containers_and_its_first_steps() {
    let object = json!({"metadata": {"name": "p"}, "status": {"phase": "Running"}, "spec": {
        "initContainers": [{"resources": {"requests": {"cpu": "4"}}}],
        "containers": [
            {"resources": {"requests": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}}},
            {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}],
        "volumes": [{"persistentVolumeClaim": {"claimName": "c"}}, {"emptyDir": {}}]}});
    let takes = pod::project_pod(&object).takes;
    assert_eq!((takes.cpu_millis, takes.memory_bytes, takes.volumes), (4000, 2 << 30, Some(1)));
    assert_eq!(takes.accelerators["nvidia.com/gpu"], 1);
}

#[test]
fn container_states_are_told_apart() {
    let object = json!({"metadata": {"name": "p", "labels": {SPACE_LABEL: "lab"}}, "spec": {
        "containers": [{"name": "a", "image": "i"}, {"name": "b"}, {"name": "c"}]},
        "status": {"containerStatuses": [
            {"name": "a", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "m"}}},
            {"name": "b", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}, "restartCount": 3}]}});
    let facts = pod::project_pod(&object).facts.expect("it is a Space's pod");
    assert_eq!(
        facts.containers[0].state,
        ContainerState::Waiting { reason: "ImagePullBackOff".into(), message: "m".into() }
    );
    assert!(matches!(facts.containers[1].state, ContainerState::Terminated { exit_code: 137, .. }));
    assert_eq!(facts.containers[2].state, ContainerState::Unknown);
}

#[test]
fn a_strategy_tells_which_ways_in_exist_and_what_they_cost() {
    let strategy = template::project_strategy(&json!({"spec": {
        "bearerAuthURLTemplate": "https://x", "createConnectionHandlerMap": {"vscode-remote": "a", "kiro-remote": "a"},
        "deploymentModifications": {"podModifications": {"additionalContainers": [
            {"resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}}]}}}}));
    assert_eq!(strategy.connection_types, ["web-ui", "kiro-remote", "vscode-remote"]);
    assert_eq!((strategy.overhead.cpu_millis, strategy.overhead.memory_bytes), (Some(100), Some(1 << 30)));
}

#[test]
fn a_template_keeps_absent_and_false_apart() {
    let template = template::project_template(
        "c",
        &json!({"metadata": {"name": "t", "namespace": "n"}, "spec": {
        "displayName": "T", "defaultImage": "i", "idleShutdownOverrides": {"allow": false},
        "resourceBounds": {"resources": {"cpu": {"min": "1", "max": 8}}}}}),
    );
    assert_eq!(template.idle.may_override, Some(false));
    assert_eq!(template.idle.default_enabled, None);
    assert_eq!((template.bounds[0].min.as_str(), template.bounds[0].max.as_str()), ("1", "8"));
    assert!(template.allow_secondary_storages);
}

#[test]
fn an_evicted_workload_says_why_and_since_when() {
    let facts = workload::project(
        &json!({"metadata": {"name": "w", "ownerReferences": [{"kind": "Pod", "name": "p"}]},
        "spec": {"queueName": "q"}, "status": {"conditions": [
            {"type": "QuotaReserved", "status": "False", "message": "waiting"},
            {"type": "Evicted", "status": "True", "reason": "Preempted", "message": "by b",
                "lastTransitionTime": "2026-12-01T08:00:00Z"}]}}),
    );
    assert_eq!(facts.pods, ["p"]);
    assert_eq!((facts.facts.evicted.as_deref(), facts.facts.message.as_str()), (Some("Preempted"), "by b"));
    assert!(!facts.facts.admitted && facts.facts.active);
}
