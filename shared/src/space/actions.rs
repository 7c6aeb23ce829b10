//! What one person may do with one Space: one pure function for buttons, palette, bulk bar and API errors.

use super::{DesiredStatus, Sharing, SpaceRow, SpaceStatus};
use crate::error::{Layer, codes};
use crate::policy::matrix::{Capability, Reach, Role, reach, rule};
use crate::session::{IdentityState, Me};
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

/// The connection type of the web UI; all others end in `-remote`.
pub const WEB_UI: &str = "web-ui";

/// What `me` may do with the Space, given what the cluster grants in its namespace.
///
/// A lasting denial (who one is) is named before a passing one (what state the Space is in).
pub fn action_map(row: &SpaceRow, access: &NamespaceAccess, me: &Me) -> ActionMap {
    Action::ALL.into_iter().map(|action| (action, decide(row, access, me, action))).collect()
}

/// All actions refused for one reason: what to show while the cluster cannot be reached.
pub fn refuse_all(code: DenialCode, rule: &str) -> ActionMap {
    Action::ALL.into_iter().map(|action| (action, Decision::deny(code, Layer::Cluster, rule))).collect()
}

/// One cell of the action map.
pub fn decide(row: &SpaceRow, access: &NamespaceAccess, me: &Me, action: Action) -> Decision {
    let denial = deletion(row)
        .or_else(|| identity(row, me))
        .or_else(|| ownership(row, access, me, action))
        .or_else(|| role(row, me, action))
        .or_else(|| cluster(access, action))
        .or_else(|| state(row, action))
        .or_else(|| connection(row, action));
    Decision { allowed: denial.is_none(), reason: denial }
}

/// Whether `me` may create a Space in the namespace.
pub fn decide_create(access: &NamespaceAccess, me: &Me) -> Decision {
    let granted = me.roles.iter().any(|role| reach(*role, Capability::CreateSpace) != Reach::Nothing);
    let denial = if !granted {
        Some(Denial::by_role(&me.roles, Capability::CreateSpace))
    } else if !access.create {
        Some(Denial::new(
            DenialCode::ClusterForbids,
            Layer::Cluster,
            "create workspaces.workspace.jupyter.org",
        ))
    } else {
        None
    };
    Decision { allowed: denial.is_none(), reason: denial }
}

/// Whether the asker owns the Space. Nobody owns a Space without an owner.
pub fn is_owner(row: &SpaceRow, me: &Me) -> bool {
    row.owner.username.as_deref().is_some_and(|owner| me.username_on(&row.cluster) == Some(owner))
}

fn deletion(row: &SpaceRow) -> Option<Denial> {
    (row.status == SpaceStatus::Deleting)
        .then(|| Denial::new(DenialCode::BeingDeleted, Layer::Workload, "metadata.deletionTimestamp"))
}

fn identity(row: &SpaceRow, me: &Me) -> Option<Denial> {
    let state = me.clusters.iter().find(|c| c.cluster == row.cluster).map(|c| c.state);
    let of = |code, rule| Some(Denial::new(code, Layer::Cluster, rule));
    match state {
        Some(IdentityState::Mismatch) => of(DenialCode::IdentityMismatch, "SelfSubjectReview"),
        Some(IdentityState::NoRole) | None => of(DenialCode::ClusterForbids, "no role on this cluster"),
        Some(IdentityState::Unreachable) => of(DenialCode::Unreachable, "cluster"),
        Some(IdentityState::Unverified | IdentityState::Verified) => None,
    }
}

/// The add-on's own rules: OwnerOnly is edited, stopped and deleted by its owner or the workspace-admin group, and
/// nobody else connects, administrators included. What cannot be read counts as OwnerOnly.
fn ownership(row: &SpaceRow, access: &NamespaceAccess, me: &Me, action: Action) -> Option<Denial> {
    if is_owner(row, me) {
        return None;
    }
    let (sharing, rule, exempt) = match action {
        Action::Open | Action::OpenRemote => (row.access_type, "accessType OwnerOnly", false),
        _ => (row.ownership_type, "ownershipType OwnerOnly", access.workspace_admin),
    };
    let denied = sharing != Sharing::Public && !exempt;
    denied.then(|| Denial::new(DenialCode::OwnerOnly, Layer::Workload, rule))
}

const fn capability(action: Action) -> Capability {
    match action {
        Action::Start => Capability::StartSpace,
        Action::Stop => Capability::StopSpace,
        Action::Open | Action::OpenRemote => Capability::OpenSpace,
        Action::Edit => Capability::EditSpace,
        Action::Delete => Capability::DeleteSpace,
    }
}

fn role(row: &SpaceRow, me: &Me, action: Action) -> Option<Denial> {
    let capability = capability(action);
    let covers = |role: &Role| match reach(*role, capability) {
        Reach::Nothing => false,
        Reach::Own => is_owner(row, me) || is_shared(row, action),
        Reach::Project => {
            is_owner(row, me)
                || match role {
                    Role::ProjectLead => me.leads_namespace(&row.namespace),
                    _ => me.in_namespace(&row.namespace),
                }
        }
        Reach::Everything => true,
    };
    (!me.roles.iter().any(covers)).then(|| Denial::by_role(&me.roles, capability))
}

/// Public is "everybody with rights in the namespace": whether one has them, the cluster's answer says.
fn is_shared(row: &SpaceRow, action: Action) -> bool {
    match action {
        Action::Open | Action::OpenRemote => row.access_type == Sharing::Public,
        _ => row.ownership_type == Sharing::Public,
    }
}

fn cluster(access: &NamespaceAccess, action: Action) -> Option<Denial> {
    let (granted, rule) = match action {
        Action::Start | Action::Stop | Action::Edit => {
            (access.update, "patch workspaces.workspace.jupyter.org")
        }
        Action::Delete => (access.delete, "delete workspaces.workspace.jupyter.org"),
        Action::Open | Action::OpenRemote => {
            (access.connect, "create workspaceconnections.connection.workspace.jupyter.org")
        }
    };
    (!granted).then(|| Denial::new(DenialCode::ClusterForbids, Layer::Cluster, rule))
}

/// What the state permits. A failed or degraded Space can always be stopped.
fn state(row: &SpaceRow, action: Action) -> Option<Denial> {
    let of = |code| Some(Denial::new(code, Layer::Workload, "spec.desiredStatus"));
    match action {
        Action::Start if row.desired_status == DesiredStatus::Running => of(DenialCode::AlreadyRunning),
        Action::Stop if row.desired_status == DesiredStatus::Stopped => of(DenialCode::AlreadyStopped),
        Action::Open | Action::OpenRemote if !is_ready(row.status) => {
            let status = serde_json::to_value(row.status).ok();
            let text = status.as_ref().and_then(|v| v.as_str()).unwrap_or("unknown");
            Some(
                Denial::new(DenialCode::NotReady, Layer::Workload, "condition Available")
                    .with("status", text),
            )
        }
        _ => None,
    }
}

fn connection(row: &SpaceRow, action: Action) -> Option<Denial> {
    let offers = |wanted: fn(&str) -> bool| row.connection_types.iter().any(|t| wanted(t));
    let of = |code| Some(Denial::new(code, Layer::Cluster, "access strategy"));
    match action {
        Action::Open if !offers(|t| t == WEB_UI) => of(DenialCode::NoWebAccess),
        Action::OpenRemote if !offers(|t| t.ends_with("-remote")) => of(DenialCode::NoRemoteAccess),
        _ => None,
    }
}

impl Decision {
    pub fn allow() -> Decision {
        Decision { allowed: true, reason: None }
    }

    pub fn deny(code: DenialCode, layer: Layer, rule: &str) -> Decision {
        Decision { allowed: false, reason: Some(Denial::new(code, layer, rule)) }
    }
}

impl Denial {
    pub fn new(code: DenialCode, layer: Layer, rule: impl Into<String>) -> Denial {
        Denial { code, layer, rule: rule.into(), params: BTreeMap::new() }
    }

    fn by_role(roles: &[Role], capability: Capability) -> Denial {
        Denial::new(DenialCode::RoleForbids, capability.layer(), rule(roles, capability))
    }

    fn with(mut self, name: &str, value: &str) -> Denial {
        self.params.insert(name.to_owned(), value.to_owned());
        self
    }
}

#[cfg(test)]
mod tests;
