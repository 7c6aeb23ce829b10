//! From create to delete, without anything going wrong.

use super::*;
use crate::kube::DeleteOptions;

#[tokio::test]
async fn a_space_starts_and_says_so() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("lab", json!({}));
    let space = cluster.until_running("lab").await;
    assert_eq!(space["status"]["deploymentName"], "workspace-lab");
    assert_eq!(space["status"]["serviceName"], "workspace-lab-service");
    assert_eq!(space["status"]["accessStartupProbeSucceeded"], true);
    assert_eq!(space["status"]["accessResources"].as_array().unwrap().len(), 2);
    assert!(space["status"]["accessURL"].is_null(), "the shipped strategy has no template for it");
    let pod = cluster.until_pod("lab", "ready", |pod| fields::condition_is_true(pod, "Ready")).await;
    assert_eq!(pod["status"]["phase"], "Running");
    assert_eq!(
        pod["status"]["containerStatuses"].as_array().unwrap().len(),
        2,
        "with the remote-access sidecar"
    );
    for reason in
        ["Scheduled", "Pulling", "Pulled", "Created", "Started", "SuccessfulAttachVolume", "WorkspaceRunning"]
    {
        cluster.until_event(reason).await;
    }
    let env = pod["spec"]["containers"][0]["env"].as_array().unwrap();
    assert!(env.contains(&json!({"name": "WORKSPACE_CREATOR_USERNAME", "value": "ds-a1"})));
    assert!(env.contains(&json!({"name": "JUPYTER_BASE_URL", "value": format!("/workspaces/{NS}/lab/")})));
}

#[tokio::test]
async fn a_running_space_restarts_when_its_spec_changes() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    let before = fields::uid(&cluster.pods("lab")[0]).to_owned();
    let patch = json!({"spec": {"env": [{"name": "A", "value": "1"}]}});
    cluster.person("ds-a1").patch("workspaces", NS, "lab", patch).unwrap();
    let after = cluster
        .until_pod("lab", "another, ready", |pod| {
            fields::uid(pod) != before && fields::condition_is_true(pod, "Ready")
        })
        .await;
    let env = after["spec"]["containers"][0]["env"].as_array().unwrap();
    assert!(env.contains(&json!({"name": "A", "value": "1"})));
    cluster.until_running("lab").await;
}

#[tokio::test]
async fn a_new_spec_does_not_help_a_space_that_is_stuck_starting() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let big = json!({"resources": {"requests": {"cpu": "64", "memory": "8Gi"}}});
    cluster.space("lab", big);
    cluster.until_event("FailedScheduling").await;
    let small = json!({"spec": {"resources": {"requests": {"cpu": "1"}}}});
    cluster.person("ds-a1").patch("workspaces", NS, "lab", small).unwrap();
    cluster.running.settle().await;
    assert_eq!(cluster.pods("lab")[0]["spec"]["containers"][0]["resources"]["requests"]["cpu"], "64");
    cluster.set_status("lab", "Stopped");
    cluster.until_condition("lab", "Stopped", "True", "AllResourcesStopped").await;
    cluster.set_status("lab", "Running");
    cluster.until_running("lab").await;
}

#[tokio::test]
async fn an_idle_space_is_stopped_and_says_why() {
    let options = |options: &mut ClusterOptions| options.idle_check = Duration::from_millis(10);
    let cluster = TestCluster::start_with(vec![group("cpu", 1, 1)], options).await;
    // The CRD asks for a minute at least; an older object may hold less, and zero makes every Space idle.
    let idle = json!({"idleShutdown": {
        "enabled": true, "idleTimeoutInMinutes": 1,
        "detection": {"httpGet": {"port": 8888, "path": "/api/idle"}},
    }});
    cluster.space("lab", idle.clone());
    cluster.until_running("lab").await;
    age_availability(&cluster, "lab");
    cluster.until_condition("lab", "Stopped", "True", "AllResourcesStopped").await;
    assert_eq!(
        cluster.until_event("IdleShutdown").await,
        "Stopping workspace due to idle timeout of 1 minutes"
    );
}

/// Makes the Space look as if it had become available two hours ago.
fn age_availability(cluster: &TestCluster, space: &str) {
    let space = cluster.get("workspaces", space).unwrap();
    let mut aged = Value::clone(&space);
    let long_ago = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(2);
    for condition in aged["status"]["conditions"].as_array_mut().unwrap() {
        condition["lastTransitionTime"] = json!(long_ago.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    }
    cluster.api.update_status("workspaces", NS, aged).unwrap();
}

#[tokio::test]
async fn a_template_in_use_hangs_in_deletion_until_its_last_space_is_gone() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.create(
        "workspacetemplates",
        json!({
            "apiVersion": API_VERSION, "kind": "WorkspaceTemplate", "metadata": {"name": "mine", "namespace": NS},
            "spec": {
                "displayName": "Mine", "defaultImage": "image:1", "appType": "jupyterlab",
                "defaultResources": {"requests": {"memory": "8Gi"}},
            },
        }),
    );
    cluster.space("lab", json!({"templateRef": {"name": "mine"}}));
    cluster.until_running("lab").await;
    cluster.api.delete("workspacetemplates", NS, "mine", DeleteOptions::default()).unwrap();
    cluster.until_event("TemplateInUse").await;
    assert!(cluster.get("workspacetemplates", "mine").is_some());
    cluster.person("ds-a1").delete("workspaces", NS, "lab", DeleteOptions::default()).unwrap();
    cluster
        .until("the template is gone", || cluster.get("workspacetemplates", "mine").is_none().then_some(()))
        .await;
}

#[tokio::test]
async fn after_a_restart_of_the_sandbox_spaces_go_on() {
    let groups = vec![group("cpu", 1, 1)];
    let cluster = TestCluster::start(groups.clone()).await;
    cluster.space("running", json!({}));
    cluster.space("stopped", json!({"desiredStatus": "Stopped"}));
    cluster.space("hold-image-x", json!({}));
    cluster.until_running("running").await;
    cluster.until_condition("stopped", "Stopped", "True", "AllResourcesStopped").await;
    let before = cluster.pods("running")[0].clone();
    let cluster = cluster.restart(groups).await;
    cluster.running.settle().await;
    let after = cluster.pods("running")[0].clone();
    assert_eq!(fields::uid(&before), fields::uid(&after));
    assert_eq!(after["status"], before["status"], "nothing of it was written again");
    cluster.set_status("stopped", "Running");
    cluster.until_running("stopped").await;
    cluster.set_status("running", "Stopped");
    cluster.until_condition("running", "Stopped", "True", "AllResourcesStopped").await;
}

#[tokio::test]
async fn a_settled_cluster_writes_nothing() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    for name in ["a", "b", "c"] {
        cluster.space(name, json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}}));
        cluster.until_running(name).await;
    }
    cluster.running.settle().await;
    let mut changes = cluster.api.subscribe();
    cluster.running.settle().await;
    assert!(changes.try_recv().is_err(), "no change without a cause");
}
#[tokio::test]
async fn a_deleted_space_takes_everything_with_it() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    let claim = cluster.get("persistentvolumeclaims", "workspace-lab-pvc").unwrap();
    let volume = fields::text(&claim["spec"]["volumeName"]).to_owned();
    let folder = volumes(cluster.dir.path()).join(&volume);
    std::fs::create_dir_all(&folder).unwrap();
    cluster.person("ds-a1").delete("workspaces", NS, "lab", DeleteOptions::default()).unwrap();
    cluster
        .until("all gone", || {
            let gone = cluster.get("workspaces", "lab").is_none()
                && cluster.pods("lab").is_empty()
                && cluster.get("deployments", "workspace-lab").is_none()
                && cluster.get("persistentvolumeclaims", "workspace-lab-pvc").is_none()
                && cluster.api.get("persistentvolumes", "", &volume).is_none();
            gone.then_some(())
        })
        .await;
    cluster.running.settle().await;
    assert!(!folder.exists(), "the data is gone with the volume");
}

#[tokio::test]
async fn a_stopped_space_keeps_its_volume_and_starts_on_it_again() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    let volume =
        cluster.get("persistentvolumeclaims", "workspace-lab-pvc").unwrap()["spec"]["volumeName"].clone();
    cluster.set_status("lab", "Stopped");
    let space = cluster.until_condition("lab", "Stopped", "True", "AllResourcesStopped").await;
    assert!(space["status"]["deploymentName"].is_null());
    cluster.until("no pod left", || cluster.pods("lab").is_empty().then_some(())).await;
    assert!(cluster.get("services", "workspace-lab-service").is_none());
    let claim = cluster.get("persistentvolumeclaims", "workspace-lab-pvc").unwrap();
    assert_eq!(claim["status"]["phase"], "Bound");
    cluster.set_status("lab", "Running");
    cluster.until_running("lab").await;
    let claim = cluster.get("persistentvolumeclaims", "workspace-lab-pvc").unwrap();
    assert_eq!(claim["spec"]["volumeName"], volume);
}
