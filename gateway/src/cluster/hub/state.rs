//! The pure core of the watch hub: observations of all kinds in, changes of Space rows out.
//!
//! One reducer for the view, since a row joins Workspace, Deployment, ReplicaSet, pod, claim, events, Workload and
//! node. The cost of an observation is that of the rows it touches. No clock, no client, no locks.

use super::children::Children;
use super::row::Published;
use crate::cluster::kind::Kind;
use crate::cluster::project::template::{Strategy, strategy_key};
use crate::cluster::project::{event, node, pod, space, template, volume, workload};
use crate::cluster::reading;
use serde_json::Value;
use spaceport_shared::space::facts::SpaceFacts;
use spaceport_shared::template::{NodeAmounts, NodeRoom, Template};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Namespace and name.
pub type Key = (String, String);

/// What a watch reports.
#[derive(Debug)]
pub enum Observation {
    /// A list begins: what it does not name is gone when it ends.
    Listing(Kind),
    Listed(Kind),
    /// The cluster does not serve the kind, or does not let us watch it.
    Absent(Kind),
    Applied(Kind, Value),
    Deleted(Kind, Value),
}

/// One change of the view.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Upsert(Arc<Published>),
    /// `id` is the row's key on the wire.
    Remove {
        namespace: String,
        id: String,
    },
}

/// Where a pod is and what it takes, Space or not: the room on nodes depends on all of them.
struct Placement {
    node: Option<String>,
    takes: NodeAmounts,
}

/// Which Space an object belongs to, and in which list it was last seen.
struct Seen {
    list: u64,
    space: Option<String>,
}

pub struct HubState {
    cluster: String,
    spaces: BTreeMap<Key, space::SpaceObject>,
    children: HashMap<Key, Children>,
    placements: HashMap<Key, Placement>,
    strategies: HashMap<Key, Strategy>,
    templates: BTreeMap<Key, Template>,
    nodes: BTreeMap<String, NodeRoom>,
    /// Whether task governance is active, by namespace.
    namespaces: BTreeMap<String, bool>,
    seen: HashMap<Kind, HashMap<Key, Seen>>,
    lists: HashMap<Kind, u64>,
    answered: HashSet<Kind>,
    dirty: BTreeSet<Key>,
    published: BTreeMap<Key, Arc<Published>>,
    bindings: u64,
}

impl HubState {
    pub fn new(cluster: &str) -> HubState {
        HubState {
            cluster: cluster.to_owned(),
            spaces: BTreeMap::new(),
            children: HashMap::new(),
            placements: HashMap::new(),
            strategies: HashMap::new(),
            templates: BTreeMap::new(),
            nodes: BTreeMap::new(),
            namespaces: BTreeMap::new(),
            seen: HashMap::new(),
            lists: HashMap::new(),
            answered: HashSet::new(),
            dirty: BTreeSet::new(),
            published: BTreeMap::new(),
            bindings: 0,
        }
    }

    /// Takes in one observation. Nothing is published before every kind has answered once: a half-read cluster
    /// would show Spaces that seem to lack their pods.
    pub fn step(&mut self, observation: Observation) -> Vec<Change> {
        match observation {
            Observation::Listing(kind) => *self.lists.entry(kind).or_default() += 1,
            Observation::Listed(kind) => {
                self.forget_unseen(kind);
                self.answered.insert(kind);
            }
            Observation::Absent(kind) => {
                self.answered.insert(kind);
            }
            Observation::Applied(kind, object) => self.apply(kind, &object),
            Observation::Deleted(kind, object) => self.remove(kind, &key(&object)),
        }
        if self.is_ready() { self.publish() } else { Vec::new() }
    }

    pub fn is_ready(&self) -> bool {
        self.answered.len() == Kind::ALL.len()
    }

    fn forget_unseen(&mut self, kind: Kind) {
        let current = self.lists.get(&kind).copied().unwrap_or_default();
        let table = self.seen.entry(kind).or_default();
        let gone: Vec<Key> =
            table.iter().filter(|(_, seen)| seen.list != current).map(|(key, _)| key.clone()).collect();
        for key in gone {
            self.remove(kind, &key);
        }
    }

    fn apply(&mut self, kind: Kind, object: &Value) {
        let key = key(object);
        let space = self.absorb(kind, &key, object);
        if let Some(space) = &space {
            self.dirty.insert((key.0.clone(), space.clone()));
        }
        let list = self.lists.get(&kind).copied().unwrap_or_default();
        self.seen.entry(kind).or_default().insert(key, Seen { list, space });
    }

    /// Puts the object into its table and answers the Space that it belongs to.
    fn absorb(&mut self, kind: Kind, key: &Key, object: &Value) -> Option<String> {
        match kind {
            Kind::Space => {
                self.spaces.insert(key.clone(), space::project(&self.cluster, object));
                return Some(key.1.clone());
            }
            Kind::Pod => return self.absorb_pod(key, object),
            Kind::Deployment | Kind::ReplicaSet => {
                let replica = pod::project_replica(object)?;
                let children = self.children_of(&key.0, &replica.space);
                children.replicas_mut(kind).insert(key.1.clone(), replica.facts);
                return Some(replica.space);
            }
            Kind::Claim => {
                let space = event::space_of("PersistentVolumeClaim", &key.1)?.to_owned();
                self.children_of(&key.0, &space).claim = Some(volume::project_claim(object));
                return Some(space);
            }
            Kind::Event => {
                let found = event::project(object)?;
                let space = self.space_of_event(&found)?;
                self.children_of(&key.0, &space).events.insert(key.1.clone(), found.event);
                return Some(space);
            }
            Kind::Workload => {
                let found = workload::project(object);
                let space = found.pods.iter().find_map(|pod| event::space_of("Pod", pod))?.to_owned();
                self.children_of(&key.0, &space).workloads.insert(key.1.clone(), found);
                return Some(space);
            }
            Kind::Node => self.absorb_node(node::project(object)),
            Kind::Strategy => {
                self.strategies.insert(key.clone(), template::project_strategy(object));
                self.touch_users_of(key);
            }
            Kind::Template => {
                self.templates.insert(key.clone(), template::project_template(&self.cluster, object));
            }
            Kind::Namespace => {
                self.namespaces.insert(key.1.clone(), is_governed(object));
            }
            Kind::RoleBinding | Kind::ClusterRoleBinding => self.bindings += 1,
        }
        None
    }

    fn absorb_pod(&mut self, key: &Key, object: &Value) -> Option<String> {
        let found = pod::project_pod(object);
        self.placements.insert(key.clone(), Placement { node: found.node, takes: found.takes });
        let (space, facts) = (found.space?, found.facts?);
        self.children_of(&key.0, &space).pods.insert(key.1.clone(), *facts);
        Some(space)
    }

    /// The pod or ReplicaSet itself says whose it is; where it is gone, its name does.
    fn space_of_event(&self, found: &event::EventObject) -> Option<String> {
        let kind = match found.event.object_kind.as_str() {
            "Pod" => Some(Kind::Pod),
            "ReplicaSet" => Some(Kind::ReplicaSet),
            _ => None,
        };
        let key = (found.namespace.clone(), found.event.object_name.clone());
        let known = kind.and_then(|k| self.seen.get(&k)?.get(&key)?.space.clone());
        known.or_else(|| event::space_of(&found.event.object_kind, &key.1).map(str::to_owned))
    }

    /// A node matters to the Spaces on it by its type, and to those that fit nowhere by its size.
    fn absorb_node(&mut self, room: NodeRoom) {
        let old = self.nodes.insert(room.name.clone(), room.clone());
        if old.as_ref().is_none_or(|o| o.instance_type != room.instance_type || o.zone != room.zone) {
            self.touch(|children| children.is_on(&room.name));
        }
        if old.is_none_or(|o| o.allocatable != room.allocatable || o.taints != room.taints) {
            self.touch(Children::is_unschedulable);
        }
    }

    fn touch(&mut self, concerns: impl Fn(&Children) -> bool) {
        let keys = self.children.iter().filter(|(_, c)| concerns(c)).map(|(key, _)| key.clone());
        self.dirty.extend(keys);
    }

    fn touch_users_of(&mut self, strategy: &Key) {
        let users = self
            .spaces
            .iter()
            .filter(|(_, s)| s.strategy.as_ref().is_some_and(|r| strategy_key(r) == *strategy))
            .map(|(key, _)| key.clone());
        self.dirty.extend(users);
    }

    fn children_of(&mut self, namespace: &str, space: &str) -> &mut Children {
        self.children.entry((namespace.to_owned(), space.to_owned())).or_default()
    }

    fn remove(&mut self, kind: Kind, key: &Key) {
        let seen = self.seen.get_mut(&kind).and_then(|table| table.remove(key));
        match kind {
            Kind::Space => {
                self.spaces.remove(key);
            }
            Kind::Pod => {
                self.placements.remove(key);
            }
            Kind::Node => {
                self.nodes.remove(&key.1);
                self.touch(Children::is_unschedulable);
            }
            Kind::Strategy => {
                self.strategies.remove(key);
                self.touch_users_of(key);
            }
            Kind::Template => {
                self.templates.remove(key);
            }
            Kind::Namespace => {
                self.namespaces.remove(&key.1);
            }
            Kind::RoleBinding | Kind::ClusterRoleBinding => self.bindings += 1,
            _ => {}
        }
        if let Some(space) = seen.and_then(|s| s.space) {
            let owner = (key.0.clone(), space);
            if let Some(children) = self.children.get_mut(&owner) {
                children.remove(kind, &key.1);
                if children.is_empty() {
                    self.children.remove(&owner);
                }
            }
            self.dirty.insert(owner);
        }
    }

    /// Recomputes what was touched; a row that comes out the same is not published again.
    fn publish(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        for key in std::mem::take(&mut self.dirty) {
            let new = self.facts(&key).map(|facts| Arc::new(Published::new(&facts)));
            let old = self.published.get(&key);
            if old.is_some_and(|o| new.as_ref().is_none_or(|n| n.full().id != o.full().id)) {
                let id = old.map(|o| o.full().id.clone()).unwrap_or_default();
                changes.push(Change::Remove { namespace: key.0.clone(), id });
            }
            match new {
                Some(new) if old != Some(&new) => {
                    changes.push(Change::Upsert(new.clone()));
                    self.published.insert(key, new);
                }
                Some(_) => {}
                None => {
                    self.published.remove(&key);
                }
            }
        }
        changes
    }

    /// Everything known of a Space.
    pub fn facts(&self, key: &Key) -> Option<SpaceFacts> {
        let space = self.spaces.get(key)?;
        let mut facts = space.facts.clone();
        let strategy = space.strategy.as_ref().and_then(|r| self.strategies.get(&strategy_key(r)));
        facts.row.connection_types = strategy.map(|s| s.connection_types.clone()).unwrap_or_default();
        if let Some(children) = self.children.get(key) {
            children.join(&mut facts, &self.nodes);
        }
        Some(facts)
    }

    pub fn get(&self, key: &Key) -> Option<&Arc<Published>> {
        self.published.get(key)
    }

    /// All rows, by namespace and name.
    pub fn rows(&self) -> impl Iterator<Item = (&Key, &Arc<Published>)> {
        self.published.iter()
    }

    pub fn events(&self, key: &Key) -> Vec<spaceport_shared::space::SpaceEvent> {
        self.children.get(key).map(|c| c.events.values().cloned().collect()).unwrap_or_default()
    }

    /// Pods of a Space, the present one first.
    pub fn pod_name(&self, key: &Key) -> Option<String> {
        self.children.get(key).and_then(Children::present_pod).map(|pod| pod.name.clone())
    }

    pub fn templates(&self) -> impl Iterator<Item = Template> {
        self.templates.values().map(|t| {
            let strategy = t.access_strategy.as_ref().and_then(|r| self.strategies.get(&strategy_key(r)));
            template::with_strategy(t.clone(), strategy)
        })
    }

    pub fn namespaces(&self) -> &BTreeMap<String, bool> {
        &self.namespaces
    }

    pub fn node_zone(&self, node: &str) -> Option<String> {
        self.nodes.get(node).and_then(|n| n.zone.clone())
    }

    /// Nodes with what all pods leave free.
    pub fn rooms(&self) -> Vec<NodeRoom> {
        let mut rooms = self.nodes.clone();
        for placement in self.placements.values() {
            if let Some(room) = placement.node.as_ref().and_then(|n| rooms.get_mut(n)) {
                node::subtract(&mut room.free, &placement.takes);
            }
        }
        rooms.into_values().collect()
    }

    /// Grows with every change of a role binding: a sign that rights may have changed.
    pub fn bindings(&self) -> u64 {
        self.bindings
    }
}

fn key(object: &Value) -> Key {
    (reading::namespace(object).to_owned(), reading::name(object).to_owned())
}

/// A namespace under task governance (HyperPod user guide, "Task governance").
fn is_governed(namespace: &Value) -> bool {
    reading::label(namespace, "sagemaker.amazonaws.com/activate-quota") == Some("Enabled")
        || reading::label(namespace, "sagemaker.amazonaws.com/sagemaker-managed-queue") == Some("true")
}
