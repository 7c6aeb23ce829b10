//! Now, later or never, and what to change.

use super::super::sample::{create, row, template};
use super::*;
use crate::space::GPU_RESOURCE;
use proptest::prelude::*;

fn amounts(cpu: i64, gib: i64, gpus: i64) -> NodeAmounts {
    NodeAmounts {
        cpu_millis: cpu,
        memory_bytes: gib << 30,
        accelerators: [(GPU_RESOURCE.to_owned(), gpus)].into(),
        pods: 10,
        volumes: Some(5),
    }
}

fn node(instance_type: &str, allocatable: NodeAmounts, free: NodeAmounts) -> NodeRoom {
    NodeRoom {
        name: format!("node-{instance_type}"),
        instance_type: instance_type.into(),
        zone: None,
        schedulable: true,
        taints: vec![],
        allocatable,
        free,
    }
}

fn need(cpu: i64, gib: i64, gpus: i64) -> Need {
    let mut row = row();
    row.resources.cpu_millis = Some(cpu);
    row.resources.memory_bytes = Some(gib << 30);
    row.resources.accelerator =
        (gpus > 0).then(|| Accelerator { resource: GPU_RESOURCE.into(), count: gpus });
    Need::of_row(&row)
}

fn suggestion(verdict: &Verdict) -> Option<(&str, &str)> {
    verdict.suggestion.as_ref().map(|s| (s.path.as_str(), s.value.as_str()))
}

#[test]
fn defaults_and_sidecars_count() {
    let mut remote = template();
    remote.overhead.cpu_millis = Some(100);
    remote.overhead.memory_bytes = Some(1 << 30);
    let request = CreateSpace { resources: None, ..create() };
    let need = Need::of(&request, Some(&remote));
    assert_eq!((need.cpu_millis, need.memory_bytes, need.volumes), (2100, 9 << 30, 1));
}

#[test]
fn room_now_starts_now() {
    let nodes = [node("a", amounts(8000, 32, 0), amounts(4000, 16, 0))];
    assert_eq!(judge(&need(4000, 16, 0), &nodes).outcome, Outcome::StartsNow);
}

#[test]
fn room_later_waits_and_says_how_to_start_now() {
    let nodes = [node("a", amounts(8000, 32, 0), amounts(2000, 16, 0))];
    let verdict = judge(&need(4000, 8, 0), &nodes);
    assert_eq!(verdict.outcome, Outcome::WillWait);
    let reason = verdict.reason.as_ref().expect("a reason");
    assert_eq!((reason.code, reason.params["max"].as_str()), (ReasonCode::InsufficientCpu, "2"));
    assert_eq!(suggestion(&verdict), Some(("resources.cpuMillis", "2000")));
}

#[test]
fn more_gpus_than_any_node_has_can_never_start() {
    let nodes = [node("a", amounts(96_000, 1024, 8), amounts(96_000, 1024, 8))];
    let verdict = judge(&need(4000, 8, 16), &nodes);
    assert_eq!(verdict.outcome, Outcome::CanNeverStart);
    let reason = verdict.reason.as_ref().expect("a reason");
    assert_eq!((reason.params["requested"].as_str(), reason.params["max"].as_str()), ("16", "8"));
    assert_eq!(suggestion(&verdict), Some(("resources.accelerator.count", "8")));
}

#[test]
fn the_smallest_change_is_suggested() {
    let nodes = [
        node("a", amounts(8000, 64, 0), amounts(1000, 64, 0)),
        node("b", amounts(8000, 64, 0), amounts(8000, 7, 0)),
    ];
    assert_eq!(suggestion(&judge(&need(4000, 8, 0), &nodes)), Some(("resources.memoryBytes", "7516192768")));
}

#[test]
fn full_slots_are_named_although_gpus_are_free() {
    let mut free = amounts(8000, 64, 8);
    free.volumes = Some(0);
    let nodes = [node("a", amounts(8000, 64, 8), free)];
    let need = Need { volumes: 1, ..need(1000, 1, 1) };
    let verdict = judge(&need, &nodes);
    assert_eq!(verdict.outcome, Outcome::WillWait);
    assert_eq!(verdict.reason.map(|r| r.code), Some(ReasonCode::VolumeSlots));
}

#[test]
fn a_pinned_type_that_does_not_exist_suggests_one_that_does() {
    let nodes = [node("ml.m5.xlarge", amounts(4000, 16, 0), amounts(4000, 16, 0))];
    let pinned = Need { instance_type: Some("ml.none".into()), ..need(1000, 1, 0) };
    let verdict = judge(&pinned, &nodes);
    assert_eq!(verdict.outcome, Outcome::CanNeverStart);
    assert_eq!(verdict.reason.as_ref().map(|r| r.code), Some(ReasonCode::NoMatchingNode));
    assert_eq!(suggestion(&verdict), Some(("resources.instanceType", "ml.m5.xlarge")));
}

#[test]
fn taints_keep_strangers_away_and_a_cordon_passes() {
    let mut tainted = node("a", amounts(8000, 64, 8), amounts(8000, 64, 8));
    tainted.taints = vec![GPU_RESOURCE.into()];
    let nodes = [tainted.clone()];
    assert_eq!(judge(&need(1000, 1, 1), &nodes).outcome, Outcome::StartsNow);
    let verdict = judge(&need(1000, 1, 0), &nodes);
    assert_eq!(verdict.outcome, Outcome::CanNeverStart);
    assert_eq!(verdict.reason.map(|r| r.code), Some(ReasonCode::TaintNotTolerated));
    tainted.schedulable = false;
    assert_eq!(judge(&need(1000, 1, 1), &[tainted]).outcome, Outcome::WillWait);
}

#[test]
fn unknown_nodes_give_no_verdict() {
    assert_eq!(judge(&need(1, 1, 0), &[]).outcome, Outcome::Unknown);
}

proptest! {
    #[test]
    fn a_suggested_amount_really_helps(cpu in 100i64..20_000, gib in 1i64..128, gpus in 0i64..16,
        rooms in prop::collection::vec((100i64..16_000, 1i64..64, 0i64..9), 1..5)) {
        let nodes: Vec<NodeRoom> = rooms.iter()
            .map(|(c, m, g)| node("a", amounts(*c, *m, *g), amounts(*c, *m, *g))).collect();
        let asked = need(cpu, gib, gpus);
        let verdict = judge(&asked, &nodes);
        if let Some(suggestion) = &verdict.suggestion {
            let value: i64 = suggestion.value.parse().expect("an amount");
            let mut changed = asked.clone();
            match suggestion.path.as_str() {
                "resources.cpuMillis" => changed.cpu_millis = value,
                "resources.memoryBytes" => changed.memory_bytes = value,
                _ => changed.accelerator.as_mut().expect("asked for").count = value,
            }
            prop_assert_eq!(judge(&changed, &nodes).outcome, Outcome::StartsNow);
        }
    }
}
