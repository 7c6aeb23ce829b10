//! Instance groups that grow: a pod that fits nowhere gets a node of the first group it would fit on.

use super::fit::{self, VolumeNeeds};
use super::ledger::NodeUse;
use super::request::Resources;
use crate::cluster::fields::name;
use crate::cluster::pace::figures;
use crate::cluster::queue::{Id, Key};
use crate::cluster::recorder::Component;
use crate::cluster::workloads::log_lost;
use crate::cluster::world::World;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

const PROVISIONER: Component = Component("karpenter");

/// Nodes on their way.
#[derive(Default)]
pub struct Provisioning {
    coming: BTreeMap<(String, usize), Planned>,
    /// Which of them a pod waits for.
    awaited: HashMap<Id, (String, usize)>,
}

/// A node that does not exist yet, with the pods it is meant for taken off.
struct Planned {
    node: NodeUse,
}

impl Provisioning {
    /// The pod was placed, or is gone. What was taken for it stays taken until the node arrives.
    pub fn forget(&mut self, pod: &Id) {
        self.awaited.remove(pod);
    }
}

/// Makes sure that a node is coming on which the pod will fit, if any group can still give one.
pub(super) fn request_node(
    world: &mut World,
    id: &Id,
    pod: &Value,
    request: &Resources,
    needs: &VolumeNeeds,
) {
    if world.provisioning.awaited.contains_key(id) {
        return;
    }
    let fits = |node: &NodeUse| fit::check(pod, request, needs, node).is_ok();
    let planned = world.provisioning.coming.iter_mut().find(|(_, planned)| fits(&planned.node));
    if let Some((key, planned)) = planned {
        planned.node.take(request, &needs.claims);
        let key = key.clone();
        return await_node(world, id, pod, key);
    }
    for group in world.options.groups.clone() {
        let existing = |index: &usize| {
            let key = (group.name.clone(), *index);
            world
                .ledger
                .node(&group.node_name(&world.options.name, *index))
                .is_some_and(|n| n.object.is_some())
                || world.provisioning.coming.contains_key(&key)
        };
        let candidate = (0..group.max).filter(|index| !existing(index)).find_map(|index| {
            let object = Arc::new(group.node(&world.options.name, index));
            let node = NodeUse::of_node(object, Some(group.volume_slots));
            fits(&node).then_some((index, node))
        });
        if let Some((index, mut node)) = candidate {
            node.take(request, &needs.claims);
            let key = (group.name.clone(), index);
            world.provisioning.coming.insert(key.clone(), Planned { node });
            world.queue.push_after(Key::Node(key.0.clone(), key.1), world.options.pace.work(figures::NODE));
            return await_node(world, id, pod, key);
        }
    }
}

fn await_node(world: &mut World, id: &Id, pod: &Value, key: (String, usize)) {
    let message = format!("Pod should schedule on: nodeclaim/{}-{}", key.0, key.1);
    world.provisioning.awaited.insert(id.clone(), key);
    world.events.normal(PROVISIONER, pod, "Nominated", &message);
}

/// The instance is up: its Node joins the cluster.
pub fn node_arrived(world: &mut World, group: &str, index: usize) {
    let key = (group.to_owned(), index);
    world.provisioning.coming.remove(&key);
    world.provisioning.awaited.retain(|_, awaited| *awaited != key);
    let Some(group) = world.options.groups.iter().find(|candidate| candidate.name == group) else { return };
    let (node, csi) = (group.node(&world.options.name, index), group.csi_node(&world.options.name, index));
    log_lost("csi node", world.nodes.create("csinodes", "", csi));
    match world.nodes.create("nodes", "", node) {
        Ok(node) => {
            let message = format!("Node {} event: Registered Node {0} in Controller", name(&node));
            world.events.normal(Component("node-controller"), &node, "RegisteredNode", &message);
        }
        Err(failure) => log_lost("node", Err::<(), _>(failure)),
    }
}
