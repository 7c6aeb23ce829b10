//! The hub's core without a cluster: what comes out for what goes in.

use super::row::Sight;
use super::state::{Change, HubState, Key, Observation};
use crate::cluster::kind::Kind;
use serde_json::{Value, json};
use spaceport_shared::space::{ReasonCode, SpaceStatus};

const NS: &str = "hyperpod-ns-team-a";

fn object(name: &str, rest: Value) -> Value {
    let mut object = json!({"metadata": {"name": name, "namespace": NS, "uid": format!("uid-{name}"),
        "creationTimestamp": "2026-12-01T08:00:00Z"}});
    merge(&mut object, rest);
    object
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

fn space(name: &str, version: &str) -> Value {
    object(
        name,
        json!({"metadata": {"resourceVersion": version}, "spec": {"displayName": name,
        "accessStrategy": {"name": "s", "namespace": "sys"}}}),
    )
}

fn pod(space: &str, rest: Value) -> Value {
    let mut pod = object(
        &format!("workspace-{space}-1-2"),
        json!({"metadata": {"labels": {"workspace.jupyter.org/workspace-name": space}},
            "spec": {"containers": [{"name": "workspace", "image": "i"}]}, "status": {"phase": "Pending"}}),
    );
    merge(&mut pod, rest);
    pod
}

/// A hub that has seen an empty cluster.
fn ready() -> HubState {
    let mut hub = HubState::new("sandbox");
    for kind in Kind::ALL {
        hub.step(Observation::Listing(kind));
        hub.step(Observation::Listed(kind));
    }
    hub
}

fn apply(hub: &mut HubState, kind: Kind, object: Value) -> Vec<Change> {
    hub.step(Observation::Applied(kind, object))
}

fn key(name: &str) -> Key {
    (NS.to_owned(), name.to_owned())
}

fn status(hub: &HubState, name: &str, sight: Sight) -> (SpaceStatus, Option<ReasonCode>) {
    let row = &hub.get(&key(name)).expect("a row").version(sight).row;
    (row.status, row.reason.as_ref().map(|r| r.code))
}

#[test]
fn nothing_is_published_before_every_kind_has_answered() {
    let mut hub = HubState::new("sandbox");
    hub.step(Observation::Listing(Kind::Space));
    assert_eq!(apply(&mut hub, Kind::Space, space("lab", "1")), []);
    for kind in Kind::ALL.into_iter().filter(|k| *k != Kind::Workload) {
        assert_eq!(hub.step(Observation::Listed(kind)), [], "{kind:?}");
    }
    assert_eq!(hub.step(Observation::Absent(Kind::Workload)).len(), 1);
}

#[test]
fn an_unchanged_projection_emits_nothing() {
    let mut hub = ready();
    assert_eq!(apply(&mut hub, Kind::Space, space("lab", "1")).len(), 1);
    let mut churned = space("lab", "1");
    churned["metadata"]["managedFields"] = json!([{"manager": "x"}]);
    assert_eq!(apply(&mut hub, Kind::Space, churned), []);
}

#[test]
fn a_relist_is_invisible_but_for_what_really_went() {
    let mut hub = ready();
    for name in ["a", "b"] {
        apply(&mut hub, Kind::Space, space(name, "1"));
    }
    hub.step(Observation::Listing(Kind::Space));
    assert_eq!(apply(&mut hub, Kind::Space, space("a", "1")), []);
    let gone = hub.step(Observation::Listed(Kind::Space));
    assert_eq!(gone, [Change::Remove { namespace: NS.into(), id: "uid-b".into() }]);
}

#[test]
fn a_replaced_object_is_another_row() {
    let mut hub = ready();
    apply(&mut hub, Kind::Space, space("lab", "1"));
    let mut again = space("lab", "2");
    again["metadata"]["uid"] = json!("uid-2");
    let changes = apply(&mut hub, Kind::Space, again);
    assert_eq!(changes[0], Change::Remove { namespace: NS.into(), id: "uid-lab".into() });
    assert!(matches!(&changes[1], Change::Upsert(row) if row.full().id == "uid-2"));
}

#[test]
fn a_child_changes_its_own_row_alone() {
    let mut hub = ready();
    for name in ["a", "b"] {
        apply(&mut hub, Kind::Space, space(name, "1"));
    }
    let pulling = pod(
        "a",
        json!({"spec": {"nodeName": "n"}, "status": {"containerStatuses": [
        {"name": "workspace", "state": {"waiting": {"reason": "ImagePullBackOff"}}}]}}),
    );
    let changes = apply(&mut hub, Kind::Pod, pulling);
    assert_eq!(changes.len(), 1);
    assert_eq!(status(&hub, "a", Sight::Full), (SpaceStatus::Error, Some(ReasonCode::ImagePullFailed)));
    assert_eq!(status(&hub, "b", Sight::Full).0, SpaceStatus::Starting);
}

#[test]
fn who_may_not_read_pods_gets_a_row_without_them() {
    let mut hub = ready();
    apply(&mut hub, Kind::Space, space("lab", "1"));
    apply(
        &mut hub,
        Kind::Deployment,
        object(
            "workspace-lab",
            json!({"metadata":
        {"labels": {"workspace.jupyter.org/workspace-name": "lab"}}}),
        ),
    );
    apply(
        &mut hub,
        Kind::Pod,
        pod(
            "lab",
            json!({"status": {"conditions": [{"type": "PodScheduled",
        "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Insufficient cpu."}]}}),
        ),
    );
    assert_eq!(status(&hub, "lab", Sight::Full).0, SpaceStatus::Unschedulable);
    assert_eq!(status(&hub, "lab", Sight::Bare).0, SpaceStatus::Starting);
    let bare = &hub.get(&key("lab")).expect("a row").version(Sight::Bare).json;
    assert!(!bare.contains("Insufficient"));
}

#[test]
fn a_queued_space_looks_gated_to_those_who_may_not_read_the_queue() {
    let mut hub = ready();
    apply(&mut hub, Kind::Space, space("lab", "1"));
    apply(
        &mut hub,
        Kind::Pod,
        pod("lab", json!({"spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}})),
    );
    apply(
        &mut hub,
        Kind::Workload,
        object(
            "pod-x",
            json!({"metadata": {"ownerReferences":
        [{"kind": "Pod", "name": "workspace-lab-1-2"}]}, "spec": {"queueName": "q"}, "status": {"conditions":
        [{"type": "QuotaReserved", "status": "False", "message": "team-b holds 8 GPUs"}]}}),
        ),
    );
    let row = |sight| hub.get(&key("lab")).expect("a row").version(sight).clone();
    assert!(row(Sight::Full).json.contains("team-b holds"));
    assert!(!row(Sight::WithoutQueue).json.contains("team-b holds"));
    assert_eq!(row(Sight::WithoutQueue).row.status, SpaceStatus::Queued);
}

#[test]
fn equal_versions_share_their_memory() {
    let mut hub = ready();
    apply(&mut hub, Kind::Space, space("lab", "1"));
    let row = hub.get(&key("lab")).expect("a row");
    assert!(std::sync::Arc::ptr_eq(row.version(Sight::Full), row.version(Sight::WithoutQueue)));
}

#[test]
fn an_event_reaches_its_space_before_or_after_the_pod() {
    let pulling = object(
        "e1",
        json!({"involvedObject": {"kind": "Pod", "namespace": NS,
        "name": "workspace-lab-1-2"}, "type": "Normal", "reason": "Pulling", "lastTimestamp": "2026-12-01T08:01:00Z"}),
    );
    let placed = pod("lab", json!({"spec": {"nodeName": "n"}}));
    for order in [[0, 1], [1, 0]] {
        let mut hub = ready();
        apply(&mut hub, Kind::Space, space("lab", "1"));
        for step in order {
            match step {
                0 => apply(&mut hub, Kind::Event, pulling.clone()),
                _ => apply(&mut hub, Kind::Pod, placed.clone()),
            };
        }
        assert_eq!(status(&hub, "lab", Sight::Full).0, SpaceStatus::PullingImage, "{order:?}");
        assert_eq!(hub.events(&key("lab")).len(), 1);
    }
}

#[test]
fn events_of_unknown_objects_and_of_an_earlier_life_say_nothing() {
    let mut hub = ready();
    apply(&mut hub, Kind::Space, space("lab", "1"));
    let of = |name: &str, about: &str, at: &str| {
        object(
            name,
            json!({"involvedObject": {"kind": "Pod", "namespace": NS, "name": about}, "type": "Warning",
            "reason": "FailedMount", "lastTimestamp": at}),
        )
    };
    assert_eq!(apply(&mut hub, Kind::Event, of("e1", "training-job-1", "2026-12-01T09:00:00Z")), []);
    assert_eq!(apply(&mut hub, Kind::Event, of("e2", "workspace-lab-1-2", "2026-12-01T07:00:00Z")), []);
}

#[test]
fn a_strategy_gives_its_spaces_their_buttons() {
    let mut hub = ready();
    apply(&mut hub, Kind::Space, space("lab", "1"));
    let mut strategy = object("s", json!({"spec": {"bearerAuthURLTemplate": "https://x"}}));
    strategy["metadata"]["namespace"] = json!("sys");
    assert_eq!(apply(&mut hub, Kind::Strategy, strategy).len(), 1);
    assert_eq!(hub.get(&key("lab")).expect("a row").full().connection_types, ["web-ui"]);
}

fn node(cpu: &str) -> Value {
    json!({"metadata": {"name": "n1", "labels": {"node.kubernetes.io/instance-type": "ml.m5.xlarge"}},
        "status": {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": "10"},
            "conditions": [{"type": "Ready", "status": "True"}]}})
}

#[test]
fn what_no_node_could_ever_hold_is_told_from_what_waits() {
    let mut hub = ready();
    apply(&mut hub, Kind::Node, node("4"));
    let mut big = space("lab", "1");
    big["spec"]["resources"] = json!({"requests": {"cpu": "16"}});
    apply(&mut hub, Kind::Space, big);
    apply(
        &mut hub,
        Kind::Pod,
        pod(
            "lab",
            json!({"status": {"conditions": [{"type": "PodScheduled",
        "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Insufficient cpu."}]}}),
        ),
    );
    let never = |hub: &HubState| {
        let reason = hub.get(&key("lab")).expect("a row").full().reason.clone();
        reason.and_then(|r| r.params.get("never").cloned())
    };
    assert_eq!(never(&hub).as_deref(), Some("true"));
    assert_eq!(apply(&mut hub, Kind::Node, node("32")).len(), 1);
    assert_eq!(never(&hub), None);
}

#[test]
fn the_room_on_a_node_counts_every_pod_that_has_not_ended() {
    let mut hub = ready();
    apply(&mut hub, Kind::Node, node("4"));
    let job = |phase: &str| {
        object(
            "job",
            json!({"spec": {"nodeName": "n1", "containers":
        [{"resources": {"requests": {"cpu": "3"}}}]}, "status": {"phase": phase}}),
        )
    };
    apply(&mut hub, Kind::Pod, job("Running"));
    assert_eq!(hub.rooms()[0].free.cpu_millis, 1000);
    apply(&mut hub, Kind::Pod, job("Succeeded"));
    assert_eq!(hub.rooms()[0].free.cpu_millis, 4000);
}

#[test]
fn a_changed_binding_is_a_sign_and_no_row() {
    let mut hub = ready();
    let before = hub.bindings();
    assert_eq!(apply(&mut hub, Kind::RoleBinding, object("b", json!({}))), []);
    assert!(hub.bindings() > before);
}

#[test]
fn children_outlive_their_space_without_a_row() {
    let mut hub = ready();
    apply(&mut hub, Kind::Space, space("lab", "1"));
    apply(&mut hub, Kind::Pod, pod("lab", json!({})));
    let gone = hub.step(Observation::Deleted(Kind::Space, space("lab", "2")));
    assert_eq!(gone.len(), 1);
    assert_eq!(hub.step(Observation::Deleted(Kind::Pod, pod("lab", json!({})))), []);
    assert!(hub.get(&key("lab")).is_none());
}
