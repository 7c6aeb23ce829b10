//! Kueue objects as HyperPod task governance makes them. Stored and served only: no controller reads them yet, and no
//! namespace is governed, so Spaces start without a queue.

use super::hardware;
use crate::cluster::InstanceGroup;
use crate::landscape::{ClusterFacts, NAMESPACE_TEAM_A, NAMESPACE_TEAM_B};
use serde_json::{Value, json};

const API_VERSION: &str = "kueue.x-k8s.io/v1beta2";
const COHORT: &str = "hyperpod-cohort";
/// Class and weight of the cluster policy.
const CLASSES: [(&str, i64); 4] = [("interactive", 100), ("training", 75), ("evaluation", 50), ("batch", 25)];

pub fn objects(facts: &ClusterFacts) -> Vec<(&'static str, Value)> {
    let groups = hardware::groups(facts);
    let mut objects: Vec<_> = CLASSES
        .iter()
        .map(|(class, weight)| ("workloadpriorityclasses", priority_class(class, *weight)))
        .collect();
    objects.extend(groups.iter().map(|group| ("resourceflavors", flavor(group))));
    let teams: Vec<&str> = facts
        .namespaces()
        .iter()
        .copied()
        .filter(|namespace| [NAMESPACE_TEAM_A, NAMESPACE_TEAM_B].contains(namespace))
        .collect();
    for namespace in &teams {
        objects.push(("clusterqueues", cluster_queue(namespace, &groups, teams.len())));
        objects.push(("localqueues", local_queue(namespace)));
    }
    objects
}

fn priority_class(class: &str, weight: i64) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "WorkloadPriorityClass",
        "metadata": {"name": format!("{class}-priority")}, "value": weight,
        "description": format!("Cluster policy: {class}"),
    })
}

fn flavor(group: &InstanceGroup) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "ResourceFlavor", "metadata": {"name": group.instance_type},
        "spec": {"nodeLabels": {
            "node.kubernetes.io/instance-type": group.instance_type,
            "beta.kubernetes.io/instance-type": group.instance_type,
            "sagemaker.amazonaws.com/compute-type": "hyperpod",
        }},
    })
}

/// An equal share of each flavor's raw capacity.
fn cluster_queue(namespace: &str, groups: &[InstanceGroup], teams: usize) -> Value {
    let covered = covered(groups);
    let flavors: Vec<Value> = groups.iter().map(|group| quota(group, &covered, teams)).collect();
    json!({
        "apiVersion": API_VERSION, "kind": "ClusterQueue",
        "metadata": {"name": format!("{namespace}-clusterqueue")},
        "spec": {
            "cohortName": COHORT,
            "queueingStrategy": "BestEffortFIFO",
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "resourceGroups": [{"coveredResources": covered, "flavors": flavors}],
            "preemption": {
                "withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any",
                "borrowWithinCohort": {"policy": "LowerPriority"},
            },
        },
    })
}

/// Every flavor lists every resource, with 0 where the type has none.
fn covered(groups: &[InstanceGroup]) -> Vec<String> {
    let mut resources = vec!["cpu".to_owned(), "memory".to_owned()];
    for name in groups.iter().flat_map(|group| group.accelerators.keys()) {
        if !resources.contains(name) {
            resources.push(name.clone());
        }
    }
    resources
}

fn quota(group: &InstanceGroup, covered: &[String], teams: usize) -> Value {
    let nodes = i64::try_from(group.max).unwrap_or(0);
    let teams = i64::try_from(teams.max(1)).unwrap_or(1);
    let share = |each: i64| each * nodes / teams;
    let resources: Vec<Value> = covered
        .iter()
        .map(|name| {
            let nominal = match name.as_str() {
                "cpu" => share(group.vcpus).to_string(),
                "memory" => format!("{}Gi", share(group.memory_gib)),
                accelerator => share(group.accelerators.get(accelerator).copied().unwrap_or(0)).to_string(),
            };
            json!({"name": name, "nominalQuota": nominal})
        })
        .collect();
    json!({"name": group.instance_type, "resources": resources})
}

fn local_queue(namespace: &str) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "LocalQueue",
        "metadata": {"name": format!("{namespace}-localqueue"), "namespace": namespace},
        "spec": {"clusterQueue": format!("{namespace}-clusterqueue")},
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::SANDBOX;

    #[test]
    fn every_flavor_lists_every_covered_resource() {
        let objects = objects(&SANDBOX);
        let queues: Vec<_> = objects.iter().filter(|(kind, _)| *kind == "clusterqueues").collect();
        assert_eq!(queues.len(), 2);
        for (_, queue) in queues {
            let group = &queue["spec"]["resourceGroups"][0];
            let covered = group["coveredResources"].as_array().map(Vec::len);
            for flavor in group["flavors"].as_array().into_iter().flatten() {
                assert_eq!(flavor["resources"].as_array().map(Vec::len), covered);
            }
        }
    }
}
