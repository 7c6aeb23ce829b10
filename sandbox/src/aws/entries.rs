//! EKS access entries: what a cluster makes of a role session, by whichever way the person came.

use super::roles::{self, AccessEntry};
use crate::kube::identity::UserInfo;
use crate::landscape::{ClusterFacts, PERSONAS, Persona, unique_id};
use crate::secrets::Secrets;

/// Key of the extra that names the role; the authorizer's key.
pub const CANONICAL_ARN: &str = "canonicalArn";

/// The entries of one cluster.
#[derive(Clone, Copy)]
pub struct Entries {
    cluster: &'static ClusterFacts,
}

impl Entries {
    pub fn new(cluster: &'static ClusterFacts) -> Entries {
        Entries { cluster }
    }

    /// By the ARN of a role of the cluster's account.
    pub fn of_principal(&self, role_arn: &str) -> Option<&'static AccessEntry> {
        roles::ROLES
            .iter()
            .filter(|role| role.accounts.contains(&self.cluster.account))
            .find(|role| self.cluster.role_arn(role.name) == role_arn)?
            .entry
            .as_ref()
    }

    /// The Kubernetes user of a role session; `None` without an access entry. Fields and their names are those of
    /// the AWS IAM authenticator.
    pub fn user(&self, role: &str, session: &str, access_key_id: &str) -> Option<UserInfo> {
        let account = self.cluster.account;
        let entry = roles::find(account, role)?.entry.as_ref()?;
        let id = unique_id("AROA", account, role);
        let arn = self.cluster.session_arn(role, session);
        let extra = [
            ("accessKeyId", access_key_id.to_owned()),
            ("arn", arn.clone()),
            (CANONICAL_ARN, self.cluster.role_arn(role)),
            ("principalId", id.clone()),
            ("sessionName", session.to_owned()),
        ];
        let mut groups: Vec<String> = entry.kubernetes_groups.iter().map(|&group| group.to_owned()).collect();
        groups.push("system:authenticated".to_owned());
        Some(UserInfo {
            username: arn,
            uid: format!("aws-iam-authenticator:{account}:{id}"),
            groups,
            extra: extra.map(|(key, value)| (key.to_owned(), vec![value])).into(),
        })
    }

    /// Token and user of every persona with a role here: what the kubeconfig files hold. The same users as by EKS
    /// tokens, without the detour.
    pub fn persona_tokens(&self, secrets: &Secrets) -> Vec<(String, UserInfo)> {
        let token_and_user = |persona: &Persona| {
            let role = persona.role_in(self.cluster)?;
            let token = secrets.kube_tokens.get(persona.name)?;
            Some((token.clone(), self.user(role, persona.name, "")?))
        };
        PERSONAS.iter().filter_map(token_and_user).collect()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::landscape::{SANDBOX, SANDBOX_EAST};

    #[test]
    fn a_session_becomes_the_user_that_hyp_computes() {
        let user = Entries::new(&SANDBOX).user("TeamADataScientist", "ds-a1", "ASIA1").unwrap();
        assert_eq!(user.username, "arn:aws:sts::111122223333:assumed-role/TeamADataScientist/ds-a1");
        assert_eq!(user.groups, ["team-a", "system:authenticated"]);
        assert_eq!(user.extra["canonicalArn"], ["arn:aws:iam::111122223333:role/TeamADataScientist"]);
        assert_eq!(user.extra["accessKeyId"], ["ASIA1"]);
    }

    #[test]
    fn without_an_entry_there_is_no_user() {
        assert!(Entries::new(&SANDBOX).user("BillingReader", "x1", "").is_none());
        assert!(Entries::new(&SANDBOX_EAST).user("TeamADataScientist", "ds-a1", "").is_none());
        assert!(Entries::new(&SANDBOX_EAST).of_principal(&SANDBOX.role_arn("SpaceportAdmin")).is_none());
    }

    #[test]
    fn a_persona_s_token_is_good_where_the_persona_has_a_role() {
        let dir = tempfile::tempdir().unwrap();
        let secrets = Secrets::open(&dir.path().join("secrets.json")).unwrap();
        let token = &secrets.kube_tokens["ds-a1"];
        let user_of = |cluster| {
            let tokens = Entries::new(cluster).persona_tokens(&secrets);
            tokens.into_iter().find(|(known, _)| known == token).map(|(_, user)| user.username)
        };
        assert_eq!(user_of(&SANDBOX), Some(SANDBOX.session_arn("TeamADataScientist", "ds-a1")));
        assert_eq!(user_of(&SANDBOX_EAST), None);
    }
}
