//! Steps, deadlines and advice of the explanation.

use super::super::derivation::tests::any_facts;
use super::super::sample::{condition, container, *};
use super::*;
use crate::space::facts::{ClaimFacts, WorkloadFacts};
use crate::space::{DesiredStatus, Sharing};
use proptest::prelude::*;

fn now(seconds: i64) -> Timestamp {
    at(seconds).expect("a sample instant")
}

fn states(facts: &SpaceFacts) -> Vec<StepState> {
    explain(facts, now(30)).steps.iter().map(|s| s.state).collect()
}

fn codes(facts: &SpaceFacts, seconds: i64) -> Vec<AdviceCode> {
    explain(facts, now(seconds)).advice.iter().map(|a| a.code).collect()
}

fn unplaced(message: &str) -> SpaceFacts {
    with_pod(PodFacts { unschedulable: Some(message.into()), unschedulable_since: at(4), ..pod() })
}

#[test]
fn a_queued_space_has_passed_admission_only() {
    let mut facts = with_pod(pod());
    facts.row.queue = Some("q".into());
    facts.workload = Some(WorkloadFacts {
        name: "pod-x".into(),
        queue: "q".into(),
        active: true,
        since: at(2),
        ..WorkloadFacts::default()
    });
    use StepState::*;
    assert_eq!(states(&facts), [Done, Active, Pending, Pending, Pending, Pending, Pending]);
    assert_eq!(codes(&facts, 30)[0], AdviceCode::Wait);
    let queue = explain(&facts, now(30)).steps.swap_remove(1);
    assert_eq!(queue.source.as_deref(), Some("Workload pod-x"));
}

#[test]
fn never_is_not_not_yet() {
    let mut facts = unplaced("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");
    let node = |facts: &SpaceFacts| explain(facts, now(30)).steps[2].state;
    assert_eq!(node(&facts), StepState::Active);
    assert!(codes(&facts, 30).contains(&AdviceCode::Wait));
    facts.never_fits = Some(Reason::new(ReasonCode::InsufficientAccelerator, "").with("max", 8));
    assert_eq!(node(&facts), StepState::Failed);
    assert!(!codes(&facts, 30).contains(&AdviceCode::Wait));
}

#[test]
fn every_wait_has_a_deadline_and_a_next_step() {
    let facts = unplaced("0/3 nodes are available: 3 Insufficient cpu.");
    assert!(!codes(&facts, 60).contains(&AdviceCode::ProbablyStuck));
    let late = codes(&facts, 4 + 901);
    assert_eq!(late[0], AdviceCode::ProbablyStuck);
    assert!(late.len() > 1);
    let plain = with_pod(placed());
    let late = codes(&plain, 100_000);
    assert_eq!(late, [AdviceCode::ProbablyStuck, AdviceCode::StopAndStart]);
}

#[test]
fn a_claim_that_does_not_exist_fails_the_volume_not_the_node() {
    let facts = unplaced("0/3 nodes are available: persistentvolumeclaim \"data\" not found.");
    use StepState::*;
    assert_eq!(states(&facts), [Done, Skipped, Done, Failed, Pending, Pending, Pending]);
    assert_eq!(codes(&facts, 30), [AdviceCode::CreateClaim]);
}

#[test]
fn a_claim_that_waits_for_its_first_pod_is_no_error() {
    let mut facts = with_pod(placed());
    facts.claim = Some(ClaimFacts {
        name: "workspace-lab-pvc".into(),
        phase: "Pending".into(),
        ..ClaimFacts::default()
    });
    let volume = explain(&facts, now(30)).steps.swap_remove(3);
    assert_eq!(volume.state, StepState::Active);
    assert_eq!(volume.reason.map(|r| r.code), Some(ReasonCode::ClaimPending));
}

#[test]
fn a_volume_that_cannot_be_made_is_the_volumes_trouble() {
    let mut facts = with_pod(pod());
    facts.claim = Some(ClaimFacts { name: "c".into(), phase: "Pending".into(), ..ClaimFacts::default() });
    facts.events = vec![event("PersistentVolumeClaim", true, "ProvisioningFailed", "denied", 4)];
    use StepState::*;
    assert_eq!(states(&facts), [Done, Skipped, Done, Active, Pending, Pending, Pending]);
    assert_eq!(codes(&facts, 30), [AdviceCode::Wait, AdviceCode::AskPlatform]);
}

#[test]
fn pulling_is_timed_by_its_events() {
    let mut facts = with_pod(placed());
    facts.events = vec![event("Pod", false, "Pulling", "", 6)];
    let image = explain(&facts, now(30)).steps.swap_remove(4);
    assert_eq!((image.state, image.since, image.usual_seconds), (StepState::Active, at(6), Some(160)));
}

#[test]
fn a_registry_that_says_no_will_say_so_again() {
    let image = |message: &str| {
        let failing = container(waiting("ErrImagePull", message));
        let facts = with_pod(PodFacts { containers: vec![failing], ..placed() });
        explain(&facts, now(30)).steps.swap_remove(4).state
    };
    assert_eq!(image("manifest unknown"), StepState::Failed);
    assert_eq!(image("i/o timeout"), StepState::Active);
}

#[test]
fn a_running_space_has_passed_every_step_that_applies() {
    let mut facts = starting();
    facts.conditions = vec![condition("Available", true, "ResourcesReady")];
    use StepState::*;
    assert_eq!(states(&facts), [Done, Skipped, Done, Skipped, Done, Done, Done]);
    assert!(codes(&facts, 30).is_empty());
}

#[test]
fn a_stopped_space_has_reached_no_step() {
    let mut facts = starting();
    facts.row.desired_status = DesiredStatus::Stopped;
    assert!(states(&facts).iter().all(|s| *s == StepState::Pending));
}

#[test]
fn hidden_evidence_is_said_to_be_hidden() {
    let mut facts = with_pod(placed());
    facts.row.queue = Some("q".into());
    facts.row.access_type = Sharing::Public;
    let redacted = facts.redacted(&[HiddenSource::Pods, HiddenSource::Events, HiddenSource::Workloads]);
    use StepState::*;
    assert_eq!(states(&redacted), [Done, Hidden, Hidden, Skipped, Hidden, Hidden, Active]);
}

#[test]
fn a_degraded_child_fails_admission_and_points_to_the_queue() {
    let mut facts = starting();
    facts.conditions = vec![condition("Degraded", true, "ComputeError")];
    facts.conditions[0].message = "The label 'kueue.x-k8s.io/queue-name' is either missing".into();
    assert_eq!(explain(&facts, now(30)).steps[0].state, StepState::Failed);
    assert_eq!(codes(&facts, 30), [AdviceCode::SetQueue]);
}

proptest! {
    #[test]
    fn any_facts_are_explained_in_seven_steps(facts in any_facts(), seconds in 0i64..100_000) {
        let explanation = explain(&facts, now(seconds));
        prop_assert_eq!(explanation.steps.iter().map(|s| s.id).collect::<Vec<_>>(), StepId::ALL.to_vec());
        let waits = explanation.steps.iter().filter(|s| matches!(s.state, StepState::Active | StepState::Failed));
        prop_assert!(waits.count() <= 1);
    }
}
