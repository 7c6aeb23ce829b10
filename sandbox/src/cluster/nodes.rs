//! Instance groups of the HyperPod cluster and the Node objects they bring.

use super::fields;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

pub const LABEL_INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
pub const LABEL_GROUP: &str = "sagemaker.amazonaws.com/instance-group-name";
pub const LABEL_ZONE: &str = "topology.kubernetes.io/zone";
/// The driver whose volumes take the slots of a node.
pub const EBS_DRIVER: &str = "ebs.csi.aws.com";

/// One instance group: what a node of it offers, and how many there may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstanceGroup {
    pub name: String,
    /// `ml.m5.4xlarge`.
    pub instance_type: String,
    /// Nodes take turns in these zones.
    pub zones: Vec<String>,
    /// Nodes that exist from the start.
    pub initial: usize,
    /// The group grows up to this when a pod needs a node.
    pub max: usize,
    pub vcpus: i64,
    pub memory_gib: i64,
    /// Extended resources: `nvidia.com/gpu`, `nvidia.com/mig-1g.5gb` …
    pub accelerators: BTreeMap<String, i64>,
    pub pod_slots: i64,
    /// EBS volumes that can be attached.
    pub volume_slots: i64,
    pub labels: BTreeMap<String, String>,
    /// `{key, value, effect}` each.
    pub taints: Vec<Value>,
}

impl InstanceGroup {
    pub fn zone_of(&self, index: usize) -> &str {
        match self.zones.len() {
            0 => "us-west-2a",
            count => &self.zones[index % count],
        }
    }

    /// Name of the node with this number: `hyperpod-i-0123456789abcdef0`, the same each time.
    pub fn node_name(&self, cluster: &str, index: usize) -> String {
        let digest = Sha256::digest(format!("{cluster}/{}/{index}", self.name));
        format!("hyperpod-i-0{}", &data_encoding::HEXLOWER.encode(&digest)[..16])
    }

    /// The Node object, Ready.
    pub fn node(&self, cluster: &str, index: usize) -> Value {
        let name = self.node_name(cluster, index);
        let zone = self.zone_of(index);
        let mut labels: BTreeMap<String, String> = [
            ("beta.kubernetes.io/instance-type", self.instance_type.as_str()),
            (LABEL_INSTANCE_TYPE, &self.instance_type),
            ("kubernetes.io/arch", "amd64"),
            ("kubernetes.io/os", "linux"),
            ("kubernetes.io/hostname", &name),
            (LABEL_ZONE, zone),
            ("topology.kubernetes.io/region", zone.trim_end_matches(|c: char| c.is_ascii_lowercase())),
            ("sagemaker.amazonaws.com/compute-type", "hyperpod"),
            ("sagemaker.amazonaws.com/cluster-name", cluster),
            (LABEL_GROUP, &self.name),
            ("sagemaker.amazonaws.com/node-health-status", "Schedulable"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
        labels.extend(self.labels.clone());
        let mut spec =
            json!({"providerID": format!("aws:///{zone}/sagemaker/cluster/{}", &name["hyperpod-".len()..])});
        if !self.taints.is_empty() {
            spec["taints"] = json!(self.taints);
        }
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "spec": spec,
            "status": {
                "capacity": self.resources(0, 0),
                "allocatable": self.resources(reserved_cpu_millis(self.vcpus), reserved_memory_mib(self.memory_gib)),
                "conditions": ready_conditions(),
                "nodeInfo": {
                    "architecture": "amd64", "operatingSystem": "linux", "kubeletVersion": "v1.34.2-eks-1",
                    "containerRuntimeVersion": "containerd://2.1.4", "osImage": "Amazon Linux 2023",
                    "kernelVersion": "6.12.40", "bootID": "", "machineID": "", "systemUUID": "",
                    "kubeProxyVersion": "",
                },
            },
        })
    }

    /// What tells the scheduler how many volumes fit on the node.
    pub fn csi_node(&self, cluster: &str, index: usize) -> Value {
        let name = self.node_name(cluster, index);
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name},
            "spec": {"drivers": [{
                "name": EBS_DRIVER, "nodeID": &name["hyperpod-".len()..],
                "topologyKeys": [LABEL_ZONE], "allocatable": {"count": self.volume_slots},
            }]},
        })
    }

    fn resources(&self, reserved_cpu: i64, reserved_memory: i64) -> Value {
        let mut resources = Map::new();
        let cpu = self.vcpus * 1000 - reserved_cpu;
        resources.insert("cpu".into(), json!(spaceport_shared::quantity::format_cpu(cpu)));
        let memory_kib = (self.memory_gib * 1024 - reserved_memory) * 1024;
        resources.insert("memory".into(), json!(format!("{memory_kib}Ki")));
        resources.insert("ephemeral-storage".into(), json!("500Gi"));
        resources.insert("pods".into(), json!(self.pod_slots.to_string()));
        for (resource, count) in &self.accelerators {
            resources.insert(resource.clone(), json!(count.to_string()));
        }
        Value::Object(resources)
    }
}

/// What kubelet and system keep, as the HyperPod CLI estimates it: 0.1 cores, 0.3 of the first, 0.15 of the second,
/// 0.1 each of the third and fourth, 0.06 of each further one.
fn reserved_cpu_millis(vcpus: i64) -> i64 {
    let steps = [300, 150, 100, 100];
    let first: i64 = steps.iter().take(usize::try_from(vcpus).unwrap_or(0)).sum();
    100 + first + 60 * (vcpus - 4).max(0)
}

/// 0.5 GiB, 30 % of the first 4 GiB, 25 % of the next 4, 20 % of the next 8, 10 % of the next 112, 2 % beyond.
fn reserved_memory_mib(gib: i64) -> i64 {
    let mut rest = gib * 1024;
    let mut reserved = 512;
    for (step_gib, percent) in [(4, 30), (4, 25), (8, 20), (112, 10), (i64::MAX / 2048, 2)] {
        let step = rest.min(step_gib * 1024);
        reserved += step * percent / 100;
        rest -= step;
    }
    reserved
}

fn ready_conditions() -> Value {
    let now = fields::now();
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": now, "lastTransitionTime": now,
        })
    };
    json!([
        condition(
            "MemoryPressure",
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available"
        ),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> InstanceGroup {
        InstanceGroup {
            name: "cpu".into(),
            instance_type: "ml.m5.xlarge".into(),
            zones: vec!["us-west-2a".into(), "us-west-2b".into()],
            vcpus: 4,
            memory_gib: 16,
            pod_slots: 58,
            volume_slots: 25,
            ..InstanceGroup::default()
        }
    }

    #[test]
    fn a_node_offers_less_than_the_instance_has() {
        let node = group().node("sandbox", 1);
        assert_eq!(node["status"]["capacity"]["cpu"], "4");
        assert_eq!(node["status"]["allocatable"]["cpu"], "3250m");
        assert_eq!(node["metadata"]["labels"][LABEL_ZONE], "us-west-2b");
        assert_eq!(node["metadata"]["labels"]["topology.kubernetes.io/region"], "us-west-2");
    }

    #[test]
    fn node_names_are_stable_and_differ_by_cluster_and_number() {
        let group = group();
        assert_eq!(group.node_name("a", 0), group.node_name("a", 0));
        assert_ne!(group.node_name("a", 0), group.node_name("a", 1));
        assert_ne!(group.node_name("a", 0), group.node_name("b", 0));
    }
}
