//! The create request of a Space (docs/API.md, Create).

use super::{Accelerator, DesiredStatus, ObjectRef, Sharing};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateSpace {
    pub namespace: String,
    pub name: String,
    pub display_name: String,
    #[serde(default)]
    pub template: Option<ObjectRef>,
    #[serde(default)]
    pub image: Option<String>,
    #[serde(default)]
    pub resources: Option<ResourceRequest>,
    /// Absent: as the template says.
    #[serde(default)]
    pub storage: Option<StorageRequest>,
    #[serde(default)]
    pub volumes: Vec<VolumeRequest>,
    #[serde(default)]
    pub env: Vec<EnvVar>,
    #[serde(default)]
    pub queue: Option<String>,
    #[serde(default)]
    pub priority_class: Option<String>,
    #[serde(default)]
    pub access_type: Option<Sharing>,
    #[serde(default)]
    pub ownership_type: Option<Sharing>,
    #[serde(default)]
    pub idle: Option<IdleRequest>,
    #[serde(default)]
    pub desired_status: DesiredStatus,
}

/// Requests and limits are written alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResourceRequest {
    pub cpu_millis: i64,
    pub memory_bytes: i64,
    #[serde(default)]
    pub accelerator: Option<Accelerator>,
    /// Pins the Space to one instance type (`ml.g5.xlarge`) by node selector.
    #[serde(default)]
    pub instance_type: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StorageRequest {
    pub size_bytes: i64,
    #[serde(default)]
    pub class_name: Option<String>,
    #[serde(default)]
    pub mount_path: Option<String>,
}

/// An existing claim of the namespace, mounted beside the Space's own volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VolumeRequest {
    pub claim: String,
    pub mount_path: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EnvVar {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IdleRequest {
    pub enabled: bool,
    #[serde(default)]
    pub timeout_minutes: Option<i64>,
}
