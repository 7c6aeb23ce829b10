//! Nodes: what they are and what they could hold.

use super::pod::amounts;
use crate::cluster::reading::{self, at, label, list, quantity, text};
use serde_json::Value;
use spaceport_shared::space::manifest::INSTANCE_TYPE_LABEL;
use spaceport_shared::template::{NodeAmounts, NodeRoom};

/// A node with nothing subtracted: `free` is all of `allocatable`.
pub fn project(object: &Value) -> NodeRoom {
    let mut allocatable = amounts(at(object, &["status", "allocatable"]));
    allocatable.volumes = volume_slots(object);
    let is_ready = list(object, &["status", "conditions"])
        .iter()
        .any(|c| text(c, &["type"]) == "Ready" && text(c, &["status"]) == "True");
    let is_cordoned = at(object, &["spec", "unschedulable"]).as_bool().unwrap_or(false);
    NodeRoom {
        name: reading::name(object).to_owned(),
        instance_type: label(object, INSTANCE_TYPE_LABEL).unwrap_or_default().to_owned(),
        zone: label(object, "topology.kubernetes.io/zone").map(str::to_owned),
        schedulable: is_ready && !is_cordoned,
        taints: list(object, &["spec", "taints"])
            .iter()
            .filter(|taint| text(taint, &["effect"]) != "PreferNoSchedule")
            .map(|taint| text(taint, &["key"]).to_owned())
            .collect(),
        free: allocatable.clone(),
        allocatable,
    }
}

/// Attachment slots, where the node publishes them (`attachable-volumes-aws-ebs`).
fn volume_slots(object: &Value) -> Option<i64> {
    let allocatable = at(object, &["status", "allocatable"]).as_object()?;
    let (_, slots) = allocatable.iter().find(|(name, _)| name.starts_with("attachable-volumes-"))?;
    quantity(slots).map(|q| q.units())
}

/// Takes away what a pod holds.
pub fn subtract(free: &mut NodeAmounts, taken: &NodeAmounts) {
    free.cpu_millis = free.cpu_millis.saturating_sub(taken.cpu_millis);
    free.memory_bytes = free.memory_bytes.saturating_sub(taken.memory_bytes);
    free.pods = free.pods.saturating_sub(taken.pods);
    for (resource, count) in &taken.accelerators {
        if let Some(left) = free.accelerators.get_mut(resource) {
            *left = left.saturating_sub(*count);
        }
    }
    if let (Some(slots), Some(used)) = (&mut free.volumes, taken.volumes) {
        *slots = slots.saturating_sub(used);
    }
}
