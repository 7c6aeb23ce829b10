//! Who is signed in, and the stable session name that owns their Spaces.

use crate::policy::matrix::Role;
use crate::project::Project;
use crate::time::Timestamp;
use data_encoding::BASE32_NOPAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Body of `POST /session` while the sandbox's personas are the identity provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignIn {
    pub persona: String,
}

/// Whether somebody is signed in, and what a sign-in page may offer (`GET /session`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignInOptions {
    /// Empty unless the sandbox's personas are the identity provider.
    pub personas: Vec<PersonaOption>,
    /// True when this deployment talks to the sandbox; the page says so.
    pub sandbox: bool,
    /// True when the request carries a live session. A page asks this first: `GET /me` would answer 401 without one.
    pub signed_in: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PersonaOption {
    pub name: String,
    pub role: Role,
    /// Projects the persona belongs to.
    pub projects: Vec<String>,
}

/// `GET /me`: who is asking, as far as the portal knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Me {
    pub issuer: String,
    pub subject: String,
    pub display_name: String,
    pub session_name: String,
    pub roles: Vec<Role>,
    /// Projects the person is in; `lead` says where they lead.
    pub projects: Vec<Membership>,
    pub clusters: Vec<ClusterIdentity>,
    pub server_time: Timestamp,
    /// When the session ends at the latest, whatever is clicked.
    pub session_ends_at: Timestamp,
    pub sandbox: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Membership {
    pub project: Project,
    pub lead: bool,
}

/// How the person appears on one cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClusterIdentity {
    pub cluster: String,
    /// The Kubernetes username computed for them; null without a role there.
    pub username: Option<String>,
    pub state: IdentityState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum IdentityState {
    /// Not asked yet in this session.
    Unverified,
    /// SelfSubjectReview answered the expected username.
    Verified,
    /// It answered another one: writes are refused.
    Mismatch,
    /// No role of this person maps to the cluster.
    NoRole,
    Unreachable,
}

impl Me {
    pub fn has_role(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    pub fn leads_namespace(&self, namespace: &str) -> bool {
        self.projects.iter().any(|m| m.lead && m.project.namespaces.iter().any(|n| n == namespace))
    }

    pub fn in_namespace(&self, namespace: &str) -> bool {
        self.projects.iter().any(|m| m.project.namespaces.iter().any(|n| n == namespace))
    }

    pub fn username_on(&self, cluster: &str) -> Option<&str> {
        self.clusters.iter().find(|c| c.cluster == cluster).and_then(|c| c.username.as_deref())
    }
}

/// The default session name: `u-` and lower-case base32 of the first 20 bytes of SHA-256(issuer, 0x00, subject).
/// Stable for ever and computable without a database: it owns the person's private Spaces.
pub fn derive_session_name(issuer: &str, subject: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(issuer.as_bytes());
    hash.update([0]);
    hash.update(subject.as_bytes());
    format!("u-{}", BASE32_NOPAD.encode(&hash.finalize()[..20]).to_ascii_lowercase())
}

/// Whether a claim that the operator declared immutable may be a session name as it stands.
///
/// STS allows `[\w+=,.@-]{2,64}`; `@` is refused since EKS folds it to `-` (two people would become one), and `u-`
/// is refused since it belongs to derived names.
pub fn is_readable_session_name(claim: &str) -> bool {
    (2..=64).contains(&claim.len())
        && !claim.starts_with("u-")
        && claim.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && claim.bytes().all(|b| b.is_ascii_alphanumeric() || b"_+=,.-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_derived_name_is_stable_and_fits_sts() {
        let name = derive_session_name("https://idp.example", "00u1");
        assert_eq!(name, derive_session_name("https://idp.example", "00u1"));
        assert_eq!(name.len(), 34);
        assert_ne!(name, derive_session_name("https://idp.example0", "0u1"));
    }

    #[test]
    fn readable_names_hold_no_at_sign_no_chinese_and_no_reserved_prefix() {
        assert!(is_readable_session_name("ds-a1"));
        for bad in ["a@b", "张伟", "u-abc", "x", "", "-a", "a b", &"a".repeat(65)] {
            assert!(!is_readable_session_name(bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn different_people_never_share_a_derived_name(a in ".{1,20}", b in ".{1,20}") {
            prop_assume!(a != b);
            prop_assert_ne!(derive_session_name("i", &a), derive_session_name("i", &b));
        }
    }
}
