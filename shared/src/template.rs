//! Templates of Spaces and the options of a namespace: what the create form is built from.

use crate::space::create::EnvVar;
use crate::space::{ObjectRef, Sharing};
use serde::{Deserialize, Serialize};

/// A WorkspaceTemplate: defaults and bounds (jupyter-k8s, `WorkspaceTemplate.spec`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Template {
    pub cluster: String,
    pub namespace: String,
    pub name: String,
    pub display_name: String,
    pub description: Option<String>,
    pub app_type: Option<String>,
    pub default_image: String,
    /// Empty: only the default image.
    pub allowed_images: Vec<String>,
    pub allow_custom_images: bool,
    pub default_resources: ResourceDefaults,
    pub bounds: Vec<ResourceBound>,
    pub storage: StorageBounds,
    pub allow_secondary_storages: bool,
    pub base_env: Vec<EnvVar>,
    pub env_requirements: Vec<PatternRequirement>,
    pub label_requirements: Vec<PatternRequirement>,
    pub default_access_type: Sharing,
    pub default_ownership_type: Sharing,
    pub idle: IdleBounds,
    pub access_strategy: Option<ObjectRef>,
    /// The strategy could be read and offers the web UI.
    pub web_access: Option<bool>,
    pub remote_types: Vec<String>,
    /// Extra request of sidecars that the access strategy adds to each pod (remote access: 100m, 1 GiB).
    pub overhead: ResourceDefaults,
    pub is_default: bool,
    /// Belongs to the add-on; edits are reverted.
    pub is_system: bool,
    pub resource_version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResourceDefaults {
    pub cpu_millis: Option<i64>,
    pub memory_bytes: Option<i64>,
    pub accelerator: Option<crate::space::Accelerator>,
}

/// `resource` as Kubernetes names it (`cpu`, `memory`, `nvidia.com/gpu`); quantities as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResourceBound {
    pub resource: String,
    pub min: String,
    pub max: String,
}

/// Null is "no bound".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StorageBounds {
    pub default_bytes: Option<i64>,
    pub min_bytes: Option<i64>,
    pub max_bytes: Option<i64>,
    pub class_name: Option<String>,
    pub mount_path: Option<String>,
}

/// A variable or label that the template demands; the pattern is a Go regular expression, not anchored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PatternRequirement {
    pub name: String,
    pub required: bool,
    pub pattern: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IdleBounds {
    pub default_enabled: Option<bool>,
    pub default_timeout_minutes: Option<i64>,
    /// The template carries a detection, so idle shutdown can work.
    pub has_detection: bool,
    /// That detection as the template has it (`spec.defaultIdleShutdown.detection`); a Space must repeat it.
    #[serde(default)]
    pub detection: Option<serde_json::Value>,
    /// Null: the template sets no rule about overriding.
    pub may_override: Option<bool>,
    pub min_timeout_minutes: Option<i64>,
    pub max_timeout_minutes: Option<i64>,
}

/// `GET /clusters/{c}/namespaces`: where the asker may create, and why not elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NamespaceChoice {
    pub namespace: String,
    pub project: String,
    pub access: crate::space::NamespaceAccess,
    pub create: crate::space::Decision,
    /// Under task governance: a queue is required.
    pub governed: bool,
}

/// `GET /clusters/{c}/namespaces/{ns}/options`. A list that could not be read is null, with its name in `denied`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NamespaceOptions {
    pub templates: Vec<Template>,
    pub queues: Option<Vec<String>>,
    pub priority_classes: Option<Vec<String>>,
    pub claims: Option<Vec<ClaimOption>>,
    pub storage_classes: Option<Vec<StorageClassOption>>,
    pub accelerators: Option<Vec<AcceleratorOption>>,
    /// Null where nodes may not be read.
    pub nodes: Option<Vec<NodeRoom>>,
    pub governed: bool,
    /// Kinds that the asker may not read, by plural name.
    pub denied: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimOption {
    pub name: String,
    pub size_bytes: Option<i64>,
    pub zone: Option<String>,
    pub access_modes: Vec<String>,
    /// The Space whose own disk it is; it cannot be mounted elsewhere.
    pub owned_by: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StorageClassOption {
    pub name: String,
    pub is_default: bool,
    pub can_expand: bool,
}

/// An accelerator that some node really has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AcceleratorOption {
    pub resource: String,
    pub instance_types: Vec<String>,
    /// Most that one node has.
    pub max_per_node: i64,
}

/// Room on one node, for the verdict: allocatable and what running pods take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NodeRoom {
    pub name: String,
    pub instance_type: String,
    pub zone: Option<String>,
    /// Ready and not cordoned.
    pub schedulable: bool,
    /// Keys of NoSchedule and NoExecute taints.
    pub taints: Vec<String>,
    pub allocatable: NodeAmounts,
    pub free: NodeAmounts,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NodeAmounts {
    pub cpu_millis: i64,
    pub memory_bytes: i64,
    pub accelerators: std::collections::BTreeMap<String, i64>,
    pub pods: i64,
    /// Null where no limit is published.
    pub volumes: Option<i64>,
}
