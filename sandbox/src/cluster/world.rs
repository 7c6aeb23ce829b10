//! The state of one cluster's components between two looks, and what a change of an object makes them look at.

use super::fields::{self, is_deleting, label, name, namespace, owner, text, uid};
use super::kubelet::Kubelet;
use super::names::{
    CONTROLLER_USER, LABEL_STRATEGY, LABEL_STRATEGY_NAMESPACE, LABEL_TEMPLATE, LABEL_TEMPLATE_NAMESPACE,
};
use super::operator::{self, SpaceNotes};
use super::options::ClusterOptions;
use super::queue::{Id, Key, Queue};
use super::recorder::Recorder;
use super::scheduler::{Ledger, Provisioning, qualified_claims};
use super::volumes;
use super::workloads::replicaset::{Refused, retry_refused};
use crate::kube::identity::UserInfo;
use crate::kube::{ApiServer, Change, ChangeKind, LocalApi};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Everything the reconcile functions share. One task owns it, so nothing in it is locked.
pub struct World {
    pub options: ClusterOptions,
    /// The Spaces operator.
    pub operator: LocalApi,
    /// kube-controller-manager.
    pub controllers: LocalApi,
    pub scheduler: LocalApi,
    /// Kubelets, volume drivers and what makes nodes.
    pub nodes: LocalApi,
    pub queue: Queue,
    pub events: Recorder,
    pub ledger: Ledger,
    pub provisioning: Provisioning,
    pub kubelet: Kubelet,
    /// Pods that found no node, to be tried again when something becomes free.
    pub unplaced: BTreeSet<Id>,
    /// ReplicaSets whose pods are refused.
    pub refused: HashMap<Id, Refused>,
    /// Nodes chosen for pods whose volumes are being made.
    pub assumed: HashMap<Id, String>,
    /// What the operator remembers of each Space.
    pub spaces: HashMap<Id, SpaceNotes>,
    /// Pods by the claims they mount (`namespace/name`).
    pub claim_users: HashMap<String, BTreeSet<Id>>,
    /// Spaces by template and by strategy (`namespace/name`).
    pub template_users: HashMap<Id, BTreeSet<Id>>,
    pub strategy_users: HashMap<Id, BTreeSet<Id>>,
    /// Containers start at their first connection (set while a seed settles).
    pub lazy: bool,
}

impl World {
    pub fn new(server: &ApiServer, options: ClusterOptions, kubelet: Kubelet) -> World {
        let component = |name: &str| server.local(UserInfo::component(name));
        World {
            options,
            operator: server.local(operator_user()),
            controllers: component("system:kube-controller-manager"),
            scheduler: component("system:kube-scheduler"),
            nodes: component("system:node-controller"),
            queue: Queue::default(),
            events: Recorder::new(component("system:kube-controller-manager")),
            ledger: Ledger::default(),
            provisioning: Provisioning::default(),
            kubelet,
            unplaced: BTreeSet::new(),
            refused: HashMap::new(),
            assumed: HashMap::new(),
            spaces: HashMap::new(),
            claim_users: HashMap::new(),
            template_users: HashMap::new(),
            strategy_users: HashMap::new(),
            lazy: false,
        }
    }

    /// Looks at everything that is stored: at the start, and after changes were missed.
    pub fn resume(&mut self) {
        for resource in WATCHED {
            for object in self.controllers.list(resource, None) {
                self.note(&Change { resource, kind: ChangeKind::Added, object, old: None, version: 0 });
            }
        }
        self.queue.push(Key::ExpireEvents);
    }

    /// Updates what is remembered and queues whoever must look.
    pub fn note(&mut self, change: &Change) {
        let object = &change.object;
        let id = Id::of(object);
        let gone = change.kind == ChangeKind::Deleted;
        match change.resource {
            "workspaces" => self.note_space(id, change),
            "deployments" => {
                self.push_owner(object, "Workspace", Key::Space);
                self.queue.push(Key::Deployment(id));
            }
            "replicasets" => {
                self.push_owner(object, "Deployment", Key::Deployment);
                if gone {
                    self.refused.remove(&id);
                }
                self.queue.push(Key::ReplicaSet(id));
            }
            "pods" => self.note_pod(id, object, gone),
            "services" => self.push_owner(object, "Workspace", Key::Space),
            "persistentvolumeclaims" => self.note_claim(id, object, gone),
            "nodes" => self.note_node(change),
            "csinodes" => self.ledger.set_csi_node(object),
            "workspacetemplates" if is_deleting(object) && !gone => self.queue.push(Key::Template(id)),
            "workspaceaccessstrategies" => self.note_strategy(id, object, gone),
            "resourcequotas" | "serviceaccounts" => retry_refused(self),
            "events" if change.kind == ChangeKind::Added => operator::watch_preemption(self, object),
            _ => {}
        }
        if gone {
            self.events.forget(uid(object));
        }
    }

    fn push_owner(&mut self, object: &Value, kind: &str, key: impl Fn(Id) -> Key) {
        if let Some(owner) = owner(object, kind) {
            self.queue.push(key(Id::new(namespace(object), owner)));
        }
    }

    fn note_space(&mut self, id: Id, change: &Change) {
        let gone = change.kind == ChangeKind::Deleted;
        let old = change.old.as_deref();
        let moved = old.is_none_or(|old| old["metadata"]["labels"] != change.object["metadata"]["labels"]);
        if let Some(old) = old.filter(|_| moved) {
            self.move_user(&id, old, false);
        }
        if moved || gone {
            self.move_user(&id, &change.object, !gone);
        }
        if gone {
            self.spaces.remove(&id);
            self.kubelet.forget_space(uid(&change.object));
        } else {
            self.queue.push(Key::Space(id));
        }
    }

    /// Keeps the users of templates and strategies; a deleting one is looked at when it loses one.
    fn move_user(&mut self, id: &Id, space: &Value, uses: bool) {
        let references = [
            (&mut self.template_users, LABEL_TEMPLATE, LABEL_TEMPLATE_NAMESPACE),
            (&mut self.strategy_users, LABEL_STRATEGY, LABEL_STRATEGY_NAMESPACE),
        ];
        for (users, name_label, namespace_label) in references {
            let target = Id::new(label(space, namespace_label), label(space, name_label));
            if target.name.is_empty() {
                continue;
            }
            if uses {
                users.entry(target).or_default().insert(id.clone());
                continue;
            }
            if let Some(ids) = users.get_mut(&target) {
                ids.remove(id);
            }
            let is_template = name_label == LABEL_TEMPLATE;
            self.queue.push(if is_template { Key::Template(target) } else { Key::Strategy(target) });
        }
    }

    fn note_pod(&mut self, id: Id, pod: &Value, gone: bool) {
        self.push_owner(pod, "ReplicaSet", Key::ReplicaSet);
        let mut freed = false;
        for claim in qualified_claims(pod) {
            let users = self.claim_users.entry(claim.clone()).or_default();
            if gone {
                users.remove(&id);
                if users.is_empty() {
                    self.claim_users.remove(&claim);
                }
                // A pod that waited for this one to let go of the volume goes on.
                for other in self.claim_users.get(&claim).into_iter().flatten() {
                    self.queue.push(Key::Kubelet(other.clone()));
                }
            } else {
                users.insert(id.clone());
            }
        }
        if gone {
            freed |= self.ledger.remove_pod(uid(pod));
            self.unplaced.remove(&id);
            self.assumed.remove(&id);
            self.provisioning.forget(&id);
            self.kubelet.forget_pod(uid(pod));
        } else {
            freed |= self.ledger.set_pod(pod);
            let placed = !text(&pod["spec"]["nodeName"]).is_empty();
            self.queue.push(if placed { Key::Kubelet(id) } else { Key::Placement(id) });
        }
        if freed {
            self.retry_unplaced();
        }
    }

    fn note_claim(&mut self, id: Id, claim: &Value, gone: bool) {
        let volume = text(&claim["spec"]["volumeName"]);
        if gone && !volume.is_empty() {
            volumes::reclaim(self, volume);
        }
        self.push_owner(claim, "Workspace", Key::Space);
        for pod in self.claim_users.get(&format!("{}/{}", id.namespace, id.name)).into_iter().flatten() {
            self.queue.push(Key::Placement(pod.clone()));
            self.queue.push(Key::Kubelet(pod.clone()));
        }
        self.queue.push(Key::Claim(id));
    }

    fn note_node(&mut self, change: &Change) {
        if change.kind == ChangeKind::Deleted {
            self.ledger.remove_node(name(&change.object));
        } else {
            self.ledger.set_node(change.object.clone());
        }
        self.retry_unplaced();
    }

    fn note_strategy(&mut self, id: Id, strategy: &Value, gone: bool) {
        for space in self.strategy_users.get(&id).into_iter().flatten() {
            self.queue.push(Key::Space(space.clone()));
        }
        if fields::is_deleting(strategy) && !gone {
            self.queue.push(Key::Strategy(id));
        }
    }

    /// Something became free: every waiting pod is tried again.
    pub fn retry_unplaced(&mut self) {
        for id in &self.unplaced {
            self.queue.push(Key::Placement(id.clone()));
        }
    }
}

/// Kinds whose changes matter here, nodes before pods.
const WATCHED: [&str; 11] = [
    "nodes",
    "csinodes",
    "workspaceaccessstrategies",
    "workspacetemplates",
    "workspaces",
    "persistentvolumeclaims",
    "persistentvolumes",
    "services",
    "deployments",
    "replicasets",
    "pods",
];

/// The operator's own identity; it is in no administrators' group.
pub fn operator_user() -> UserInfo {
    let user = UserInfo::service_account(super::names::SYSTEM_NAMESPACE, super::names::CONTROLLER_ACCOUNT);
    debug_assert_eq!(user.username, CONTROLLER_USER);
    user
}
