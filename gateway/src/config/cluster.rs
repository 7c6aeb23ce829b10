//! `[[clusters]]`: the HyperPod clusters, and which role a group of people assumes on each.

use super::Problems;
use serde::Deserialize;
use spaceport_shared::partition::Partition;
use std::collections::HashSet;
use std::fmt;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// HyperPod name: `{cluster}` in every path.
    pub name: String,
    pub eks_cluster: String,
    pub account: String,
    pub region: String,
    #[serde(default)]
    pub partition: Partition,
    /// The gateway's own narrow identity for watches.
    pub hub_role_arn: RoleArn,
    /// The first entry whose group the person is in decides.
    #[serde(default)]
    pub role_map: Vec<RoleMapping>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleMapping {
    pub group: String,
    pub role_arn: RoleArn,
}

impl Cluster {
    pub fn role_for(&self, groups: &[String]) -> Option<&RoleArn> {
        self.role_map.iter().find(|entry| groups.contains(&entry.group)).map(|entry| &entry.role_arn)
    }
}

/// An IAM role's ARN, taken apart once. A path (`role/team/Name`) is no part of the assumed-role ARN.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct RoleArn {
    text: String,
    partition: Partition,
    account: String,
    name: String,
}

impl RoleArn {
    /// The Kubernetes username of this role's session under a default access entry.
    pub fn username(&self, session: &str) -> String {
        self.partition.assumed_role_arn(&self.account, &self.name, session)
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for RoleArn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for RoleArn {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parts: Vec<&str> = text.splitn(6, ':').collect();
        let partition = Partition::of_arn(&text);
        let (Some(partition), ["arn", _, "iam", "", account, resource]) = (partition, parts.as_slice())
        else {
            return Err(format!("\"{text}\" is not the ARN of an IAM role"));
        };
        let name =
            resource.strip_prefix("role/").and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        if name.is_empty() || account.len() != 12 || !account.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!("\"{text}\" is not the ARN of an IAM role"));
        }
        let (account, name) = ((*account).to_owned(), name.to_owned());
        Ok(RoleArn { partition, account, name, text })
    }
}

pub(super) fn validate(clusters: &[Cluster], problems: &mut Problems) {
    let mut names = HashSet::new();
    for (index, cluster) in clusters.iter().enumerate() {
        let place = |key: &str| format!("clusters[{index}].{key}");
        if cluster.name.is_empty() || !names.insert(&cluster.name) {
            problems.add(&place("name"), format!("\"{}\" is empty or there twice", cluster.name));
        }
        if cluster.hub_role_arn.partition != cluster.partition {
            problems.add(&place("hub_role_arn"), "lies in another partition than the cluster");
        }
        for entry in &cluster.role_map {
            if entry.role_arn.partition != cluster.partition {
                problems.add(&place("role_map"), format!("{} lies in another partition", entry.role_arn));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arn(text: &str) -> Result<RoleArn, String> {
        RoleArn::try_from(text.to_owned())
    }

    #[test]
    fn a_path_is_no_part_of_the_username() {
        let role = arn("arn:aws-cn:iam::111122223333:role/teams/DataScientist").expect("a role");
        assert_eq!(role.username("ds-a1"), "arn:aws-cn:sts::111122223333:assumed-role/DataScientist/ds-a1");
    }

    #[test]
    fn what_is_not_a_role_is_refused() {
        for bad in [
            "",
            "arn:aws:iam::1:role/x",
            "arn:aws:iam::111122223333:user/x",
            "arn:aws:iam::111122223333:role/",
        ] {
            assert!(arn(bad).is_err(), "{bad}");
        }
    }
}
