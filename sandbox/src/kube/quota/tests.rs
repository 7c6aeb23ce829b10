//! Charges of single objects.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

fn of(plural: &str) -> &'static Kind {
    kinds::by_plural(plural).unwrap()
}

#[test]
fn a_pod_counts_its_containers_together_and_its_largest_init_container() {
    let resources =
        |cpu: &str| json!({"resources": {"requests": {"cpu": cpu}, "limits": {"nvidia.com/gpu": "1"}}});
    let pod = json!({"spec": {
        "containers": [resources("500m"), resources("500m")],
        "initContainers": [resources("2")],
    }});
    let charge = charge(of("pods"), &pod);
    assert_eq!(charge.get("requests.cpu"), Quantity::from_units(2));
    assert_eq!(charge.get("pods"), Quantity::from_units(1));
    assert_eq!(charge.get("count/pods"), Quantity::from_units(1));
}

#[test]
fn a_pod_that_ended_only_counts_as_an_object() {
    let charge = charge(of("pods"), &json!({"status": {"phase": "Succeeded"}}));
    assert_eq!(charge.names().collect::<Vec<_>>(), ["count/pods"]);
}

#[test]
fn custom_resources_count_by_their_qualified_name() {
    let charge = charge(of("workspaces"), &json!({}));
    assert_eq!(charge.names().collect::<Vec<_>>(), ["count/workspaces.workspace.jupyter.org"]);
}
