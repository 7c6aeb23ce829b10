//! Defaults of the other built-in kinds, each as its API package sets them.

use super::pods;
use crate::kube::Core;
use crate::kube::kinds;
use crate::kube::object;
use data_encoding::BASE64;
use serde_json::{Map, Value, json};

/// The taint of a node that is not ready.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";

const NODE_INFO: &[&str] = &[
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
];

/// Entries of a list, without making one where there is none.
fn items<'v>(object: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    object.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

fn template(object: &mut Value) {
    if let Some(spec) = object.pointer_mut("/spec/template/spec") {
        pods::spec(spec);
    }
}

fn default(object: &mut Value, name: &str, value: Value) {
    if object.is_null() {
        *object = json!({});
    }
    if let Some(fields) = object.as_object_mut()
        && fields.get(name).is_none_or(Value::is_null)
    {
        fields.insert(name.to_owned(), value);
    }
}

pub(super) fn apply(plural: &str, object: &mut Value) {
    match plural {
        "pods" => pods::pod(object),
        "namespaces" => namespace(object),
        "secrets" => secret(object),
        "services" => service(object),
        "persistentvolumeclaims" => default(&mut object["spec"], "volumeMode", json!("Filesystem")),
        "persistentvolumes" => {
            default(&mut object["spec"], "volumeMode", json!("Filesystem"));
            default(&mut object["spec"], "persistentVolumeReclaimPolicy", json!("Retain"));
        }
        "deployments" => deployment(object),
        "nodes" => node(object),
        "replicasets" | "statefulsets" => {
            default(&mut object["spec"], "replicas", json!(1));
            template(object);
        }
        "priorityclasses" => default(object, "preemptionPolicy", json!("PreemptLowerPriority")),
        "storageclasses" => {
            default(object, "reclaimPolicy", json!("Delete"));
            default(object, "volumeBindingMode", json!("Immediate"));
        }
        "rolebindings" | "clusterrolebindings" => binding(object),
        _ => {}
    }
}

fn namespace(object: &mut Value) {
    let name = object::name(object).to_owned();
    let metadata = object::meta_mut(object);
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    labels["kubernetes.io/metadata.name"] = json!(name);
}

fn node(object: &mut Value) {
    default(object, "status", json!({}));
    let status = &mut object["status"];
    default(status, "daemonEndpoints", json!({"kubeletEndpoint": {"Port": 0}}));
    default(status, "nodeInfo", json!({}));
    for name in NODE_INFO {
        default(&mut status["nodeInfo"], name, json!(""));
    }
    for condition in items(status, "conditions") {
        for field in ["lastHeartbeatTime", "lastTransitionTime"] {
            if let Some(fields) = condition.as_object_mut() {
                fields.entry(field).or_insert(Value::Null);
            }
        }
    }
}

fn secret(object: &mut Value) {
    default(object, "type", json!("Opaque"));
    let Some(Value::Object(plain)) = object.as_object_mut().and_then(|fields| fields.remove("stringData"))
    else {
        return;
    };
    default(object, "data", json!({}));
    for (key, value) in plain {
        object["data"][key] = json!(BASE64.encode(value.as_str().unwrap_or_default().as_bytes()));
    }
}

fn service(object: &mut Value) {
    let spec = &mut object["spec"];
    default(spec, "type", json!("ClusterIP"));
    default(spec, "sessionAffinity", json!("None"));
    if spec["type"] != json!("ExternalName") {
        default(spec, "internalTrafficPolicy", json!("Cluster"));
    }
    for port in items(spec, "ports") {
        let number = port["port"].clone();
        default(port, "protocol", json!("TCP"));
        default(port, "targetPort", number);
    }
}

fn deployment(object: &mut Value) {
    let spec = &mut object["spec"];
    default(spec, "replicas", json!(1));
    default(spec, "revisionHistoryLimit", json!(10));
    default(spec, "progressDeadlineSeconds", json!(600));
    default(spec, "strategy", json!({}));
    default(&mut spec["strategy"], "type", json!("RollingUpdate"));
    if spec["strategy"]["type"] == json!("RollingUpdate") {
        default(&mut spec["strategy"], "rollingUpdate", json!({}));
        for name in ["maxUnavailable", "maxSurge"] {
            default(&mut spec["strategy"]["rollingUpdate"], name, json!("25%"));
        }
    }
    template(object);
}

fn binding(object: &mut Value) {
    default(&mut object["roleRef"], "apiGroup", json!("rbac.authorization.k8s.io"));
    for subject in items(object, "subjects") {
        let group = if subject["kind"] == json!("ServiceAccount") { "" } else { "rbac.authorization.k8s.io" };
        if !group.is_empty() {
            default(subject, "apiGroup", json!(group));
        }
    }
}

/// What only a new object gets: status, addresses, protection.
pub(super) fn admit(core: &Core, plural: &str, object: &mut Value) {
    match plural {
        "namespaces" => {
            object["spec"] = json!({"finalizers": ["kubernetes"]});
        }
        "persistentvolumeclaims" => {
            protect(object, "kubernetes.io/pvc-protection");
            default_class(core, object);
        }
        "persistentvolumes" => protect(object, "kubernetes.io/pv-protection"),
        "services" => address(core, &mut object["spec"]),
        "nodes" => {
            // Until the node's controller sees it ready (admission plug-in TaintNodesByCondition).
            default(&mut object["spec"], "taints", json!([]));
            let taints = object["spec"]["taints"].as_array_mut().into_iter();
            taints.for_each(|taints| taints.push(json!({"key": NOT_READY, "effect": "NoSchedule"})));
        }
        _ => {}
    }
}

fn protect(object: &mut Value, finalizer: &str) {
    let mut finalizers = object::finalizers(object);
    if !finalizers.contains(&finalizer) {
        finalizers.push(finalizer);
        let finalizers = json!(finalizers);
        object::set_meta(object, "finalizers", finalizers);
    }
}

/// A claim that names no class gets the default one, if there is one.
fn default_class(core: &Core, claim: &mut Value) {
    if claim["spec"].get("storageClassName").is_some_and(|class| !class.is_null()) {
        return;
    }
    let classes = kinds::by_plural("storageclasses").expect("storage classes are always served");
    let is_default = |class: &Value| {
        class["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] == json!("true")
    };
    if let Some(class) = core.store.list(classes, None).iter().find(|class| is_default(class)) {
        claim["spec"]["storageClassName"] = json!(object::name(class));
    }
}

fn address(core: &Core, spec: &mut Value) {
    if spec["type"] == json!("ExternalName") {
        return;
    }
    default(spec, "clusterIP", json!(core.next_service_address()));
    let address = spec["clusterIP"].clone();
    default(spec, "clusterIPs", json!([address]));
    default(spec, "ipFamilies", json!(["IPv4"]));
    default(spec, "ipFamilyPolicy", json!("SingleStack"));
}

/// The status of a new object; clients do not set it.
pub(super) fn initial_status(plural: &str, object: &mut Value) {
    let status = match plural {
        "pods" => return pods::initial_status(object),
        "namespaces" => json!({"phase": "Active"}),
        "services" => json!({"loadBalancer": {}}),
        "persistentvolumeclaims" => json!({"phase": "Pending"}),
        "persistentvolumes" => json!({"phase": "Pending"}),
        "deployments" | "resourcequotas" | "daemonsets" | "jobs" => json!({}),
        "replicasets" | "statefulsets" => json!({"replicas": 0}),
        // A node's kubelet creates it with its status; the rest keep what they are given.
        _ => return,
    };
    object["status"] = status;
}

/// Drops empty maps that Go leaves out, so that the same object always reads the same.
pub(super) fn tidy(object: &mut Value, names: &[&str]) {
    if let Some(fields) = object.as_object_mut() {
        for name in names {
            if fields.get(*name).and_then(Value::as_object).is_some_and(Map::is_empty) {
                fields.remove(*name);
            }
        }
    }
}
