//! What one person may do with one Space: one pure function for buttons, palette, bulk bar and API errors.

use super::SpaceStatus;
use crate::error::{Layer, codes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Action {
    Start,
    Stop,
    Open,
    OpenRemote,
    Edit,
    Delete,
}

impl Action {
    pub const ALL: [Action; 6] =
        [Action::Start, Action::Stop, Action::Open, Action::OpenRemote, Action::Edit, Action::Delete];
}

pub type ActionMap = BTreeMap<Action, Decision>;

/// Allowed, or the reason why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Decision {
    pub allowed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Denial>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Denial {
    pub code: DenialCode,
    pub layer: Layer,
    /// The rule that decides, in words of its source (`OwnerOnly`, `AmazonSagemakerHyperpodSpacePolicy`,
    /// `engineer × stopSpace`).
    pub rule: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

codes! {
    /// Why an action is not possible.
    DenialCode {
        /// The Space is private to somebody else.
        OwnerOnly = "owner_only",
        /// The portal's role matrix does not grant it.
        RoleForbids = "role_forbids",
        /// Kubernetes or EKS does not grant the verb.
        ClusterForbids = "cluster_forbids",
        AlreadyRunning = "already_running",
        AlreadyStopped = "already_stopped",
        /// Only a ready Space can be opened; `params.status`.
        NotReady = "not_ready",
        BeingDeleted = "being_deleted",
        /// The access strategy has no way in of this kind.
        NoWebAccess = "no_web_access",
        NoRemoteAccess = "no_remote_access",
        IdentityMismatch = "identity_mismatch",
        /// The cluster cannot be reached now.
        Unreachable = "unreachable",
    }
}

/// What the asker may do in one namespace of one cluster, by SelfSubjectAccessReview.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NamespaceAccess {
    pub namespace: String,
    pub list: bool,
    pub create: bool,
    pub update: bool,
    pub delete: bool,
    pub connect: bool,
    pub read_pods: bool,
    pub read_logs: bool,
    pub read_events: bool,
    pub read_workloads: bool,
    /// In the group that the add-on exempts from ownership checks (`cluster-workspace-admin`), or system:masters.
    #[serde(default)]
    pub workspace_admin: bool,
}

/// True where a Space in this status may be opened.
pub fn is_ready(status: SpaceStatus) -> bool {
    status == SpaceStatus::Running
}
