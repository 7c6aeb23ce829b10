//! The kubelets of all nodes: they carry pods through their steps and write what a kubelet writes. What runs in the
//! application container is the runtime's business.

mod images;
mod mounts;
mod run;
mod status;
mod steps;

use self::run::{PodRun, SpaceOfPod};
use super::fields::{self, is_deleting, label, name, namespace, owner, text, uid};
use super::names::LABEL_SPACE;
use super::operator;
use super::pace::figures;
use super::queue::{Id, Key};
use super::recorder::Component;
use super::sentinel;
use super::workloads::log_lost;
use super::world::World;
use crate::kube::DeleteOptions;
use crate::runtime::{Runtime, RuntimeState};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use tokio::sync::mpsc;
use tokio::time::Instant;

pub(super) const KUBELET: Component = Component("kubelet");

/// What other tasks tell the loop.
#[derive(Debug)]
pub enum Signal {
    /// An image pull ended (pod by uid).
    Pulled { pod: Id, uid: String, result: Result<(), String> },
    /// The process behind a pod has ended.
    Stopped { pod: Id, uid: String },
    /// What the idle endpoint of a Space answered.
    Activity { space: Id, answer: operator::Answer },
    /// Somebody was given a way into a Space.
    Connected { space_uid: String },
    /// Containers start at their first connection from now on, or again at once.
    Lazy(bool),
    /// Answer when nothing is due any more.
    Settle(tokio::sync::oneshot::Sender<()>),
}

pub struct Kubelet {
    runtime: Option<Runtime>,
    signals: mpsc::UnboundedSender<Signal>,
    runs: HashMap<String, PodRun>,
    /// Images by node.
    images: HashMap<String, HashSet<String>>,
    /// Which pod runs a Space's process; a second one waits for it.
    holders: HashMap<String, (String, Id)>,
    /// Pods that wait for a process, a volume or a Space to become free.
    waiting: BTreeSet<Id>,
    /// Pods whose process can end or become ready at any time.
    watched: BTreeSet<Id>,
    /// Claims whose volume is being made.
    making: HashMap<String, Instant>,
}

impl Kubelet {
    pub fn new(runtime: Option<Runtime>, signals: mpsc::UnboundedSender<Signal>) -> Kubelet {
        Kubelet {
            runtime,
            signals,
            runs: HashMap::new(),
            images: HashMap::new(),
            holders: HashMap::new(),
            waiting: BTreeSet::new(),
            watched: BTreeSet::new(),
            making: HashMap::new(),
        }
    }

    pub fn has_image(&self, node: &str, image: &str) -> bool {
        self.images.get(node).is_some_and(|images| images.contains(image))
    }

    fn keep_image(&mut self, node: &str, image: &str) {
        self.images.entry(node.to_owned()).or_default().insert(image.to_owned());
    }

    pub fn runtime(&self) -> Option<&Runtime> {
        self.runtime.as_ref()
    }

    /// When the making of a claim's volume began: now, if it had not.
    pub fn provisioning_since(&mut self, claim_uid: &str) -> Instant {
        *self.making.entry(claim_uid.to_owned()).or_insert_with(Instant::now)
    }

    pub fn provisioned(&mut self, claim_uid: &str) {
        self.making.remove(claim_uid);
    }

    /// The pod is gone.
    pub fn forget_pod(&mut self, pod_uid: &str) {
        self.runs.remove(pod_uid);
        self.holders.retain(|_, (holder, _)| holder != pod_uid);
    }

    /// The Space is gone: its address must not answer any more.
    pub fn forget_space(&mut self, space_uid: &str) {
        if let Some(runtime) = self.runtime.clone() {
            let space_uid = space_uid.to_owned();
            tokio::spawn(async move { runtime.forget(&space_uid).await });
        }
    }

    /// Is the application in the Space's container serving?
    pub fn is_serving(&self, space_uid: &str) -> bool {
        match &self.runtime {
            None => true,
            Some(runtime) => {
                matches!(
                    runtime.state(space_uid),
                    RuntimeState::Ready { .. } | RuntimeState::Simulated { .. }
                )
            }
        }
    }
}

/// Takes a signal in.
pub fn hear(world: &mut World, signal: Signal) {
    match signal {
        Signal::Pulled { pod, uid, result } => {
            if let Some(run) = world.kubelet.runs.get_mut(&uid) {
                run.pull = run::Pull::Done(result);
            }
            world.queue.push(Key::Kubelet(pod));
        }
        Signal::Stopped { pod, uid } => {
            if let Some(ending) = world.kubelet.runs.get_mut(&uid).and_then(|run| run.ending.as_mut()) {
                ending.1 = true;
            }
            world.queue.push(Key::Kubelet(pod));
        }
        Signal::Activity { space, answer } => operator::hear_activity(world, &space, &answer),
        Signal::Connected { space_uid } => {
            if let Some((_, pod)) = world.kubelet.holders.get(&space_uid) {
                world.kubelet.watched.insert(pod.clone());
            }
        }
        Signal::Lazy(lazy) => {
            world.lazy = lazy;
            world.events.only_warnings = lazy;
        }
        // Answered by the loop itself, which knows when it has nothing to do.
        Signal::Settle(_) => {}
    }
}

/// Some process became ready or ended: whoever depends on one looks again.
pub fn hear_runtime(world: &mut World) {
    for pod in world.kubelet.watched.iter().chain(&world.kubelet.waiting) {
        world.queue.push(Key::Kubelet(pod.clone()));
    }
}

/// Carries a pod as far as it can go now, and writes its status when that changed.
pub fn reconcile(world: &mut World, id: &Id) {
    let Some(pod) = world.nodes.get("pods", &id.namespace, &id.name) else {
        world.kubelet.watched.remove(id);
        world.kubelet.waiting.remove(id);
        return;
    };
    if text(&pod["spec"]["nodeName"]).is_empty() {
        return;
    }
    let mut run = match world.kubelet.runs.remove(uid(&pod)) {
        Some(run) => run,
        None => steps::adopt(world, id, &pod),
    };
    world.kubelet.waiting.remove(id);
    if is_deleting(&pod) {
        let gone = end(world, id, &pod, &mut run);
        if !gone {
            world.kubelet.runs.insert(uid(&pod).to_owned(), run);
        }
        return;
    }
    steps::watch_process(world, id, &pod, &mut run);
    steps::advance(world, id, &pod, &mut run);
    let status = status::of_pod(&pod, &run);
    world.kubelet.runs.insert(uid(&pod).to_owned(), run);
    if status != pod["status"] {
        let mut updated = Value::clone(&pod);
        updated["status"] = status;
        log_lost("pod status", world.nodes.update_status("pods", &id.namespace, updated));
    }
}

/// Ends the containers of a pod that is being deleted. True once the pod is gone.
fn end(world: &mut World, id: &Id, pod: &Value, run: &mut PodRun) -> bool {
    let delay = world.options.pace.work(figures::TERMINATE);
    let (since, process_ended) = match run.ending {
        Some(ending) => ending,
        None => {
            for container in run.main.iter().filter(|container| container.is_running()) {
                let message = format!("Stopping container {}", container.name);
                world.events.normal(KUBELET, pod, "Killing", &message);
            }
            let nothing_to_end = !stop_process(world, id, pod, run);
            *run.ending.insert((Instant::now(), nothing_to_end))
        }
    };
    if !process_ended {
        return false;
    }
    if since.elapsed() < delay {
        world.queue.push_after(Key::Kubelet(id.clone()), delay - since.elapsed());
        return false;
    }
    for waiting in std::mem::take(&mut world.kubelet.waiting) {
        world.queue.push(Key::Kubelet(waiting));
    }
    world.kubelet.holders.retain(|_, (holder, _)| holder != uid(pod));
    world.kubelet.watched.remove(id);
    let now = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
    log_lost("pod removal", world.nodes.delete("pods", &id.namespace, &id.name, now));
    true
}

/// Asks the runtime to end the Space's process; false when this pod holds none.
fn stop_process(world: &World, id: &Id, pod: &Value, run: &PodRun) -> bool {
    let Some((space, runtime)) = run.space.as_ref().zip(world.kubelet.runtime.clone()) else { return false };
    if world.kubelet.holders.get(&space.uid).is_none_or(|(holder, _)| holder != uid(pod)) {
        return false;
    }
    let (signals, id, pod_uid) = (world.kubelet.signals.clone(), id.clone(), uid(pod).to_owned());
    let space_uid = space.uid.clone();
    tokio::spawn(async move {
        runtime.stop(&space_uid).await;
        // The loop is gone only when the whole cluster ends.
        let _ = signals.send(Signal::Stopped { pod: id, uid: pod_uid });
    });
    true
}

/// The Space a pod belongs to, if any.
fn space_of(world: &World, pod: &Value) -> Option<SpaceOfPod> {
    let space = label(pod, LABEL_SPACE);
    owner(pod, "ReplicaSet")?;
    let space = world.nodes.get("workspaces", namespace(pod), space)?;
    Some(SpaceOfPod {
        name: name(&space).to_owned(),
        uid: fields::uid(&space).to_owned(),
        app_type: text(&space["spec"]["appType"]).to_owned(),
    })
}

fn sentinel_of(pod: &Value) -> Option<sentinel::Sentinel> {
    sentinel::of_space(label(pod, LABEL_SPACE))
}

impl Kubelet {
    /// Asks the application of a Space when it was last used; the answer comes as a signal. False when nothing can
    /// be asked here.
    pub fn ask_activity(&self, space: &Id, space_uid: &str, path: String) -> bool {
        let Some(runtime) = self.runtime.clone() else { return false };
        let (signals, space, space_uid) = (self.signals.clone(), space.clone(), space_uid.to_owned());
        tokio::spawn(async move {
            let answer = runtime.probe(&space_uid, &path).await;
            // The loop is gone only when the whole cluster ends.
            let _ = signals.send(Signal::Activity { space, answer });
        });
        true
    }
}
