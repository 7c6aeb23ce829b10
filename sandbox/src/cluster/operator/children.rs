//! What a Space consists of: Deployment, Service and volume claim, as plain functions of the Space and its strategy.

use crate::cluster::fields::{self, is_unset, items, name, namespace, spelled, text, uid};
use crate::cluster::gotemplate::Context;
use crate::cluster::names::{self, API_VERSION, LABEL_COMPONENT, LABEL_SPACE, MAIN_CONTAINER, MAIN_PORT};
use crate::cluster::sentinel::{self, HOLD_FINALIZER, Sentinel};
use serde_json::{Map, Value, json};

const STORAGE: &str = "workspace-storage";
const STORAGE_SIZE: &str = "10Gi";
const STORAGE_MOUNT: &str = "/home/jovyan";
/// Fields of the Space that become fields of the pod.
const POD_FIELDS: [(&str, &str); 5] = [
    ("serviceAccountName", "serviceAccountName"),
    ("podSecurityContext", "securityContext"),
    ("nodeSelector", "nodeSelector"),
    ("affinity", "affinity"),
    ("tolerations", "tolerations"),
];
const CONTAINER_FIELDS: [(&str, &str); 3] = [
    ("lifecycle", "lifecycle"),
    ("readinessProbe", "readinessProbe"),
    ("containerSecurityContext", "securityContext"),
];

/// The triple that selects a Space's pods.
fn selector(space: &Value) -> Value {
    json!({"app": "jupyter", LABEL_SPACE: name(space), LABEL_COMPONENT: "workspace"})
}

/// The Space's own labels, and the triple over them.
fn labels(space: &Value) -> Value {
    let mut labels = space["metadata"]["labels"].as_object().cloned().unwrap_or_default();
    labels.extend(selector(space).as_object().cloned().unwrap_or_default());
    Value::Object(labels)
}

fn metadata(space: &Value, child: &str) -> Value {
    json!({
        "name": child, "namespace": namespace(space), "labels": labels(space),
        "ownerReferences": [{
            "apiVersion": API_VERSION, "kind": "Workspace", "name": name(space), "uid": uid(space),
            "controller": true, "blockOwnerDeletion": true,
        }],
    })
}

/// # Errors
/// What the strategy's templates got wrong.
pub fn deployment(space: &Value, strategy: Option<&Value>) -> Result<Value, String> {
    let annotations = &space["metadata"]["annotations"];
    let mut metadata = metadata(space, &names::deployment(name(space)));
    metadata["annotations"] = annotations.clone();
    if sentinel::of_space(name(space)) == Some(Sentinel::HoldStop) {
        metadata["finalizers"] = json!([HOLD_FINALIZER]);
    }
    Ok(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
        "spec": {
            "replicas": 1, "strategy": {"type": "Recreate"}, "selector": {"matchLabels": selector(space)},
            "template": {
                "metadata": {"labels": labels(space), "annotations": annotations},
                "spec": pod_spec(space, strategy)?,
            },
        },
    }))
}

fn pod_spec(space: &Value, strategy: Option<&Value>) -> Result<Value, String> {
    let spec = &space["spec"];
    let mut pod = json!({"containers": [container(space)]});
    for (from, to) in POD_FIELDS {
        if !is_unset(&spec[from]) {
            pod[to] = spec[from].clone();
        }
    }
    if !is_unset(&spec["initContainers"]) {
        pod["initContainers"] = spec["initContainers"].clone();
    }
    let mut volumes = Vec::new();
    if spec["storage"].is_object() {
        let claim = names::claim(name(space));
        volumes.push(json!({"name": STORAGE, "persistentVolumeClaim": {"claimName": claim}}));
    }
    for volume in items(&spec["volumes"]) {
        let claim = &volume["persistentVolumeClaimName"];
        volumes.push(json!({"name": volume["name"], "persistentVolumeClaim": {"claimName": claim}}));
    }
    if !volumes.is_empty() {
        pod["volumes"] = Value::Array(volumes);
    }
    if let Some(strategy) = strategy {
        modify(&mut pod, space, strategy)?;
    }
    Ok(pod)
}

fn container(space: &Value) -> Value {
    let spec = &space["spec"];
    let resources = if is_unset(&spec["resources"]) {
        json!({"requests": {"cpu": "100m", "memory": "128Mi"}})
    } else {
        spec["resources"].clone()
    };
    let mut container = json!({
        "name": MAIN_CONTAINER, "image": text(&spec["image"]), "resources": resources,
        "ports": [{"name": "http", "containerPort": MAIN_PORT, "protocol": "TCP"}],
    });
    for field in ["command", "args"] {
        if !is_unset(&spec["containerConfig"][field]) {
            container[field] = spec["containerConfig"][field].clone();
        }
    }
    for (from, to) in CONTAINER_FIELDS {
        if !is_unset(&spec[from]) {
            container[to] = spec[from].clone();
        }
    }
    if !is_unset(&spec["env"]) {
        container["env"] = spec["env"].clone();
    }
    let mut mounts = Vec::new();
    if spec["storage"].is_object() {
        let path = Some(text(&spec["storage"]["mountPath"])).filter(|path| !path.is_empty());
        mounts.push(json!({"name": STORAGE, "mountPath": path.unwrap_or(STORAGE_MOUNT)}));
    }
    for volume in items(&spec["volumes"]) {
        mounts.push(json!({"name": volume["name"], "mountPath": volume["mountPath"]}));
    }
    if !mounts.is_empty() {
        container["volumeMounts"] = Value::Array(mounts);
    }
    container
}

/// What the access strategy adds to the pod; its variables replace the Space's of the same name.
fn modify(pod: &mut Value, space: &Value, strategy: &Value) -> Result<(), String> {
    let changes = &strategy["spec"]["deploymentModifications"]["podModifications"];
    let service = names::service(name(space));
    let context = Context { space, strategy, service: &service };
    for (from, to) in
        [("volumes", "volumes"), ("initContainers", "initContainers"), ("additionalContainers", "containers")]
    {
        append(pod, to, items(&changes[from]));
    }
    let primary = &changes["primaryContainerModifications"];
    let main = &mut pod["containers"][0];
    append(main, "volumeMounts", items(&primary["volumeMounts"]));
    for variable in items(&primary["mergeEnv"]) {
        let value = context.render(text(&variable["valueTemplate"]))?;
        let mut env = items(&main["env"]).to_vec();
        env.retain(|own| own["name"] != variable["name"]);
        env.push(json!({"name": variable["name"], "value": value}));
        main["env"] = Value::Array(env);
    }
    Ok(())
}

fn append(object: &mut Value, field: &str, more: &[Value]) {
    if !more.is_empty() {
        let mut all = items(&object[field]).to_vec();
        all.extend_from_slice(more);
        object[field] = Value::Array(all);
    }
}

pub fn service(space: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": metadata(space, &names::service(name(space))),
        "spec": {
            "type": "ClusterIP", "selector": selector(space),
            "ports": [{"name": "http", "port": MAIN_PORT, "targetPort": MAIN_PORT, "protocol": "TCP"}],
        },
    })
}

/// The primary volume; `None` for a Space without storage.
pub fn claim(space: &Value) -> Option<Value> {
    let storage = &space["spec"]["storage"];
    if !storage.is_object() {
        return None;
    }
    let mut metadata = metadata(space, &names::claim(name(space)));
    metadata["labels"] = selector(space);
    if sentinel::of_space(name(space)) == Some(Sentinel::HoldDelete) {
        metadata["finalizers"] = json!([HOLD_FINALIZER]);
    }
    let mut spec = json!({
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size(storage)}},
    });
    if !is_unset(&storage["storageClassName"]) {
        spec["storageClassName"] = storage["storageClassName"].clone();
    }
    Some(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}))
}

pub fn size(storage: &Value) -> String {
    if is_unset(&storage["size"]) { STORAGE_SIZE.to_owned() } else { spelled(&storage["size"]) }
}

/// Access objects by reference: the kinds themselves (Traefik's) are not served here.
pub fn access_resources(space: &Value, strategy: &Value) -> Value {
    items(&strategy["spec"]["accessResourceTemplates"])
        .iter()
        .map(|template| {
            json!({
                "kind": template["kind"], "apiVersion": template["apiVersion"],
                "name": format!("{}-{}", text(&template["namePrefix"]), name(space)),
                "namespace": namespace(space),
            })
        })
        .collect()
}

/// Must the stored Deployment be updated? The server adds defaults to what was asked, so what is stored must contain
/// what is wanted, and optional parts that are no longer wanted must not be there.
pub fn differs(stored: &Value, wanted: &Value) -> bool {
    let (is, want) = (&stored["spec"]["template"], &wanted["spec"]["template"]);
    for field in ["labels", "annotations"] {
        if entries(&is["metadata"][field]) != entries(&want["metadata"][field]) {
            return true;
        }
    }
    let optional = |of: &Value, fields: &[&str]| -> Vec<bool> {
        fields.iter().map(|field| is_unset(&of[*field])).collect()
    };
    let pod = ["nodeSelector", "affinity", "tolerations", "initContainers", "volumes", "securityContext"];
    let container =
        ["env", "command", "args", "lifecycle", "readinessProbe", "volumeMounts", "securityContext"];
    let (is_main, want_main) = (&is["spec"]["containers"][0], &want["spec"]["containers"][0]);
    optional(&is["spec"], &pod) != optional(&want["spec"], &pod)
        || optional(is_main, &container) != optional(want_main, &container)
        || entries(&is_main["resources"]["limits"]) != entries(&want_main["resources"]["limits"])
        || entries(&is["spec"]["nodeSelector"]) != entries(&want["spec"]["nodeSelector"])
        || !contains(&is["spec"], &want["spec"])
}

fn entries(map: &Value) -> Map<String, Value> {
    map.as_object().cloned().unwrap_or_default()
}

/// Is everything of `part` in `whole`? Lists must have the same length; quantities are compared by value.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|found| contains(found, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(w, p)| contains(w, p))
        }
        _ => {
            whole == part
                || matches!((fields::quantity(whole), fields::quantity(part)), (Some(w), Some(p)) if w == p)
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn space(spec: Value) -> Value {
        json!({
            "metadata": {
                "name": "lab", "namespace": "ns", "uid": "u",
                "labels": {"kueue.x-k8s.io/queue-name": "q"}, "annotations": {"a": "1"},
            },
            "spec": spec,
        })
    }

    #[test]
    fn labels_and_annotations_reach_the_pod() {
        let deployment = deployment(&space(json!({"image": "i"})), None).unwrap();
        let pod = &deployment["spec"]["template"];
        assert_eq!(pod["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "q");
        assert_eq!(pod["metadata"]["labels"][LABEL_SPACE], "lab");
        assert_eq!(pod["metadata"]["annotations"]["a"], "1");
        assert!(pod["spec"]["volumes"].is_null(), "no storage, no volume");
        assert_eq!(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "100m");
    }

    #[test]
    fn the_strategy_brings_its_sidecar_and_wins_over_own_variables() {
        let changes = json!({
            "additionalContainers": [{"name": "side"}], "volumes": [{"name": "base"}],
            "primaryContainerModifications": {
                "mergeEnv": [{"name": "WORKSPACE_NAME", "valueTemplate": "{{ .Workspace.Name }}"}],
            },
        });
        let strategy = json!({"spec": {"deploymentModifications": {"podModifications": changes}}});
        let own = space(json!({
            "image": "i", "storage": {"size": "1Gi"}, "env": [{"name": "WORKSPACE_NAME", "value": "fake"}],
        }));
        let deployment = deployment(&own, Some(&strategy)).unwrap();
        let pod = &deployment["spec"]["template"]["spec"];
        assert_eq!(pod["containers"][1]["name"], "side");
        assert_eq!(pod["containers"][0]["env"], json!([{"name": "WORKSPACE_NAME", "value": "lab"}]));
        assert_eq!(pod["volumes"].as_array().unwrap().len(), 2);
        assert_eq!(pod["containers"][0]["volumeMounts"][0]["mountPath"], STORAGE_MOUNT);
    }

    #[test]
    fn defaults_of_the_server_are_no_difference_and_changes_are() {
        let wanted = deployment(&space(json!({"image": "i", "nodeSelector": {"a": "b"}})), None).unwrap();
        let mut stored = wanted.clone();
        stored["spec"]["template"]["spec"]["restartPolicy"] = json!("Always");
        stored["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = json!("IfNotPresent");
        assert!(!differs(&stored, &wanted));
        let image = deployment(&space(json!({"image": "j", "nodeSelector": {"a": "b"}})), None).unwrap();
        assert!(differs(&stored, &image));
        let unselected = deployment(&space(json!({"image": "i"})), None).unwrap();
        assert!(differs(&stored, &unselected), "a removed part is a difference");
        let mut annotated = wanted.clone();
        annotated["spec"]["template"]["metadata"]["annotations"]["a"] = json!("2");
        assert!(differs(&stored, &annotated));
    }

    #[test]
    fn a_broken_template_of_the_strategy_is_reported() {
        let merge = json!([{"name": "A", "valueTemplate": "{{ nonsense . }}"}]);
        let strategy = json!({"spec": {"deploymentModifications": {"podModifications": {
            "primaryContainerModifications": {"mergeEnv": merge},
        }}}});
        assert!(deployment(&space(json!({})), Some(&strategy)).is_err());
    }
}
