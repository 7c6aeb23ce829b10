//! Each rule of the derived status, and that no facts whatever make it panic.

use super::super::sample::{condition, container, *};
use super::*;
use crate::space::facts::{ClaimFacts, ContainerFacts, DeploymentFacts, EventFacts, WorkloadFacts};
use proptest::prelude::*;

fn seen(facts: &SpaceFacts) -> (SpaceStatus, Option<ReasonCode>) {
    let derived = derive(facts);
    (derived.status, derived.reason.map(|r| r.code))
}

fn stopped_facts(reason: &str) -> SpaceFacts {
    let mut facts = SpaceFacts::of_row(row());
    facts.row.desired_status = DesiredStatus::Stopped;
    facts.conditions =
        vec![condition("Available", false, reason), condition("Stopped", true, "AllResourcesStopped")];
    facts
}

#[test]
fn a_new_object_without_conditions_is_starting() {
    let facts = SpaceFacts::of_row(row());
    assert_eq!(seen(&facts), (SpaceStatus::Starting, Some(ReasonCode::JustCreated)));
    assert_eq!(derive(&facts).since, at(0));
}

#[test]
fn an_available_space_runs_since_its_condition_says_so() {
    let mut facts = starting();
    facts.conditions = vec![condition("Available", true, "ResourcesReady")];
    assert_eq!(derive(&facts), Derived::new(SpaceStatus::Running, None, at(1)));
}

#[test]
fn deletion_wins_over_everything() {
    let mut facts = starting();
    facts.conditions = vec![condition("Available", true, "x"), condition("Degraded", true, "ComputeError")];
    facts.deleting_since = at(9);
    facts.finalizers = vec!["workspace.jupyter.org/workspace-protection".into()];
    let derived = derive(&facts);
    assert_eq!(derived.status, SpaceStatus::Deleting);
    assert_eq!(derived.since, at(9));
    let reason = derived.reason.expect("finalizers are named");
    assert_eq!(reason.params["finalizers"], "workspace.jupyter.org/workspace-protection");
}

#[test]
fn stopping_stopped_and_preempted_differ() {
    assert_eq!(seen(&stopped_facts("DesiredStateStopped")), (SpaceStatus::Stopped, None));
    assert_eq!(
        seen(&stopped_facts("Preempted")),
        (SpaceStatus::Preempted, Some(ReasonCode::PreemptedStopped))
    );
    let mut stopping = starting();
    stopping.row.desired_status = DesiredStatus::Stopped;
    assert_eq!(seen(&stopping), (SpaceStatus::Stopping, Some(ReasonCode::ResourcesStopping)));
}

#[test]
fn a_degraded_space_says_what_was_refused() {
    let mut facts = starting();
    facts.conditions = vec![condition("Degraded", true, "ComputeError")];
    facts.conditions[0].message =
        "The label 'kueue.x-k8s.io/queue-name' is either missing or does not have a value set.".into();
    assert_eq!(seen(&facts), (SpaceStatus::Failed, Some(ReasonCode::QueueLabelMissing)));
    facts.conditions = vec![condition("Degraded", true, "AccessProbeThresholdExceeded")];
    assert_eq!(seen(&facts), (SpaceStatus::Failed, Some(ReasonCode::AccessProbeGaveUp)));
}

#[test]
fn a_quota_denial_is_not_hidden_by_a_general_text() {
    let mut facts = starting();
    facts.deployment = Some(DeploymentFacts {
        failure: Some("pods could not be created".into()),
        failing_since: at(5),
        created_at: at(1),
        ..DeploymentFacts::default()
    });
    facts.events = vec![event(
        "ReplicaSet",
        true,
        "FailedCreate",
        "pods \"x\" is forbidden: exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2",
        5,
    )];
    assert_eq!(seen(&facts), (SpaceStatus::Blocked, Some(ReasonCode::QuotaExceeded)));
    assert_eq!(derive(&facts).since, at(5));
}

#[test]
fn a_missing_service_account_is_named() {
    let mut facts = starting();
    facts.events = vec![event(
        "ReplicaSet",
        true,
        "FailedCreate",
        "pods \"x\" is forbidden: error looking up service account n/s: serviceaccount \"s\" not found",
        5,
    )];
    let reason = derive(&facts).reason.expect("a reason");
    assert_eq!(
        (reason.code, reason.params["serviceAccount"].as_str()),
        (ReasonCode::ServiceAccountMissing, "s")
    );
}

#[test]
fn a_refusal_from_before_the_restart_is_forgotten() {
    let mut facts = starting();
    facts.events = vec![event("ReplicaSet", true, "FailedCreate", "exceeded quota: q", -60)];
    assert_eq!(seen(&facts).0, SpaceStatus::Starting);
}

#[test]
fn kueue_states_come_before_the_pod() {
    let workload = WorkloadFacts { queue: "q".into(), active: true, ..WorkloadFacts::default() };
    let with = |workload: WorkloadFacts| SpaceFacts { workload: Some(workload), ..with_pod(pod()) };
    let queued = with(workload.clone());
    assert_eq!(seen(&queued), (SpaceStatus::Queued, Some(ReasonCode::WaitingForQuota)));
    let evicted = with(WorkloadFacts { evicted: Some("Preempted".into()), ..workload.clone() });
    assert_eq!(seen(&evicted), (SpaceStatus::Preempted, Some(ReasonCode::PreemptedRequeued)));
    let held = with(WorkloadFacts { active: false, ..workload.clone() });
    assert_eq!(seen(&held), (SpaceStatus::Blocked, Some(ReasonCode::Deactivated)));
    let admitted = with(WorkloadFacts { admitted: true, ..workload });
    assert_eq!(seen(&admitted).0, SpaceStatus::Starting);
    let gated = with_pod(PodFacts { scheduling_gates: vec!["kueue.x-k8s.io/admission".into()], ..pod() });
    assert_eq!(seen(&gated), (SpaceStatus::Queued, Some(ReasonCode::WaitingForQuota)));
}

#[test]
fn a_pod_that_fits_nowhere_is_unschedulable_with_the_numbers() {
    let message = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
    let unplaced = PodFacts { unschedulable: Some(message.into()), unschedulable_since: at(4), ..pod() };
    let mut facts = with_pod(unplaced);
    assert_eq!(seen(&facts), (SpaceStatus::Unschedulable, Some(ReasonCode::InsufficientAccelerator)));
    assert_eq!(derive(&facts).since, at(4));
    facts.never_fits = Some(Reason::new(ReasonCode::InsufficientAccelerator, "").with("max", 8));
    let never = derive(&facts).reason.expect("a reason");
    assert_eq!((never.params["never"].as_str(), never.params["max"].as_str()), ("true", "8"));
    assert_eq!(never.message, message);
    facts.events = vec![event("Pod", false, "Nominated", "Pod should schedule on: nodeclaim/x", 6)];
    assert_eq!(seen(&facts), (SpaceStatus::Starting, Some(ReasonCode::NodeProvisioning)));
}

#[test]
fn container_trouble_is_an_error() {
    for (reason, code) in [
        ("ImagePullBackOff", ReasonCode::ImagePullFailed),
        ("ErrImagePull", ReasonCode::ImagePullFailed),
        ("InvalidImageName", ReasonCode::InvalidImageName),
        ("CrashLoopBackOff", ReasonCode::CrashLoop),
        ("CreateContainerConfigError", ReasonCode::ContainerConfigError),
    ] {
        let facts = with_pod(PodFacts { containers: vec![container(waiting(reason, "m"))], ..placed() });
        assert_eq!(seen(&facts), (SpaceStatus::Error, Some(code)), "{reason}");
    }
    let killed = ContainerFacts {
        last_exit: Some(("OOMKilled".into(), 137)),
        ..container(waiting("CrashLoopBackOff", "back-off"))
    };
    let facts = with_pod(PodFacts { containers: vec![killed], ..placed() });
    assert_eq!(seen(&facts), (SpaceStatus::Error, Some(ReasonCode::OutOfMemory)));
}

#[test]
fn a_volume_that_will_not_attach_is_a_storage_error_until_a_container_begins() {
    let mut facts = with_pod(placed());
    facts.events = vec![event("Pod", true, "FailedAttachVolume", "AccessDenied", 8)];
    assert_eq!(seen(&facts), (SpaceStatus::StorageError, Some(ReasonCode::VolumeAttachFailed)));
    facts.pod =
        Some(PodFacts { containers: vec![container(ContainerState::Running { since: at(9) })], ..placed() });
    assert_eq!(seen(&facts).0, SpaceStatus::Starting);
}

#[test]
fn a_volume_that_cannot_be_made_is_a_storage_error_before_there_is_a_node() {
    let mut facts = with_pod(pod());
    facts.claim = Some(ClaimFacts { name: "c".into(), phase: "Pending".into(), ..ClaimFacts::default() });
    assert_eq!(seen(&facts).0, SpaceStatus::Starting);
    facts.events =
        vec![event("PersistentVolumeClaim", true, "ProvisioningFailed", "UnauthorizedOperation", 4)];
    assert_eq!(seen(&facts), (SpaceStatus::StorageError, Some(ReasonCode::ClaimPending)));
    assert_eq!(derive(&facts).since, at(4));
}

#[test]
fn pulling_lasts_from_its_event_to_the_pulled_one() {
    let mut facts = with_pod(placed());
    facts.events = vec![event("Pod", false, "Pulling", "Pulling image", 6)];
    assert_eq!(derive(&facts).status, SpaceStatus::PullingImage);
    assert_eq!(derive(&facts).since, at(6));
    facts.events.push(event("Pod", false, "Pulled", "Successfully pulled", 60));
    assert_eq!(seen(&facts), (SpaceStatus::Starting, Some(ReasonCode::StartingContainer)));
}

#[test]
fn a_running_pod_that_cannot_be_reached_yet_is_preparing_access() {
    let mut facts = with_pod(PodFacts {
        phase: "Running".into(),
        ready: true,
        ready_at: at(20),
        containers: vec![container(ContainerState::Running { since: at(19) })],
        ..placed()
    });
    facts.conditions[0].reason = "AccessNotReady".into();
    facts.access_probe_failures = Some(3);
    let derived = derive(&facts);
    assert_eq!(derived.status, SpaceStatus::PreparingAccess);
    let reason = derived.reason.expect("a reason");
    assert_eq!((reason.params["failures"].as_str(), reason.params["limit"].as_str()), ("3", "20"));
}

#[test]
fn who_may_not_see_pods_learns_nothing_of_them() {
    let message = "0/3 nodes are available: 3 Insufficient cpu.";
    let facts = with_pod(PodFacts { unschedulable: Some(message.into()), ..pod() });
    let redacted = facts.redacted(&[HiddenSource::Pods, HiddenSource::Events]);
    assert_eq!(seen(&redacted), (SpaceStatus::Starting, Some(ReasonCode::CreatingResources)));
}

#[test]
fn an_unreadable_desired_status_is_unknown_unless_it_runs() {
    let mut facts = SpaceFacts::of_row(row());
    facts.row.desired_status = DesiredStatus::Unknown;
    assert_eq!(seen(&facts), (SpaceStatus::Unknown, Some(ReasonCode::Unclear)));
    facts.conditions = vec![condition("Available", true, "ResourcesReady")];
    assert_eq!(seen(&facts).0, SpaceStatus::Running);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,30}",
        Just("exceeded quota: ".to_owned()),
        Just("0/0 nodes are available: ".to_owned()),
        Just("AccessNotReady".to_owned()),
        Just("CrashLoopBackOff".to_owned()),
    ]
}

fn any_time() -> impl Strategy<Value = Option<Timestamp>> {
    prop::option::of(any::<i32>().prop_map(|n| Timestamp(BASE + i64::from(n))))
}

prop_compose! {
    fn any_condition()(kind in "Available|Progressing|Degraded|Stopped|Deleting|", status in any::<Option<bool>>(),
        reason in any_text(), message in any_text(), since in any_time()) -> Condition {
        Condition { kind, status, reason, message, since }
    }
}

fn any_state() -> impl Strategy<Value = ContainerState> {
    prop_oneof![
        Just(ContainerState::Unknown),
        (any_text(), any_text()).prop_map(|(reason, message)| ContainerState::Waiting { reason, message }),
        any_time().prop_map(|since| ContainerState::Running { since }),
        (any_text(), any::<i64>()).prop_map(|(reason, exit_code)| ContainerState::Terminated {
            reason,
            exit_code,
            message: String::new()
        }),
    ]
}

prop_compose! {
    fn any_pod()(phase in "Pending|Running|Failed|", node in prop::option::of("n"), deleting in any::<bool>(),
        gates in prop::collection::vec("g", 0..2), unschedulable in prop::option::of(any_text()),
        states in prop::collection::vec(any_state(), 0..3), init in prop::collection::vec(any_state(), 0..2),
        ready in any::<bool>(), created_at in any_time()) -> PodFacts {
        PodFacts { phase, node, deleting, scheduling_gates: gates, unschedulable, ready, created_at,
            containers: states.into_iter().map(container).collect(),
            init_containers: init.into_iter().map(container).collect(), ..PodFacts::default() }
    }
}

prop_compose! {
    fn any_event()(object_kind in "Pod|ReplicaSet|", warning in any::<bool>(), last_at in any_time(),
        reason in "FailedCreate|Pulling|Pulled|FailedMount|Nominated|", message in any_text()) -> EventFacts {
        EventFacts { object_kind, warning, reason, message, count: 0, first_at: None, last_at }
    }
}

prop_compose! {
    pub fn any_facts()(desired in 0usize..3, conditions in prop::collection::vec(any_condition(), 0..6),
        pod in prop::option::of(any_pod()), events in prop::collection::vec(any_event(), 0..5),
        failure in prop::option::of(any_text()), deployment in any::<bool>(), deleting_since in any_time(),
        (active, admitted, workload, lost) in any::<(bool, bool, bool, bool)>(),
        failures in any::<Option<i64>>()) -> SpaceFacts {
        let mut facts = SpaceFacts::of_row(row());
        facts.row.desired_status =
            [DesiredStatus::Running, DesiredStatus::Stopped, DesiredStatus::Unknown][desired];
        facts.deleting_since = deleting_since.filter(|_| failures.is_none());
        facts.deployment = deployment.then(|| DeploymentFacts { failure, ..DeploymentFacts::default() });
        facts.workload = workload.then(|| WorkloadFacts { active, admitted, ..WorkloadFacts::default() });
        facts.claim = lost.then(|| ClaimFacts { phase: "Lost".into(), ..ClaimFacts::default() });
        SpaceFacts { conditions, pod, events, access_probe_failures: failures, ..facts }
    }
}

proptest! {
    #[test]
    fn any_facts_have_a_status(facts in any_facts()) {
        let derived = derive(&facts);
        if facts.deleting_since.is_some() {
            prop_assert_eq!(derived.status, SpaceStatus::Deleting);
        }
        prop_assert!(derived.status != SpaceStatus::Unknown || derived.reason.is_some());
    }

    #[test]
    fn redaction_never_adds_a_message_of_a_hidden_pod(facts in any_facts()) {
        let redacted = facts.redacted(&[HiddenSource::Pods, HiddenSource::Events]);
        prop_assert!(!matches!(
            derive(&redacted).status,
            SpaceStatus::Unschedulable | SpaceStatus::Error | SpaceStatus::PullingImage
        ));
    }
}
