//! Rules that bind a pod to kinds of nodes: selectors, node affinity, taints and tolerations.

use crate::cluster::fields::{entries, items, name, text};
use serde_json::Value;

/// Does the node satisfy the pod's nodeSelector and required node affinity?
pub fn selects(pod: &Value, node: &Value) -> bool {
    let labels = &node["metadata"]["labels"];
    let selected = entries(&pod["spec"]["nodeSelector"]).all(|(key, value)| &labels[key.as_str()] == value);
    let required = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    selected && (required.is_null() || matches_terms(required, node))
}

/// Any of the terms; a term without expressions matches nothing.
fn matches_terms(selector: &Value, node: &Value) -> bool {
    items(&selector["nodeSelectorTerms"]).iter().any(|term| {
        let labels = items(&term["matchExpressions"]);
        let by_name = items(&term["matchFields"]);
        (!labels.is_empty() || !by_name.is_empty())
            && labels.iter().all(|rule| {
                let value = node["metadata"]["labels"][text(&rule["key"])].as_str();
                matches_expression(rule, value)
            })
            && by_name.iter().all(|rule| matches_expression(rule, Some(name(node))))
    })
}

fn matches_expression(rule: &Value, value: Option<&str>) -> bool {
    let listed = |value: &str| items(&rule["values"]).iter().any(|v| v == value);
    let number = |text: Option<&str>| text.and_then(|t| t.parse::<i64>().ok());
    let bound = items(&rule["values"]).first().and_then(Value::as_str);
    match text(&rule["operator"]) {
        "In" => value.is_some_and(listed),
        "NotIn" => !value.is_some_and(listed),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => matches!((number(value), number(bound)), (Some(is), Some(than)) if is > than),
        "Lt" => matches!((number(value), number(bound)), (Some(is), Some(than)) if is < than),
        _ => false,
    }
}

/// The first taint that keeps the pod away, as the scheduler prints it: `{key: value}`.
pub fn untolerated_taint(pod: &Value, node: &Value) -> Option<String> {
    let tolerations = items(&pod["spec"]["tolerations"]);
    items(&node["spec"]["taints"])
        .iter()
        .filter(|taint| taint["effect"] == "NoSchedule" || taint["effect"] == "NoExecute")
        .find(|taint| !tolerations.iter().any(|toleration| tolerates(toleration, taint)))
        .map(|taint| format!("{{{}: {}}}", text(&taint["key"]), text(&taint["value"])))
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let (key, effect) = (text(&toleration["key"]), text(&toleration["effect"]));
    let effect_matches = effect.is_empty() || effect == text(&taint["effect"]);
    let matches = match text(&toleration["operator"]) {
        "Exists" => key.is_empty() || key == text(&taint["key"]),
        _ => key == text(&taint["key"]) && text(&toleration["value"]) == text(&taint["value"]),
    };
    effect_matches && matches
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn node(labels: Value, taints: Value) -> Value {
        json!({"metadata": {"name": "n", "labels": labels}, "spec": {"taints": taints}})
    }

    #[test]
    fn selector_and_affinity_must_both_hold() {
        let node = node(json!({"zone": "a", "gpus": "8"}), json!([]));
        let pod = |selector: Value, rules: Value| {
            json!({"spec": {"nodeSelector": selector, "affinity": {"nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": rules}]},
            }}}})
        };
        let more = json!([{"key": "gpus", "operator": "Gt", "values": ["4"]}]);
        assert!(selects(&pod(json!({"zone": "a"}), more.clone()), &node));
        assert!(!selects(&pod(json!({"zone": "b"}), more), &node));
        let absent = json!([{"key": "gpus", "operator": "DoesNotExist"}]);
        assert!(!selects(&pod(json!({}), absent), &node));
        assert!(!selects(&pod(json!({}), json!([])), &node), "an empty term matches nothing");
    }

    #[test]
    fn taints_need_a_toleration_of_their_key_value_and_effect() {
        let gpu = json!([{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]);
        let node = node(json!({}), gpu);
        let pod = |tolerations: Value| json!({"spec": {"tolerations": tolerations}});
        assert_eq!(untolerated_taint(&pod(json!([])), &node).as_deref(), Some("{nvidia.com/gpu: }"));
        assert_eq!(untolerated_taint(&pod(json!([{"operator": "Exists"}])), &node), None);
        let other = json!([{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}]);
        assert!(untolerated_taint(&pod(other), &node).is_some());
        assert_eq!(untolerated_taint(&pod(json!([{"key": "nvidia.com/gpu"}])), &node), None);
    }

    #[test]
    fn a_preference_is_no_obstacle() {
        let node = node(json!({}), json!([{"key": "x", "effect": "PreferNoSchedule"}]));
        assert_eq!(untolerated_taint(&json!({}), &node), None);
    }
}
