//! Image pulls: cached a node, with the runtime's installation behind the first real one, and their failures.

use super::run::{PodRun, Pull, Slot};
use super::steps::{Outcome, back_off_after, until};
use super::{KUBELET, Signal};
use crate::cluster::fields::{text, uid};
use crate::cluster::pace::figures;
use crate::cluster::queue::Id;
use crate::cluster::sentinel::{self, Sentinel};
use crate::cluster::world::World;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

pub(super) fn pull(
    world: &mut World,
    id: &Id,
    pod: &Value,
    run: &mut PodRun,
    slot: Slot,
    entered: Instant,
) -> Outcome {
    let image = run.container(slot).image.clone();
    let node = text(&pod["spec"]["nodeName"]).to_owned();
    let first_look = run.pull == Pull::Idle;
    if first_look && world.kubelet.has_image(&node, &image) && failure_of(run, slot, &image).is_none() {
        let message = format!("Container image \"{image}\" already present on machine");
        world.events.normal(KUBELET, pod, "Pulled", &message);
        return Outcome::Done;
    }
    if first_look {
        world.events.normal(KUBELET, pod, "Pulling", &format!("Pulling image \"{image}\""));
        begin_pull(world, id, pod, run, slot);
    }
    if run.sentinel == Some(Sentinel::HoldImage) && run.is_application(slot) {
        return Outcome::Waiting;
    }
    if let outcome @ Outcome::After(_) = until(world, entered, pull_time(&image)) {
        return outcome;
    }
    if let Some(message) = failure_of(run, slot, &image) {
        return fail_pull(world, pod, run, slot, &message);
    }
    match run.pull.clone() {
        Pull::Idle | Pull::Waiting => Outcome::Waiting,
        Pull::Done(Err(message)) => fail_pull(world, pod, run, slot, &message),
        Pull::Done(Ok(())) => {
            world.kubelet.keep_image(&node, &image);
            let took = entered.elapsed().as_millis();
            let message = format!(
                "Successfully pulled image \"{image}\" in {took}ms ({took}ms including waiting). Image size: {} bytes.",
                image_size(&image)
            );
            world.events.normal(KUBELET, pod, "Pulled", &message);
            Outcome::Done
        }
    }
}

/// The first real pull installs what the application runs on; the others are only waited for.
fn begin_pull(world: &World, id: &Id, pod: &Value, run: &mut PodRun, slot: Slot) {
    let real = run.is_application(slot) && !world.lazy;
    let Some(runtime) = world.kubelet.runtime.clone().filter(|_| real) else {
        run.pull = Pull::Done(Ok(()));
        return;
    };
    run.pull = Pull::Waiting;
    let image = run.container(slot).image.clone();
    let (signals, pod, uid) = (world.kubelet.signals.clone(), id.clone(), uid(pod).to_owned());
    tokio::spawn(async move {
        let result = runtime.pull(&image).await;
        // The loop is gone only when the whole cluster ends.
        let _ = signals.send(Signal::Pulled { pod, uid, result });
    });
}

fn failure_of(run: &PodRun, slot: Slot, image: &str) -> Option<String> {
    let by_name = run.sentinel == Some(Sentinel::FailImage) && run.is_application(slot);
    let failure = sentinel::of_image(image).or(by_name.then_some(sentinel::PullFailure::NotFound));
    failure.map(|failure| failure.message(image))
}

fn pull_time(image: &str) -> Duration {
    if image.contains("gpu") {
        figures::PULL_GPU_IMAGE
    } else if image.contains("spaces-") || image.contains("pause") {
        figures::PULL_SMALL_IMAGE
    } else {
        figures::PULL_IMAGE
    }
}

fn image_size(image: &str) -> u64 {
    if image.contains("gpu") {
        9_850_000_000
    } else if image.contains("spaces-") || image.contains("pause") {
        48_000_000
    } else {
        3_500_000_000
    }
}

/// ErrImagePull, then ImagePullBackOff until the next attempt.
fn fail_pull(world: &mut World, pod: &Value, run: &mut PodRun, slot: Slot, cause: &str) -> Outcome {
    let image = run.container(slot).image.clone();
    let failed = format!("Failed to pull image \"{image}\": {cause}");
    world.events.warning(KUBELET, pod, "Failed", &failed);
    world.events.warning(KUBELET, pod, "Failed", "Error: ErrImagePull");
    let back_off = format!("Back-off pulling image \"{image}\"");
    world.events.normal(KUBELET, pod, "BackOff", &back_off);
    world.events.warning(KUBELET, pod, "Failed", "Error: ImagePullBackOff");
    let message = format!("{back_off}: ErrImagePull: {cause}");
    run.container(slot).wait("ImagePullBackOff", message);
    let delay = world.options.pace.retry(back_off_after(run.attempts));
    run.attempts += 1;
    run.pull = Pull::Idle;
    Outcome::Retry(delay)
}
