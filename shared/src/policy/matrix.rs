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

    /// As it is written on the wire and in rules.
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::PlatformAdmin => "platformAdmin",
            Role::ProjectLead => "projectLead",
            Role::Engineer => "engineer",
            Role::Auditor => "auditor",
        }
    }
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

    /// As it is written on the wire and in rules.
    pub const fn as_str(self) -> &'static str {
        use Capability::*;
        match self {
            ViewOrganization => "viewOrganization",
            EditBaseline => "editBaseline",
            CreateProject => "createProject",
            EditMembers => "editMembers",
            ManageCluster => "manageCluster",
            EditQuota => "editQuota",
            ListWorkloads => "listWorkloads",
            CreateSpace => "createSpace",
            StartSpace => "startSpace",
            StopSpace => "stopSpace",
            EditSpace => "editSpace",
            DeleteSpace => "deleteSpace",
            OpenSpace => "openSpace",
            EditAccess => "editAccess",
            ReadAudit => "readAudit",
            ReadCost => "readCost",
        }
    }

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

/// One cell of the matrix. Within Kubernetes' own rules: an OwnerOnly Space stays its owner's (`space::actions`).
pub const fn reach(role: Role, capability: Capability) -> Reach {
    use Capability::*;
    use Reach::{Everything, Nothing, Own, Project};
    match role {
        Role::PlatformAdmin => match capability {
            // An administrator stops, edits and deletes anything, but starts and opens what the Space itself permits.
            CreateSpace | StartSpace | OpenSpace => Own,
            _ => Everything,
        },
        Role::ProjectLead => match capability {
            ViewOrganization | EditMembers | EditQuota | ListWorkloads | StopSpace | EditSpace
            | DeleteSpace | ReadAudit | ReadCost => Project,
            CreateSpace | StartSpace | OpenSpace => Own,
            EditBaseline | CreateProject | ManageCluster | EditAccess => Nothing,
        },
        Role::Engineer => match capability {
            ListWorkloads => Project,
            ViewOrganization | CreateSpace | StartSpace | StopSpace | EditSpace | DeleteSpace | OpenSpace
            | ReadAudit | ReadCost => Own,
            EditBaseline | CreateProject | EditMembers | ManageCluster | EditQuota | EditAccess => Nothing,
        },
        Role::Auditor => match capability {
            ViewOrganization | ListWorkloads | ReadAudit | ReadCost => Everything,
            _ => Nothing,
        },
    }
}

/// The rule as a denial names it: the person's strongest role and the capability (`engineer × stopSpace`).
pub fn rule(roles: &[Role], capability: Capability) -> String {
    let role = roles.iter().min().map_or("no role", |r| r.as_str());
    format!("{role} × {}", capability.as_str())
}

#[cfg(test)]
mod tests {
    use super::Capability::*;
    use super::Reach::{Everything as A, Nothing as N, Own as O, Project as P};
    use super::*;

    /// Capability, then administrator, lead, engineer, auditor.
    const TABLE: [(Capability, [Reach; 4]); 16] = [
        (ViewOrganization, [A, P, O, A]),
        (EditBaseline, [A, N, N, N]),
        (CreateProject, [A, N, N, N]),
        (EditMembers, [A, P, N, N]),
        (ManageCluster, [A, N, N, N]),
        (EditQuota, [A, P, N, N]),
        (ListWorkloads, [A, P, P, A]),
        (CreateSpace, [O, O, O, N]),
        (StartSpace, [O, O, O, N]),
        (StopSpace, [A, P, O, N]),
        (EditSpace, [A, P, O, N]),
        (DeleteSpace, [A, P, O, N]),
        (OpenSpace, [O, O, O, N]),
        (EditAccess, [A, N, N, N]),
        (ReadAudit, [A, P, O, A]),
        (ReadCost, [A, P, O, A]),
    ];

    #[test]
    fn every_cell_is_as_the_table_says() {
        for (capability, row) in TABLE {
            for (role, expected) in Role::ALL.into_iter().zip(row) {
                assert_eq!(reach(role, capability), expected, "{}", rule(&[role], capability));
            }
        }
    }

    #[test]
    fn the_table_has_a_row_for_every_capability() {
        assert_eq!(TABLE.map(|(capability, _)| capability), Capability::ALL);
    }

    #[test]
    fn names_of_rules_are_those_of_the_wire() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).expect("a string"), role.as_str());
        }
        for capability in Capability::ALL {
            assert_eq!(serde_json::to_value(capability).expect("a string"), capability.as_str());
        }
    }
}
