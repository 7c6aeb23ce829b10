//! The derived status of a Space: one word and one reason out of all its objects.

use crate::error::codes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum SpaceStatus {
    Running,
    Starting,
    Queued,
    Blocked,
    Unschedulable,
    PullingImage,
    PreparingAccess,
    StorageError,
    Error,
    Stopping,
    Stopped,
    Preempted,
    Failed,
    Deleting,
    #[serde(other)]
    Unknown,
}

impl SpaceStatus {
    pub const ALL: [SpaceStatus; 15] = [
        SpaceStatus::Running,
        SpaceStatus::Starting,
        SpaceStatus::Queued,
        SpaceStatus::Blocked,
        SpaceStatus::Unschedulable,
        SpaceStatus::PullingImage,
        SpaceStatus::PreparingAccess,
        SpaceStatus::StorageError,
        SpaceStatus::Error,
        SpaceStatus::Stopping,
        SpaceStatus::Stopped,
        SpaceStatus::Preempted,
        SpaceStatus::Failed,
        SpaceStatus::Deleting,
        SpaceStatus::Unknown,
    ];

    pub const fn tone(self) -> Tone {
        use SpaceStatus::*;
        match self {
            Running => Tone::Good,
            Starting | PullingImage | PreparingAccess | Stopping | Deleting => Tone::Moving,
            Queued => Tone::Waiting,
            Blocked | Unschedulable | StorageError | Preempted => Tone::Attention,
            Error | Failed => Tone::Bad,
            Stopped | Unknown => Tone::Quiet,
        }
    }
}

/// The six kinds of state that the badge tells apart by colour, icon and word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    Good,
    Moving,
    Waiting,
    /// Needs a person.
    Attention,
    Bad,
    Quiet,
}

/// Why the status is what it is. `message` is the source's own words in English; the portal translates by `code`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Reason {
    pub code: ReasonCode,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

impl Reason {
    pub fn new(code: ReasonCode, message: impl Into<String>) -> Reason {
        Reason { code, message: message.into(), params: BTreeMap::new() }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Reason {
        self.params.insert(name.to_owned(), value.to_string());
        self
    }
}

codes! {
    /// Why a Space is in its status.
    ReasonCode {
        /// The controller has not touched the object yet.
        JustCreated = "just_created",
        CreatingResources = "creating_resources",
        /// Waiting in a Kueue queue.
        WaitingForQuota = "waiting_for_quota",
        /// Kueue took the capacity back; the Space is queued again.
        PreemptedRequeued = "preempted_requeued",
        PreemptedStopped = "preempted_stopped",
        /// Its Workload was deactivated by hand.
        Deactivated = "deactivated",
        /// A ResourceQuota refuses the pod; `params.quota` where it is named.
        QuotaExceeded = "quota_exceeded",
        /// The service account that the pod needs does not exist.
        ServiceAccountMissing = "service_account_missing",
        /// An admission policy refuses the Deployment or pod.
        AdmissionDenied = "admission_denied",
        QueueLabelMissing = "queue_label_missing",
        /// The API server refuses a child object for another reason.
        ChildRefused = "child_refused",
        InsufficientCpu = "insufficient_cpu",
        InsufficientMemory = "insufficient_memory",
        InsufficientAccelerator = "insufficient_accelerator",
        /// No node has the label the Space asks for.
        NoMatchingNode = "no_matching_node",
        TaintNotTolerated = "taint_not_tolerated",
        VolumeZoneConflict = "volume_zone_conflict",
        VolumeSlots = "volume_slots",
        PodSlots = "pod_slots",
        /// No node is ready; one may be on its way.
        NodeProvisioning = "node_provisioning",
        Unschedulable = "unschedulable",
        /// A claim that the pod needs does not exist.
        ClaimMissing = "claim_missing",
        ClaimPending = "claim_pending",
        VolumeAttachFailed = "volume_attach_failed",
        VolumeMountFailed = "volume_mount_failed",
        PullingImage = "pulling_image",
        ImagePullFailed = "image_pull_failed",
        InvalidImageName = "invalid_image_name",
        CrashLoop = "crash_loop",
        OutOfMemory = "out_of_memory",
        ContainerConfigError = "container_config_error",
        StartingContainer = "starting_container",
        /// The container runs; the web address does not answer yet. `params.failures`, `params.limit`
        PreparingAccess = "preparing_access",
        /// The access probe gave up: stop and start again.
        AccessProbeGaveUp = "access_probe_gave_up",
        ResourcesStopping = "resources_stopping",
        /// Finalizers hold the deletion; `params.finalizers`.
        FinalizersPending = "finalizers_pending",
        /// What is known contradicts itself or lacks the parts needed.
        Unclear = "unclear",
    }
}
