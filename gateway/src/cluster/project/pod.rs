//! Pods, Deployments and ReplicaSets as facts about the Space they belong to, and what a pod takes of its node.

use super::SPACE_LABEL;
use crate::cluster::reading::{self, at, list, owned, quantity, text, time};
use serde_json::Value;
use spaceport_shared::space::Accelerator;
use spaceport_shared::space::facts::{ContainerFacts, ContainerState, DeploymentFacts, PodFacts};
use spaceport_shared::template::NodeAmounts;
use spaceport_shared::time::Timestamp;
use std::collections::BTreeMap;

/// A pod: facts when it is a Space's, and in any case what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct PodObject {
    pub space: Option<String>,
    pub facts: Option<Box<PodFacts>>,
    pub node: Option<String>,
    /// What the scheduler counts against the node; nothing once it has ended.
    pub takes: NodeAmounts,
}

pub fn project_pod(object: &Value) -> PodObject {
    let space = reading::label(object, SPACE_LABEL).map(str::to_owned);
    let ended = matches!(text(object, &["status", "phase"]), "Succeeded" | "Failed");
    PodObject {
        facts: space.is_some().then(|| Box::new(facts(object))),
        space,
        node: owned(object, &["spec", "nodeName"]),
        takes: if ended { NodeAmounts::default() } else { takes(object) },
    }
}

fn facts(object: &Value) -> PodFacts {
    let condition =
        |kind: &str| list(object, &["status", "conditions"]).iter().find(|c| text(c, &["type"]) == kind);
    let is_true = |c: &&Value| text(c, &["status"]) == "True";
    let since = |c: Option<&Value>| c.and_then(|c| time(c, &["lastTransitionTime"]));
    let scheduled = condition("PodScheduled");
    let unschedulable = scheduled.filter(|c| text(c, &["reason"]) == "Unschedulable" && !is_true(c));
    let ready = condition("Ready").filter(is_true);
    PodFacts {
        name: reading::name(object).to_owned(),
        phase: text(object, &["status", "phase"]).to_owned(),
        node: owned(object, &["spec", "nodeName"]),
        created_at: reading::created_at(object),
        deleting: !at(object, &["metadata", "deletionTimestamp"]).is_null(),
        scheduling_gates: list(object, &["spec", "schedulingGates"])
            .iter()
            .map(|gate| text(gate, &["name"]).to_owned())
            .collect(),
        scheduled_at: since(scheduled.filter(is_true)),
        unschedulable: unschedulable.map(|c| text(c, &["message"]).to_owned()),
        unschedulable_since: since(unschedulable),
        init_containers: containers(object, "initContainers", "initContainerStatuses"),
        containers: containers(object, "containers", "containerStatuses"),
        ready: ready.is_some(),
        ready_at: since(ready),
    }
}

fn containers(object: &Value, specs: &str, statuses: &str) -> Vec<ContainerFacts> {
    list(object, &["spec", specs])
        .iter()
        .map(|spec| {
            let name = text(spec, &["name"]);
            let status = list(object, &["status", statuses]).iter().find(|s| text(s, &["name"]) == name);
            container(spec, status.unwrap_or(&Value::Null))
        })
        .collect()
}

fn container(spec: &Value, status: &Value) -> ContainerFacts {
    let ended = at(status, &["lastState", "terminated"]);
    let last_exit = ended.is_object().then(|| {
        (text(ended, &["reason"]).to_owned(), at(ended, &["exitCode"]).as_i64().unwrap_or_default())
    });
    ContainerFacts {
        name: text(spec, &["name"]).to_owned(),
        image: text(spec, &["image"]).to_owned(),
        state: container_state(at(status, &["state"])),
        ready: at(status, &["ready"]).as_bool().unwrap_or(false),
        restarts: at(status, &["restartCount"]).as_i64().unwrap_or(0),
        last_exit,
    }
}

fn container_state(state: &Value) -> ContainerState {
    let of = |key: &str, field: &str| text(state, &[key, field]).to_owned();
    if state.get("running").is_some() {
        return ContainerState::Running { since: time(state, &["running", "startedAt"]) };
    }
    if let Some(ended) = state.get("terminated") {
        return ContainerState::Terminated {
            reason: of("terminated", "reason"),
            exit_code: at(ended, &["exitCode"]).as_i64().unwrap_or_default(),
            message: of("terminated", "message"),
        };
    }
    if state.get("waiting").is_some() {
        return ContainerState::Waiting {
            reason: of("waiting", "reason"),
            message: of("waiting", "message"),
        };
    }
    ContainerState::Unknown
}

/// Sum over containers, or the largest init container where that is more (Kubernetes, "Resource sharing within
/// containers").
fn takes(object: &Value) -> NodeAmounts {
    let mut sum = NodeAmounts { pods: 1, ..NodeAmounts::default() };
    for container in list(object, &["spec", "containers"]) {
        let one = requests(container);
        sum.cpu_millis = sum.cpu_millis.saturating_add(one.cpu_millis);
        sum.memory_bytes = sum.memory_bytes.saturating_add(one.memory_bytes);
        for (resource, count) in one.accelerators {
            *sum.accelerators.entry(resource).or_default() += count;
        }
    }
    for container in list(object, &["spec", "initContainers"]) {
        let one = requests(container);
        sum.cpu_millis = sum.cpu_millis.max(one.cpu_millis);
        sum.memory_bytes = sum.memory_bytes.max(one.memory_bytes);
    }
    let claims =
        list(object, &["spec", "volumes"]).iter().filter(|v| v.get("persistentVolumeClaim").is_some());
    sum.volumes = Some(claims.count() as i64);
    sum
}

fn requests(container: &Value) -> NodeAmounts {
    amounts(at(container, &["resources", "requests"]))
}

/// CPU, memory and accelerators of a resource list; pods and volumes are the caller's.
pub(super) fn amounts(resources: &Value) -> NodeAmounts {
    let of = |resource: &str| quantity(at(resources, &[resource]));
    let accelerators: BTreeMap<String, i64> = resources
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| Accelerator::is_accelerator(name))
        .filter_map(|(name, value)| Some((name.clone(), quantity(value)?.units())))
        .collect();
    NodeAmounts {
        cpu_millis: of("cpu").map_or(0, |q| q.millis()),
        memory_bytes: of("memory").map_or(0, |q| q.units()),
        accelerators,
        pods: of("pods").map_or(0, |q| q.units()),
        volumes: None,
    }
}

/// A Deployment or ReplicaSet of a Space.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaObject {
    pub space: String,
    pub facts: DeploymentFacts,
}

/// `None` for those that belong to no Space.
pub fn project_replica(object: &Value) -> Option<ReplicaObject> {
    let space = reading::label(object, SPACE_LABEL)?.to_owned();
    let condition = |kind: &str| {
        list(object, &["status", "conditions"])
            .iter()
            .find(|c| text(c, &["type"]) == kind && text(c, &["status"]) == "True")
    };
    let failure = condition("ReplicaFailure");
    let since: Option<Timestamp> = failure.and_then(|c| time(c, &["lastTransitionTime"]));
    Some(ReplicaObject {
        space,
        facts: DeploymentFacts {
            available: condition("Available").is_some(),
            failure: failure.map(|c| text(c, &["message"]).to_owned()),
            failing_since: since,
            created_at: reading::created_at(object),
        },
    })
}
