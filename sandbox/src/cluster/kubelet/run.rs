//! One pod on its node as the kubelet knows it: what is left to do, and the state of each container.

use super::status::ContainerRun;
use crate::cluster::fields::{self, items, text};
use crate::cluster::names::MAIN_CONTAINER;
use crate::cluster::sentinel::Sentinel;
use serde_json::Value;
use std::collections::VecDeque;
use tokio::time::Instant;

/// One thing to do. Containers by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Attach,
    Mount,
    Pull(Slot),
    Start(Slot),
    /// An init container runs to its end.
    Finish(Slot),
    /// A container becomes ready (or crashes).
    BecomeReady(Slot),
    /// Waits before a crashed container is started again.
    BackOff(Slot),
}

/// A container of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub init: bool,
    pub index: usize,
}

/// The Space a pod belongs to.
#[derive(Clone, Debug)]
pub struct SpaceOfPod {
    pub name: String,
    pub uid: String,
    pub app_type: String,
}

/// How far the image pull of the current step is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pull {
    #[default]
    Idle,
    Waiting,
    Done(Result<(), String>),
}

pub struct PodRun {
    pub space: Option<SpaceOfPod>,
    pub sentinel: Option<Sentinel>,
    pub plan: VecDeque<Step>,
    /// When the first step of the plan began.
    pub entered: Option<Instant>,
    /// After a failure: when the first step is tried again.
    pub not_before: Option<Instant>,
    /// Failed attempts of the first step.
    pub attempts: u32,
    pub pull: Pull,
    pub init: Vec<ContainerRun>,
    pub main: Vec<ContainerRun>,
    /// When the pod began to end, and whether its process has ended.
    pub ending: Option<(Instant, bool)>,
}

impl PodRun {
    /// A pod that the kubelet sees for the first time; its stored status tells how far an earlier kubelet came.
    pub fn new(pod: &Value, space: Option<SpaceOfPod>, sentinel: Option<Sentinel>) -> PodRun {
        let read = |spec: &str, status: &str| -> Vec<ContainerRun> {
            let known = items(&pod["status"][status]);
            items(&pod["spec"][spec])
                .iter()
                .map(|container| {
                    let before = known.iter().find(|status| status["name"] == container["name"]);
                    ContainerRun::read(container, before)
                })
                .collect()
        };
        let mut run = PodRun {
            space,
            sentinel,
            plan: VecDeque::new(),
            entered: None,
            not_before: None,
            attempts: 0,
            pull: Pull::Idle,
            init: read("initContainers", "initContainerStatuses"),
            main: read("containers", "containerStatuses"),
            ending: None,
        };
        run.plan = if pod["status"]["phase"] == "Running" { run.rest() } else { run.everything(pod) };
        run
    }

    fn everything(&self, pod: &Value) -> VecDeque<Step> {
        let mut plan = VecDeque::new();
        let claims = items(&pod["spec"]["volumes"]).iter().any(|v| v["persistentVolumeClaim"].is_object());
        if claims {
            plan.push_back(Step::Attach);
        }
        plan.push_back(Step::Mount);
        for index in 0..self.init.len() {
            let slot = Slot { init: true, index };
            plan.extend([Step::Pull(slot), Step::Start(slot), Step::Finish(slot)]);
        }
        for index in 0..self.main.len() {
            let slot = Slot { init: false, index };
            plan.extend([Step::Pull(slot), Step::Start(slot)]);
        }
        plan.extend((0..self.main.len()).map(|index| Step::BecomeReady(Slot { init: false, index })));
        plan
    }

    /// What is left of a pod whose init containers are done.
    fn rest(&self) -> VecDeque<Step> {
        let mut plan = VecDeque::new();
        for (index, container) in self.main.iter().enumerate() {
            let slot = Slot { init: false, index };
            if !container.is_running() {
                plan.push_back(Step::Start(slot));
            }
            if !container.ready {
                plan.push_back(Step::BecomeReady(slot));
            }
        }
        plan
    }

    pub fn container(&mut self, slot: Slot) -> &mut ContainerRun {
        let containers = if slot.init { &mut self.init } else { &mut self.main };
        &mut containers[slot.index]
    }

    /// Done with the first step.
    pub fn next(&mut self) {
        self.plan.pop_front();
        self.begin_step();
    }

    pub fn begin_step(&mut self) {
        self.entered = None;
        self.attempts = 0;
        self.pull = Pull::Idle;
    }

    /// The container ended: it is started again after the others are served.
    pub fn restart(&mut self, slot: Slot) {
        self.plan.retain(|step| !matches!(step, Step::BecomeReady(other) if *other == slot));
        self.plan.extend([Step::BackOff(slot), Step::Start(slot), Step::BecomeReady(slot)]);
        self.begin_step();
    }

    /// The container that holds the application, if this pod is a Space's.
    pub fn application(&self) -> Option<Slot> {
        self.space.as_ref()?;
        let index = self.main.iter().position(|container| container.name == MAIN_CONTAINER)?;
        Some(Slot { init: false, index })
    }

    pub fn is_application(&self, slot: Slot) -> bool {
        self.application() == Some(slot)
    }
}

/// The container's part of the pod's spec.
pub fn spec_of(pod: &Value, slot: Slot) -> &Value {
    &pod["spec"][if slot.init { "initContainers" } else { "containers" }][slot.index]
}

/// A secret or config map that the container's environment needs and that does not exist: `secret "x"`.
pub fn missing_reference(container: &Value, exists: impl Fn(&str, &str) -> bool) -> Option<String> {
    let missing = |kind: &str, resource: &str, reference: &Value| {
        let name = text(&reference["name"]);
        let required = !name.is_empty() && reference["optional"] != true;
        (required && !exists(resource, name)).then(|| format!("{kind} \"{name}\""))
    };
    let from_env = items(&container["env"]).iter().flat_map(|variable| {
        let source = &variable["valueFrom"];
        [
            missing("secret", "secrets", &source["secretKeyRef"]),
            missing("configmap", "configmaps", &source["configMapKeyRef"]),
        ]
    });
    let from_all = items(&container["envFrom"]).iter().flat_map(|source| {
        [
            missing("secret", "secrets", &source["secretRef"]),
            missing("configmap", "configmaps", &source["configMapRef"]),
        ]
    });
    from_env.chain(from_all).flatten().next()
}

/// Plain environment variables of a container.
pub fn environment(container: &Value) -> Vec<(String, String)> {
    items(&container["env"])
        .iter()
        .filter(|variable| variable["valueFrom"].is_null())
        .map(|variable| (text(&variable["name"]).to_owned(), text(&variable["value"]).to_owned()))
        .collect()
}

/// A number that stays the same for a text: for made-up addresses and digests.
pub fn digest(of: &str) -> String {
    use sha2::{Digest, Sha256};
    data_encoding::HEXLOWER.encode(&Sha256::digest(of))
}

/// Name of a pod as messages of the kubelet spell it.
pub fn full_name(pod: &Value) -> String {
    format!("{}_{}({})", fields::name(pod), fields::namespace(pod), fields::uid(pod))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(status: Value) -> Value {
        json!({
            "spec": {
                "initContainers": [{"name": "init", "image": "i"}],
                "containers": [{"name": "workspace", "image": "w"}, {"name": "side", "image": "s"}],
                "volumes": [{"persistentVolumeClaim": {"claimName": "c"}}],
            },
            "status": status,
        })
    }

    #[test]
    fn a_new_pod_goes_through_every_step() {
        let run = PodRun::new(&pod(json!({})), None, None);
        assert_eq!(run.plan.len(), 2 + 3 + 4 + 2);
        assert_eq!(run.plan[0], Step::Attach);
    }

    #[test]
    fn a_running_pod_has_nothing_left_to_do() {
        let running = |name: &str| json!({"name": name, "ready": true, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}});
        let status =
            json!({"phase": "Running", "containerStatuses": [running("workspace"), running("side")]});
        assert!(PodRun::new(&pod(status), None, None).plan.is_empty());
    }

    #[test]
    fn a_crashed_container_starts_again_after_its_back_off() {
        let status = json!({"phase": "Running", "containerStatuses": [
            {"name": "workspace", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}}},
            {"name": "side", "ready": true, "state": {"running": {}}},
        ]});
        let mut run = PodRun::new(&pod(status), None, None);
        let slot = Slot { init: false, index: 0 };
        assert_eq!(run.plan, [Step::Start(slot), Step::BecomeReady(slot)]);
        assert_eq!(run.container(slot).restarts, 3);
        run.next();
        run.restart(slot);
        assert_eq!(run.plan, [Step::BackOff(slot), Step::Start(slot), Step::BecomeReady(slot)]);
    }

    #[test]
    fn a_missing_secret_is_named() {
        let container = json!({"env": [
            {"name": "A", "valueFrom": {"secretKeyRef": {"name": "there"}}},
            {"name": "B", "valueFrom": {"secretKeyRef": {"name": "gone"}}},
        ]});
        assert_eq!(
            missing_reference(&container, |_, name| name == "there").as_deref(),
            Some("secret \"gone\"")
        );
        assert_eq!(missing_reference(&container, |_, _| true), None);
    }
}
