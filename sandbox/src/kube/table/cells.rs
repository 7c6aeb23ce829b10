//! Cells that take more than a pointer, by kind.

use serde_json::{Value, json};

pub fn or_none(text: Option<&str>) -> Value {
    json!(text.filter(|text| !text.is_empty()).unwrap_or("<none>"))
}

pub fn or_unknown(text: Option<&str>) -> Value {
    json!(text.filter(|text| !text.is_empty()).unwrap_or("<unknown>"))
}

pub(super) fn items(list: &Value) -> impl Iterator<Item = &Value> {
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
