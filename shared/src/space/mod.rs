//! A Space on the wire: the row everybody shares, and the answer that adds what the asker may do.

pub mod actions;
pub mod check;
pub mod copy;
pub mod create;
pub mod derivation;
pub mod explanation;
pub mod facts;
pub mod manifest;
pub mod message;
pub mod name;
pub mod prefill;
pub mod status;
pub mod timeline;
pub mod verdict;
pub mod yaml;

#[cfg(test)]
pub(crate) mod sample;

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use actions::{Action, ActionMap, Decision, NamespaceAccess};
pub use derivation::derive;
pub use status::{Reason, ReasonCode, SpaceStatus};
pub use timeline::explain;

/// One Space as every subscriber sees it. Holds nothing about the asker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceRow {
    /// The Kubernetes uid: a Space deleted and made again under the same name is another Space.
    pub id: String,
    pub cluster: String,
    pub namespace: String,
    pub name: String,
    pub display_name: String,
    /// `jupyterlab`, `code-editor`, or what the object says.
    pub app_type: Option<String>,
    pub status: SpaceStatus,
    pub reason: Option<Reason>,
    pub desired_status: DesiredStatus,
    pub status_since: Option<Timestamp>,
    pub owner: Owner,
    /// Who may connect.
    pub access_type: Sharing,
    /// Who may edit, stop and delete.
    pub ownership_type: Sharing,
    pub template: Option<ObjectRef>,
    pub image: Option<String>,
    pub resources: SpaceResources,
    /// Null when the Space has no volume of its own.
    pub storage: Option<SpaceStorage>,
    pub queue: Option<String>,
    pub priority_class: Option<String>,
    pub idle: IdleRule,
    /// Micro-units of a US dollar an hour, as the share of the instance's price; null when unknown.
    pub cost_per_hour: Option<i64>,
    pub created_at: Option<Timestamp>,
    pub resource_version: String,
    /// Connection types the access strategy supports (`web-ui`, `vscode-remote` …).
    pub connection_types: Vec<String>,
    /// What is odd about the object; the row is shown degraded, never dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub oddities: Vec<Oddity>,
}

/// A Space as REST answers it: the row and what the asker may do with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Space {
    #[serde(flatten)]
    pub row: SpaceRow,
    pub actions: ActionMap,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Owner {
    /// Kubernetes username in `workspace.jupyter.org/created-by`; null on objects that lack it.
    pub username: Option<String>,
    /// The session name, or the username where it has no such part.
    pub display_name: String,
    /// Whether the asker is the owner. Absent in rows, which are the same for everybody; REST fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_me: Option<bool>,
}

impl Owner {
    pub fn from_username(username: Option<String>) -> Owner {
        let display_name = username.as_deref().map_or("", session_of).to_owned();
        Owner { username, display_name, is_me: None }
    }
}

/// The session name inside an assumed-role ARN; the whole text for any other username.
pub fn session_of(username: &str) -> &str {
    match username.rsplit_once('/') {
        Some((role, session)) if role.contains(":assumed-role/") => session,
        _ => username,
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum DesiredStatus {
    #[default]
    Running,
    Stopped,
    /// Not one of the two; kept so that the row can say so.
    #[serde(other)]
    Unknown,
}

/// `Public` means everybody with rights in the namespace, `OwnerOnly` the creator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Sharing {
    #[default]
    Public,
    OwnerOnly,
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ObjectRef {
    pub namespace: String,
    pub name: String,
}

/// Null is "not stated", never zero. GPUs, MIG slices and memory are never added together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceResources {
    pub cpu_millis: Option<i64>,
    pub memory_bytes: Option<i64>,
    pub accelerator: Option<Accelerator>,
    /// Whole GPUs: a view of `accelerator`.
    pub gpus: Option<i64>,
    /// MIG profile (`1g.5gb`): a view of `accelerator`.
    pub mig_profile: Option<String>,
    pub mig_count: Option<i64>,
    /// The instance type that the Space asks for by node selector, or that it runs on.
    pub instance_type: Option<String>,
}

/// An extended resource: `nvidia.com/gpu`, `nvidia.com/mig-1g.5gb`, `aws.amazon.com/neurondevice`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Accelerator {
    pub resource: String,
    pub count: i64,
}

pub const GPU_RESOURCE: &str = "nvidia.com/gpu";
pub const MIG_PREFIX: &str = "nvidia.com/mig-";

impl Accelerator {
    pub fn mig_profile(&self) -> Option<&str> {
        self.resource.strip_prefix(MIG_PREFIX)
    }

    /// Whether a resource name of a pod is an accelerator at all (neither CPU, memory nor a network device).
    pub fn is_accelerator(resource: &str) -> bool {
        resource == GPU_RESOURCE
            || resource.starts_with(MIG_PREFIX)
            || resource.starts_with("aws.amazon.com/neuron")
    }
}

impl SpaceResources {
    pub fn new(cpu_millis: Option<i64>, memory_bytes: Option<i64>, accelerator: Option<Accelerator>) -> Self {
        let gpus = accelerator.as_ref().filter(|a| a.resource == GPU_RESOURCE).map(|a| a.count);
        let mig_profile = accelerator.as_ref().and_then(|a| a.mig_profile().map(str::to_owned));
        let mig_count = accelerator.as_ref().filter(|a| a.mig_profile().is_some()).map(|a| a.count);
        SpaceResources {
            cpu_millis,
            memory_bytes,
            accelerator,
            gpus,
            mig_profile,
            mig_count,
            instance_type: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceStorage {
    pub size_bytes: Option<i64>,
    pub class_name: Option<String>,
    pub zone: Option<String>,
}

/// Idle shutdown as the Space states it: off, unset and on are three things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IdleRule {
    /// Null: the Space says nothing and no template default applied.
    pub enabled: Option<bool>,
    pub timeout_minutes: Option<i64>,
    /// Null unless the last activity was measured on request: the operator publishes none.
    pub stops_at: Option<Timestamp>,
    /// How activity is detected (`GET :8888/api/idle`); null when nothing can detect it.
    pub detection: Option<String>,
}

/// Something missing or absurd in an object that somebody else wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Oddity {
    /// JSON path in the object (`spec.resources.requests.memory`).
    pub path: String,
    /// `missing` or `unreadable`.
    pub problem: String,
}

/// `POST …/connections`: `{ "type": "web-ui" }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConnectionRequest {
    pub r#type: String,
}

/// A way into a Space, answered once, never stored. The URL is a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Connection {
    pub url: String,
    pub r#type: String,
    pub expires_at: Timestamp,
}

/// One Kubernetes event about a Space or one of its children.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceEvent {
    pub id: String,
    /// `Normal` or `Warning`.
    pub r#type: String,
    pub reason: String,
    pub message: String,
    /// Kind and name of the object it is about.
    pub object_kind: String,
    pub object_name: String,
    pub count: i64,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    /// The component that wrote it.
    pub source: String,
}

/// `GET …/yaml`: the object as the asker's own client reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceYaml {
    pub yaml: String,
    /// For each field path that is known, who set it (`template sagemaker-jupyter-template`, `ds-a1`).
    pub provenance: BTreeMap<String, String>,
}

/// `PATCH`: only what is present changes. `null` is not "unset"; a field that is absent is untouched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceEdit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<create::ResourceRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Vec<create::EnvVar>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_type: Option<Sharing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership_type: Option<Sharing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<create::IdleRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority_class: Option<String>,
}

/// Body of start and stop: which object is meant, by uid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LifecycleRequest {
    pub uid: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_shown_by_session_name() {
        assert_eq!(session_of("arn:aws:sts::111122223333:assumed-role/TeamADataScientist/ds-a1"), "ds-a1");
        assert_eq!(session_of("system:serviceaccount:ns/x"), "system:serviceaccount:ns/x");
        assert_eq!(session_of(""), "");
    }
}
