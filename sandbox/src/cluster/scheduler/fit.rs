//! Can this pod go to this node, and if not, why? In the filters' order of the real scheduler: the first filter that
//! refuses a node gives the reasons (kube-scheduler, `framework/plugins`).

use super::ledger::NodeUse;
use super::placement;
use super::request::Resources;
use crate::cluster::fields::{name, text};
use crate::cluster::nodes::LABEL_ZONE;
use serde_json::Value;
use spaceport_shared::quantity::Quantity;
use std::collections::BTreeMap;

/// What a pod's volumes demand of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeNeeds {
    /// Zones of its bound volumes; more than one can be satisfied nowhere.
    pub zones: Vec<String>,
    /// `namespace/name` of every claim.
    pub claims: Vec<String>,
}

/// Why a node was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub reasons: Vec<String>,
    /// Ending other pods there could help.
    pub preemption_helps: bool,
}

/// # Errors
/// The reasons of the first filter that refuses.
pub fn check(
    pod: &Value,
    request: &Resources,
    volumes: &VolumeNeeds,
    node_use: &NodeUse,
) -> Result<(), Refusal> {
    let Some(node) = node_use.object.as_deref() else { return refuse("node(s) were not found") };
    if node["spec"]["unschedulable"] == true {
        return refuse("node(s) were unschedulable");
    }
    let wanted = text(&pod["spec"]["nodeName"]);
    if !wanted.is_empty() && wanted != name(node) {
        return refuse("node(s) didn't match the requested node name");
    }
    if let Some(taint) = placement::untolerated_taint(pod, node) {
        return refuse(&format!("node(s) had untolerated taint {taint}"));
    }
    if !placement::selects(pod, node) {
        return refuse("node(s) didn't match Pod's node affinity/selector");
    }
    check_resources(request, node_use)?;
    check_volumes(volumes, node_use, node)
}

fn refuse(reason: &str) -> Result<(), Refusal> {
    Err(Refusal { reasons: vec![reason.to_owned()], preemption_helps: false })
}

fn check_resources(request: &Resources, node_use: &NodeUse) -> Result<(), Refusal> {
    let mut reasons = Vec::new();
    let mut preemption_helps = true;
    if node_use.free("pods").units() <= node_use.pods {
        reasons.push("Too many pods".to_owned());
    }
    for (resource, amount) in request.iter().filter(|(_, amount)| **amount > Quantity::ZERO) {
        if *amount > node_use.free(resource) {
            reasons.push(format!("Insufficient {resource}"));
            preemption_helps &= node_use.offered.get(resource).is_some_and(|all| amount <= all);
        }
    }
    if reasons.is_empty() { Ok(()) } else { Err(Refusal { reasons, preemption_helps }) }
}

fn check_volumes(volumes: &VolumeNeeds, node_use: &NodeUse, node: &Value) -> Result<(), Refusal> {
    let zone = text(&node["metadata"]["labels"][LABEL_ZONE]);
    if volumes.zones.iter().any(|needed| needed != zone) {
        return refuse("node(s) had volume node affinity conflict");
    }
    if let Some(slots) = node_use.volume_slots {
        let new = volumes.claims.iter().filter(|claim| !node_use.claims.contains_key(*claim)).count();
        let attached = node_use.claims.len();
        if new > 0 && i64::try_from(attached + new).unwrap_or(i64::MAX) > slots {
            return Err(Refusal {
                reasons: vec!["node(s) exceed max volume count".to_owned()],
                preemption_helps: true,
            });
        }
    }
    Ok(())
}

/// `0/6 nodes are available: 2 Insufficient nvidia.com/gpu, 4 node(s) …. preemption: …` as the scheduler prints it:
/// sorted, each reason with the number of nodes.
pub fn explain(refusals: &[Refusal]) -> String {
    let total = refusals.len();
    if total == 0 {
        return "no nodes available to schedule pods".to_owned();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in refusals.iter().flat_map(|refusal| &refusal.reasons) {
        *counts.entry(reason).or_default() += 1;
    }
    let mut parts: Vec<String> = counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    parts.sort();
    let helpful = refusals.iter().filter(|refusal| refusal.preemption_helps).count();
    format!("0/{total} nodes are available: {}. {}", parts.join(", "), preemption(total, helpful))
}

/// As [`explain`], where the pod was refused before any node was looked at.
pub fn explain_before_nodes(total: usize, why: &str) -> String {
    format!("0/{total} nodes are available: {why}. {}", preemption(total, 0))
}

fn preemption(total: usize, helpful: usize) -> String {
    let mut parts = Vec::new();
    if helpful > 0 {
        parts.push(format!("{helpful} No preemption victims found for incoming pod"));
    }
    if helpful < total {
        parts.push(format!("{} Preemption is not helpful for scheduling", total - helpful));
    }
    parts.sort();
    format!("preemption: 0/{total} nodes are available: {}.", parts.join(", "))
}

/// How good a node is for a pod that fits: cached image first, then the emptier node (as `ImageLocality` and
/// `LeastAllocated` weigh). Higher is better.
pub fn score(request: &Resources, node_use: &NodeUse, image_is_cached: bool) -> i64 {
    let free_percent = |resource: &str| -> i64 {
        let all = node_use.offered.get(resource).map_or(0, |all| all.millis());
        let asked = request.get(resource).map_or(0, |amount| amount.millis());
        if all == 0 { 0 } else { (node_use.free(resource).millis() - asked).max(0) / (all / 100).max(1) }
    };
    let emptiness = (free_percent("cpu") + free_percent("memory")) / 2;
    i64::from(image_is_cached) * 100 + emptiness
}

#[cfg(test)]
mod tests {
    use super::super::request;
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    fn node(name: &str, zone: &str, allocatable: Value, taints: Value) -> NodeUse {
        let node = json!({
            "metadata": {"name": name, "labels": {LABEL_ZONE: zone}},
            "spec": {"taints": taints}, "status": {"allocatable": allocatable},
        });
        NodeUse::of_node(Arc::new(node), Some(2))
    }

    fn pod(requests: Value) -> Value {
        json!({"spec": {"containers": [{"resources": {"requests": requests}}]}})
    }

    fn verdict(pod: &Value, volumes: &VolumeNeeds, node: &NodeUse) -> Vec<String> {
        check(pod, &request::of_pod(pod), volumes, node).err().map(|r| r.reasons).unwrap_or_default()
    }

    #[test]
    fn every_missing_resource_of_a_node_is_named() {
        let node = node("n", "a", json!({"cpu": "2", "memory": "4Gi", "pods": "10"}), json!([]));
        let pod = pod(json!({"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "1"}));
        assert_eq!(
            verdict(&pod, &VolumeNeeds::default(), &node),
            ["Insufficient cpu", "Insufficient memory", "Insufficient nvidia.com/gpu"]
        );
    }

    #[test]
    fn a_taint_is_the_reason_even_where_resources_lack() {
        let node = node(
            "n",
            "a",
            json!({"cpu": "1", "pods": "10"}),
            json!([{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]),
        );
        assert_eq!(
            verdict(&pod(json!({"cpu": "4"})), &VolumeNeeds::default(), &node),
            ["node(s) had untolerated taint {nvidia.com/gpu: }"]
        );
    }

    #[test]
    fn a_volume_of_another_zone_and_full_slots_refuse() {
        let mut node = node("n", "a", json!({"cpu": "8", "pods": "10"}), json!([]));
        let pod = pod(json!({"cpu": "1"}));
        let needs =
            |zone: &str, claim: &str| VolumeNeeds { zones: vec![zone.into()], claims: vec![claim.into()] };
        assert_eq!(verdict(&pod, &needs("b", "ns/x"), &node), ["node(s) had volume node affinity conflict"]);
        node.take(&Resources::new(), &["ns/x".into(), "ns/y".into()]);
        assert_eq!(verdict(&pod, &needs("a", "ns/z"), &node), ["node(s) exceed max volume count"]);
        assert_eq!(verdict(&pod, &needs("a", "ns/x"), &node), [""; 0], "already attached here");
    }

    #[test]
    fn a_full_node_has_too_many_pods() {
        let mut node = node("n", "a", json!({"cpu": "8", "pods": "1"}), json!([]));
        node.take(&Resources::new(), &[]);
        assert_eq!(verdict(&pod(json!({})), &VolumeNeeds::default(), &node), ["Too many pods"]);
    }

    #[test]
    fn the_message_counts_and_sorts_reasons_as_the_scheduler_does() {
        let gpu = Refusal { reasons: vec!["Insufficient nvidia.com/gpu".into()], preemption_helps: true };
        let taint =
            Refusal { reasons: vec!["node(s) had untolerated taint {a: }".into()], preemption_helps: false };
        let all = [gpu.clone(), gpu, taint.clone(), taint.clone(), taint.clone(), taint];
        assert_eq!(
            explain(&all),
            "0/6 nodes are available: 2 Insufficient nvidia.com/gpu, 4 node(s) had untolerated taint {a: }. \
             preemption: 0/6 nodes are available: 2 No preemption victims found for incoming pod, 4 Preemption is not \
             helpful for scheduling."
        );
        assert_eq!(explain(&[]), "no nodes available to schedule pods");
    }

    #[test]
    fn a_cached_image_outweighs_an_empty_node() {
        let mut busy = node("n", "a", json!({"cpu": "8", "memory": "8Gi", "pods": "9"}), json!([]));
        let empty = busy.clone();
        let request = request::of_pod(&pod(json!({"cpu": "2", "memory": "2Gi"})));
        busy.take(&request, &[]);
        assert!(score(&request, &busy, true) > score(&request, &empty, false));
        assert!(score(&request, &busy, false) < score(&request, &empty, false));
    }
}
