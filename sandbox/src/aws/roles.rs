//! IAM roles of the accounts as data: who may assume them, what they may call, and their access entry in EKS.

use super::policies::{Policy, Scope};
use crate::landscape::{NAMESPACE_SHARED, NAMESPACE_TEAM_A, NAMESPACE_TEAM_B, SANDBOX, SANDBOX_EAST};

/// A role as both accounts define it.
#[derive(Debug)]
pub struct Role {
    pub name: &'static str,
    /// Accounts that have it.
    pub accounts: &'static [&'static str],
    /// Identity policy: `service:Action`, `service:*` or `*`, on any resource of the role's account.
    pub actions: &'static [&'static str],
    /// The trust policy demands a source identity, so that it stands in every later record of the session.
    pub needs_source_identity: bool,
    /// `None`: known to IAM, unknown to the cluster.
    pub entry: Option<AccessEntry>,
}

/// The EKS access entry of a role.
#[derive(Debug)]
pub struct AccessEntry {
    pub kubernetes_groups: &'static [&'static str],
    pub policies: &'static [(Policy, Scope)],
}

/// Longest session of every role, the default of IAM.
pub const MAX_SESSION_SECONDS: i64 = 3600;

const BOTH: &[&str] = &[SANDBOX.account, SANDBOX_EAST.account];
const FIRST: &[&str] = &[SANDBOX.account];

/// Templates are where AWS documents them and where the add-on really ships them.
const TEMPLATES: (Policy, Scope) =
    (Policy::SpaceTemplate, Scope::Namespaces(&["jupyter-k8s-system", NAMESPACE_SHARED]));
const USER_CLUSTER: (Policy, Scope) = (Policy::UserCluster, Scope::Cluster);
const TEAM_A: &[(Policy, Scope)] =
    &[(Policy::Space, Scope::Namespaces(&[NAMESPACE_TEAM_A])), TEMPLATES, USER_CLUSTER];
const TEAM_B: &[(Policy, Scope)] =
    &[(Policy::Space, Scope::Namespaces(&[NAMESPACE_TEAM_B])), TEMPLATES, USER_CLUSTER];

/// What AWS asks of a data scientist's role (HyperPod user guide, "Set up permissions").
const SCIENTIST: &[&str] = &["eks:DescribeCluster", "sagemaker:ListClusters", "sagemaker:DescribeCluster"];
const READER: &[&str] = &[
    "eks:DescribeCluster",
    "eks:ListClusters",
    "sagemaker:ListClusters",
    "sagemaker:DescribeCluster",
    "sagemaker:ListClusterNodes",
    "sagemaker:DescribeClusterNode",
];

pub const ROLES: [Role; 7] = [
    Role {
        name: "SpaceportAdmin",
        accounts: BOTH,
        actions: &["*"],
        needs_source_identity: true,
        entry: Some(AccessEntry {
            kubernetes_groups: &["platform-admins", "cluster-workspace-admin"],
            policies: &[(Policy::ClusterAdmin, Scope::Cluster)],
        }),
    },
    Role {
        name: "TeamALead",
        accounts: FIRST,
        actions: READER,
        needs_source_identity: true,
        entry: Some(AccessEntry { kubernetes_groups: &["team-a", "team-a-leads"], policies: TEAM_A }),
    },
    Role {
        name: "TeamADataScientist",
        accounts: FIRST,
        actions: SCIENTIST,
        needs_source_identity: true,
        entry: Some(AccessEntry { kubernetes_groups: &["team-a"], policies: TEAM_A }),
    },
    Role {
        name: "TeamBDataScientist",
        accounts: BOTH,
        actions: SCIENTIST,
        needs_source_identity: true,
        entry: Some(AccessEntry { kubernetes_groups: &["team-b"], policies: TEAM_B }),
    },
    Role {
        name: "SpaceportAuditor",
        accounts: BOTH,
        actions: READER,
        needs_source_identity: true,
        entry: Some(AccessEntry {
            kubernetes_groups: &["auditors"],
            policies: &[(Policy::AdminView, Scope::Cluster)],
        }),
    },
    Role {
        name: "SpaceportHub",
        accounts: BOTH,
        actions: READER,
        needs_source_identity: false,
        entry: Some(AccessEntry { kubernetes_groups: &["spaceport-hub"], policies: &[] }),
    },
    Role { name: "BillingReader", accounts: FIRST, actions: &[], needs_source_identity: false, entry: None },
];

/// The gateway's own user needs no more than this: it acts through the roles.
pub const GATEWAY_ACTIONS: &[&str] = &["sts:AssumeRole", "sts:TagSession", "sts:SetSourceIdentity"];

pub fn find(account: &str, name: &str) -> Option<&'static Role> {
    ROLES.iter().find(|role| role.name == name && role.accounts.contains(&account))
}

/// Is the action among the granted ones?
pub fn grants(granted: &[&str], action: &str) -> bool {
    granted.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(prefix) => action.starts_with(prefix),
        None => *pattern == action,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::CLUSTERS;

    #[test]
    fn every_role_of_the_role_maps_exists_in_its_account() {
        for cluster in CLUSTERS {
            for (_, role) in cluster.role_map {
                assert!(find(cluster.account, role).is_some_and(|role| role.entry.is_some()), "{role}");
            }
            assert!(find(cluster.account, "SpaceportHub").is_some());
        }
    }

    #[test]
    fn grants_match_exactly_or_by_prefix() {
        assert!(grants(&["eks:*"], "eks:DescribeCluster"));
        assert!(!grants(&["eks:DescribeCluster"], "eks:DescribeClusterVersions"));
        assert!(!grants(&[], "eks:DescribeCluster"));
    }
}
