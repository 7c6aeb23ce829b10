//! What stands before anybody starts a Space: namespaces, the Spaces add-on, templates of the platform team, a shared
//! file system.

use super::{queues, rights};
use crate::cluster::addon::{self, AddonOptions, CPU_IMAGE, GPU_IMAGE, STORAGE_CLASS, STRATEGY};
use crate::cluster::names::{API_VERSION, SYSTEM_NAMESPACE};
use crate::landscape::{ClusterFacts, NAMESPACE_SHARED, NAMESPACE_TEAM_A, SANDBOX};
use serde_json::{Value, json};

/// The claim on the shared file system, in team A's namespace.
pub const SHARED_CLAIM: &str = "team-a-datasets";
const SHARED_VOLUME: &str = "fsx-team-a-datasets";
/// Templates of the platform team.
pub const SMALL_TEMPLATE: &str = "small-notebook";
pub const GPU_TEMPLATE: &str = "gpu-notebook";
pub const OWN_IMAGE_TEMPLATE: &str = "own-image";

/// Namespaces first, then what lives in them; each with its plural name.
pub fn objects(facts: &ClusterFacts) -> Vec<(&'static str, Value)> {
    let mut objects: Vec<_> = namespaces(facts).collect();
    objects.extend(rights::objects(facts));
    objects.extend(queues::objects(facts));
    objects.push(("workspacetemplates", gpu_template()));
    if facts.name == SANDBOX.name {
        objects.push(("workspacetemplates", small_template()));
        objects.push(("workspacetemplates", own_image_template()));
        objects.extend(shared_file_system());
    }
    objects
}

/// What belongs to the add-on, which repairs it at each start: the addresses in it are of this start.
pub fn addon_objects(options: &AddonOptions) -> Vec<(&'static str, Value)> {
    addon::objects(options)
}

fn namespaces(facts: &ClusterFacts) -> impl Iterator<Item = (&'static str, Value)> {
    let system = [SYSTEM_NAMESPACE, NAMESPACE_SHARED];
    system.into_iter().chain(facts.namespaces().iter().copied()).map(|name| {
        let mut labels = json!({"kubernetes.io/metadata.name": name});
        if let Some(team) = name.strip_prefix("hyperpod-ns-") {
            labels["sagemaker.amazonaws.com/team-name"] = json!(team);
        }
        let object =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}});
        ("namespaces", object)
    })
}

fn bounds(pairs: &[(&str, &str, &str)]) -> Value {
    let bound = |(name, min, max): &(&str, &str, &str)| ((*name).to_owned(), json!({"min": min, "max": max}));
    json!({"resources": pairs.iter().map(bound).collect::<serde_json::Map<_, _>>()})
}

/// Tight on purpose: every bound can be run into with a plausible wish.
fn small_template() -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "WorkspaceTemplate",
        "metadata": {"name": SMALL_TEMPLATE, "namespace": NAMESPACE_TEAM_A},
        "spec": {
            "displayName": "Small notebook",
            "description": "For reading and small experiments; stops after an hour without activity.",
            "defaultImage": CPU_IMAGE, "allowedImages": [CPU_IMAGE],
            "defaultResources": {
                "requests": {"cpu": "1", "memory": "8Gi"}, "limits": {"cpu": "1", "memory": "8Gi"},
            },
            "resourceBounds": bounds(&[("cpu", "500m", "2"), ("memory", "8Gi", "12Gi")]),
            "primaryStorage": {
                "defaultSize": "5Gi", "minSize": "5Gi", "maxSize": "20Gi",
                "defaultStorageClassName": STORAGE_CLASS, "defaultMountPath": "/home/sagemaker-user",
            },
            "defaultContainerConfig": {
                "command": ["/opt/amazon/sagemaker/workspace/bin/entrypoint-workspace-jupyterlab"],
            },
            "envRequirements": [{"name": "TEAM", "required": false, "regex": "^[a-z][a-z0-9-]*$"}],
            "labelRequirements": [{"key": "cost-center", "required": false, "regex": "^[0-9]{4}$"}],
            "allowSecondaryStorages": false,
            "defaultPodSecurityContext": {"fsGroup": 1000},
            "defaultOwnershipType": "OwnerOnly", "defaultAccessType": "OwnerOnly",
            "defaultIdleShutdown": {
                "enabled": true, "idleTimeoutInMinutes": 60,
                "detection": {"httpGet": {"port": 8888, "path": "/api/idle"}},
            },
            "idleShutdownOverrides": {"allow": true, "minIdleTimeoutInMinutes": 15, "maxIdleTimeoutInMinutes": 240},
            "defaultAccessStrategy": {"name": STRATEGY, "namespace": SYSTEM_NAMESPACE},
            "appType": "jupyterlab",
        },
    })
}

/// Any image: the way to images that do not exist, and the least demanding template for other tools.
fn own_image_template() -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "WorkspaceTemplate",
        "metadata": {"name": OWN_IMAGE_TEMPLATE, "namespace": NAMESPACE_TEAM_A},
        "spec": {
            "displayName": "Your own image",
            "description": "Runs any image that serves on port 8888.",
            "defaultImage": CPU_IMAGE, "allowCustomImages": true,
            "defaultResources": {
                "requests": {"cpu": "1", "memory": "8Gi"}, "limits": {"cpu": "1", "memory": "8Gi"},
            },
            "defaultAccessStrategy": {"name": STRATEGY, "namespace": SYSTEM_NAMESPACE},
        },
    })
}

fn gpu_template() -> Value {
    let resources = json!({"cpu": "3", "memory": "10Gi", "nvidia.com/gpu": "1"});
    json!({
        "apiVersion": API_VERSION, "kind": "WorkspaceTemplate",
        "metadata": {"name": GPU_TEMPLATE, "namespace": SYSTEM_NAMESPACE},
        "spec": {
            "displayName": "GPU notebook",
            "description": "One or more GPUs, or a slice of one; for training and inference experiments.",
            "defaultImage": GPU_IMAGE, "allowedImages": [GPU_IMAGE, CPU_IMAGE],
            "defaultResources": {"requests": resources, "limits": resources},
            "resourceBounds": bounds(&[
                ("cpu", "1", "48"), ("memory", "8Gi", "192Gi"), ("nvidia.com/gpu", "0", "4"),
                ("nvidia.com/mig-1g.5gb", "0", "2"), ("nvidia.com/mig-3g.20gb", "0", "1"),
            ]),
            "primaryStorage": {
                "defaultSize": "20Gi", "minSize": "5Gi", "maxSize": "200Gi",
                "defaultStorageClassName": STORAGE_CLASS, "defaultMountPath": "/home/sagemaker-user",
            },
            "defaultContainerConfig": {
                "command": ["/opt/amazon/sagemaker/workspace/bin/entrypoint-workspace-jupyterlab"],
            },
            "defaultTolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "defaultPodSecurityContext": {"fsGroup": 1000},
            "defaultOwnershipType": "OwnerOnly", "defaultAccessType": "OwnerOnly",
            "defaultIdleShutdown": {
                "enabled": true, "idleTimeoutInMinutes": 120,
                "detection": {"httpGet": {"port": 8888, "path": "/api/idle"}},
            },
            "defaultAccessStrategy": {"name": STRATEGY, "namespace": SYSTEM_NAMESPACE},
            "allowSecondaryStorages": true,
            "appType": "jupyterlab",
        },
    })
}

/// A static volume of an FSx for Lustre file system, claimed once for the whole team.
fn shared_file_system() -> Vec<(&'static str, Value)> {
    let volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": SHARED_VOLUME},
        "spec": {
            "capacity": {"storage": "1200Gi"}, "accessModes": ["ReadWriteMany"], "volumeMode": "Filesystem",
            "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "",
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "namespace": NAMESPACE_TEAM_A, "name": SHARED_CLAIM,
            },
            "csi": {
                "driver": "fsx.csi.aws.com", "volumeHandle": "fs-0123456789abcdef0",
                "volumeAttributes": {
                    "dnsname": "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com", "mountname": "fsx",
                },
            },
        },
    });
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": SHARED_CLAIM, "namespace": NAMESPACE_TEAM_A},
        "spec": {
            "accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeMode": "Filesystem",
            "volumeName": SHARED_VOLUME, "resources": {"requests": {"storage": "1200Gi"}},
        },
    });
    vec![("persistentvolumes", volume), ("persistentvolumeclaims", claim)]
}

/// Statuses that no controller of the sandbox writes: the shared file system is bound by hand. Plural name, namespace,
/// name, status.
pub fn statuses(facts: &ClusterFacts) -> Vec<(&'static str, &'static str, &'static str, Value)> {
    if facts.name != SANDBOX.name {
        return Vec::new();
    }
    let bound = json!({
        "phase": "Bound", "accessModes": ["ReadWriteMany"], "capacity": {"storage": "1200Gi"},
    });
    vec![
        ("persistentvolumes", "", SHARED_VOLUME, json!({"phase": "Bound"})),
        ("persistentvolumeclaims", NAMESPACE_TEAM_A, SHARED_CLAIM, bound),
    ]
}
