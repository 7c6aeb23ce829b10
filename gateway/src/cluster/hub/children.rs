//! The objects around one Space, and how they join into its facts.

use crate::cluster::kind::Kind;
use crate::cluster::project::{event, volume::ClaimObject, workload::WorkloadObject};
use spaceport_shared::space::facts::{DeploymentFacts, PodFacts, SpaceFacts};
use spaceport_shared::space::verdict::{Need, Outcome, judge};
use spaceport_shared::space::{Reason, ReasonCode, SpaceEvent};
use spaceport_shared::template::NodeRoom;
use std::collections::BTreeMap;

/// By name; events by their own name.
#[derive(Default)]
pub struct Children {
    pub deployments: BTreeMap<String, DeploymentFacts>,
    pub replica_sets: BTreeMap<String, DeploymentFacts>,
    pub pods: BTreeMap<String, PodFacts>,
    pub claim: Option<ClaimObject>,
    pub workloads: BTreeMap<String, WorkloadObject>,
    pub events: BTreeMap<String, SpaceEvent>,
}

impl Children {
    pub fn replicas_mut(&mut self, kind: Kind) -> &mut BTreeMap<String, DeploymentFacts> {
        if kind == Kind::Deployment { &mut self.deployments } else { &mut self.replica_sets }
    }

    pub fn remove(&mut self, kind: Kind, name: &str) {
        match kind {
            Kind::Deployment | Kind::ReplicaSet => {
                self.replicas_mut(kind).remove(name);
            }
            Kind::Pod => {
                self.pods.remove(name);
            }
            Kind::Claim => self.claim = None,
            Kind::Workload => {
                self.workloads.remove(name);
            }
            Kind::Event => {
                self.events.remove(name);
            }
            _ => {}
        }
    }

    pub fn is_empty(&self) -> bool {
        self.deployments.is_empty()
            && self.replica_sets.is_empty()
            && self.pods.is_empty()
            && self.claim.is_none()
            && self.workloads.is_empty()
            && self.events.is_empty()
    }

    pub fn is_on(&self, node: &str) -> bool {
        let claimed = self.claim.as_ref().and_then(|c| c.selected_node.as_deref());
        claimed == Some(node) || self.pods.values().any(|p| p.node.as_deref() == Some(node))
    }

    pub fn is_unschedulable(&self) -> bool {
        self.pods.values().any(|p| p.unschedulable.is_some())
    }

    /// The newest pod that is not being deleted, else the newest.
    pub fn present_pod(&self) -> Option<&PodFacts> {
        self.pods.values().max_by_key(|pod| (!pod.deleting, pod.created_at))
    }

    pub fn join(&self, facts: &mut SpaceFacts, nodes: &BTreeMap<String, NodeRoom>) {
        facts.pod = self.present_pod().cloned();
        facts.deployment = self.deployment();
        facts.workload = facts.pod.as_ref().and_then(|pod| {
            let of_pod = |w: &&WorkloadObject| w.pods.contains(&pod.name);
            self.workloads.values().find(of_pod).map(|w| w.facts.clone())
        });
        if let Some(claim) = &self.claim {
            let zone = claim.selected_node.as_ref().and_then(|n| nodes.get(n)).and_then(|n| n.zone.clone());
            if let Some(storage) = &mut facts.row.storage {
                storage.zone.clone_from(&zone);
            }
            facts.claim = Some(spaceport_shared::space::facts::ClaimFacts { zone, ..claim.facts.clone() });
        }
        let born = facts.row.created_at;
        // A Space of the same name may have lived before: what was said of it is not about this one.
        let is_mine = |e: &&SpaceEvent| e.last_at.is_none() || born.is_none() || e.last_at >= born;
        facts.events = self.events.values().filter(is_mine).map(event::facts).collect();
        if let Some(node) = facts.pod.as_ref().and_then(|p| p.node.as_ref()).and_then(|n| nodes.get(n))
            && !node.instance_type.is_empty()
        {
            facts.row.resources.instance_type = Some(node.instance_type.clone());
        }
        facts.never_fits = never_fits(facts, nodes);
    }

    /// The Deployment, with a failure that only its ReplicaSet tells.
    fn deployment(&self) -> Option<DeploymentFacts> {
        let mut deployment = self.deployments.values().next()?.clone();
        if deployment.failure.is_none()
            && let Some(failing) = self.replica_sets.values().find(|r| r.failure.is_some())
        {
            deployment.failure.clone_from(&failing.failure);
            deployment.failing_since = failing.failing_since;
        }
        Some(deployment)
    }
}

/// Whether even an empty cluster of these nodes could not take the pod. Only amounts count: a label or taint may
/// come with a node that does not exist yet, a larger machine of a listed kind will not.
fn never_fits(facts: &SpaceFacts, nodes: &BTreeMap<String, NodeRoom>) -> Option<Reason> {
    facts.pod.as_ref().filter(|p| p.unschedulable.is_some() && p.node.is_none())?;
    let nodes: Vec<NodeRoom> = nodes.values().cloned().collect();
    let verdict = judge(&Need::of_row(&facts.row), &nodes);
    let reason = verdict.reason.filter(|_| verdict.outcome == Outcome::CanNeverStart)?;
    matches!(
        reason.code,
        ReasonCode::InsufficientCpu | ReasonCode::InsufficientMemory | ReasonCode::InsufficientAccelerator
    )
    .then_some(reason)
}
