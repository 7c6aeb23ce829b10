//! The derived status: one word, one reason and one instant out of all that is known of a Space.
//!
//! First match wins (docs/ARCHITECTURE.md, Status of a Space). Conditions of the Workspace never speak of
//! scheduling, images or quota, so while it starts the children decide. Total on any facts, absurd ones included.

use super::DesiredStatus;
use super::facts::{Condition, ContainerState, HiddenSource, PodFacts, SpaceFacts};
use super::message::{read_refusal, read_scheduling, read_volume, read_waiting, specificity};
use super::status::{Reason, ReasonCode, SpaceStatus};
use crate::time::Timestamp;

/// Tries of the access probe before the operator gives up (jupyter-k8s, `failureThreshold`).
pub const ACCESS_PROBE_LIMIT: i64 = 20;

/// What the status engine concludes.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    pub status: SpaceStatus,
    pub reason: Option<Reason>,
    /// Since when, where an object records it.
    pub since: Option<Timestamp>,
}

impl Derived {
    fn new(status: SpaceStatus, reason: impl Into<Option<Reason>>, since: Option<Timestamp>) -> Derived {
        Derived { status, reason: reason.into(), since }
    }
}

/// Derives the status. Evidence that is hidden from the asker is simply absent, so a redacted row says less.
pub fn derive(facts: &SpaceFacts) -> Derived {
    settled(facts)
        .or_else(|| unqueued(facts))
        .or_else(|| unplaced(facts))
        .or_else(|| failing(facts))
        .or_else(|| progressing(facts))
        .unwrap_or_else(|| waiting_for_resources(facts))
}

/// States that the Workspace itself settles: deleting, failed, stopping, stopped, preempted, running.
fn settled(facts: &SpaceFacts) -> Option<Derived> {
    let is_true = |kind: &str| condition(facts, kind).filter(|c| c.status == Some(true));
    let deleting = is_true("Deleting");
    if facts.deleting_since.is_some() || deleting.is_some() {
        let since = facts.deleting_since.or(deleting.and_then(|c| c.since));
        return Some(Derived::new(SpaceStatus::Deleting, finalizers(facts), since));
    }
    if let Some(degraded) = is_true("Degraded") {
        return Some(Derived::new(SpaceStatus::Failed, degradation(facts, degraded), degraded.since));
    }
    if facts.row.desired_status == DesiredStatus::Stopped {
        return Some(stopped(facts));
    }
    if let Some(available) = is_true("Available") {
        return Some(Derived::new(SpaceStatus::Running, None, available.since));
    }
    (facts.row.desired_status == DesiredStatus::Unknown)
        .then(|| Derived::new(SpaceStatus::Unknown, Reason::new(ReasonCode::Unclear, ""), None))
}

fn stopped(facts: &SpaceFacts) -> Derived {
    let stopped = condition(facts, "Stopped");
    let available = condition(facts, "Available");
    match stopped.filter(|c| c.status == Some(true)) {
        Some(done) if available.is_some_and(|c| c.reason == "Preempted") => {
            let message = facts.preemption_reason.clone().unwrap_or_default();
            let reason = Reason::new(ReasonCode::PreemptedStopped, message);
            Derived::new(SpaceStatus::Preempted, reason, done.since)
        }
        Some(done) => Derived::new(SpaceStatus::Stopped, None, done.since),
        None => {
            let message = stopped.map_or("", |c| c.message.as_str());
            let reason = Reason::new(ReasonCode::ResourcesStopping, message);
            Derived::new(SpaceStatus::Stopping, reason, stopped.and_then(|c| c.since))
        }
    }
}

fn finalizers(facts: &SpaceFacts) -> Option<Reason> {
    (!facts.finalizers.is_empty()).then(|| {
        Reason::new(ReasonCode::FinalizersPending, "").with("finalizers", facts.finalizers.join(", "))
    })
}

/// Why the operator calls the Space degraded. Its text wraps the refusal of a child, which may say more.
fn degradation(facts: &SpaceFacts, degraded: &Condition) -> Reason {
    if degraded.reason == "AccessProbeThresholdExceeded" {
        let reason = Reason::new(ReasonCode::AccessProbeGaveUp, &degraded.message);
        let failures = facts.access_probe_failures.unwrap_or(ACCESS_PROBE_LIMIT);
        return reason.with("failures", failures).with("limit", ACCESS_PROBE_LIMIT);
    }
    let own = read_refusal(&degraded.message);
    match refusal(facts) {
        Some(other) if specificity(other.code) > specificity(own.code) => other,
        _ => own,
    }
}

/// Kueue has not let the pod go: queued, preempted and queued again, or held by hand.
fn unqueued(facts: &SpaceFacts) -> Option<Derived> {
    if let Some(workload) = &facts.workload {
        let of = |status, code| {
            Some(Derived::new(
                status,
                Reason::new(code, &workload.message).with("queue", &workload.queue),
                workload.since,
            ))
        };
        return match workload.evicted.as_deref() {
            _ if !workload.active => of(SpaceStatus::Blocked, ReasonCode::Deactivated),
            _ if workload.admitted => None,
            Some("Preempted") => of(SpaceStatus::Preempted, ReasonCode::PreemptedRequeued),
            _ => of(SpaceStatus::Queued, ReasonCode::WaitingForQuota),
        };
    }
    let pod = facts.pod.as_ref().filter(|p| !p.deleting && !p.scheduling_gates.is_empty())?;
    let reason = Reason::new(ReasonCode::WaitingForQuota, "");
    let reason = match &facts.row.queue {
        Some(queue) => reason.with("queue", queue),
        None => reason,
    };
    Some(Derived::new(SpaceStatus::Queued, reason, pod.created_at))
}

/// No pod could be made, or the pod fits no node.
fn unplaced(facts: &SpaceFacts) -> Option<Derived> {
    let Some(pod) = facts.pod.as_ref().filter(|p| !p.deleting) else {
        let since = facts.deployment.as_ref().and_then(|d| d.failing_since);
        return refusal(facts).map(|reason| Derived::new(SpaceStatus::Blocked, reason, since));
    };
    let message = pod.unschedulable.as_deref().filter(|_| pod.node.is_none())?;
    if let Some(event) = last_event(facts, &["Nominated", "TriggeredScaleUp"]) {
        let reason = Reason::new(ReasonCode::NodeProvisioning, &event.message);
        return Some(Derived::new(SpaceStatus::Starting, reason, event.last_at));
    }
    Some(Derived::new(SpaceStatus::Unschedulable, unschedulable(facts, message), pod.unschedulable_since))
}

/// The scheduler's reason; "never" where no node of the cluster could take it even when empty.
pub(super) fn unschedulable(facts: &SpaceFacts, message: &str) -> Reason {
    match &facts.never_fits {
        Some(never) => {
            let mut reason = never.clone();
            reason.message = message.to_owned();
            reason.with("never", true)
        }
        None => read_scheduling(message),
    }
}

/// The most particular refusal among the Deployment's condition and the `FailedCreate` events.
pub(super) fn refusal(facts: &SpaceFacts) -> Option<Reason> {
    let deployment = facts.deployment.as_ref()?;
    let events = facts.events.iter().filter(|e| {
        e.warning
            && e.reason == "FailedCreate"
            && (deployment.created_at.is_none() || e.last_at >= deployment.created_at)
    });
    deployment
        .failure
        .as_deref()
        .into_iter()
        .chain(events.map(|e| e.message.as_str()))
        .map(read_refusal)
        .reduce(|best, next| if specificity(next.code) > specificity(best.code) { next } else { best })
}

/// The pod has a node, and something on it fails.
fn failing(facts: &SpaceFacts) -> Option<Derived> {
    let pod = facts.pod.as_ref().filter(|p| !p.deleting)?;
    if let Some(reason) = container_failure(pod) {
        return Some(Derived::new(SpaceStatus::Error, reason, pod.scheduled_at));
    }
    let (reason, since) = volume_failure(facts)?;
    Some(Derived::new(SpaceStatus::StorageError, reason, since))
}

/// The first container that waits for a person, init containers first.
pub(super) fn container_failure(pod: &PodFacts) -> Option<Reason> {
    pod.init_containers.iter().chain(&pod.containers).find_map(|c| match &c.state {
        ContainerState::Waiting { reason, message } => {
            let found = read_waiting(reason, message, &c.image)?;
            Some(match &c.last_exit {
                Some((why, code)) if found.code == ReasonCode::CrashLoop => {
                    let code_name = if why == "OOMKilled" { ReasonCode::OutOfMemory } else { found.code };
                    Reason { code: code_name, ..found }.with("exitCode", code).with("restarts", c.restarts)
                }
                _ => found.with("container", &c.name),
            })
        }
        ContainerState::Terminated { reason, exit_code, message }
            if *exit_code != 0 || pod.phase == "Failed" =>
        {
            let code = if reason == "OOMKilled" { ReasonCode::OutOfMemory } else { ReasonCode::CrashLoop };
            Some(Reason::new(code, message).with("exitCode", exit_code).with("restarts", c.restarts))
        }
        _ => None,
    })
}

/// A volume that cannot be attached or mounted: events count only while no container has begun.
pub(super) fn volume_failure(facts: &SpaceFacts) -> Option<(Reason, Option<Timestamp>)> {
    if let Some(claim) = facts.claim.as_ref().filter(|c| c.phase == "Lost") {
        let reason = Reason::new(ReasonCode::VolumeMountFailed, "").with("claim", &claim.name);
        return Some((reason, claim.created_at));
    }
    if let Some(failed) = provisioning_failure(facts) {
        return Some(failed);
    }
    let pod = facts.pod.as_ref().filter(|p| p.node.is_some() && !has_begun(p))?;
    facts
        .events
        .iter()
        .filter(|e| e.object_kind == "Pod" && e.warning && is_about(e.last_at, pod.created_at))
        .filter_map(|e| Some((read_volume(&e.reason, &e.message)?, e.first_at)))
        .reduce(|best, next| if specificity(next.0.code) > specificity(best.0.code) { next } else { best })
}

/// A claim whose volume cannot be made. It binds before the pod gets its node, so the pod says nothing.
fn provisioning_failure(facts: &SpaceFacts) -> Option<(Reason, Option<Timestamp>)> {
    let claim = facts.claim.as_ref().filter(|c| c.phase == "Pending")?;
    let failed = facts
        .events
        .iter()
        .filter(|e| e.object_kind == "PersistentVolumeClaim" && e.reason == "ProvisioningFailed")
        .filter(|e| is_about(e.last_at, claim.created_at))
        .max_by_key(|e| e.last_at)?;
    let reason = Reason::new(ReasonCode::ClaimPending, &failed.message).with("claim", &claim.name);
    Some((reason, failed.first_at))
}

/// Whether any container has started or even pulled its image.
pub(super) fn has_begun(pod: &PodFacts) -> bool {
    let begun = |state: &ContainerState| {
        matches!(state, ContainerState::Running { .. } | ContainerState::Terminated { .. })
    };
    pod.init_containers.iter().chain(&pod.containers).any(|c| begun(&c.state))
}

/// An event is about this pod unless it ended before the pod was made.
pub(super) fn is_about(event: Option<Timestamp>, created: Option<Timestamp>) -> bool {
    match (event, created) {
        (Some(event), Some(created)) => event >= Timestamp(created.0 - 1000),
        _ => true,
    }
}

/// The pod is on its way: image, init containers, access.
fn progressing(facts: &SpaceFacts) -> Option<Derived> {
    let pod = facts.pod.as_ref().filter(|p| !p.deleting && p.node.is_some())?;
    if is_reaching_access(facts, pod) {
        return Some(Derived::new(SpaceStatus::PreparingAccess, access_reason(facts), pod.ready_at));
    }
    if let Some(since) = pulling(facts, pod) {
        let image = pod.containers.first().map_or("", |c| c.image.as_str());
        let reason = Reason::new(ReasonCode::PullingImage, "").with("image", image);
        return Some(Derived::new(SpaceStatus::PullingImage, reason, since));
    }
    let reason = Reason::new(ReasonCode::StartingContainer, "");
    let initialising = pod.init_containers.iter().any(|c| matches!(c.state, ContainerState::Running { .. }));
    let status = if initialising { SpaceStatus::PullingImage } else { SpaceStatus::Starting };
    Some(Derived::new(status, reason, pod.scheduled_at))
}

/// The container is ready, and the web address is what the operator still waits for.
fn is_reaching_access(facts: &SpaceFacts, pod: &PodFacts) -> bool {
    let waits = |kind: &str| condition(facts, kind).is_some_and(|c| c.reason == "AccessNotReady");
    pod.ready
        && (waits("Available") || waits("Progressing") || facts.access_probe_failures.is_some_and(|n| n > 0))
}

pub(super) fn access_reason(facts: &SpaceFacts) -> Reason {
    let failures = facts.access_probe_failures.unwrap_or(0);
    Reason::new(ReasonCode::PreparingAccess, "").with("failures", failures).with("limit", ACCESS_PROBE_LIMIT)
}

/// Since when an image is being pulled: the last word of the kubelet about images is `Pulling`.
pub(super) fn pulling(facts: &SpaceFacts, pod: &PodFacts) -> Option<Option<Timestamp>> {
    if pod.containers.iter().any(|c| matches!(c.state, ContainerState::Running { .. })) {
        return None;
    }
    let last = last_event(facts, &["Pulling", "Pulled"])?;
    (last.reason == "Pulling").then_some(last.last_at)
}

/// The newest event of one of these reasons that is about the present pod.
pub(super) fn last_event<'a>(
    facts: &'a SpaceFacts,
    reasons: &[&str],
) -> Option<&'a super::facts::EventFacts> {
    let created = facts.pod.as_ref().and_then(|p| p.created_at);
    facts
        .events
        .iter()
        .filter(|e| e.object_kind == "Pod" && reasons.contains(&e.reason.as_str()))
        .filter(|e| is_about(e.last_at, created))
        .max_by_key(|e| e.last_at)
}

/// Nothing tells more than that it is starting.
fn waiting_for_resources(facts: &SpaceFacts) -> Derived {
    let is_new = facts.conditions.is_empty() && facts.deployment.is_none();
    let blind = facts.hidden.contains(&HiddenSource::Pods);
    let code = if is_new && !blind { ReasonCode::JustCreated } else { ReasonCode::CreatingResources };
    let since = condition(facts, "Progressing").and_then(|c| c.since).or(facts.row.created_at);
    Derived::new(SpaceStatus::Starting, Reason::new(code, ""), since)
}

pub(super) fn condition<'a>(facts: &'a SpaceFacts, kind: &str) -> Option<&'a Condition> {
    facts.conditions.iter().find(|c| c.kind == kind)
}

#[cfg(test)]
pub(super) mod tests;
