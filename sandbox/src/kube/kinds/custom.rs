//! Kinds served through CustomResourceDefinitions: Spaces (jupyter-k8s) and Kueue.

use super::{Kind, NameRule};

const WORKSPACE: &str = "workspace.jupyter.org";
const KUEUE: &str = "kueue.x-k8s.io";
/// Served both; v1beta2 is preferred and stored (Kueue's CRDs).
const KUEUE_VERSIONS: &[&str] = &["v1beta2", "v1beta1"];

/// The warning that the CRDs of a group attach to a version.
pub(super) fn deprecation(group: &str, version: &str) -> Option<&'static str> {
    (group == KUEUE && version == "v1beta1").then_some("This version is deprecated. Use v1beta2 instead.")
}

fn custom(
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
        namespaced: true,
        custom: true,
        status: true,
        scale: false,
        extra: &[],
        generation: true,
        names: NameRule::Subdomain,
    }
}

pub(super) fn kinds() -> Vec<Kind> {
    const V1ALPHA1: &[&str] = &["v1alpha1"];
    vec![
        custom(WORKSPACE, V1ALPHA1, "Workspace", "workspaces", "workspace"),
        custom(WORKSPACE, V1ALPHA1, "WorkspaceTemplate", "workspacetemplates", "workspacetemplate"),
        custom(
            WORKSPACE,
            V1ALPHA1,
            "WorkspaceAccessStrategy",
            "workspaceaccessstrategies",
            "workspaceaccessstrategy",
        ),
        Kind {
            short_names: &["cq"],
            namespaced: false,
            ..custom(KUEUE, KUEUE_VERSIONS, "ClusterQueue", "clusterqueues", "clusterqueue")
        },
        Kind {
            short_names: &["queue", "queues", "lq"],
            ..custom(KUEUE, KUEUE_VERSIONS, "LocalQueue", "localqueues", "localqueue")
        },
        Kind {
            short_names: &["kwl", "kueueworkload", "kueueworkloads"],
            ..custom(KUEUE, KUEUE_VERSIONS, "Workload", "workloads", "workload")
        },
        Kind {
            short_names: &["flavor", "flavors", "rf"],
            namespaced: false,
            status: false,
            ..custom(KUEUE, KUEUE_VERSIONS, "ResourceFlavor", "resourceflavors", "resourceflavor")
        },
        Kind {
            short_names: &["wpc"],
            namespaced: false,
            status: false,
            ..custom(
                KUEUE,
                KUEUE_VERSIONS,
                "WorkloadPriorityClass",
                "workloadpriorityclasses",
                "workloadpriorityclass",
            )
        },
        Kind {
            short_names: &["co"],
            namespaced: false,
            ..custom(KUEUE, KUEUE_VERSIONS, "Cohort", "cohorts", "cohort")
        },
        Kind {
            short_names: &["ac"],
            namespaced: false,
            ..custom(KUEUE, KUEUE_VERSIONS, "AdmissionCheck", "admissionchecks", "admissioncheck")
        },
        Kind {
            short_names: &["topo"],
            namespaced: false,
            status: false,
            ..custom(KUEUE, KUEUE_VERSIONS, "Topology", "topologies", "topology")
        },
    ]
}
