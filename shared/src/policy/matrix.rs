//! The role × layer matrix of the portal (docs/ARCHITECTURE.md, Roles). It narrows, never widens, what AWS and
//! Kubernetes grant: the API server has the last word on every write.

use crate::error::Layer;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Role {
    PlatformAdmin,
    ProjectLead,
    Engineer,
    Auditor,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::PlatformAdmin, Role::ProjectLead, Role::Engineer, Role::Auditor];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Capability {
    ViewOrganization,
    EditBaseline,
    CreateProject,
    EditMembers,
    ManageCluster,
    EditQuota,
    ListWorkloads,
    CreateSpace,
    StartSpace,
    StopSpace,
    EditSpace,
    DeleteSpace,
    OpenSpace,
    EditAccess,
    ReadAudit,
    ReadCost,
}

impl Capability {
    pub const ALL: [Capability; 16] = [
        Capability::ViewOrganization,
        Capability::EditBaseline,
        Capability::CreateProject,
        Capability::EditMembers,
        Capability::ManageCluster,
        Capability::EditQuota,
        Capability::ListWorkloads,
        Capability::CreateSpace,
        Capability::StartSpace,
        Capability::StopSpace,
        Capability::EditSpace,
        Capability::DeleteSpace,
        Capability::OpenSpace,
        Capability::EditAccess,
        Capability::ReadAudit,
        Capability::ReadCost,
    ];

    /// The layer whose rule a denial names.
    pub const fn layer(self) -> Layer {
        use Capability::*;
        match self {
            ViewOrganization | EditBaseline => Layer::Organization,
            CreateProject | EditMembers | EditQuota | ReadAudit | ReadCost => Layer::Project,
            ManageCluster | EditAccess => Layer::Cluster,
            ListWorkloads | CreateSpace | StartSpace | StopSpace | EditSpace | DeleteSpace | OpenSpace => {
                Layer::Workload
            }
        }
    }
}

/// How far a capability reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Reach {
    Nothing,
    /// What one owns, or what its ownership type opens to the team.
    Own,
    /// Everything of one's projects.
    Project,
    Everything,
}

/// One cell of the matrix.
pub const fn reach(role: Role, capability: Capability) -> Reach {
    use Capability::*;
    use Reach::{Everything, Nothing, Own, Project};
    match role {
        Role::PlatformAdmin => match capability {
            // An administrator stops anything, but opens, starts and edits only what the Space itself permits.
            CreateSpace | StartSpace | EditSpace | OpenSpace => Own,
            _ => Everything,
        },
        Role::ProjectLead => match capability {
            ViewOrganization | EditMembers | ListWorkloads | StopSpace | EditQuota | ReadAudit | ReadCost => {
                Project
            }
            CreateSpace | StartSpace | EditSpace | DeleteSpace | OpenSpace => Own,
            EditBaseline | CreateProject | ManageCluster | EditAccess => Nothing,
        },
        Role::Engineer => match capability {
            ListWorkloads => Project,
            CreateSpace | StartSpace | StopSpace | EditSpace | DeleteSpace | OpenSpace | ReadAudit
            | ReadCost => Own,
            _ => Nothing,
        },
        Role::Auditor => match capability {
            ViewOrganization | ListWorkloads | ReadAudit | ReadCost => Everything,
            _ => Nothing,
        },
    }
}
