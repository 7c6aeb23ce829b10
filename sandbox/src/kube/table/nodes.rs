//! Cells of nodes.

use super::cells::{items, or_none, or_unknown};
use serde_json::{Value, json};

pub fn status(node: &Value) -> Value {
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

pub fn roles(node: &Value) -> Value {
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

fn address(node: &Value, wanted: &str) -> Value {
    or_none(
        items(&node["status"]["addresses"]).find(|a| a["type"] == wanted).and_then(|a| a["address"].as_str()),
    )
}

pub fn internal(node: &Value) -> Value {
    address(node, "InternalIP")
}

pub fn external(node: &Value) -> Value {
    address(node, "ExternalIP")
}

pub fn version(node: &Value) -> Value {
    json!(node["status"]["nodeInfo"]["kubeletVersion"].as_str().unwrap_or_default())
}

pub fn os(node: &Value) -> Value {
    or_unknown(node["status"]["nodeInfo"]["osImage"].as_str())
}

pub fn kernel(node: &Value) -> Value {
    or_unknown(node["status"]["nodeInfo"]["kernelVersion"].as_str())
}

pub fn runtime(node: &Value) -> Value {
    or_unknown(node["status"]["nodeInfo"]["containerRuntimeVersion"].as_str())
}
