//! AWS partitions: the only place that knows host suffixes and ARN prefixes (docs/ARCHITECTURE.md, Partitions).

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Partition {
    #[default]
    #[serde(rename = "aws")]
    Aws,
    #[serde(rename = "aws-cn")]
    AwsCn,
    #[serde(rename = "aws-us-gov")]
    AwsUsGov,
}

impl Partition {
    pub const ALL: [Partition; 3] = [Partition::Aws, Partition::AwsCn, Partition::AwsUsGov];

    /// The second part of every ARN of the partition.
    pub const fn id(self) -> &'static str {
        match self {
            Partition::Aws => "aws",
            Partition::AwsCn => "aws-cn",
            Partition::AwsUsGov => "aws-us-gov",
        }
    }

    pub fn parse(id: &str) -> Option<Partition> {
        Partition::ALL.into_iter().find(|p| p.id() == id)
    }

    /// The partition that an ARN names, if it is one of ours.
    pub fn of_arn(arn: &str) -> Option<Partition> {
        let mut parts = arn.split(':');
        (parts.next() == Some("arn")).then(|| parts.next().and_then(Partition::parse))?
    }

    /// Suffix of regional service hosts.
    pub const fn dns_suffix(self) -> &'static str {
        match self {
            Partition::Aws | Partition::AwsUsGov => "amazonaws.com",
            Partition::AwsCn => "amazonaws.com.cn",
        }
    }

    /// The regional STS host: what an EKS token's URL must name, also in the sandbox.
    pub fn sts_host(self, region: &str) -> String {
        format!("sts.{region}.{}", self.dns_suffix())
    }

    pub fn role_arn(self, account: &str, role: &str) -> String {
        format!("arn:{}:iam::{account}:role/{role}", self.id())
    }

    /// The Kubernetes username of a role session under a default access entry
    /// (EKS user guide, "Create access entries").
    pub fn assumed_role_arn(self, account: &str, role: &str, session: &str) -> String {
        format!("arn:{}:sts::{account}:assumed-role/{role}/{session}", self.id())
    }

    pub fn access_policy_arn(self, policy: &str) -> String {
        format!("arn:{}:eks::aws:cluster-access-policy/{policy}", self.id())
    }

    pub fn cluster_arn(self, region: &str, account: &str, id: &str) -> String {
        format!("arn:{}:sagemaker:{region}:{account}:cluster/{id}", self.id())
    }

    pub fn eks_cluster_arn(self, region: &str, account: &str, name: &str) -> String {
        format!("arn:{}:eks:{region}:{account}:cluster/{name}", self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_partition_names_its_own_hosts_and_arns() {
        assert_eq!(Partition::Aws.sts_host("us-west-2"), "sts.us-west-2.amazonaws.com");
        assert_eq!(Partition::AwsCn.sts_host("cn-north-1"), "sts.cn-north-1.amazonaws.com.cn");
        assert_eq!(Partition::AwsCn.role_arn("1", "r"), "arn:aws-cn:iam::1:role/r");
        assert_eq!(Partition::of_arn("arn:aws-us-gov:eks:x"), Some(Partition::AwsUsGov));
        assert_eq!(Partition::of_arn("arn:aws-iso:eks:x"), None);
        assert_eq!(Partition::of_arn("nonsense"), None);
    }
}
