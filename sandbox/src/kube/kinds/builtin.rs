//! Kinds that a Kubernetes API server serves by itself.

use super::{Alias, Kind, NameRule};

const fn cluster(
    group: &'static str,
    versions: &'static [&'static str],
    kind: &'static str,
    plural: &'static str,
    singular: &'static str,
) -> Kind {
    Kind {
        id: 0,
        group,
        versions,
        alias: None,
        kind,
        plural,
        singular,
        short_names: &[],
        categories: &[],
        namespaced: false,
        custom: false,
        status: false,
        scale: false,
        extra: &[],
        generation: false,
        names: NameRule::Subdomain,
    }
}

const fn namespaced(
    group: &'static str,
    versions: &'static [&'static str],
    kind: &'static str,
    plural: &'static str,
    singular: &'static str,
) -> Kind {
    Kind { namespaced: true, ..cluster(group, versions, kind, plural, singular) }
}

const V1: &[&str] = &["v1"];
const ALL: &[&str] = &["all"];

pub(super) fn kinds() -> Vec<Kind> {
    [core(), workloads(), policy()].into_iter().flatten().collect()
}

fn core() -> Vec<Kind> {
    vec![
        Kind {
            short_names: &["ns"],
            status: true,
            names: NameRule::Label,
            ..cluster("", V1, "Namespace", "namespaces", "namespace")
        },
        Kind { short_names: &["no"], status: true, ..cluster("", V1, "Node", "nodes", "node") },
        Kind {
            short_names: &["pv"],
            status: true,
            ..cluster("", V1, "PersistentVolume", "persistentvolumes", "persistentvolume")
        },
        Kind {
            short_names: &["po"],
            categories: ALL,
            status: true,
            extra: &["log"],
            generation: true,
            ..namespaced("", V1, "Pod", "pods", "pod")
        },
        Kind {
            short_names: &["ev"],
            alias: Some(Alias { group: "events.k8s.io", version: "v1" }),
            ..namespaced("", V1, "Event", "events", "event")
        },
        Kind {
            short_names: &["svc"],
            categories: ALL,
            status: true,
            names: NameRule::Label,
            ..namespaced("", V1, "Service", "services", "service")
        },
        Kind {
            short_names: &["pvc"],
            status: true,
            ..namespaced("", V1, "PersistentVolumeClaim", "persistentvolumeclaims", "persistentvolumeclaim")
        },
        Kind { short_names: &["cm"], ..namespaced("", V1, "ConfigMap", "configmaps", "configmap") },
        namespaced("", V1, "Secret", "secrets", "secret"),
        Kind {
            short_names: &["sa"],
            extra: &["token"],
            ..namespaced("", V1, "ServiceAccount", "serviceaccounts", "serviceaccount")
        },
        Kind {
            short_names: &["quota"],
            status: true,
            ..namespaced("", V1, "ResourceQuota", "resourcequotas", "resourcequota")
        },
        Kind { short_names: &["limits"], ..namespaced("", V1, "LimitRange", "limitranges", "limitrange") },
        Kind { short_names: &["ep"], ..namespaced("", V1, "Endpoints", "endpoints", "endpoints") },
    ]
}

fn workloads() -> Vec<Kind> {
    let apps = |kind, plural, singular, short_names| Kind {
        short_names,
        categories: ALL,
        status: true,
        scale: true,
        generation: true,
        ..namespaced("apps", V1, kind, plural, singular)
    };
    vec![
        apps("Deployment", "deployments", "deployment", &["deploy"]),
        apps("ReplicaSet", "replicasets", "replicaset", &["rs"]),
        apps("StatefulSet", "statefulsets", "statefulset", &["sts"]),
        Kind { scale: false, ..apps("DaemonSet", "daemonsets", "daemonset", &["ds"]) },
        Kind {
            categories: ALL,
            status: true,
            generation: true,
            ..namespaced("batch", V1, "Job", "jobs", "job")
        },
        Kind {
            short_names: &["pc"],
            generation: true,
            ..cluster("scheduling.k8s.io", V1, "PriorityClass", "priorityclasses", "priorityclass")
        },
        Kind {
            short_names: &["sc"],
            ..cluster("storage.k8s.io", V1, "StorageClass", "storageclasses", "storageclass")
        },
        cluster("storage.k8s.io", V1, "CSINode", "csinodes", "csinode"),
        namespaced("coordination.k8s.io", V1, "Lease", "leases", "lease"),
    ]
}

fn policy() -> Vec<Kind> {
    const RBAC: &str = "rbac.authorization.k8s.io";
    const ADMISSION: &str = "admissionregistration.k8s.io";
    let rbac = |kind| Kind { names: NameRule::PathSegment, ..kind };
    vec![
        rbac(cluster(RBAC, V1, "ClusterRole", "clusterroles", "clusterrole")),
        rbac(cluster(RBAC, V1, "ClusterRoleBinding", "clusterrolebindings", "clusterrolebinding")),
        rbac(namespaced(RBAC, V1, "Role", "roles", "role")),
        rbac(namespaced(RBAC, V1, "RoleBinding", "rolebindings", "rolebinding")),
        Kind {
            short_names: &["crd", "crds"],
            categories: &["api-extensions"],
            status: true,
            generation: true,
            ..cluster(
                "apiextensions.k8s.io",
                V1,
                "CustomResourceDefinition",
                "customresourcedefinitions",
                "customresourcedefinition",
            )
        },
        Kind {
            categories: &["api-extensions"],
            status: true,
            ..cluster("apiregistration.k8s.io", V1, "APIService", "apiservices", "apiservice")
        },
        Kind {
            categories: &["api-extensions"],
            status: true,
            generation: true,
            ..cluster(
                ADMISSION,
                V1,
                "ValidatingAdmissionPolicy",
                "validatingadmissionpolicies",
                "validatingadmissionpolicy",
            )
        },
        Kind {
            categories: &["api-extensions"],
            generation: true,
            ..cluster(
                ADMISSION,
                V1,
                "ValidatingAdmissionPolicyBinding",
                "validatingadmissionpolicybindings",
                "validatingadmissionpolicybinding",
            )
        },
    ]
}
