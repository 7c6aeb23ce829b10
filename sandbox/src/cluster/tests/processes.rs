//! The kubelet and the runtime: what stands behind a container, and what survives it.

use super::*;
use crate::kube::hooks::LogOptions;
use crate::runtime::{Runtime, RuntimeChoice, RuntimeOptions, RuntimeState};

/// A runtime that installs and starts nothing.
fn simulated(dir: &Path) -> Runtime {
    Runtime::new(RuntimeOptions::new(RuntimeChoice::Simulated, dir.join("runtime"), |_| None)).unwrap()
}

async fn start(dir: &TempDir) -> (TestCluster, Runtime) {
    let runtime = simulated(dir.path());
    let shared = runtime.clone();
    let cluster =
        TestCluster::start_with(vec![group("cpu", 1, 1)], |options| options.runtime = Some(shared)).await;
    (cluster, runtime)
}

#[tokio::test]
async fn a_process_lives_as_long_as_its_container() {
    let dir = tempfile::tempdir().unwrap();
    let (cluster, runtime) = start(&dir).await;
    let space = cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    assert!(matches!(runtime.state(fields::uid(&space)), RuntimeState::Simulated { .. }));
    cluster.set_status("lab", "Stopped");
    cluster.until("no pod left", || cluster.pods("lab").is_empty().then_some(())).await;
    assert_eq!(runtime.state(fields::uid(&space)), RuntimeState::Stopped);
    cluster.set_status("lab", "Running");
    cluster.until_running("lab").await;
    assert!(matches!(runtime.state(fields::uid(&space)), RuntimeState::Simulated { .. }));
}

#[tokio::test]
async fn a_seeded_space_runs_without_a_process_until_somebody_connects() {
    let dir = tempfile::tempdir().unwrap();
    let (cluster, runtime) = start(&dir).await;
    cluster.running.begin_seed().await;
    let seeded = cluster.space("seeded", json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}}));
    cluster.running.end_seed(0.0).await;
    assert!(fields::condition_is_true(&cluster.get("workspaces", "seeded").unwrap(), "Available"));
    assert!(
        matches!(runtime.state(fields::uid(&seeded)), RuntimeState::Ready { .. }),
        "asleep, and reachable"
    );
    assert!(runtime.log(fields::uid(&seeded)).tail(1).is_empty(), "nothing was started");
    assert!(cluster.messages("Scheduled").is_empty(), "a seed's ordinary events are long gone");
    let own = cluster.space("own", json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}}));
    cluster.until_running("own").await;
    assert!(!runtime.log(fields::uid(&own)).tail(1).is_empty());
}

#[tokio::test]
async fn a_container_whose_process_died_with_the_sandbox_is_restarted() {
    let dir = tempfile::tempdir().unwrap();
    let (cluster, runtime) = start(&dir).await;
    cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    cluster.running.settle().await;
    let pod = cluster.pods("lab")[0].clone();
    let mut real = Value::clone(&pod);
    let id = real["status"]["containerStatuses"][0]["containerID"].as_str().unwrap().to_owned();
    real["status"]["containerStatuses"][0]["containerID"] = json!(id.replace("containerd://", "process://"));
    cluster.api.update_status("pods", NS, real).unwrap();
    runtime.shutdown().await;
    let runtime = simulated(dir.path());
    let groups = vec![group("cpu", 1, 1)];
    let cluster = cluster.restart_with(groups, |options| options.runtime = Some(runtime)).await;
    let restarted = cluster
        .until_pod("lab", "restarted and ready", |pod| {
            let container = &pod["status"]["containerStatuses"][0];
            container["restartCount"] == 1 && container["ready"] == true
        })
        .await;
    assert_eq!(fields::uid(&restarted), fields::uid(&pod), "the same pod");
    let last = &restarted["status"]["containerStatuses"][0]["lastState"]["terminated"];
    assert_eq!((&last["reason"], &last["exitCode"]), (&json!("Error"), &json!(137)));
    cluster.until_running("lab").await;
}

#[tokio::test]
async fn logs_come_from_the_process_and_follow_it() {
    let dir = tempfile::tempdir().unwrap();
    let (cluster, runtime) = start(&dir).await;
    let space = cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    let pod = cluster.until_pod("lab", "ready", |pod| fields::condition_is_true(pod, "Ready")).await;
    let mut options =
        ClusterOptions::new("sandbox", volumes(dir.path()), ConnectionTokens::generate().unwrap());
    options.runtime = Some(runtime.clone());
    let logs = Cluster::new(cluster.server.clone(), options).hooks().pod_logs.unwrap();
    let follow = LogOptions { follow: true, tail_lines: Some(0), ..LogOptions::default() };
    let mut lines = logs.open(&pod, "workspace", &follow).unwrap();
    runtime.log(fields::uid(&space)).push("a new line");
    let line = tokio::time::timeout(DEADLINE, lines.recv()).await.unwrap();
    assert_eq!(line.as_deref(), Some("a new line"));
}
