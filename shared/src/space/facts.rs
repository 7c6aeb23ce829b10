//! What is known about one Space from all its objects: the input of the derived status and of the explanation.
//!
//! The gateway projects Kubernetes objects into these; the engines never see Kubernetes types.

use super::SpaceRow;
use crate::time::Timestamp;

/// Everything known about a Space. What the asker may not read is left `None` and named in `hidden`.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceFacts {
    /// The Workspace itself; its `status`, `reason` and `status_since` are outputs of the status engine.
    pub row: SpaceRow,
    pub deleting_since: Option<Timestamp>,
    pub finalizers: Vec<String>,
    /// Conditions of the Workspace by type: Available, Progressing, Degraded, Stopped, Deleting.
    pub conditions: Vec<Condition>,
    pub access_probe_failures: Option<i64>,
    pub preemption_reason: Option<String>,
    pub deployment: Option<DeploymentFacts>,
    /// The newest pod of the Space that is not being deleted, else the newest.
    pub pod: Option<PodFacts>,
    pub claim: Option<ClaimFacts>,
    pub workload: Option<WorkloadFacts>,
    pub events: Vec<EventFacts>,
    /// Instance type that the Space itself asks for; the row may carry that of the node it runs on.
    pub asked_instance_type: Option<String>,
    /// Set when no node of the cluster could take the pod even if it were empty (`verdict::judge`).
    pub never_fits: Option<super::Reason>,
    pub hidden: Vec<HiddenSource>,
}

impl SpaceFacts {
    /// The facts that the row alone gives: nothing known of any child.
    pub fn of_row(row: SpaceRow) -> SpaceFacts {
        SpaceFacts {
            asked_instance_type: row.resources.instance_type.clone(),
            row,
            deleting_since: None,
            finalizers: Vec::new(),
            conditions: Vec::new(),
            access_probe_failures: None,
            preemption_reason: None,
            deployment: None,
            pod: None,
            claim: None,
            workload: None,
            events: Vec::new(),
            never_fits: None,
            hidden: Vec::new(),
        }
    }

    /// Without what the asker may not read; each kind left out is named in `hidden`.
    #[must_use]
    pub fn redacted(mut self, hidden: &[HiddenSource]) -> SpaceFacts {
        for source in hidden {
            match source {
                HiddenSource::Pods => self.pod = None,
                HiddenSource::Events => self.events.clear(),
                HiddenSource::Deployments => self.deployment = None,
                HiddenSource::Workloads => self.workload = None,
            }
        }
        self.hidden = hidden.to_vec();
        self
    }
}

/// A kind of evidence that exists but may not be shown to the asker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenSource {
    Pods,
    Events,
    Deployments,
    Workloads,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub kind: String,
    /// Neither true nor false is `None`.
    pub status: Option<bool>,
    pub reason: String,
    pub message: String,
    pub since: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeploymentFacts {
    pub available: bool,
    /// Message of ReplicaFailure (of the Deployment or its ReplicaSet): no pod could be made.
    pub failure: Option<String>,
    pub failing_since: Option<Timestamp>,
    pub created_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodFacts {
    pub name: String,
    /// Pending, Running, Succeeded, Failed, Unknown.
    pub phase: String,
    pub node: Option<String>,
    pub created_at: Option<Timestamp>,
    pub deleting: bool,
    /// Gate names while the pod is not released for scheduling.
    pub scheduling_gates: Vec<String>,
    pub scheduled_at: Option<Timestamp>,
    /// The scheduler's message while PodScheduled is False with reason Unschedulable.
    pub unschedulable: Option<String>,
    pub unschedulable_since: Option<Timestamp>,
    pub init_containers: Vec<ContainerFacts>,
    pub containers: Vec<ContainerFacts>,
    pub ready: bool,
    pub ready_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContainerFacts {
    pub name: String,
    pub image: String,
    pub state: ContainerState,
    pub ready: bool,
    pub restarts: i64,
    /// Reason and exit code of the previous end (`OOMKilled`, 137).
    pub last_exit: Option<(String, i64)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum ContainerState {
    #[default]
    Unknown,
    /// `ContainerCreating`, `ImagePullBackOff`, `CrashLoopBackOff` …
    Waiting {
        reason: String,
        message: String,
    },
    Running {
        since: Option<Timestamp>,
    },
    Terminated {
        reason: String,
        exit_code: i64,
        message: String,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimFacts {
    pub name: String,
    /// Pending, Bound, Lost.
    pub phase: String,
    pub zone: Option<String>,
    pub created_at: Option<Timestamp>,
}

/// The Kueue Workload of the Space's pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkloadFacts {
    pub name: String,
    pub queue: String,
    pub quota_reserved: bool,
    pub admitted: bool,
    pub admitted_at: Option<Timestamp>,
    pub active: bool,
    /// Reason of the last eviction (`Preempted`, `Deactivated` …) while it is not admitted again.
    pub evicted: Option<String>,
    pub message: String,
    pub since: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventFacts {
    /// Workspace, Deployment, ReplicaSet, Pod, PersistentVolumeClaim.
    pub object_kind: String,
    pub warning: bool,
    pub reason: String,
    pub message: String,
    pub count: i64,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
}
