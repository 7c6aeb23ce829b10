//! Who a request is made as.

use std::collections::BTreeMap;

/// What authentication (or impersonation) established, as in `authentication.k8s.io` UserInfo.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UserInfo {
    pub username: String,
    #[serde(default)]
    pub uid: String,
    #[serde(default)]
    pub groups: Vec<String>,
    #[serde(default)]
    pub extra: BTreeMap<String, Vec<String>>,
}

impl UserInfo {
    /// A service account, with the groups that Kubernetes gives each.
    pub fn service_account(namespace: &str, name: &str) -> UserInfo {
        UserInfo {
            username: format!("system:serviceaccount:{namespace}:{name}"),
            uid: String::new(),
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated".to_owned(),
            ],
            extra: BTreeMap::new(),
        }
    }

    /// A built-in component (`system:kube-scheduler`), which is in `system:masters` here: components of the sandbox
    /// are trusted, people never are.
    pub fn component(name: &str) -> UserInfo {
        UserInfo {
            username: name.to_owned(),
            groups: vec!["system:masters".to_owned(), "system:authenticated".to_owned()],
            ..UserInfo::default()
        }
    }

    pub fn in_group(&self, group: &str) -> bool {
        self.groups.iter().any(|g| g == group)
    }
}
