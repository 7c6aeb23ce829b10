//! What a pod asks of a node.

use crate::cluster::fields::{entries, items, quantity};
use serde_json::Value;
use spaceport_shared::quantity::Quantity;
use std::collections::BTreeMap;

/// Amounts by resource name.
pub type Resources = BTreeMap<String, Quantity>;

/// Requests of a pod as the scheduler counts them: the sum over containers, or the largest init container where that
/// is more. A limit without a request counts as one.
pub fn of_pod(pod: &Value) -> Resources {
    let mut total = Resources::new();
    for container in items(&pod["spec"]["containers"]) {
        for (resource, amount) in of_container(container) {
            let sum = total.entry(resource).or_insert(Quantity::ZERO);
            *sum = sum.saturating_add(amount);
        }
    }
    for container in items(&pod["spec"]["initContainers"]) {
        for (resource, amount) in of_container(container) {
            let most = total.entry(resource).or_insert(Quantity::ZERO);
            *most = (*most).max(amount);
        }
    }
    total
}

fn of_container(container: &Value) -> Resources {
    let read = |side: &str| -> Resources {
        entries(&container["resources"][side])
            .filter_map(|(resource, amount)| Some((resource.clone(), quantity(amount)?)))
            .collect()
    };
    let mut requests = read("limits");
    requests.extend(read("requests"));
    requests
}

/// Names of the claims a pod mounts.
pub fn claims(pod: &Value) -> impl Iterator<Item = &str> {
    items(&pod["spec"]["volumes"])
        .iter()
        .filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn containers_add_up_and_init_containers_do_not() {
        let pod = json!({"spec": {
            "containers": [
                {"resources": {"requests": {"cpu": "2", "memory": "8Gi"}}},
                {"resources": {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"cpu": "500m"}}},
            ],
            "initContainers": [{"resources": {"requests": {"cpu": "3"}}}],
        }});
        let total = of_pod(&pod);
        assert_eq!(total["cpu"], Quantity::from_units(3));
        assert_eq!(total["memory"], Quantity::from_units(9 << 30));
    }

    #[test]
    fn a_limit_alone_is_a_request() {
        let pod = json!({"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]}});
        assert_eq!(of_pod(&pod)["nvidia.com/gpu"], Quantity::from_units(1));
    }
}
