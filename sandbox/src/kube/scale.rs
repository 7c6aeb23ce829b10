//! The `scale` subresource: replicas of a workload as an `autoscaling/v1` Scale.

use super::object;
use serde_json::{Value, json};

/// The scale of a workload.
pub fn of(workload: &Value) -> Value {
    let mut scale = json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {},
        "spec": {},
        "status": {
            "replicas": workload["status"]["replicas"].as_i64().unwrap_or(0),
            "selector": selector(&workload["spec"]["selector"]),
        },
    });
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        object::keep_meta(&mut scale, workload, field);
    }
    if let Some(replicas) = workload["spec"]["replicas"].as_i64().filter(|replicas| *replicas != 0) {
        scale["spec"]["replicas"] = json!(replicas);
    }
    scale
}

/// The workload with the replicas (and the version, as a condition) of a changed scale.
pub fn apply(workload: &Value, scale: &Value) -> Value {
    let mut changed = workload.clone();
    changed["spec"]["replicas"] = json!(scale["spec"]["replicas"].as_i64().unwrap_or(0));
    object::keep_meta(&mut changed, scale, "resourceVersion");
    changed
}

fn selector(selector: &Value) -> String {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let pairs: Vec<String> =
        labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_replicas_are_left_out_as_upstream_does() {
        let workload = json!({"metadata": {"name": "d"}, "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}}});
        let scale = of(&workload);
        assert_eq!((&scale["spec"], &scale["status"]["selector"]), (&json!({}), &json!("a=b")));
        let more = json!({"metadata": {}, "spec": {"replicas": 3}});
        assert_eq!(apply(&workload, &more)["spec"]["replicas"], 3);
    }
}
