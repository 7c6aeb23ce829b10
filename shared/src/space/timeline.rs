//! The start-up of a Space as seven steps with evidence, deadlines and the next step that helps.
//!
//! Each step is judged by itself from the facts; a step that is not passed keeps all later ones pending. "Never" is
//! not "not yet": what cannot go on by itself is `Failed`, what may is `Active`, and every wait has a deadline.

use super::derivation::{self, condition, derive, last_event};
use super::explanation::{Advice, AdviceCode, Explanation, Step, StepId, StepState};
use super::facts::{ContainerState, HiddenSource, PodFacts, SpaceFacts};
use super::message::read_scheduling;
use super::status::{Reason, ReasonCode, SpaceStatus};
use crate::time::Timestamp;

/// Explains the start-up. `now` only decides which waits have passed their deadline.
pub fn explain(facts: &SpaceFacts, now: Timestamp) -> Explanation {
    let derived = derive(facts);
    let is_starting = !matches!(
        derived.status,
        SpaceStatus::Stopped | SpaceStatus::Stopping | SpaceStatus::Deleting | SpaceStatus::Unknown
    ) && facts.row.desired_status != super::DesiredStatus::Stopped;
    let steps = if is_starting { chain(facts) } else { StepId::ALL.map(Step::pending).to_vec() };
    let advice = advise(facts, &steps, derived.reason.as_ref(), now);
    Explanation { status: derived.status, steps, advice }
}

fn chain(facts: &SpaceFacts) -> Vec<Step> {
    let mut blocked = false;
    let mut began = facts.deployment.as_ref().and_then(|d| d.created_at).or(facts.row.created_at);
    StepId::ALL
        .into_iter()
        .map(|id| {
            if blocked {
                return Step::pending(id);
            }
            let mut step = judge(facts, id);
            if step.since.is_none() && !matches!(step.state, StepState::Skipped | StepState::Hidden) {
                step.since = began;
            }
            began = step.ended_at.or(began);
            blocked = matches!(step.state, StepState::Active | StepState::Failed | StepState::Pending);
            step
        })
        .collect()
}

fn judge(facts: &SpaceFacts, id: StepId) -> Step {
    let hidden = |source| facts.hidden.contains(&source);
    if condition(facts, "Available").is_some_and(|c| c.status == Some(true)) && facts.pod.is_none() {
        return passed_unseen(facts, id);
    }
    match id {
        StepId::Admission => admission(facts),
        StepId::Queue if facts.row.queue.is_none() && facts.workload.is_none() => {
            Step::of(id, StepState::Skipped)
        }
        StepId::Queue if hidden(HiddenSource::Workloads) && facts.pod.is_none() => {
            Step::of(id, StepState::Hidden)
        }
        StepId::Queue => queue(facts),
        StepId::Volume if !has_volume(facts) => Step::of(id, StepState::Skipped),
        StepId::Access => access(facts),
        _ if hidden(HiddenSource::Pods) => Step::of(id, StepState::Hidden),
        StepId::Node => node(facts),
        StepId::Volume => volume(facts),
        StepId::Image => image(facts),
        StepId::Container => container(facts),
    }
}

/// A Space that runs has passed every step, whether or not its pod may be seen.
fn passed_unseen(facts: &SpaceFacts, id: StepId) -> Step {
    let skipped =
        (id == StepId::Queue && facts.row.queue.is_none()) || (id == StepId::Volume && !has_volume(facts));
    let mut step = Step::of(id, if skipped { StepState::Skipped } else { StepState::Done });
    if id == StepId::Access {
        step.ended_at = condition(facts, "Available").and_then(|c| c.since);
    }
    step
}

fn has_volume(facts: &SpaceFacts) -> bool {
    facts.row.storage.is_some() || facts.claim.is_some() || missing_claim(facts).is_some()
}

fn admission(facts: &SpaceFacts) -> Step {
    let step = Step::of(StepId::Admission, StepState::Active).usually(2);
    if let Some(pod) = &facts.pod {
        return step.done(pod.created_at).seen_in("Deployment");
    }
    let degraded = condition(facts, "Degraded").filter(|c| c.status == Some(true));
    if let Some(reason) = derivation::refusal(facts) {
        return step.failed(reason).seen_in("ReplicaSet");
    }
    if let Some(degraded) = degraded.filter(|c| c.reason != "AccessProbeThresholdExceeded") {
        let mut failed = step.failed(super::message::read_refusal(&degraded.message)).seen_in("Workspace");
        failed.since = degraded.since;
        return failed;
    }
    let is_past = facts.hidden.contains(&HiddenSource::Pods) && facts.deployment.is_some();
    if facts.workload.is_some() || is_past { step.done(None) } else { step }
}

fn queue(facts: &SpaceFacts) -> Step {
    let step = Step::of(StepId::Queue, StepState::Active);
    if let Some(workload) = &facts.workload {
        let of = |code| Reason::new(code, &workload.message).with("queue", &workload.queue);
        let source = format!("Workload {}", workload.name);
        let mut step = match workload.evicted.as_deref() {
            _ if !workload.active => step.failed(of(ReasonCode::Deactivated)),
            _ if workload.admitted => step.done(workload.admitted_at),
            Some("Preempted") => step.because(of(ReasonCode::PreemptedRequeued)),
            _ => step.because(of(ReasonCode::WaitingForQuota)),
        };
        if step.state != StepState::Done {
            step.since = workload.since;
        }
        return step.seen_in(source);
    }
    match &facts.pod {
        Some(pod) if !pod.scheduling_gates.is_empty() => {
            step.because(Reason::new(ReasonCode::WaitingForQuota, "")).seen_in(format!("Pod {}", pod.name))
        }
        Some(_) => step.done(None),
        None => step,
    }
}

fn node(facts: &SpaceFacts) -> Step {
    let step = Step::of(StepId::Node, StepState::Active).usually(5);
    let Some(pod) = &facts.pod else { return step };
    let step = step.seen_in(format!("Pod {}", pod.name));
    if pod.node.is_some() {
        return step.done(pod.scheduled_at);
    }
    if let Some(event) = last_event(facts, &["Nominated", "TriggeredScaleUp"]) {
        let waiting = step.usually(300).because(Reason::new(ReasonCode::NodeProvisioning, &event.message));
        return waiting.seen_in(format!("Event {}", event.reason));
    }
    let Some(message) = &pod.unschedulable else {
        // A node was chosen, but the pod gets it only with its volume.
        return if derivation::volume_failure(facts).is_some() { step.done(None) } else { step };
    };
    let reason = derivation::unschedulable(facts, message);
    let mut step = match reason.code {
        ReasonCode::ClaimMissing => step.done(None),
        _ if facts.never_fits.is_some() => step.failed(reason),
        _ => step.because(reason),
    };
    if step.state != StepState::Done {
        step.since = pod.unschedulable_since;
    }
    step
}

/// A claim that does not exist stops the scheduler, yet it is the volume that needs a person.
fn missing_claim(facts: &SpaceFacts) -> Option<Reason> {
    let message = facts.pod.as_ref()?.unschedulable.as_deref()?;
    Some(read_scheduling(message)).filter(|r| r.code == ReasonCode::ClaimMissing)
}

fn volume(facts: &SpaceFacts) -> Step {
    let step = Step::of(StepId::Volume, StepState::Active).usually(15);
    if let Some(reason) = missing_claim(facts) {
        return step.failed(reason).seen_in("Event FailedScheduling");
    }
    let Some(pod) = &facts.pod else { return step };
    if derivation::has_begun(pod) || last_event(facts, &["Pulling", "Pulled"]).is_some() {
        return step.done(None);
    }
    if let Some((reason, since)) = derivation::volume_failure(facts) {
        let is_final = matches!(reason.code, ReasonCode::ClaimMissing)
            || facts.claim.as_ref().is_some_and(|c| c.phase == "Lost");
        let mut step = if is_final { step.failed(reason) } else { step.because(reason) };
        step.since = since;
        return step.seen_in("Event FailedMount");
    }
    match &facts.claim {
        Some(claim) if claim.phase == "Bound" && has_pull_trouble(pod) => step.done(None),
        Some(claim) if claim.phase == "Pending" => step
            .because(Reason::new(ReasonCode::ClaimPending, "").with("claim", &claim.name))
            .seen_in(format!("PersistentVolumeClaim {}", claim.name)),
        Some(claim) => step.seen_in(format!("PersistentVolumeClaim {}", claim.name)),
        None if facts.row.storage.is_none() => step.done(None),
        None => step,
    }
}

fn has_pull_trouble(pod: &PodFacts) -> bool {
    derivation::container_failure(pod).is_some()
}

fn image(facts: &SpaceFacts) -> Step {
    let step = Step::of(StepId::Image, StepState::Active).usually(160);
    let Some(pod) = &facts.pod else { return step };
    let step = step.seen_in(format!("Pod {}", pod.name));
    let failure = derivation::container_failure(pod)
        .filter(|r| matches!(r.code, ReasonCode::ImagePullFailed | ReasonCode::InvalidImageName));
    if let Some(reason) = failure {
        return match reason.code {
            ReasonCode::InvalidImageName => step.failed(reason),
            _ if is_lasting(&reason.message) => step.failed(reason),
            _ => step.because(reason),
        };
    }
    let main_begun = pod
        .containers
        .iter()
        .any(|c| !matches!(c.state, ContainerState::Waiting { .. } | ContainerState::Unknown));
    let pulled = last_event(facts, &["Pulling", "Pulled"]).filter(|e| e.reason == "Pulled");
    if main_begun || derivation::container_failure(pod).is_some() {
        return step.done(pulled.and_then(|e| e.last_at));
    }
    let Some(since) = derivation::pulling(facts, pod) else {
        return step.because(Reason::new(ReasonCode::StartingContainer, ""));
    };
    let image = pod.containers.first().map_or("", |c| c.image.as_str());
    let mut active = step.because(Reason::new(ReasonCode::PullingImage, "").with("image", image));
    active.since = since;
    active
}

/// A registry that says "no such image" or "not you" will say so again; everything else is worth another try.
fn is_lasting(message: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    ["not found", "manifest unknown", "denied", "unauthorized", "forbidden", "401", "403", "does not exist"]
        .iter()
        .any(|sign| lower.contains(sign))
}

fn container(facts: &SpaceFacts) -> Step {
    let step = Step::of(StepId::Container, StepState::Active).usually(20);
    let Some(pod) = &facts.pod else { return step };
    let step = step.seen_in(format!("Pod {}", pod.name));
    if let Some(reason) = derivation::container_failure(pod) {
        return step.failed(reason);
    }
    if pod.ready {
        step.done(pod.ready_at)
    } else {
        step.because(Reason::new(ReasonCode::StartingContainer, ""))
    }
}

fn access(facts: &SpaceFacts) -> Step {
    let step = Step::of(StepId::Access, StepState::Active).usually(10).seen_in("Workspace");
    if let Some(available) = condition(facts, "Available").filter(|c| c.status == Some(true)) {
        return step.done(available.since);
    }
    let gave_up = condition(facts, "Degraded")
        .filter(|c| c.status == Some(true) && c.reason == "AccessProbeThresholdExceeded");
    if let Some(degraded) = gave_up {
        let mut reason = derivation::access_reason(facts);
        reason.code = ReasonCode::AccessProbeGaveUp;
        reason.message.clone_from(&degraded.message);
        return step.failed(reason);
    }
    step.because(derivation::access_reason(facts))
}

/// Seconds after which a wait is called stuck. A queue has the longest: waiting there is its purpose.
const fn deadline_seconds(id: StepId) -> i64 {
    match id {
        StepId::Admission => 60,
        StepId::Queue => 4 * 3600,
        StepId::Node => 900,
        StepId::Volume => 300,
        StepId::Image => 1200,
        StepId::Container | StepId::Access => 600,
    }
}

fn advise(facts: &SpaceFacts, steps: &[Step], reason: Option<&Reason>, now: Timestamp) -> Vec<Advice> {
    let current = steps.iter().find(|s| matches!(s.state, StepState::Active | StepState::Failed));
    let reason = current.and_then(|s| s.reason.as_ref()).or(reason);
    let mut advice = Vec::new();
    let overdue = current.filter(|s| s.state == StepState::Active).and_then(|step| {
        let waited = now.seconds_since(step.since?);
        (waited > deadline_seconds(step.id)).then_some(waited)
    });
    if let Some(waited) = overdue {
        advice.push(Advice::new(AdviceCode::ProbablyStuck).with("minutes", waited / 60));
    }
    for &code in reason.map_or(&[][..], |r| steps_that_help(r.code, facts.never_fits.is_some())) {
        if !(code == AdviceCode::Wait && overdue.is_some()) {
            advice.push(Advice::new(code));
        }
    }
    if advice.is_empty() && current.is_some() {
        advice.push(Advice::new(AdviceCode::Wait));
    }
    if overdue.is_some() && advice.len() == 1 {
        advice.push(Advice::new(AdviceCode::StopAndStart));
    }
    advice
}

/// What helps against each reason, the nearest remedy first.
fn steps_that_help(code: ReasonCode, never: bool) -> &'static [AdviceCode] {
    use AdviceCode::*;
    use ReasonCode as R;
    match code {
        R::WaitingForQuota => &[Wait, ReduceRequest, StopToReleaseQueue, AskLead],
        R::PreemptedRequeued => &[Wait, StopToReleaseQueue],
        R::Deactivated => &[AskLead, StopToReleaseQueue],
        R::QuotaExceeded => &[FreeQuota, ReduceRequest, AskLead],
        R::ServiceAccountMissing | R::AdmissionDenied | R::ChildRefused | R::TaintNotTolerated => {
            &[AskPlatform]
        }
        R::QueueLabelMissing => &[SetQueue],
        R::InsufficientCpu | R::InsufficientMemory | R::InsufficientAccelerator if never => {
            &[ReduceRequest, ChooseOtherInstanceType, AskPlatform]
        }
        R::InsufficientCpu | R::InsufficientMemory | R::InsufficientAccelerator => &[Wait, ReduceRequest],
        R::NoMatchingNode => &[ChooseOtherInstanceType, AskPlatform],
        R::PodSlots | R::VolumeSlots | R::Unschedulable => &[Wait, AskPlatform],
        R::VolumeZoneConflict | R::VolumeAttachFailed | R::VolumeMountFailed => &[StopAndStart, AskPlatform],
        R::ClaimMissing => &[CreateClaim],
        R::ClaimPending => &[Wait, AskPlatform],
        R::ImagePullFailed | R::InvalidImageName => &[ChooseOtherImage],
        R::CrashLoop | R::ContainerConfigError => &[ReadLogs, StopAndStart],
        R::OutOfMemory => &[RaiseMemory, ReadLogs],
        R::AccessProbeGaveUp => &[StopAndStart, ReadLogs],
        R::FinalizersPending => &[Wait],
        _ => &[],
    }
}

impl Step {
    fn of(id: StepId, state: StepState) -> Step {
        Step { id, state, since: None, ended_at: None, usual_seconds: None, reason: None, source: None }
    }

    fn pending(id: StepId) -> Step {
        Step::of(id, StepState::Pending)
    }

    fn usually(mut self, seconds: i64) -> Step {
        self.usual_seconds = Some(seconds);
        self
    }

    fn done(mut self, at: Option<Timestamp>) -> Step {
        self.state = StepState::Done;
        self.ended_at = at;
        self
    }

    fn failed(mut self, reason: Reason) -> Step {
        self.state = StepState::Failed;
        self.reason = Some(reason);
        self
    }

    fn because(mut self, reason: Reason) -> Step {
        self.reason = Some(reason);
        self
    }

    fn seen_in(mut self, source: impl Into<String>) -> Step {
        self.source = Some(source.into());
        self
    }
}

impl Advice {
    fn new(code: AdviceCode) -> Advice {
        Advice { code, params: Default::default() }
    }

    fn with(mut self, name: &str, value: impl ToString) -> Advice {
        self.params.insert(name.to_owned(), value.to_string());
        self
    }
}

#[cfg(test)]
mod tests;
