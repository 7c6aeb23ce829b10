//! Instance groups of the clusters: types, zones, accelerators, slots and taints (EC2's figures).

use super::scale;
use crate::cluster::InstanceGroup;
use crate::landscape::{ClusterFacts, SANDBOX};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// vCPUs, GiB, pod slots and volume slots of the instance types used here.
fn sized(instance_type: &str) -> InstanceGroup {
    let (vcpus, memory_gib, pod_slots, volume_slots) = match instance_type {
        "ml.m5.xlarge" => (4, 16, 58, 25),
        "ml.m5.2xlarge" => (8, 32, 58, 25),
        "ml.m5.4xlarge" => (16, 64, 234, 25),
        "ml.g5.xlarge" => (4, 16, 14, 25),
        "ml.g5.12xlarge" => (48, 192, 234, 20),
        _ => (96, 1152, 250, 18),
    };
    InstanceGroup {
        name: instance_type.trim_start_matches("ml.").replace('.', "-"),
        instance_type: instance_type.to_owned(),
        vcpus,
        memory_gib,
        pod_slots,
        volume_slots,
        ..InstanceGroup::default()
    }
}

/// `ml.m5.2xlarge` as group `m5-2xlarge`, `initial` nodes of at most `max`.
fn group(facts: &ClusterFacts, instance_type: &str, initial: usize, max: usize) -> InstanceGroup {
    let zones = facts.zones.map(str::to_owned).to_vec();
    InstanceGroup { zones, initial, max, ..sized(instance_type) }
}

fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn accelerators(pairs: &[(&str, i64)]) -> BTreeMap<String, i64> {
    pairs.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect()
}

/// Keeps Spaces without GPU off the expensive nodes.
fn gpu_taint() -> Value {
    json!({"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"})
}

/// The groups of a cluster. `initial` of them exist before any pod asks.
pub fn groups(facts: &ClusterFacts) -> Vec<InstanceGroup> {
    if facts.name != SANDBOX.name {
        return vec![group(facts, "ml.m5.2xlarge", 2, 4)];
    }
    let a10g = |instance_type, initial, max, gpus| InstanceGroup {
        accelerators: accelerators(&[("nvidia.com/gpu", gpus)]),
        labels: labels(&[("nvidia.com/gpu.product", "NVIDIA-A10G")]),
        taints: vec![gpu_taint()],
        ..group(facts, instance_type, initial, max)
    };
    vec![
        group(facts, "ml.m5.xlarge", 2, 2),
        group(facts, "ml.m5.2xlarge", 4, 12),
        a10g("ml.g5.xlarge", 1, 4, 1),
        a10g("ml.g5.12xlarge", 1, 2, 4),
        // Eight A100: four whole, four cut into slices.
        InstanceGroup {
            zones: vec![facts.zones[0].to_owned()],
            accelerators: accelerators(&[
                ("nvidia.com/gpu", 4),
                ("nvidia.com/mig-1g.5gb", 14),
                ("nvidia.com/mig-3g.20gb", 4),
                ("vpc.amazonaws.com/efa", 4),
            ]),
            labels: labels(&[
                ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB"),
                ("nvidia.com/mig.config", "mixed-4-all-disabled-2-all-1g.5gb-2-all-3g.20gb"),
                ("nvidia.com/mig.config.state", "success"),
            ]),
            taints: vec![gpu_taint()],
            ..group(facts, "ml.p4d.24xlarge", 1, 1)
        },
    ]
}

/// For the running ones of many Spaces: enough nodes of one big type, each with 25 volume slots.
pub fn groups_for(facts: &ClusterFacts, spaces: usize) -> Vec<InstanceGroup> {
    let nodes = scale::running(spaces).div_ceil(20).max(1);
    vec![group(facts, "ml.m5.4xlarge", nodes, nodes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_names_are_distinct_and_fit_sagemaker() {
        let groups = groups(&SANDBOX);
        let mut names: Vec<_> = groups.iter().map(|group| group.name.clone()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), groups.len());
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')));
    }

    #[test]
    fn a_node_offers_less_than_its_capacity_and_gpus_are_tainted() {
        for group in groups(&SANDBOX) {
            let node = group.node("sandbox", 0);
            assert_ne!(node["status"]["capacity"]["cpu"], node["status"]["allocatable"]["cpu"]);
            assert_eq!(group.accelerators.is_empty(), group.taints.is_empty(), "{}", group.name);
        }
    }
}
