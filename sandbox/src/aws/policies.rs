//! EKS cluster access policies as an authorizer beside RBAC: what AWS grants to the role of an access entry.
//!
//! The exact rules inside AWS's policies are not published; these are its prose as data (docs/SANDBOX.md, Rights).

use super::entries::{self, Entries};
use crate::kube::hooks::{Attributes, Authorizer, Verdict};
use crate::kube::identity::UserInfo;

/// `arn:aws:eks::aws:cluster-access-policy/<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    ClusterAdmin,
    AdminView,
    Space,
    SpaceTemplate,
    UserCluster,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Cluster,
    Namespaces(&'static [&'static str]),
}

impl Scope {
    fn covers(self, namespace: &str) -> bool {
        match self {
            Scope::Cluster => true,
            Scope::Namespaces(namespaces) => namespaces.contains(&namespace),
        }
    }
}

/// `*` alone stands for all. Subresources are named (`pods/log`); only `*` covers them unnamed.
struct Rule {
    verbs: &'static [&'static str],
    group: &'static str,
    resources: &'static [&'static str],
}

const READ: &[&str] = &["get", "list", "watch"];
const ALL: &[&str] = &["*"];

const SPACE: &[Rule] = &[
    Rule {
        verbs: &["get", "list", "watch", "create", "update", "patch", "delete"],
        group: "workspace.jupyter.org",
        resources: &["workspaces"],
    },
    Rule {
        verbs: READ,
        group: "workspace.jupyter.org",
        resources: &["workspacetemplates", "workspaceaccessstrategies", "workspaceintegrationtemplates"],
    },
    Rule {
        verbs: READ,
        group: "",
        resources: &[
            "pods",
            "services",
            "serviceaccounts",
            "persistentvolumeclaims",
            "events",
            "resourcequotas",
        ],
    },
    Rule { verbs: READ, group: "events.k8s.io", resources: &["events"] },
    Rule { verbs: READ, group: "apps", resources: &["deployments", "replicasets"] },
    Rule {
        verbs: &["create"],
        group: "connection.workspace.jupyter.org",
        resources: &["workspaceconnections"],
    },
];

const SPACE_TEMPLATE: &[Rule] =
    &[Rule { verbs: READ, group: "workspace.jupyter.org", resources: &["workspacetemplates"] }];

const USER_CLUSTER: &[Rule] = &[
    Rule { verbs: READ, group: "", resources: &["namespaces", "nodes"] },
    Rule { verbs: &["get"], group: "apiextensions.k8s.io", resources: &["customresourcedefinitions"] },
    Rule {
        verbs: READ,
        group: "kueue.x-k8s.io",
        resources: &["clusterqueues", "resourceflavors", "workloadpriorityclasses"],
    },
    Rule {
        verbs: &["create"],
        group: "authorization.k8s.io",
        resources: &["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
    Rule { verbs: &["create"], group: "authentication.k8s.io", resources: &["selfsubjectreviews"] },
];

const ADMIN_VIEW: &[Rule] = &[Rule { verbs: READ, group: "*", resources: ALL }];
const CLUSTER_ADMIN: &[Rule] = &[Rule { verbs: ALL, group: "*", resources: ALL }];

impl Policy {
    pub fn name(self) -> &'static str {
        match self {
            Policy::ClusterAdmin => "AmazonEKSClusterAdminPolicy",
            Policy::AdminView => "AmazonEKSAdminViewPolicy",
            Policy::Space => "AmazonSagemakerHyperpodSpacePolicy",
            Policy::SpaceTemplate => "AmazonSagemakerHyperpodSpaceTemplatePolicy",
            Policy::UserCluster => "AmazonSagemakerHyperpodUserClusterPolicy",
        }
    }

    fn rules(self) -> &'static [Rule] {
        match self {
            Policy::ClusterAdmin => CLUSTER_ADMIN,
            Policy::AdminView => ADMIN_VIEW,
            Policy::Space => SPACE,
            Policy::SpaceTemplate => SPACE_TEMPLATE,
            Policy::UserCluster => USER_CLUSTER,
        }
    }

    fn allows(self, attributes: &Attributes) -> bool {
        if !attributes.path.is_empty() {
            return self == Policy::ClusterAdmin;
        }
        let resource = match attributes.subresource.as_str() {
            "" => attributes.resource.clone(),
            subresource => format!("{}/{subresource}", attributes.resource),
        };
        let matches = |allowed: &[&str], asked: &str| allowed.iter().any(|one| *one == "*" || *one == asked);
        self.rules().iter().any(|rule| {
            matches(rule.verbs, &attributes.verb)
                && matches(&[rule.group], &attributes.group)
                && matches(rule.resources, &resource)
        })
    }
}

/// Decides for principals that have an access entry; everybody else gets no opinion. Impersonated users are not
/// principals: without the token's own facts (`canonicalArn`) nothing is granted.
pub struct AccessPolicies {
    entries: Entries,
}

impl AccessPolicies {
    pub fn new(entries: Entries) -> AccessPolicies {
        AccessPolicies { entries }
    }
}

impl Authorizer for AccessPolicies {
    fn authorize(&self, user: &UserInfo, attributes: &Attributes) -> Verdict {
        let Some(principal) = user.extra.get(entries::CANONICAL_ARN).and_then(|values| values.first()) else {
            return Verdict::NoOpinion;
        };
        let Some(entry) = self.entries.of_principal(principal) else { return Verdict::NoOpinion };
        entry
            .policies
            .iter()
            .find(|(policy, scope)| scope.covers(&attributes.namespace) && policy.allows(attributes))
            .map_or(Verdict::NoOpinion, |(policy, _)| {
                Verdict::Allow(format!("EKS access policy: allowed by {}", policy.name()))
            })
    }

    fn answers_reviews_about_others(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::SANDBOX;

    fn allowed(role: &str, verb: &str, group: &str, resource: &str, namespace: &str) -> bool {
        let entries = Entries::new(&SANDBOX);
        let user = entries.user(role, "somebody", "").expect("the role has an entry");
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let attributes = Attributes {
            verb: verb.into(),
            group: group.into(),
            resource: resource.into(),
            subresource: subresource.into(),
            namespace: namespace.into(),
            ..Attributes::default()
        };
        AccessPolicies::new(entries).authorize(&user, &attributes) != Verdict::NoOpinion
    }

    const SPACES: &str = "workspace.jupyter.org";
    const TEAM_A: &str = "hyperpod-ns-team-a";

    #[test]
    fn a_data_scientist_works_in_the_own_namespace_only() {
        let scientist = |verb, group, resource, namespace| {
            allowed("TeamADataScientist", verb, group, resource, namespace)
        };
        assert!(scientist("create", SPACES, "workspaces", TEAM_A));
        assert!(!scientist("list", SPACES, "workspaces", "hyperpod-ns-team-b"));
        assert!(!scientist("list", SPACES, "workspaces", ""));
        assert!(scientist("create", "connection.workspace.jupyter.org", "workspaceconnections", TEAM_A));
        assert!(scientist("get", SPACES, "workspacetemplates", "jupyter-k8s-system"));
        assert!(!scientist("update", SPACES, "workspacetemplates", "jupyter-k8s-system"));
        assert!(scientist("list", "", "nodes", ""));
        assert!(!scientist("delete", "", "pods", TEAM_A));
    }

    #[test]
    fn the_space_policy_has_neither_logs_nor_queues() {
        for role in ["TeamADataScientist", "TeamALead"] {
            assert!(allowed(role, "get", "", "pods", TEAM_A));
            assert!(!allowed(role, "get", "", "pods/log", TEAM_A));
            assert!(!allowed(role, "list", "kueue.x-k8s.io", "localqueues", TEAM_A));
            assert!(!allowed(role, "list", "kueue.x-k8s.io", "workloads", TEAM_A));
        }
    }

    #[test]
    fn an_auditor_reads_everything_and_writes_nothing() {
        assert!(allowed("SpaceportAuditor", "list", SPACES, "workspaces", ""));
        assert!(allowed("SpaceportAuditor", "get", "", "pods/log", TEAM_A));
        assert!(!allowed("SpaceportAuditor", "create", SPACES, "workspaces", TEAM_A));
    }

    #[test]
    fn a_name_alone_is_no_principal() {
        let entries = Entries::new(&SANDBOX);
        let user = UserInfo {
            username: SANDBOX.session_arn("SpaceportAdmin", "admin"),
            groups: vec!["system:authenticated".into()],
            ..UserInfo::default()
        };
        let attributes = Attributes { verb: "get".into(), resource: "pods".into(), ..Attributes::default() };
        assert_eq!(AccessPolicies::new(entries).authorize(&user, &attributes), Verdict::NoOpinion);
    }
}
