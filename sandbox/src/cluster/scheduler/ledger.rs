//! What is taken on each node. Kept up to date by single changes, so placing a pod never counts all pods.

use super::request::{self, Resources};
use crate::cluster::fields::{entries, items, name, namespace, quantity, text, uid};
use serde_json::Value;
use spaceport_shared::quantity::Quantity;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[derive(Default)]
pub struct Ledger {
    nodes: BTreeMap<String, NodeUse>,
    /// Pods on nodes by uid.
    placed: HashMap<String, Placed>,
}

/// One node and what is taken of it.
#[derive(Clone, Default)]
pub struct NodeUse {
    /// `None` while pods are known of a node that is not.
    pub object: Option<Arc<Value>>,
    /// What the node offers, read once a change of it.
    pub offered: Resources,
    pub taken: Resources,
    pub pods: i64,
    /// Attached claims (`namespace/name`) with the number of pods that use each.
    pub claims: BTreeMap<String, usize>,
    /// Attachments the node can hold; `None` where its CSINode does not say.
    pub volume_slots: Option<i64>,
}

struct Placed {
    node: String,
    request: Resources,
    claims: Vec<String>,
}

impl NodeUse {
    pub fn of_node(object: Arc<Value>, volume_slots: Option<i64>) -> NodeUse {
        let offered = offered_by(&object);
        NodeUse { object: Some(object), offered, volume_slots, ..NodeUse::default() }
    }

    /// What is left of a resource.
    pub fn free(&self, resource: &str) -> Quantity {
        let amount = |of: &Resources| of.get(resource).copied().unwrap_or(Quantity::ZERO);
        amount(&self.offered).saturating_sub(amount(&self.taken))
    }

    pub fn take(&mut self, request: &Resources, claims: &[String]) {
        self.pods += 1;
        for (resource, amount) in request {
            let taken = self.taken.entry(resource.clone()).or_insert(Quantity::ZERO);
            *taken = taken.saturating_add(*amount);
        }
        for claim in claims {
            *self.claims.entry(claim.clone()).or_default() += 1;
        }
    }

    fn give_back(&mut self, placed: &Placed) {
        self.pods -= 1;
        for (resource, amount) in &placed.request {
            if let Some(taken) = self.taken.get_mut(resource) {
                *taken = taken.saturating_sub(*amount);
            }
        }
        for claim in &placed.claims {
            if let Some(count) = self.claims.get_mut(claim) {
                *count -= 1;
                if *count == 0 {
                    self.claims.remove(claim);
                }
            }
        }
    }
}

impl Ledger {
    /// Nodes that exist, by name.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeUse> {
        self.nodes.values().filter(|node| node.object.is_some())
    }

    pub fn node(&self, name: &str) -> Option<&NodeUse> {
        self.nodes.get(name)
    }

    pub fn set_node(&mut self, node: Arc<Value>) {
        let entry = self.nodes.entry(name(&node).to_owned()).or_default();
        entry.offered = offered_by(&node);
        entry.object = Some(node);
    }

    pub fn remove_node(&mut self, name: &str) {
        if let Some(node) = self.nodes.get_mut(name) {
            node.object = None;
        }
    }

    /// Volume slots, from the CSINode of the same name.
    pub fn set_csi_node(&mut self, csi: &Value) {
        let slots = items(&csi["spec"]["drivers"]).iter().find_map(|d| d["allocatable"]["count"].as_i64());
        self.nodes.entry(name(csi).to_owned()).or_default().volume_slots = slots;
    }

    /// Accounts for the pod as it is now; a finished pod takes nothing. Returns true when something became free.
    pub fn set_pod(&mut self, pod: &Value) -> bool {
        let node = text(&pod["spec"]["nodeName"]);
        let finished = matches!(text(&pod["status"]["phase"]), "Succeeded" | "Failed");
        if node.is_empty() || finished {
            return self.remove_pod(uid(pod));
        }
        if self.placed.contains_key(uid(pod)) {
            return false;
        }
        let placed =
            Placed { node: node.to_owned(), request: request::of_pod(pod), claims: qualified_claims(pod) };
        let taken = self.nodes.entry(placed.node.clone()).or_default();
        taken.take(&placed.request, &placed.claims);
        self.placed.insert(uid(pod).to_owned(), placed);
        false
    }

    pub fn remove_pod(&mut self, uid: &str) -> bool {
        let Some(placed) = self.placed.remove(uid) else { return false };
        if let Some(node) = self.nodes.get_mut(&placed.node) {
            node.give_back(&placed);
        }
        true
    }
}

fn offered_by(node: &Value) -> Resources {
    entries(&node["status"]["allocatable"])
        .filter_map(|(resource, amount)| Some((resource.clone(), quantity(amount)?)))
        .collect()
}

/// `namespace/name` of each claim of the pod.
pub fn qualified_claims(pod: &Value) -> Vec<String> {
    request::claims(pod).map(|claim| format!("{}/{claim}", namespace(pod))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(uid: &str, phase: &str) -> Value {
        json!({
            "metadata": {"uid": uid, "namespace": "ns"},
            "spec": {
                "nodeName": "n", "containers": [{"resources": {"requests": {"cpu": "2"}}}],
                "volumes": [{"persistentVolumeClaim": {"claimName": "c"}}],
            },
            "status": {"phase": phase},
        })
    }

    #[test]
    fn a_pod_is_counted_once_and_given_back_when_it_ends() {
        let mut ledger = Ledger::default();
        ledger
            .set_node(Arc::new(json!({"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4"}}})));
        ledger.set_pod(&pod("a", "Running"));
        ledger.set_pod(&pod("a", "Running"));
        ledger.set_pod(&pod("b", "Pending"));
        let free =
            |ledger: &Ledger| ledger.node("n").map(|n| (n.free("cpu").units(), n.pods, n.claims.len()));
        assert_eq!(free(&ledger), Some((0, 2, 1)));
        assert!(ledger.set_pod(&pod("a", "Failed")));
        assert!(!ledger.remove_pod("a"), "already given back");
        assert_eq!(free(&ledger), Some((2, 1, 1)), "the claim is still attached for the other pod");
        assert!(ledger.remove_pod("b"));
        assert_eq!(free(&ledger), Some((4, 0, 0)));
    }
}
