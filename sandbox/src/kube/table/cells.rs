//! Cells that take more than a pointer, by kind.

use super::age;
use jiff::Timestamp;
use serde_json::{Value, json};

pub fn or_none(text: Option<&str>) -> Value {
    json!(text.filter(|text| !text.is_empty()).unwrap_or("<none>"))
}

pub fn or_unknown(text: Option<&str>) -> Value {
    json!(text.filter(|text| !text.is_empty()).unwrap_or("<unknown>"))
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn joined<'v>(texts: impl Iterator<Item = &'v str>) -> String {
    texts.collect::<Vec<_>>().join(",")
}

fn pairs(map: &Value) -> String {
    let pairs = map.as_object().into_iter().flatten();
    let mut pairs: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    pairs.sort();
    pairs.join(",")
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn entries(map: &Value) -> usize {
    map.as_object().map_or(0, serde_json::Map::len)
}

// ---- nodes ----

pub fn node_status(node: &Value) -> Value {
    let ready = items(&node["status"]["conditions"]).find(|condition| condition["type"] == "Ready");
    let mut shown = match ready.map(|condition| &condition["status"]) {
        Some(status) if status == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if node["spec"]["unschedulable"] == true {
        shown.push_str(",SchedulingDisabled");
    }
    json!(shown)
}

pub fn node_roles(node: &Value) -> Value {
    let labels = node["metadata"]["labels"].as_object().into_iter().flatten();
    let mut roles: Vec<&str> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None => value.as_str().filter(|_| key == "kubernetes.io/role"),
        })
        .filter(|role| !role.is_empty())
        .collect();
    roles.sort_unstable();
    or_none(Some(&roles.join(",")))
}

fn node_address(node: &Value, wanted: &str) -> Value {
    or_none(
        items(&node["status"]["addresses"]).find(|a| a["type"] == wanted).and_then(|a| a["address"].as_str()),
    )
}

pub fn node_internal(node: &Value) -> Value {
    node_address(node, "InternalIP")
}

pub fn node_external(node: &Value) -> Value {
    node_address(node, "ExternalIP")
}

pub fn node_version(node: &Value) -> Value {
    json!(node["status"]["nodeInfo"]["kubeletVersion"].as_str().unwrap_or_default())
}

pub fn node_os(node: &Value) -> Value {
    or_unknown(node["status"]["nodeInfo"]["osImage"].as_str())
}

pub fn node_kernel(node: &Value) -> Value {
    or_unknown(node["status"]["nodeInfo"]["kernelVersion"].as_str())
}

pub fn node_runtime(node: &Value) -> Value {
    or_unknown(node["status"]["nodeInfo"]["containerRuntimeVersion"].as_str())
}

// ---- workloads ----

pub fn deployment_ready(object: &Value) -> Value {
    json!(format!("{}/{}", number(&object["status"]["readyReplicas"]), number(&object["spec"]["replicas"])))
}

pub fn deployment_updated(object: &Value) -> Value {
    json!(number(&object["status"]["updatedReplicas"]))
}

pub fn deployment_available(object: &Value) -> Value {
    json!(number(&object["status"]["availableReplicas"]))
}

pub fn replicas_wanted(object: &Value) -> Value {
    json!(number(&object["spec"]["replicas"]))
}

pub fn replicas_there(object: &Value) -> Value {
    json!(number(&object["status"]["replicas"]))
}

pub fn replicas_ready(object: &Value) -> Value {
    json!(number(&object["status"]["readyReplicas"]))
}

pub fn template_containers(object: &Value) -> Value {
    json!(joined(items(&object["spec"]["template"]["spec"]["containers"]).filter_map(|c| c["name"].as_str())))
}

pub fn template_images(object: &Value) -> Value {
    json!(joined(
        items(&object["spec"]["template"]["spec"]["containers"]).filter_map(|c| c["image"].as_str())
    ))
}

pub fn match_labels(object: &Value) -> Value {
    or_none(Some(&pairs(&object["spec"]["selector"]["matchLabels"])))
}

// ---- services, volumes ----

pub fn service_addresses(service: &Value) -> Value {
    let ingress = items(&service["status"]["loadBalancer"]["ingress"]);
    let outside = ingress.filter_map(|i| i["ip"].as_str().or_else(|| i["hostname"].as_str()));
    let given = items(&service["spec"]["externalIPs"]).filter_map(Value::as_str);
    or_none(Some(&joined(outside.chain(given))))
}

pub fn service_ports(service: &Value) -> Value {
    let shown: Vec<String> = items(&service["spec"]["ports"])
        .map(|port| {
            let node = port["nodePort"].as_i64().map_or(String::new(), |node| format!(":{node}"));
            format!("{}{node}/{}", number(&port["port"]), port["protocol"].as_str().unwrap_or("TCP"))
        })
        .collect();
    or_none(Some(&shown.join(",")))
}

pub fn service_selector(service: &Value) -> Value {
    or_none(Some(&pairs(&service["spec"]["selector"])))
}

pub fn service_ip(service: &Value) -> Value {
    or_none(service["spec"]["clusterIP"].as_str())
}

pub fn claim_status(claim: &Value) -> Value {
    if claim["metadata"]["deletionTimestamp"].is_string() {
        return json!("Terminating");
    }
    json!(claim["status"]["phase"].as_str().unwrap_or_default())
}

/// Size and modes are shown once the claim is bound.
pub fn claim_capacity(claim: &Value) -> Value {
    let bound = claim["spec"]["volumeName"].as_str().is_some_and(|name| !name.is_empty());
    json!(if bound { claim["status"]["capacity"]["storage"].as_str().unwrap_or_default() } else { "" })
}

pub fn claim_modes(claim: &Value) -> Value {
    let bound = claim["spec"]["volumeName"].as_str().is_some_and(|name| !name.is_empty());
    if bound { short_modes(&claim["status"]["accessModes"]) } else { json!("") }
}

pub fn volume_modes(volume: &Value) -> Value {
    short_modes(&volume["spec"]["accessModes"])
}

fn short_modes(modes: &Value) -> Value {
    json!(joined(items(modes).filter_map(|mode| match mode.as_str()? {
        "ReadWriteOnce" => Some("RWO"),
        "ReadOnlyMany" => Some("ROX"),
        "ReadWriteMany" => Some("RWX"),
        "ReadWriteOncePod" => Some("RWOP"),
        _ => None,
    })))
}

pub fn volume_claim(volume: &Value) -> Value {
    let claim = &volume["spec"]["claimRef"];
    match (claim["namespace"].as_str(), claim["name"].as_str()) {
        (Some(namespace), Some(name)) => json!(format!("{namespace}/{name}")),
        _ => json!(""),
    }
}

pub fn unset(_: &Value) -> Value {
    json!("<unset>")
}

pub fn storage_class(object: &Value) -> Value {
    json!(object["spec"]["storageClassName"].as_str().unwrap_or_default())
}

/// kubectl marks the default class in its name.
pub fn class_name(class: &Value) -> Value {
    let name = class["metadata"]["name"].as_str().unwrap_or_default();
    let default = class["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] == "true";
    json!(if default { format!("{name} (default)") } else { name.to_owned() })
}

pub fn expandable(class: &Value) -> Value {
    json!(class["allowVolumeExpansion"].as_bool().unwrap_or_default())
}

// ---- the rest ----

pub fn data_count(object: &Value) -> Value {
    json!(entries(&object["data"]) + entries(&object["binaryData"]))
}

pub fn is_global_default(class: &Value) -> Value {
    json!(class["globalDefault"].as_bool().unwrap_or_default())
}

pub fn holder(lease: &Value) -> Value {
    json!(lease["spec"]["holderIdentity"].as_str().unwrap_or_default())
}

fn quota_part(quota: &Value, limits: bool) -> Value {
    let hard = quota["status"]["hard"].as_object().into_iter().flatten();
    let mut shown: Vec<String> = hard
        .filter(|(resource, _)| resource.starts_with("limits.") == limits)
        .map(|(resource, hard)| {
            let used = quota["status"]["used"][resource].as_str().unwrap_or("0");
            format!("{resource}: {used}/{}", hard.as_str().unwrap_or_default())
        })
        .collect();
    shown.sort();
    json!(shown.join(", "))
}

pub fn quota_requests(quota: &Value) -> Value {
    quota_part(quota, false)
}

pub fn quota_limits(quota: &Value) -> Value {
    quota_part(quota, true)
}

pub fn bound_role(binding: &Value) -> Value {
    let role = &binding["roleRef"];
    json!(format!(
        "{}/{}",
        role["kind"].as_str().unwrap_or_default(),
        role["name"].as_str().unwrap_or_default()
    ))
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let named = items(&binding["subjects"]).filter(|subject| subject["kind"] == kind);
    let names: Vec<String> = named
        .map(|subject| {
            let name = subject["name"].as_str().unwrap_or_default();
            subject["namespace"].as_str().map_or(name.to_owned(), |namespace| format!("{namespace}/{name}"))
        })
        .collect();
    json!(names.join(", "))
}

pub fn bound_users(binding: &Value) -> Value {
    subjects(binding, "User")
}

pub fn bound_groups(binding: &Value) -> Value {
    subjects(binding, "Group")
}

pub fn bound_accounts(binding: &Value) -> Value {
    subjects(binding, "ServiceAccount")
}

// ---- events ----

pub fn event_last_seen(event: &Value) -> Value {
    let times = [&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]];
    ago(times.iter().find_map(|time| time.as_str()))
}

pub fn event_first_seen(event: &Value) -> Value {
    ago(event["firstTimestamp"].as_str().or_else(|| event["eventTime"].as_str()))
}

fn ago(time: Option<&str>) -> Value {
    json!(age::since(time, Timestamp::now()))
}

pub fn event_object(event: &Value) -> Value {
    let object = &event["involvedObject"];
    let (kind, name) =
        (object["kind"].as_str().unwrap_or_default(), object["name"].as_str().unwrap_or_default());
    json!(if name.is_empty() { kind.to_lowercase() } else { format!("{}/{name}", kind.to_lowercase()) })
}

pub fn event_source(event: &Value) -> Value {
    let source = &event["source"];
    let component =
        source["component"].as_str().or_else(|| event["reportingComponent"].as_str()).unwrap_or_default();
    json!(source["host"].as_str().map_or(component.to_owned(), |host| format!("{component}, {host}")))
}

pub fn event_message(event: &Value) -> Value {
    json!(event["message"].as_str().unwrap_or_default().trim())
}

pub fn event_count(event: &Value) -> Value {
    let count = event["series"]["count"].as_i64().or_else(|| event["count"].as_i64());
    json!(count.filter(|count| *count > 0).unwrap_or(1))
}

pub fn event_field(event: &Value) -> Value {
    json!(event["involvedObject"]["fieldPath"].as_str().unwrap_or_default())
}
