//! The steps of a pod: what each does, how long it takes, how it fails.

use super::run::{PodRun, Slot, Step, environment, full_name, missing_reference, spec_of};
use super::{KUBELET, images, mounts, sentinel_of, space_of};
use crate::cluster::fields::{items, namespace, text, uid};
use crate::cluster::names::REMOTE_SIDECAR;
use crate::cluster::pace::figures;
use crate::cluster::queue::{Id, Key};
use crate::cluster::sentinel::Sentinel;
use crate::cluster::volumes;
use crate::cluster::world::World;
use crate::runtime::{RuntimeState, SpaceProcess};
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// Back-off of pulls and restarts: 10 s, doubled each time, at most 5 minutes.
const BACK_OFF: Duration = Duration::from_secs(10);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(300);
/// A stuck volume or configuration is tried again after this.
pub(super) const RETRY: Duration = Duration::from_secs(60);

/// What became of a step.
pub(super) enum Outcome {
    Done,
    /// Look again after this.
    After(Duration),
    /// It failed; not tried again before this, whatever happens.
    Retry(Duration),
    /// Somebody else's change brings it on.
    Waiting,
}

/// A pod that this kubelet has not seen: new, or from before a restart of the sandbox.
pub(super) fn adopt(world: &mut World, id: &Id, pod: &Value) -> PodRun {
    let mut run = PodRun::new(pod, space_of(world, pod), sentinel_of(pod));
    let node = text(&pod["spec"]["nodeName"]);
    for container in run.init.iter().chain(&run.main).filter(|container| !container.id.is_empty()) {
        world.kubelet.keep_image(node, &container.image);
    }
    if let Some(slot) = run.application().filter(|slot| run.main[slot.index].is_running()) {
        if run.main[slot.index].is_real() {
            // Its process died with the earlier sandbox.
            run.container(slot).end("Error", 137, true);
            run.plan.extend([Step::Start(slot), Step::BecomeReady(slot)]);
        } else {
            hold(world, id, pod, &run);
            register(world, pod, &run, slot, true);
        }
    }
    run
}

/// Notices that the process of a running container has ended, or that a sleeping one was woken.
pub(super) fn watch_process(world: &mut World, id: &Id, pod: &Value, run: &mut PodRun) {
    let Some(slot) = run.application().filter(|slot| run.main[slot.index].ready) else { return };
    if !world.kubelet.watched.contains(id) {
        return;
    }
    let space_uid = run.space.as_ref().map(|space| space.uid.clone()).unwrap_or_default();
    match world.kubelet.runtime.as_ref().map(|runtime| runtime.state(&space_uid)) {
        Some(RuntimeState::Exited { code, .. }) => crash(world, pod, run, slot, code),
        Some(RuntimeState::Ready { .. }) => mark_real(run, slot),
        _ => {}
    }
}

fn mark_real(run: &mut PodRun, slot: Slot) {
    let container = run.container(slot);
    if let Some(digest) = container.id.strip_prefix("containerd://") {
        container.id = format!("process://{digest}");
    }
}

/// Does every step that can be done now.
pub(super) fn advance(world: &mut World, id: &Id, pod: &Value, run: &mut PodRun) {
    if let Some(rest) = run.not_before.and_then(|at| at.checked_duration_since(Instant::now())) {
        return world.queue.push_after(Key::Kubelet(id.clone()), rest);
    }
    if run.not_before.take().is_some() {
        // A new attempt takes its time again.
        run.entered = None;
    }
    while let Some(step) = run.plan.front().copied() {
        let entered = *run.entered.get_or_insert_with(Instant::now);
        let outcome = match step {
            Step::Attach => mounts::attach(world, pod, run, entered),
            Step::Mount => mounts::mount(world, pod, run),
            Step::Pull(slot) => images::pull(world, id, pod, run, slot, entered),
            Step::Start(slot) => start(world, id, pod, run, slot, entered),
            Step::Finish(slot) => finish(world, run, slot, entered),
            Step::BecomeReady(slot) => become_ready(world, id, pod, run, slot, entered),
            Step::BackOff(slot) => back_off(world, pod, run, slot, entered),
        };
        match outcome {
            // A crash rewrites the plan itself.
            Outcome::Done if run.plan.front() == Some(&step) => run.next(),
            Outcome::Done => {}
            Outcome::After(delay) => {
                return world.queue.push_after(Key::Kubelet(id.clone()), delay);
            }
            Outcome::Retry(delay) => {
                run.not_before = Some(Instant::now() + delay);
                return world.queue.push_after(Key::Kubelet(id.clone()), delay);
            }
            Outcome::Waiting => {
                world.kubelet.waiting.insert(id.clone());
                return;
            }
        }
    }
}

/// Until `work` has passed since the step began.
pub(super) fn until(world: &World, entered: Instant, work: Duration) -> Outcome {
    let work = world.options.pace.work(work);
    match work.checked_sub(entered.elapsed()).filter(|rest| !rest.is_zero()) {
        Some(rest) => Outcome::After(rest),
        None => Outcome::Done,
    }
}

pub(super) fn back_off_after(attempts: u32) -> Duration {
    (BACK_OFF * 2u32.saturating_pow(attempts.min(8))).min(LONGEST_BACK_OFF)
}

fn start(world: &mut World, id: &Id, pod: &Value, run: &mut PodRun, slot: Slot, entered: Instant) -> Outcome {
    let spec = spec_of(pod, slot);
    let absent =
        missing_reference(spec, |resource, name| world.nodes.get(resource, namespace(pod), name).is_some());
    let provoked = run.sentinel == Some(Sentinel::FailConfig) && run.is_application(slot);
    let absent = absent.or(provoked.then(|| "secret \"workspace-credentials\"".to_owned()));
    if let Some(absent) = absent {
        let message = format!("{absent} not found");
        world.events.warning(KUBELET, pod, "Failed", &format!("Error: {message}"));
        run.container(slot).wait("CreateContainerConfigError", message);
        return Outcome::Retry(world.options.pace.retry(RETRY));
    }
    if let outcome @ Outcome::After(_) = until(world, entered, figures::START_CONTAINER) {
        return outcome;
    }
    if run.is_application(slot) {
        if !hold(world, id, pod, run) {
            return Outcome::Waiting;
        }
        register(world, pod, run, slot, world.lazy);
    }
    let container = run.container(slot);
    container.start(uid(pod));
    let container = container.name.clone();
    world.events.normal(KUBELET, pod, "Created", &format!("Created container: {container}"));
    world.events.normal(KUBELET, pod, "Started", &format!("Started container {container}"));
    Outcome::Done
}

/// Takes the Space for this pod. False while an earlier pod's process has not ended.
fn hold(world: &mut World, id: &Id, pod: &Value, run: &PodRun) -> bool {
    let Some(space) = &run.space else { return true };
    let entry = world.kubelet.holders.entry(space.uid.clone());
    entry.or_insert_with(|| (uid(pod).to_owned(), id.clone())).0 == uid(pod)
}

/// Hands the application container to the runtime.
fn register(world: &mut World, pod: &Value, run: &PodRun, slot: Slot, lazy: bool) {
    let Some((space, runtime)) = run.space.as_ref().zip(world.kubelet.runtime()) else { return };
    let spec = spec_of(pod, slot);
    let claim = items(&pod["spec"]["volumes"])
        .iter()
        .find(|volume| volume["name"] == "workspace-storage")
        .and_then(|volume| volume["persistentVolumeClaim"]["claimName"].as_str())
        .and_then(|claim| world.nodes.get("persistentvolumeclaims", namespace(pod), claim));
    let folder = claim
        .map_or_else(|| format!("pod-{}", uid(pod)), |claim| text(&claim["spec"]["volumeName"]).to_owned());
    runtime.register(SpaceProcess {
        cluster: world.options.name.clone(),
        namespace: namespace(pod).to_owned(),
        name: space.name.clone(),
        uid: space.uid.clone(),
        app_type: space.app_type.clone(),
        image: text(&spec["image"]).to_owned(),
        volume_dir: volumes::folder(world, &folder),
        env: environment(spec),
        lazy,
    });
}

fn finish(world: &World, run: &mut PodRun, slot: Slot, entered: Instant) -> Outcome {
    let outcome = until(world, entered, figures::INIT_CONTAINER);
    if matches!(outcome, Outcome::Done) {
        run.container(slot).end("Completed", 0, false);
    }
    outcome
}

fn become_ready(
    world: &mut World,
    id: &Id,
    pod: &Value,
    run: &mut PodRun,
    slot: Slot,
    entered: Instant,
) -> Outcome {
    let work = if run.container(slot).name == REMOTE_SIDECAR {
        figures::REGISTER_REMOTE
    } else {
        figures::BECOME_READY
    };
    if let outcome @ Outcome::After(_) = until(world, entered, work) {
        return outcome;
    }
    if !run.is_application(slot) {
        run.container(slot).ready = true;
        return Outcome::Done;
    }
    match run.sentinel {
        Some(Sentinel::HoldReady) => return Outcome::Waiting,
        Some(Sentinel::FailCrash) => {
            crash(world, pod, run, slot, Some(1));
            return Outcome::Done;
        }
        Some(Sentinel::FailOom) => {
            crash(world, pod, run, slot, None);
            return Outcome::Done;
        }
        _ => {}
    }
    let space_uid = run.space.as_ref().map(|space| space.uid.clone()).unwrap_or_default();
    let state = world.kubelet.runtime().map(|runtime| runtime.state(&space_uid));
    if !world.lazy && state.is_some() {
        world.kubelet.watched.insert(id.clone());
    }
    match state {
        Some(RuntimeState::Starting | RuntimeState::Stopped) => return Outcome::Waiting,
        Some(RuntimeState::Exited { code, .. }) => {
            crash(world, pod, run, slot, code);
            return Outcome::Done;
        }
        Some(RuntimeState::Ready { .. }) if !world.lazy => mark_real(run, slot),
        _ => {}
    }
    run.container(slot).ready = true;
    Outcome::Done
}

/// The container ended by itself; `None` is the kernel's out-of-memory killer (a signal).
fn crash(world: &mut World, pod: &Value, run: &mut PodRun, slot: Slot, code: Option<i32>) {
    let (reason, code) = match code {
        None => ("OOMKilled", 137),
        Some(0) => ("Completed", 0),
        Some(code) => ("Error", i64::from(code)),
    };
    run.container(slot).end(reason, code, true);
    run.restart(slot);
    let message = format!(
        "Back-off restarting failed container {} in pod {}",
        run.container(slot).name,
        full_name(pod)
    );
    world.events.warning(KUBELET, pod, "BackOff", &message);
}

fn back_off(world: &World, pod: &Value, run: &mut PodRun, slot: Slot, entered: Instant) -> Outcome {
    let pause = back_off_after(u32::try_from(run.container(slot).restarts - 1).unwrap_or(0));
    let delay = world.options.pace.retry(pause);
    if entered.elapsed() >= delay {
        return Outcome::Done;
    }
    let message = format!(
        "back-off {}s restarting failed container={} pod={}",
        pause.as_secs(),
        run.container(slot).name,
        full_name(pod)
    );
    run.container(slot).wait("CrashLoopBackOff", message);
    Outcome::After(delay - entered.elapsed())
}
