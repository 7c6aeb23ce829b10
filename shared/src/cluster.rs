//! HyperPod clusters as a list shows them.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cluster {
    /// The HyperPod name: `{cluster}` in every path.
    pub name: String,
    pub eks_cluster: String,
    pub account: String,
    pub region: String,
    /// `InService`, `Updating` … as SageMaker says; null where the asker may not describe it.
    pub status: Option<String>,
    pub instance_groups: Option<Vec<InstanceGroup>>,
    pub health: ClusterHealth,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InstanceGroup {
    pub name: String,
    pub instance_type: String,
    pub current_count: i64,
    pub target_count: i64,
    pub status: Option<String>,
}

/// Health of the upstream API server, apart from the portal's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ClusterHealth {
    #[serde(rename_all = "camelCase")]
    Reachable { observed_at: Timestamp },
    /// Data shown is that of `since`.
    Unreachable { since: Timestamp },
    /// The first contact is still under way.
    Connecting,
}
