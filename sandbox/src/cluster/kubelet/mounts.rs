//! Volumes of a pod: attached to the node, then mounted.

use super::KUBELET;
use super::run::{PodRun, Step};
use super::steps::{Outcome, RETRY, until};
use crate::cluster::fields::{is_deleting, items, namespace, text, uid};
use crate::cluster::pace::figures;
use crate::cluster::recorder::Component;
use crate::cluster::scheduler::qualified_claims;
use crate::cluster::sentinel::Sentinel;
use crate::cluster::world::World;
use serde_json::Value;
use std::sync::Arc;
use tokio::time::Instant;

const ATTACHER: Component = Component("attachdetach-controller");

pub(super) fn attach(world: &mut World, pod: &Value, run: &mut PodRun, entered: Instant) -> Outcome {
    let volumes: Vec<String> = claims_of(world, pod).iter().map(|claim| volume_of(claim)).collect();
    if run.sentinel == Some(Sentinel::FailAttach) {
        for volume in &volumes {
            let message = format!(
                "AttachVolume.Attach failed for volume \"{volume}\" : rpc error: code = Internal desc = Could not attach \
                 volume to node: attachment of disk failed, expected device to be attached but was attaching"
            );
            world.events.warning(ATTACHER, pod, "FailedAttachVolume", &message);
        }
        return Outcome::Retry(world.options.pace.retry(RETRY));
    }
    if let Some(claim) = attached_elsewhere(world, pod) {
        if run.attempts == 0 {
            run.attempts = 1;
            let message = format!(
                "Multi-Attach error for volume \"{claim}\" Volume is already used by pod(s) on another node"
            );
            world.events.warning(ATTACHER, pod, "FailedAttachVolume", &message);
        }
        return Outcome::Waiting;
    }
    let outcome = until(world, entered, figures::ATTACH_VOLUME);
    if matches!(outcome, Outcome::Done) {
        for volume in volumes {
            let message = format!("AttachVolume.Attach succeeded for volume \"{volume}\" ");
            world.events.normal(ATTACHER, pod, "SuccessfulAttachVolume", &message);
        }
    }
    outcome
}

fn claims_of(world: &World, pod: &Value) -> Vec<Arc<Value>> {
    items(&pod["spec"]["volumes"])
        .iter()
        .filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str())
        .filter_map(|claim| world.nodes.get("persistentvolumeclaims", namespace(pod), claim))
        .collect()
}

fn volume_of(claim: &Value) -> String {
    text(&claim["spec"]["volumeName"]).to_owned()
}

/// The volume of a claim that another pod still holds on another node (ReadWriteOnce).
fn attached_elsewhere(world: &World, pod: &Value) -> Option<String> {
    let node = text(&pod["spec"]["nodeName"]);
    qualified_claims(pod).into_iter().find_map(|claim| {
        let others = world.claim_users.get(&claim)?;
        let taken = others.iter().any(|other| {
            let other = world.nodes.get("pods", &other.namespace, &other.name);
            other.is_some_and(|other| {
                let place = text(&other["spec"]["nodeName"]);
                uid(&other) != uid(pod) && !place.is_empty() && place != node && holds_volumes(world, &other)
            })
        });
        let (place, claim) = claim.split_once('/')?;
        let claim = world.nodes.get("persistentvolumeclaims", place, claim).filter(|_| taken)?;
        Some(volume_of(&claim))
    })
}

/// Did the pod get past attaching?
fn holds_volumes(world: &World, pod: &Value) -> bool {
    let run = world.kubelet.runs.get(uid(pod));
    run.is_some_and(|run| run.plan.front() != Some(&Step::Attach)) || is_deleting(pod)
}

pub(super) fn mount(world: &mut World, pod: &Value, run: &PodRun) -> Outcome {
    let mut problem = None;
    if run.sentinel == Some(Sentinel::FailMount) {
        let volume = claims_of(world, pod).first().map(|claim| volume_of(claim)).unwrap_or_default();
        problem = Some(format!(
            "MountVolume.MountDevice failed for volume \"{volume}\" : rpc error: code = Internal desc = could not \
             format \"/dev/nvme1n1\" and mount it: mount failed: exit status 32: wrong fs type, bad option, bad superblock"
        ));
    }
    for volume in items(&pod["spec"]["volumes"]) {
        let sources = [
            ("secret", "secrets", &volume["secret"]["secretName"]),
            ("configmap", "configmaps", &volume["configMap"]["name"]),
        ];
        for (kind, resource, source) in sources {
            let Some(source) = source.as_str() else { continue };
            if world.nodes.get(resource, namespace(pod), source).is_none() {
                problem = Some(format!(
                    "MountVolume.SetUp failed for volume \"{}\" : {kind} \"{source}\" not found",
                    text(&volume["name"])
                ));
            }
        }
    }
    match problem {
        Some(message) => {
            world.events.warning(KUBELET, pod, "FailedMount", &message);
            Outcome::Retry(world.options.pace.retry(RETRY))
        }
        None => Outcome::Done,
    }
}
