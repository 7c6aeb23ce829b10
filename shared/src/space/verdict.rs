//! The verdict strip of the create form: does it start, and what decides.

use super::create::CreateSpace;
use super::status::Reason;
use crate::error::FieldError;
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
