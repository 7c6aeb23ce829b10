//! The conditions of a Space: a plain function of its phase (jupyter-k8s, `internal/controller/status_manager.go`).

use crate::cluster::fields::{items, set_condition};
use serde_json::Value;

/// Where a Space is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    Starting(Pending),
    Running,
    Stopping(Pending),
    Stopped {
        preempted: bool,
    },
    /// A child could not be created or updated; the other conditions stay as they are.
    ChildError {
        reason: &'static str,
        message: String,
    },
    /// The access startup probe failed too often; it does not go on by itself.
    ProbeGaveUp,
    Deleting,
}

/// What is not there yet, or not gone yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub compute: bool,
    pub service: bool,
    pub access: bool,
}

impl Pending {
    pub fn is_nothing(self) -> bool {
        self == Pending::default()
    }

    fn starting(self) -> (&'static str, &'static str) {
        match self {
            Pending { compute: true, access: true, .. } => ("ResourcesNotReady", "Workspace is starting"),
            Pending { compute: true, .. } => ("ComputeNotReady", "Compute is not ready"),
            Pending { service: true, .. } => ("ServiceNotReady", "Service is not ready"),
            _ => ("AccessNotReady", "Access is not ready"),
        }
    }

    fn stopping(self) -> (&'static str, &'static str) {
        match self {
            Pending { compute: true, service: true, .. } => {
                ("ResourcesNotStopped", "Resources are still running")
            }
            Pending { compute: true, .. } => ("ComputeNotStopped", "Compute is still running"),
            Pending { access: true, .. } => ("AccessNotStopped", "Access is still up"),
            _ => ("ServiceNotStopped", "Service is still up"),
        }
    }
}

pub const AVAILABLE: &str = "Available";
const PROGRESSING: &str = "Progressing";
const DEGRADED: &str = "Degraded";
const STOPPED: &str = "Stopped";
const DELETING: &str = "Deleting";
const GAVE_UP: &str = "AccessProbeThresholdExceeded";

/// The conditions of `space` once it is in `phase`. Transition times move only with a status.
pub fn of_phase(space: &Value, phase: &Phase) -> Vec<Value> {
    let mut conditions = items(&space["status"]["conditions"]).to_vec();
    let mut set = |kind: &str, status: bool, reason: &str, message: &str| {
        set_condition(&mut conditions, kind, status, reason, message);
    };
    match phase {
        Phase::Starting(pending) => {
            let (reason, message) = pending.starting();
            set(AVAILABLE, false, reason, message);
            set(PROGRESSING, true, reason, message);
            set(DEGRADED, false, "NoError", "No errors detected");
            set_both(&mut set, false, "DesiredStateRunning", "DesiredStateRunning", "Workspace is starting");
        }
        Phase::Running => {
            set(AVAILABLE, true, "ResourcesReady", "Workspace is ready");
            set(PROGRESSING, false, "ResourcesReady", "Workspace is ready");
            set(DEGRADED, false, "NoError", "No errors detected");
            set_both(&mut set, false, "DesiredStateRunning", "DesiredStateRunning", "Workspace is running");
        }
        Phase::Stopping(pending) => {
            let (reason, message) = pending.stopping();
            set(AVAILABLE, false, "DesiredStateStopped", "Desired status is Stopped");
            set(PROGRESSING, true, "DesiredStateStopped", message);
            set(DEGRADED, false, "NoError", "No errors detected");
            set_both(&mut set, false, reason, "DesiredStateStopped", message);
        }
        Phase::Stopped { preempted } => {
            let (reason, message) = if *preempted {
                ("Preempted", "Workspace preempted due to resource contention")
            } else {
                ("DesiredStateStopped", "Workspace is stopped")
            };
            set(AVAILABLE, false, reason, message);
            set(PROGRESSING, false, "DesiredStateStopped", message);
            set(DEGRADED, false, "NoError", "No errors detected");
            set_both(&mut set, true, "AllResourcesStopped", "DesiredStateStopped", message);
        }
        Phase::ChildError { reason, message } => set(DEGRADED, true, reason, message),
        Phase::ProbeGaveUp => {
            let message = "Access startup probe failed: threshold exceeded";
            set(AVAILABLE, false, "AccessNotReady", message);
            set(PROGRESSING, false, GAVE_UP, message);
            set(DEGRADED, true, GAVE_UP, message);
            let running = "Workspace desired state is Running";
            set_both(&mut set, false, "DesiredStateRunning", "DesiredStateRunning", running);
        }
        Phase::Deleting => {
            let message = "Workspace resources are being deleted";
            for kind in [AVAILABLE, PROGRESSING, STOPPED] {
                set(kind, false, "DeletionInProgress", message);
            }
            set(DELETING, true, "DeletionInProgress", message);
        }
    }
    conditions
}

/// Stopped, and Deleting with it: the same message, a reason of the desired state.
fn set_both(
    set: &mut impl FnMut(&str, bool, &str, &str),
    stopped: bool,
    reason: &str,
    desired: &str,
    message: &str,
) {
    set(STOPPED, stopped, reason, message);
    set(DELETING, false, desired, message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `A/P/D/S/X` as letters with their reasons, in the order of the types.
    fn row(phase: &Phase) -> Vec<String> {
        let space = json!({"status": {"conditions": of_phase(&json!({}), phase)}});
        [AVAILABLE, PROGRESSING, DEGRADED, STOPPED, DELETING]
            .iter()
            .filter_map(|kind| {
                let condition = crate::cluster::fields::condition(&space, kind)?;
                Some(format!("{kind} {} {}", condition["status"].as_str()?, condition["reason"].as_str()?))
            })
            .collect()
    }

    const ALL: Pending = Pending { compute: true, service: true, access: true };

    #[test]
    fn starting_names_what_is_missing() {
        let reason = |pending: Pending| row(&Phase::Starting(pending))[0].clone();
        assert_eq!(reason(ALL), "Available False ResourcesNotReady");
        assert_eq!(
            reason(Pending { compute: true, ..Pending::default() }),
            "Available False ComputeNotReady"
        );
        assert_eq!(
            reason(Pending { service: true, access: true, compute: false }),
            "Available False ServiceNotReady"
        );
        assert_eq!(reason(Pending { access: true, ..Pending::default() }), "Available False AccessNotReady");
    }

    #[test]
    fn running_and_stopped_follow_the_table() {
        assert_eq!(
            row(&Phase::Running),
            [
                "Available True ResourcesReady",
                "Progressing False ResourcesReady",
                "Degraded False NoError",
                "Stopped False DesiredStateRunning",
                "Deleting False DesiredStateRunning",
            ]
        );
        assert_eq!(
            row(&Phase::Stopped { preempted: true }),
            [
                "Available False Preempted",
                "Progressing False DesiredStateStopped",
                "Degraded False NoError",
                "Stopped True AllResourcesStopped",
                "Deleting False DesiredStateStopped",
            ]
        );
    }

    #[test]
    fn a_child_error_touches_nothing_but_degraded() {
        let error = Phase::ChildError { reason: "ComputeError", message: "refused".into() };
        assert_eq!(row(&error), ["Degraded True ComputeError"]);
    }

    #[test]
    fn the_probe_giving_up_is_one_message_on_three_conditions() {
        assert_eq!(
            row(&Phase::ProbeGaveUp),
            [
                "Available False AccessNotReady",
                "Progressing False AccessProbeThresholdExceeded",
                "Degraded True AccessProbeThresholdExceeded",
                "Stopped False DesiredStateRunning",
                "Deleting False DesiredStateRunning",
            ]
        );
    }

    #[test]
    fn deleting_leaves_degraded_alone() {
        assert_eq!(
            row(&Phase::Deleting),
            [
                "Available False DeletionInProgress",
                "Progressing False DeletionInProgress",
                "Stopped False DeletionInProgress",
                "Deleting True DeletionInProgress",
            ]
        );
    }

    #[test]
    fn stopping_says_what_is_still_up() {
        assert_eq!(row(&Phase::Stopping(ALL))[3], "Stopped False ResourcesNotStopped");
        let compute = Pending { compute: true, ..Pending::default() };
        assert_eq!(row(&Phase::Stopping(compute))[3], "Stopped False ComputeNotStopped");
        assert_eq!(row(&Phase::Stopping(compute))[1], "Progressing True DesiredStateStopped");
    }
}
