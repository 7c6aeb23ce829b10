//! The Workspace object of a create request: what the gateway posts, and what "copy as" shows.

use super::create::{CreateSpace, EnvVar, IdleRequest, ResourceRequest, StorageRequest};
use super::{DesiredStatus, Sharing};
use crate::quantity::{format_bytes, format_cpu};
use serde_json::{Map, Value, json};

pub const API_VERSION: &str = "workspace.jupyter.org/v1alpha1";
pub const QUEUE_LABEL: &str = "kueue.x-k8s.io/queue-name";
pub const PRIORITY_LABEL: &str = "kueue.x-k8s.io/priority-class";
pub const INSTANCE_TYPE_LABEL: &str = "node.kubernetes.io/instance-type";

/// The minimal object: what the request leaves open the template and the webhook fill in. `detection` is the
/// template's own idle detection (`spec.defaultIdleShutdown.detection`) where it has one.
pub fn to_manifest(request: &CreateSpace, detection: Option<&Value>) -> Value {
    let mut metadata = json!({"name": request.name, "namespace": request.namespace});
    let mut labels = Map::new();
    for (key, value) in [(QUEUE_LABEL, &request.queue), (PRIORITY_LABEL, &request.priority_class)] {
        if let Some(value) = value {
            labels.insert(key.to_owned(), json!(value));
        }
    }
    if !labels.is_empty() {
        metadata["labels"] = Value::Object(labels);
    }
    json!({"apiVersion": API_VERSION, "kind": "Workspace", "metadata": metadata, "spec": spec(request, detection)})
}

fn spec(request: &CreateSpace, detection: Option<&Value>) -> Value {
    let mut spec = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            spec.insert(key.to_owned(), value);
        }
    };
    set("displayName", Some(json!(request.display_name)));
    set("desiredStatus", Some(json!(desired(request.desired_status))));
    set("templateRef", request.template.as_ref().map(|t| json!({"name": t.name, "namespace": t.namespace})));
    set("image", request.image.as_ref().map(|i| json!(i)));
    set("ownershipType", request.ownership_type.map(sharing));
    set("accessType", request.access_type.map(sharing));
    set("resources", request.resources.as_ref().map(resources));
    set("nodeSelector", request.resources.as_ref().and_then(node_selector));
    set("storage", request.storage.as_ref().map(storage));
    set("volumes", (!request.volumes.is_empty()).then(|| volumes(request)));
    set("env", (!request.env.is_empty()).then(|| env(&request.env)));
    set("idleShutdown", request.idle.as_ref().map(|idle| idle_shutdown(idle, detection)));
    Value::Object(spec)
}

fn desired(status: DesiredStatus) -> &'static str {
    match status {
        DesiredStatus::Stopped => "Stopped",
        DesiredStatus::Running | DesiredStatus::Unknown => "Running",
    }
}

/// What cannot be read is written as the closed form.
pub fn sharing(sharing: Sharing) -> Value {
    match sharing {
        Sharing::Public => json!("Public"),
        Sharing::OwnerOnly | Sharing::Unknown => json!("OwnerOnly"),
    }
}

/// Requests and limits alike: extended resources demand it, and a Space is billed by what it holds.
pub fn resources(request: &ResourceRequest) -> Value {
    let mut amounts = Map::new();
    amounts.insert("cpu".into(), json!(format_cpu(request.cpu_millis)));
    amounts.insert("memory".into(), json!(format_bytes(request.memory_bytes)));
    if let Some(accelerator) = &request.accelerator {
        amounts.insert(accelerator.resource.clone(), json!(accelerator.count.to_string()));
    }
    json!({"requests": amounts, "limits": amounts})
}

pub fn node_selector(request: &ResourceRequest) -> Option<Value> {
    request.instance_type.as_ref().map(|t| json!({INSTANCE_TYPE_LABEL: t}))
}

fn storage(request: &StorageRequest) -> Value {
    let mut storage = json!({"size": format_bytes(request.size_bytes)});
    if let Some(class) = &request.class_name {
        storage["storageClassName"] = json!(class);
    }
    if let Some(path) = &request.mount_path {
        storage["mountPath"] = json!(path);
    }
    storage
}

/// Volumes are named by position: claims may hold dots, volume names may not.
fn volumes(request: &CreateSpace) -> Value {
    request
        .volumes
        .iter()
        .enumerate()
        .map(|(index, volume)| {
            json!({"name": format!("volume-{}", index + 1), "persistentVolumeClaimName": volume.claim,
                "mountPath": volume.mount_path})
        })
        .collect()
}

pub fn env(env: &[EnvVar]) -> Value {
    env.iter().map(|v| json!({"name": v.name, "value": v.value})).collect()
}

/// Timeout of a rule that states none, in minutes.
pub const DEFAULT_IDLE_MINUTES: i64 = 60;

/// The block is all or nothing upstream: `detection` and a timeout are required even when it is off.
pub fn idle_shutdown(idle: &IdleRequest, detection: Option<&Value>) -> Value {
    json!({
        "enabled": idle.enabled,
        "idleTimeoutInMinutes": idle.timeout_minutes.unwrap_or(DEFAULT_IDLE_MINUTES),
        "detection": detection.cloned().unwrap_or_else(default_detection),
    })
}

/// Idle endpoint of SageMaker Distribution images (Spaces user guide, "Customization").
fn default_detection() -> Value {
    json!({"httpGet": {"port": 8888, "path": "/api/idle", "scheme": "HTTP"}})
}

/// Whether the image is known to answer `/api/idle`.
pub fn has_idle_endpoint(image: &str) -> bool {
    image
        .rsplit('/')
        .next()
        .is_some_and(|name| name.split([':', '@']).next() == Some("sagemaker-distribution"))
}

#[cfg(test)]
mod tests {
    use super::super::create::VolumeRequest;
    use super::super::sample::create;
    use super::*;
    use crate::space::Accelerator;

    #[test]
    fn a_full_request_becomes_the_object_of_the_reference() {
        let mut request = create();
        request.volumes = vec![VolumeRequest { claim: "fsx.data".into(), mount_path: "/fsx".into() }];
        request.env = vec![EnvVar { name: "A".into(), value: "1".into() }];
        request.idle = Some(IdleRequest { enabled: true, timeout_minutes: Some(30) });
        let resources = request.resources.as_mut().expect("the sample states resources");
        resources.accelerator = Some(Accelerator { resource: "nvidia.com/mig-1g.5gb".into(), count: 1 });
        resources.instance_type = Some("ml.p4d.24xlarge".into());
        let amounts = json!({"cpu": "4", "memory": "16Gi", "nvidia.com/mig-1g.5gb": "1"});
        assert_eq!(
            to_manifest(&request, None),
            json!({
                "apiVersion": "workspace.jupyter.org/v1alpha1", "kind": "Workspace",
                "metadata": {"name": "lab", "namespace": "hyperpod-ns-team-a", "labels": {
                    "kueue.x-k8s.io/queue-name": "hyperpod-ns-team-a-localqueue",
                    "kueue.x-k8s.io/priority-class": "interactive-priority"}},
                "spec": {
                    "displayName": "Lab", "desiredStatus": "Running",
                    "templateRef": {"name": "sagemaker-jupyter-template", "namespace": "jupyter-k8s-system"},
                    "image": "public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu",
                    "ownershipType": "OwnerOnly", "accessType": "OwnerOnly",
                    "resources": {"requests": amounts, "limits": amounts},
                    "nodeSelector": {"node.kubernetes.io/instance-type": "ml.p4d.24xlarge"},
                    "storage": {"size": "20Gi"},
                    "volumes": [{"name": "volume-1", "persistentVolumeClaimName": "fsx.data", "mountPath": "/fsx"}],
                    "env": [{"name": "A", "value": "1"}],
                    "idleShutdown": {"enabled": true, "idleTimeoutInMinutes": 30, "detection":
                        {"httpGet": {"port": 8888, "path": "/api/idle", "scheme": "HTTP"}}}
                }
            })
        );
    }

    #[test]
    fn what_is_not_stated_is_left_to_the_template() {
        let request = CreateSpace {
            name: "x".into(),
            namespace: "n".into(),
            display_name: "X".into(),
            ..CreateSpace::default()
        };
        let manifest = to_manifest(&request, None);
        assert_eq!(manifest["spec"], json!({"displayName": "X", "desiredStatus": "Running"}));
        assert_eq!(manifest["metadata"], json!({"name": "x", "namespace": "n"}));
    }

    #[test]
    fn a_templates_own_detection_is_kept() {
        let detection = json!({"httpGet": {"port": 9, "path": "/x"}});
        let idle = IdleRequest { enabled: true, timeout_minutes: None };
        let block = idle_shutdown(&idle, Some(&detection));
        assert_eq!(block["detection"], detection);
        assert_eq!(block["idleTimeoutInMinutes"], DEFAULT_IDLE_MINUTES);
    }

    #[test]
    fn only_the_distribution_is_known_to_tell_when_it_is_idle() {
        assert!(has_idle_endpoint("public.ecr.aws/sagemaker/sagemaker-distribution:latest-gpu"));
        assert!(has_idle_endpoint("sagemaker-distribution@sha256:ab"));
        assert!(!has_idle_endpoint("quay.io/jupyter/minimal-notebook"));
    }
}
