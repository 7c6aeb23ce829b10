//! Nodes, zones, slots and new nodes.

use super::*;

fn gpu_group(initial: usize, max: usize) -> InstanceGroup {
    InstanceGroup {
        instance_type: "ml.g5.12xlarge".into(),
        accelerators: [("nvidia.com/gpu".to_owned(), 4)].into(),
        taints: vec![json!({"key": "nvidia.com/gpu", "effect": "NoSchedule"})],
        ..group("gpu", initial, max)
    }
}

fn gpu_space() -> Value {
    let amounts = json!({"cpu": "2", "memory": "8Gi", "nvidia.com/gpu": "1"});
    json!({
        "resources": {"requests": amounts, "limits": amounts},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    })
}

#[tokio::test]
async fn the_scheduler_says_for_each_node_what_is_wrong() {
    let cluster = TestCluster::start(vec![group("cpu", 2, 2), gpu_group(1, 1)]).await;
    let amounts = json!({"cpu": "2", "memory": "8Gi", "nvidia.com/gpu": "1"});
    cluster.space("lab", json!({"resources": {"requests": amounts, "limits": amounts}}));
    let message = cluster.until_event("FailedScheduling").await;
    assert_eq!(
        message,
        "0/3 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: }, 2 Insufficient nvidia.com/gpu. \
         preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    );
    let pod = cluster
        .until_pod("lab", "unschedulable", |pod| {
            fields::condition(pod, "PodScheduled").is_some_and(|c| c["reason"] == "Unschedulable")
        })
        .await;
    assert_eq!(fields::condition(&pod, "PodScheduled").unwrap()["message"], message.as_str());
}

#[tokio::test]
async fn a_group_that_can_grow_brings_a_node_for_the_pod() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1), gpu_group(0, 2)]).await;
    assert_eq!(cluster.api.list("nodes", None).len(), 1);
    cluster.space("lab", gpu_space());
    cluster.until_running("lab").await;
    assert!(cluster.messages("FailedScheduling").len() == 1, "it was unschedulable first");
    assert!(cluster.messages("Nominated")[0].contains("nodeclaim/gpu-0"));
    assert_eq!(cluster.api.list("nodes", None).len(), 2);
}

#[tokio::test]
async fn one_new_node_serves_several_waiting_pods() {
    let cluster = TestCluster::start_with(vec![gpu_group(0, 3)], |options| options.pace.set(0.01)).await;
    for name in ["a", "b", "c"] {
        cluster.space(name, gpu_space());
    }
    for name in ["a", "b", "c"] {
        cluster.until_running(name).await;
    }
    assert_eq!(cluster.api.list("nodes", None).len(), 1);
}

#[tokio::test]
async fn a_volume_ties_its_space_to_a_zone() {
    let zones =
        |zone: &str| InstanceGroup { zones: vec![zone.to_owned()], ..group(&format!("cpu-{zone}"), 1, 1) };
    let cluster = TestCluster::start(vec![zones("us-west-2a"), zones("us-west-2b")]).await;
    cluster.space("lab", json!({"nodeSelector": {"topology.kubernetes.io/zone": "us-west-2b"}}));
    cluster.until_running("lab").await;
    cluster.set_status("lab", "Stopped");
    cluster.until_condition("lab", "Stopped", "True", "AllResourcesStopped").await;
    let elsewhere = json!({"spec": {
        "nodeSelector": {"topology.kubernetes.io/zone": "us-west-2a"}, "desiredStatus": "Running",
    }});
    cluster.person("ds-a1").patch("workspaces", NS, "lab", elsewhere).unwrap();
    let message = cluster.until_event("FailedScheduling").await;
    assert!(message.contains("1 node(s) had volume node affinity conflict"), "{message}");
    assert!(message.contains("1 node(s) didn't match Pod's node affinity/selector"), "{message}");
}

#[tokio::test]
async fn a_node_full_of_volumes_takes_no_more_of_them() {
    let few = InstanceGroup { volume_slots: 1, ..group("cpu", 1, 1) };
    let cluster = TestCluster::start(vec![few]).await;
    let small = json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}});
    cluster.space("first", small.clone());
    cluster.until_running("first").await;
    cluster.space("second", small);
    let message = cluster.until_event("FailedScheduling").await;
    assert!(message.contains("1 node(s) exceed max volume count"), "{message}");
}

#[tokio::test]
async fn a_claim_that_does_not_exist_is_named() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let volumes = json!([{"name": "data", "persistentVolumeClaimName": "gone", "mountPath": "/data"}]);
    cluster.space("lab", json!({"volumes": volumes}));
    assert_eq!(
        cluster.until_event("FailedScheduling").await,
        "0/1 nodes are available: persistentvolumeclaim \"gone\" not found. preemption: 0/1 nodes are available: 1 \
         Preemption is not helpful for scheduling."
    );
}

#[tokio::test]
async fn an_image_is_pulled_once_a_node() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let small = json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}});
    cluster.space("first", small.clone());
    cluster.until_running("first").await;
    cluster.space("second", small);
    cluster.until_running("second").await;
    let pulled = cluster.messages("Pulled");
    let present = pulled.iter().filter(|message| message.contains("already present on machine")).count();
    assert_eq!(present, 3, "init, application and sidecar of the second: {pulled:?}");
}
#[tokio::test]
async fn a_freed_node_takes_the_pod_that_waited() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let most = json!({"resources": {"requests": {"cpu": "12", "memory": "8Gi"}}});
    cluster.space("first", most.clone());
    cluster.until_running("first").await;
    cluster.space("second", most);
    let message = cluster.until_event("FailedScheduling").await;
    assert!(message.contains("1 Insufficient cpu"), "{message}");
    cluster.set_status("first", "Stopped");
    cluster.until_running("second").await;
}
