//! Who and what exists before anything happens: accounts, clusters, roles, personas, and which role a persona gets
//! in which cluster. Data only; `aws/` and `seed/` turn it into answers and objects.

use sha2::{Digest, Sha256};

/// Both clusters are in the commercial partition.
pub const PARTITION: &str = "aws";
/// The team namespaces of HyperPod task governance, `hyperpod-ns-<team>`.
pub const NAMESPACE_TEAM_A: &str = "hyperpod-ns-team-a";
pub const NAMESPACE_TEAM_B: &str = "hyperpod-ns-team-b";
pub const NAMESPACE_PLATFORM: &str = "hyperpod-ns-platform";
/// Where AWS documents that shared templates live; the shipped ones are in the add-on's own namespace.
pub const NAMESPACE_SHARED: &str = "jupyter-k8s-shared";
/// The gateway's own principal: an IAM user of the first account.
pub const GATEWAY_USER: &str = "spaceport-gateway";
/// Session name of the watch identity.
pub const HUB_SESSION: &str = "spaceport-hub";

/// One HyperPod cluster with its EKS cluster and account.
#[derive(Debug, PartialEq, Eq)]
pub struct ClusterFacts {
    /// HyperPod name, `{cluster}` in the portal's addresses.
    pub name: &'static str,
    pub eks_name: &'static str,
    pub account: &'static str,
    pub region: &'static str,
    pub zones: [&'static str; 2],
    /// The last part of the HyperPod ARN.
    pub id: &'static str,
    /// First match wins, as in the gateway's configuration.
    pub role_map: &'static [(&'static str, &'static str)],
}

pub const SANDBOX: ClusterFacts = ClusterFacts {
    name: "sandbox",
    eks_name: "sandbox-eks",
    account: "111122223333",
    region: "us-west-2",
    zones: ["us-west-2a", "us-west-2b"],
    id: "k3v9q2x7m1ab",
    role_map: &[
        ("platform-admins", "SpaceportAdmin"),
        ("team-a-leads", "TeamALead"),
        ("team-a", "TeamADataScientist"),
        ("team-b", "TeamBDataScientist"),
        ("auditors", "SpaceportAuditor"),
    ],
};

pub const SANDBOX_EAST: ClusterFacts = ClusterFacts {
    name: "sandbox-east",
    eks_name: "sandbox-east-eks",
    account: "444455556666",
    region: "us-east-1",
    zones: ["us-east-1a", "us-east-1b"],
    id: "p8d4t6w0z5cd",
    role_map: &[
        ("platform-admins", "SpaceportAdmin"),
        ("team-b", "TeamBDataScientist"),
        ("auditors", "SpaceportAuditor"),
    ],
};

pub const CLUSTERS: [&ClusterFacts; 2] = [&SANDBOX, &SANDBOX_EAST];

impl ClusterFacts {
    pub fn hyperpod_arn(&self) -> String {
        format!("arn:{PARTITION}:sagemaker:{}:{}:cluster/{}", self.region, self.account, self.id)
    }

    pub fn eks_arn(&self) -> String {
        format!("arn:{PARTITION}:eks:{}:{}:cluster/{}", self.region, self.account, self.eks_name)
    }

    pub fn role_arn(&self, role: &str) -> String {
        role_arn(self.account, role)
    }

    /// Kubernetes username and STS ARN of a role session.
    pub fn session_arn(&self, role: &str, session: &str) -> String {
        session_arn(self.account, role, session)
    }

    /// The role of somebody in these groups, if the cluster has one for them.
    pub fn role_of(&self, groups: &[&str]) -> Option<&'static str> {
        self.role_map.iter().find(|(group, _)| groups.contains(group)).map(|(_, role)| *role)
    }

    /// The team namespaces of this cluster, beside the system ones.
    pub fn namespaces(&self) -> &'static [&'static str] {
        if self.name == SANDBOX.name {
            &[NAMESPACE_TEAM_A, NAMESPACE_TEAM_B, NAMESPACE_PLATFORM]
        } else {
            &[NAMESPACE_TEAM_B, NAMESPACE_PLATFORM]
        }
    }
}

pub fn role_arn(account: &str, role: &str) -> String {
    format!("arn:{PARTITION}:iam::{account}:role/{role}")
}

pub fn session_arn(account: &str, role: &str, session: &str) -> String {
    format!("arn:{PARTITION}:sts::{account}:assumed-role/{role}/{session}")
}

pub fn gateway_arn() -> String {
    format!("arn:{PARTITION}:iam::{}:user/{GATEWAY_USER}", SANDBOX.account)
}

/// A unique id as IAM gives them: a prefix (`AROA` for roles, `AIDA` for users) and 17 characters.
pub fn unique_id(prefix: &str, account: &str, name: &str) -> String {
    let digest = Sha256::digest(format!("{account}/{name}"));
    format!("{prefix}{}", &data_encoding::BASE32_NOPAD.encode(&digest)[..17])
}

/// Somebody who may sign in. Session names are the persona names.
#[derive(Debug, PartialEq, Eq)]
pub struct Persona {
    pub name: &'static str,
    pub groups: &'static [&'static str],
}

impl Persona {
    pub fn role_in(&self, cluster: &ClusterFacts) -> Option<&'static str> {
        cluster.role_of(self.groups)
    }
}

pub const PERSONAS: [Persona; 6] = [
    Persona { name: "admin", groups: &["platform-admins"] },
    Persona { name: "lead-a", groups: &["team-a-leads", "team-a"] },
    Persona { name: "ds-a1", groups: &["team-a"] },
    Persona { name: "ds-a2", groups: &["team-a"] },
    Persona { name: "ds-b1", groups: &["team-b"] },
    Persona { name: "auditor", groups: &["auditors"] },
];

/// A project of the gateway's configuration.
pub struct Project {
    pub id: &'static str,
    pub namespaces: &'static [&'static str],
    pub leads: &'static [&'static str],
    pub members: &'static [&'static str],
}

pub const PROJECTS: [Project; 3] = [
    Project { id: "team-a", namespaces: &[NAMESPACE_TEAM_A], leads: &["team-a-leads"], members: &["team-a"] },
    Project { id: "team-b", namespaces: &[NAMESPACE_TEAM_B], leads: &[], members: &["team-b"] },
    Project {
        id: "platform",
        namespaces: &[NAMESPACE_PLATFORM],
        leads: &["platform-admins"],
        members: &["platform-admins"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_match_of_the_role_map_wins() {
        let role = |persona: &str, cluster| {
            PERSONAS.iter().find(|p| p.name == persona).and_then(|p| p.role_in(cluster))
        };
        assert_eq!(role("lead-a", &SANDBOX), Some("TeamALead"));
        assert_eq!(role("ds-a1", &SANDBOX), Some("TeamADataScientist"));
        assert_eq!(role("ds-a1", &SANDBOX_EAST), None);
        assert_eq!(role("ds-b1", &SANDBOX_EAST), Some("TeamBDataScientist"));
    }

    #[test]
    fn unique_ids_have_the_length_of_iam_ids() {
        assert_eq!(unique_id("AROA", "1", "a").len(), 21);
        assert_ne!(unique_id("AROA", "1", "a"), unique_id("AROA", "2", "a"));
    }
}
