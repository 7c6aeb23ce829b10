//! Which pod goes to which node, and which node has to be made for it.

mod fit;
mod ledger;
mod placement;
mod provisioning;
mod request;

pub use self::ledger::{Ledger, qualified_claims};
pub use self::provisioning::{Provisioning, node_arrived};

use self::fit::{Refusal, VolumeNeeds};
use self::request::Resources;
use super::fields::{self, is_deleting, items, name, namespace, set_condition, text};
use super::nodes::LABEL_ZONE;
use super::queue::{Id, Key};
use super::recorder::Component;
use super::volumes::{self, ClaimState};
use super::workloads::log_lost;
use super::world::World;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const SCHEDULER: Component = Component("default-scheduler");
/// The real scheduler scores no more than this in clusters of some hundred nodes (`numFeasibleNodesToFind`).
const ENOUGH_NODES: usize = 100;
/// Pods that found no node are tried again without cause as well, as the real queue does (5 minutes).
const RETRY: Duration = Duration::from_secs(300);

/// Finds a node for a pod.
pub fn place(world: &mut World, id: &Id) {
    let Some(pod) = world.scheduler.get("pods", &id.namespace, &id.name) else { return };
    let gated = !items(&pod["spec"]["schedulingGates"]).is_empty();
    if !text(&pod["spec"]["nodeName"]).is_empty() || is_deleting(&pod) {
        world.unplaced.remove(id);
        return;
    }
    if gated {
        return note_unscheduled(
            world,
            &pod,
            "SchedulingGated",
            "Scheduling is blocked due to non-empty scheduling gates",
        );
    }
    let mut claims = request::claims(&pod);
    if claims.any(|claim| volumes::state_of(world, &id.namespace, claim) == ClaimState::BeingMade) {
        // A node is chosen; the claim's next change comes back here.
        return;
    }
    let request = request::of_pod(&pod);
    let needs = match volume_needs(world, &pod) {
        Ok(needs) => needs,
        Err(why) => {
            let total = world.ledger.nodes().count();
            return give_up(world, id, &pod, &fit::explain_before_nodes(total, &why));
        }
    };
    match choose(world, id, &pod, &request, &needs) {
        Ok(node) => bind(world, id, &pod, &node),
        Err(refusals) => {
            give_up(world, id, &pod, &fit::explain(&refusals));
            provisioning::request_node(world, id, &pod, &request, &needs);
        }
    }
}

/// The best node for the pod: the one its volumes were made for if that still fits, else by score.
///
/// # Errors
/// Why each node was refused.
fn choose(
    world: &mut World,
    id: &Id,
    pod: &Value,
    request: &Resources,
    needs: &VolumeNeeds,
) -> Result<String, Vec<Refusal>> {
    if let Some(node) = world.assumed.remove(id)
        && world.ledger.node(&node).is_some_and(|node| fit::check(pod, request, needs, node).is_ok())
    {
        return Ok(node);
    }
    let image = text(&pod["spec"]["containers"][0]["image"]);
    let mut refusals = Vec::new();
    let mut feasible: Vec<(i64, &str)> = Vec::new();
    for node in world.ledger.nodes() {
        match fit::check(pod, request, needs, node) {
            Ok(()) => {
                let node_name = node.object.as_deref().map_or("", name);
                let has_image = world.kubelet.has_image(node_name, image);
                feasible.push((fit::score(request, node, has_image), node_name));
                if feasible.len() == ENOUGH_NODES {
                    break;
                }
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    let most = feasible.iter().map(|(score, _)| *score).max();
    // Names are in order, so the first of equals wins and a rerun decides the same.
    let best = feasible.into_iter().find(|(score, _)| Some(*score) == most);
    best.map(|(_, node)| node.to_owned()).ok_or(refusals)
}

/// # Errors
/// Why no node can do, in the scheduler's words.
fn volume_needs(world: &World, pod: &Value) -> Result<VolumeNeeds, String> {
    let mut needs = VolumeNeeds { zones: Vec::new(), claims: qualified_claims(pod) };
    for claim in request::claims(pod) {
        match volumes::state_of(world, namespace(pod), claim) {
            ClaimState::Missing => return Err(format!("persistentvolumeclaim \"{claim}\" not found")),
            ClaimState::Deleting => {
                return Err(format!("persistentvolumeclaim \"{claim}\" is being deleted"));
            }
            ClaimState::UnboundImmediate => {
                return Err("pod has unbound immediate PersistentVolumeClaims".to_owned());
            }
            ClaimState::WaitsForConsumer | ClaimState::BeingMade => {}
            ClaimState::Bound { zone } => needs.zones.extend(zone),
        }
    }
    Ok(needs)
}

/// Binds the pod, or first has its volumes made in the node's zone: the pod waits for them as in PreBind.
fn bind(world: &mut World, id: &Id, pod: &Value, node: &str) {
    let mut waiting = false;
    for claim in request::claims(pod) {
        if volumes::state_of(world, namespace(pod), claim) == ClaimState::WaitsForConsumer {
            waiting = true;
            volumes::select_node(world, &Id::new(namespace(pod), claim), node);
        }
    }
    if waiting {
        world.assumed.insert(id.clone(), node.to_owned());
        return;
    }
    let conditions = json!([{
        "type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": fields::now(),
    }]);
    if let Err(failure) =
        world.scheduler.patch("pods", &id.namespace, &id.name, json!({"spec": {"nodeName": node}}))
    {
        return log_lost("binding", Err::<(), _>(failure));
    }
    let status = json!({"status": {"conditions": conditions}});
    log_lost("pod condition", world.scheduler.patch_status("pods", &id.namespace, &id.name, status));
    world.unplaced.remove(id);
    world.provisioning.forget(id);
    let message = format!("Successfully assigned {}/{} to {node}", id.namespace, id.name);
    world.events.normal(SCHEDULER, pod, "Scheduled", &message);
}

fn give_up(world: &mut World, id: &Id, pod: &Value, message: &str) {
    world.unplaced.insert(id.clone());
    note_unscheduled(world, pod, "Unschedulable", message);
    let known = fields::condition(pod, "PodScheduled").is_some_and(|c| c["message"] == message);
    if !known {
        world.events.warning(SCHEDULER, pod, "FailedScheduling", message);
    }
    world.queue.push_after(Key::Placement(id.clone()), RETRY);
}

fn note_unscheduled(world: &World, pod: &Value, reason: &str, message: &str) {
    let mut conditions = items(&pod["status"]["conditions"]).to_vec();
    if set_condition(&mut conditions, "PodScheduled", false, reason, message) {
        let patch = json!({"status": {"phase": "Pending", "conditions": conditions}});
        log_lost("pod condition", world.scheduler.patch_status("pods", namespace(pod), name(pod), patch));
    }
}

/// The zone of a node, empty when it has none.
pub fn zone_of(world: &World, node: &str) -> String {
    let node = world.ledger.node(node).and_then(|node| node.object.clone());
    node.map_or_else(String::new, |node| fields::label(&node, LABEL_ZONE).to_owned())
}
