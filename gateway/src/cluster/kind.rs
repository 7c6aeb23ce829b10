//! The kinds that the gateway's own identity watches. Its role on the cluster names exactly these.

use kube::core::{ApiResource, GroupVersionKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Space,
    Template,
    Strategy,
    Deployment,
    ReplicaSet,
    Pod,
    Event,
    Claim,
    Namespace,
    Node,
    Workload,
    /// Bindings are read for one purpose: a change of any says that rights may have changed.
    RoleBinding,
    ClusterRoleBinding,
}

impl Kind {
    pub const ALL: [Kind; 13] = [
        Kind::Space,
        Kind::Template,
        Kind::Strategy,
        Kind::Deployment,
        Kind::ReplicaSet,
        Kind::Pod,
        Kind::Event,
        Kind::Claim,
        Kind::Namespace,
        Kind::Node,
        Kind::Workload,
        Kind::RoleBinding,
        Kind::ClusterRoleBinding,
    ];

    pub fn resource(self) -> ApiResource {
        let (group, version, kind, plural) = match self {
            Kind::Space => ("workspace.jupyter.org", "v1alpha1", "Workspace", "workspaces"),
            Kind::Template => {
                ("workspace.jupyter.org", "v1alpha1", "WorkspaceTemplate", "workspacetemplates")
            }
            Kind::Strategy => {
                ("workspace.jupyter.org", "v1alpha1", "WorkspaceAccessStrategy", "workspaceaccessstrategies")
            }
            Kind::Deployment => ("apps", "v1", "Deployment", "deployments"),
            Kind::ReplicaSet => ("apps", "v1", "ReplicaSet", "replicasets"),
            Kind::Pod => ("", "v1", "Pod", "pods"),
            Kind::Event => ("", "v1", "Event", "events"),
            Kind::Claim => ("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
            Kind::Namespace => ("", "v1", "Namespace", "namespaces"),
            Kind::Node => ("", "v1", "Node", "nodes"),
            Kind::Workload => ("kueue.x-k8s.io", "v1beta2", "Workload", "workloads"),
            Kind::RoleBinding => ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
            Kind::ClusterRoleBinding => {
                ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings")
            }
        };
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
    }

    /// Whether the view of Spaces makes no sense without it. The others are missing evidence, nothing more.
    pub const fn is_required(self) -> bool {
        matches!(self, Kind::Space)
    }
}
