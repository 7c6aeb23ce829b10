//! The verdict strip of the create form: does it start, and what decides.

use super::create::CreateSpace;
use super::status::{Reason, ReasonCode};
use super::{Accelerator, SpaceRow};
use crate::error::FieldError;
use crate::quantity::{format_bytes, format_cpu};
use crate::template::{NodeAmounts, NodeRoom, Template};
use serde::{Deserialize, Serialize};

/// From node fit and template bounds; queues join with the capacity engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Outcome {
    StartsNow,
    /// Fits a node type, but no node has room at the moment.
    WillWait,
    /// No node could ever take it.
    CanNeverStart,
    /// Nodes are not known (no right to read them, or not loaded).
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Verdict {
    pub outcome: Outcome,
    /// What decides, with the numbers as parameters.
    pub reason: Option<Reason>,
    /// The smallest change that helps.
    pub suggestion: Option<Suggestion>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Suggestion {
    /// JSON path of the field to change.
    pub path: String,
    /// The value to change it to, as the request would carry it.
    pub value: String,
}

/// Answer of `POST …/spaces?dryRun=true`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DryRun {
    /// The request as it would be stored, template defaults filled in.
    pub effective: CreateSpace,
    pub warnings: Vec<String>,
    pub fields: Vec<FieldError>,
}

/// What the Space's pod asks of a node, sidecars of the access strategy included.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    pub cpu_millis: i64,
    pub memory_bytes: i64,
    pub accelerator: Option<Accelerator>,
    pub instance_type: Option<String>,
    /// Volumes that take an attachment slot.
    pub volumes: i64,
    overhead: (i64, i64),
}

/// Request of a pod that states none (jupyter-k8s: 100m, 128Mi).
const UNSTATED: (i64, i64) = (100, 128 << 20);

impl Need {
    /// The request with the template's defaults and sidecars.
    pub fn of(request: &CreateSpace, template: Option<&Template>) -> Need {
        let defaults = template.map(|t| &t.default_resources);
        let stated = request.resources.as_ref();
        let overhead = template
            .map_or((0, 0), |t| (t.overhead.cpu_millis.unwrap_or(0), t.overhead.memory_bytes.unwrap_or(0)));
        let cpu = stated.map(|r| r.cpu_millis).or(defaults.and_then(|d| d.cpu_millis)).unwrap_or(UNSTATED.0);
        let memory =
            stated.map(|r| r.memory_bytes).or(defaults.and_then(|d| d.memory_bytes)).unwrap_or(UNSTATED.1);
        let own = request.storage.is_some() || template.is_some_and(|t| t.storage.default_bytes.is_some());
        Need {
            cpu_millis: cpu.saturating_add(overhead.0),
            memory_bytes: memory.saturating_add(overhead.1),
            accelerator: match stated {
                Some(resources) => resources.accelerator.clone(),
                None => defaults.and_then(|d| d.accelerator.clone()),
            },
            instance_type: stated.and_then(|r| r.instance_type.clone()),
            volumes: i64::from(own) + request.volumes.len() as i64,
            overhead,
        }
    }

    /// What a Space that exists asks for, as its row says.
    pub fn of_row(row: &SpaceRow) -> Need {
        Need {
            cpu_millis: row.resources.cpu_millis.unwrap_or(UNSTATED.0),
            memory_bytes: row.resources.memory_bytes.unwrap_or(UNSTATED.1),
            accelerator: row.resources.accelerator.clone(),
            instance_type: row.resources.instance_type.clone(),
            volumes: i64::from(row.storage.is_some()),
            overhead: (0, 0),
        }
    }

    /// The first thing that keeps the pod off a node with these amounts.
    fn misfit(&self, amounts: &NodeAmounts) -> Option<ReasonCode> {
        if let Some(wanted) = &self.accelerator
            && amounts.accelerators.get(&wanted.resource).copied().unwrap_or(0) < wanted.count
        {
            return Some(ReasonCode::InsufficientAccelerator);
        }
        if amounts.memory_bytes < self.memory_bytes {
            return Some(ReasonCode::InsufficientMemory);
        }
        if amounts.cpu_millis < self.cpu_millis {
            return Some(ReasonCode::InsufficientCpu);
        }
        if amounts.pods < 1 {
            return Some(ReasonCode::PodSlots);
        }
        amounts.volumes.is_some_and(|slots| slots < self.volumes).then_some(ReasonCode::VolumeSlots)
    }
}

/// Whether a node is of a kind that the Space may run on. A taint that names the accelerator keeps others away,
/// not those who ask for it.
fn admits(node: &NodeRoom, need: &Need) -> Result<(), ReasonCode> {
    if need.instance_type.as_ref().is_some_and(|t| *t != node.instance_type) {
        return Err(ReasonCode::NoMatchingNode);
    }
    let tolerated = |taint: &String| need.accelerator.as_ref().is_some_and(|a| a.resource == *taint);
    let passing = |taint: &String| taint.starts_with("node.kubernetes.io/");
    if node.taints.iter().all(|taint| tolerated(taint) || passing(taint)) {
        Ok(())
    } else {
        Err(ReasonCode::TaintNotTolerated)
    }
}

/// Judges a need against the nodes: now, later, or never.
pub fn judge(need: &Need, nodes: &[NodeRoom]) -> Verdict {
    if nodes.is_empty() {
        return Verdict { outcome: Outcome::Unknown, reason: None, suggestion: None };
    }
    let admitted: Vec<&NodeRoom> = nodes.iter().filter(|n| admits(n, need).is_ok()).collect();
    let now = |n: &NodeRoom| n.schedulable && n.taints.iter().all(|t| !t.starts_with("node.kubernetes.io/"));
    if admitted.iter().any(|n| now(n) && need.misfit(&n.free).is_none()) {
        return Verdict { outcome: Outcome::StartsNow, reason: None, suggestion: None };
    }
    let (outcome, rooms): (Outcome, Vec<&NodeAmounts>) =
        if admitted.iter().any(|n| need.misfit(&n.allocatable).is_none()) {
            let rooms = admitted.iter().filter(|n| now(n)).map(|n| &n.free).collect();
            (Outcome::WillWait, rooms)
        } else {
            (Outcome::CanNeverStart, admitted.iter().map(|n| &n.allocatable).collect())
        };
    let reason = if admitted.is_empty() { unadmitted(need, nodes) } else { shortage(need, &rooms) };
    let suggestion = suggest(need, &rooms).or_else(|| suggest_type(need, nodes));
    Verdict { outcome, reason: Some(reason), suggestion }
}

fn unadmitted(need: &Need, nodes: &[NodeRoom]) -> Reason {
    let tainted = nodes.iter().find(|n| admits(n, need) == Err(ReasonCode::TaintNotTolerated));
    match (tainted, &need.instance_type) {
        (Some(node), _) => {
            Reason::new(ReasonCode::TaintNotTolerated, "").with("taint", node.taints.join(", "))
        }
        (None, Some(wanted)) => Reason::new(ReasonCode::NoMatchingNode, "").with("instanceType", wanted),
        (None, None) => Reason::new(ReasonCode::NoMatchingNode, ""),
    }
}

/// What the roomiest node lacks, with the amount asked for and the most that one node has.
fn shortage(need: &Need, rooms: &[&NodeAmounts]) -> Reason {
    let lacking = rooms.iter().filter_map(|room| need.misfit(room)).max_by_key(|code| match code {
        // Nodes that lack only slots came closer than those that lack memory or devices.
        ReasonCode::VolumeSlots => 4,
        ReasonCode::PodSlots => 3,
        ReasonCode::InsufficientCpu => 2,
        ReasonCode::InsufficientMemory => 1,
        _ => 0,
    });
    let most = |of: &dyn Fn(&NodeAmounts) -> i64| rooms.iter().map(|r| of(r)).max().unwrap_or(0);
    match lacking.unwrap_or(ReasonCode::Unschedulable) {
        code @ ReasonCode::InsufficientCpu => Reason::new(code, "")
            .with("requested", format_cpu(need.cpu_millis))
            .with("max", format_cpu(most(&|r| r.cpu_millis))),
        code @ ReasonCode::InsufficientMemory => Reason::new(code, "")
            .with("requested", format_bytes(need.memory_bytes))
            .with("max", format_bytes(most(&|r| r.memory_bytes))),
        code @ ReasonCode::InsufficientAccelerator => {
            let (resource, count) =
                need.accelerator.as_ref().map_or(("", 0), |a| (a.resource.as_str(), a.count));
            Reason::new(code, "")
                .with("resource", resource)
                .with("requested", count)
                .with("max", most(&|r| r.accelerators.get(resource).copied().unwrap_or(0)))
        }
        code @ ReasonCode::VolumeSlots => Reason::new(code, "")
            .with("requested", need.volumes)
            .with("max", most(&|r| r.volumes.unwrap_or(i64::MAX))),
        code => Reason::new(code, ""),
    }
}

/// The smallest reduction of one amount that makes the pod fit one of the rooms.
fn suggest(need: &Need, rooms: &[&NodeAmounts]) -> Option<Suggestion> {
    rooms.iter().filter_map(|room| reduction(need, room)).min_by_key(|(loss, _)| *loss).map(|(_, s)| s)
}

/// The one amount that this room lacks, as a loss in thousandths and the value that fits.
fn reduction(need: &Need, room: &NodeAmounts) -> Option<(i64, Suggestion)> {
    let mut reduced = need.clone();
    let (wanted, fitting, path) = match need.misfit(room)? {
        ReasonCode::InsufficientCpu => {
            reduced.cpu_millis = room.cpu_millis;
            let fitting = (room.cpu_millis - need.overhead.0) / 100 * 100;
            (need.cpu_millis - need.overhead.0, fitting, "resources.cpuMillis")
        }
        ReasonCode::InsufficientMemory => {
            reduced.memory_bytes = room.memory_bytes;
            let fitting = (room.memory_bytes - need.overhead.1) >> 28 << 28;
            (need.memory_bytes - need.overhead.1, fitting, "resources.memoryBytes")
        }
        ReasonCode::InsufficientAccelerator => {
            let wanted = reduced.accelerator.as_mut()?;
            let asked = wanted.count;
            wanted.count = room.accelerators.get(&wanted.resource).copied().unwrap_or(0);
            (asked, wanted.count, "resources.accelerator.count")
        }
        _ => return None,
    };
    let helps = fitting > 0 && reduced.misfit(room).is_none();
    let loss = i128::from(wanted - fitting) * 1000 / i128::from(wanted.max(1));
    let suggestion = Suggestion { path: path.to_owned(), value: fitting.to_string() };
    helps.then_some((i64::try_from(loss).unwrap_or(i64::MAX), suggestion))
}

/// Another instance type that would take the Space at once, or at least ever.
fn suggest_type(need: &Need, nodes: &[NodeRoom]) -> Option<Suggestion> {
    need.instance_type.as_ref()?;
    let free = Need { instance_type: None, ..need.clone() };
    let takes = |n: &&NodeRoom| admits(n, &free).is_ok();
    let now = nodes.iter().filter(takes).find(|n| n.schedulable && free.misfit(&n.free).is_none());
    let ever = || nodes.iter().filter(takes).find(|n| free.misfit(&n.allocatable).is_none());
    now.or_else(ever)
        .map(|n| Suggestion { path: "resources.instanceType".into(), value: n.instance_type.clone() })
}

#[cfg(test)]
mod tests;
