//! The start-up of a Space as one causal chain, and what to do next.

use super::status::{Reason, SpaceStatus};
use crate::error::codes;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `GET …/explanation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Explanation {
    pub status: SpaceStatus,
    pub steps: Vec<Step>,
    pub advice: Vec<Advice>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Step {
    pub id: StepId,
    pub state: StepState,
    /// When the step began (active, done, failed) — null where nothing records it.
    pub since: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// Usual duration in seconds; null where it is not known.
    pub usual_seconds: Option<i64>,
    pub reason: Option<Reason>,
    /// The object that says so (`Pod workspace-lab-…`, `Event FailedScheduling`).
    pub source: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum StepId {
    Admission,
    Queue,
    Node,
    Volume,
    Image,
    Container,
    Access,
}

impl StepId {
    pub const ALL: [StepId; 7] = [
        StepId::Admission,
        StepId::Queue,
        StepId::Node,
        StepId::Volume,
        StepId::Image,
        StepId::Container,
        StepId::Access,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum StepState {
    /// Not reached.
    Pending,
    Active,
    Done,
    /// Will not go on without a person.
    Failed,
    /// Does not apply to this Space (no queue, no volume).
    Skipped,
    /// The asker may not read what would tell.
    Hidden,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Advice {
    pub code: AdviceCode,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

codes! {
    /// The next step that helps.
    AdviceCode {
        /// Nothing to do: it will go on by itself.
        Wait = "wait",
        StopAndStart = "stop_and_start",
        ReduceRequest = "reduce_request",
        ChooseOtherInstanceType = "choose_other_instance_type",
        ChooseOtherImage = "choose_other_image",
        FreeQuota = "free_quota",
        AskLead = "ask_lead",
        AskPlatform = "ask_platform",
        SetQueue = "set_queue",
        ReadLogs = "read_logs",
        RaiseMemory = "raise_memory",
        CreateClaim = "create_claim",
        /// It has waited longer than `params.minutes`; it will probably not resolve itself.
        ProbablyStuck = "probably_stuck",
        StopToReleaseQueue = "stop_to_release_queue",
    }
}
