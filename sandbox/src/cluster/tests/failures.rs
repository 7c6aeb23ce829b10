//! What goes wrong on demand, and how it shows.

use super::*;

#[tokio::test]
async fn an_image_that_does_not_exist_backs_off() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("fail-image-x", json!({}));
    let pod =
        cluster.until_pod("fail-image-x", "back-off", |pod| waiting_reason(pod) == "ImagePullBackOff").await;
    assert_eq!(pod["status"]["phase"], "Pending");
    assert!(cluster.messages("Failed").iter().any(|message| message.contains("not found")));
    let space = cluster.get("workspaces", "fail-image-x").unwrap();
    assert!(fields::condition_is_true(&space, "Progressing"), "the Space's conditions never tell");
    assert!(!fields::condition_is_true(&space, "Degraded"));
}

#[tokio::test]
async fn a_crashing_container_is_in_crash_loop_back_off() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    for (name, code, reason) in [("fail-crash-x", 1, "Error"), ("fail-oom-x", 137, "OOMKilled")] {
        cluster.space(name, json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}}));
        let pod =
            cluster.until_pod(name, "crash loop", |pod| waiting_reason(pod) == "CrashLoopBackOff").await;
        let container = &pod["status"]["containerStatuses"][0];
        assert_eq!(container["restartCount"], 1);
        assert_eq!(container["lastState"]["terminated"]["exitCode"], code);
        assert_eq!(container["lastState"]["terminated"]["reason"], reason);
    }
}

#[tokio::test]
async fn a_missing_secret_is_a_configuration_error() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let variable = json!({"name": "T", "valueFrom": {"secretKeyRef": {"name": "token", "key": "t"}}});
    cluster.space("lab", json!({"env": [variable]}));
    let pod = cluster
        .until_pod("lab", "config error", |pod| waiting_reason(pod) == "CreateContainerConfigError")
        .await;
    let state = &pod["status"]["containerStatuses"][0]["state"]["waiting"];
    assert_eq!(state["message"], "secret \"token\" not found");
}

#[tokio::test]
async fn volumes_fail_where_they_fail_in_a_real_cluster() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let small = json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}});
    for (name, reason) in [
        ("fail-mount-x", "FailedMount"),
        ("fail-attach-x", "FailedAttachVolume"),
        ("fail-volume-x", "ProvisioningFailed"),
    ] {
        cluster.space(name, small.clone());
        cluster.until_event(reason).await;
    }
    let pod = cluster.until_pod("fail-mount-x", "creating", |pod| !waiting_reason(pod).is_empty()).await;
    assert_eq!(waiting_reason(&pod), "PodInitializing");
    assert_eq!(pod["status"]["initContainerStatuses"][0]["state"]["waiting"]["reason"], "ContainerCreating");
    let claim = cluster.get("persistentvolumeclaims", "workspace-fail-volume-x-pvc").unwrap();
    assert_eq!(claim["status"]["phase"], "Pending");
}

#[tokio::test]
async fn the_access_probe_gives_up_after_its_threshold() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("fail-probe-x", json!({}));
    let space =
        cluster.until_condition("fail-probe-x", "Degraded", "True", "AccessProbeThresholdExceeded").await;
    assert_eq!(space["status"]["accessStartupProbeFailures"], 20);
    assert_eq!(fields::condition(&space, "Available").unwrap()["reason"], "AccessNotReady");
    assert!(cluster.pods("fail-probe-x").iter().any(|pod| fields::condition_is_true(pod, "Ready")));
}

#[tokio::test]
async fn a_refused_deployment_is_a_compute_error_and_nothing_else() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    // A label value of 63 letters is allowed, one of 70 is not; the Space itself may be named so.
    let name = "a".repeat(70);
    cluster.space(&name, json!({}));
    let space = cluster.until_condition(&name, "Degraded", "True", "ComputeError").await;
    assert_eq!(space["status"]["conditions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_name_too_long_for_its_service_is_a_service_error() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let name = "a".repeat(46);
    cluster.space(&name, json!({}));
    cluster.until_condition(&name, "Degraded", "True", "ServiceError").await;
}

#[tokio::test]
async fn held_spaces_stay_where_they_are() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let small = json!({"resources": {"requests": {"cpu": "1", "memory": "8Gi"}}});
    for name in ["hold-stop-x", "hold-delete-x"] {
        cluster.space(name, small.clone());
        cluster.until_running(name).await;
    }
    cluster.space("hold-ready-x", small);
    cluster.until_pod("hold-ready-x", "running", |pod| pod["status"]["phase"] == "Running").await;
    cluster.set_status("hold-stop-x", "Stopped");
    cluster.until_condition("hold-stop-x", "Stopped", "False", "ComputeNotStopped").await;
    cluster.person("ds-a1").delete("workspaces", NS, "hold-delete-x", Default::default()).unwrap();
    cluster.until_condition("hold-delete-x", "Deleting", "True", "DeletionInProgress").await;
    cluster.running.settle().await;
    assert!(cluster.get("workspaces", "hold-delete-x").is_some());
    let starting = cluster.get("workspaces", "hold-ready-x").unwrap();
    assert!(fields::condition_is_true(&starting, "Progressing"));
}
#[tokio::test]
async fn a_quota_denial_shows_on_the_deployment_while_the_space_just_starts() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.create(
        "resourcequotas",
        json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small", "namespace": NS},
            "spec": {"hard": {"requests.cpu": "1"}}, "status": {"hard": {"requests.cpu": "1"}, "used": {"requests.cpu": "0"}},
        }),
    );
    cluster.space("lab", json!({}));
    let deployment = cluster
        .until("replica failure", || {
            cluster
                .get("deployments", "workspace-lab")
                .filter(|deployment| fields::condition_is_true(deployment, "ReplicaFailure"))
        })
        .await;
    let failure = fields::condition(&deployment, "ReplicaFailure").unwrap();
    assert_eq!(failure["reason"], "FailedCreate");
    assert!(fields::text(&failure["message"]).contains("exceeded quota: small"), "{failure}");
    assert!(cluster.pods("lab").is_empty());
    let space = cluster.get("workspaces", "lab").unwrap();
    assert!(!fields::condition_is_true(&space, "Degraded"));
}

#[tokio::test]
async fn a_missing_service_account_shows_as_refused_pod() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("lab", json!({"serviceAccountName": "nobody"}));
    let message = cluster.until_event("FailedCreate").await;
    assert!(message.contains("serviceaccount \"nobody\" not found"), "{message}");
}

#[tokio::test]
async fn a_raised_quota_lets_the_refused_pod_in_at_once() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.create(
        "resourcequotas",
        json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small", "namespace": NS},
            "spec": {"hard": {"requests.cpu": "1"}},
        }),
    );
    cluster.space("lab", json!({}));
    cluster.until_event("FailedCreate").await;
    cluster.running.settle().await;
    assert_eq!(cluster.messages("FailedCreate").len(), 1, "one attempt, then a pause");
    cluster
        .api
        .patch("resourcequotas", NS, "small", json!({"spec": {"hard": {"requests.cpu": "8"}}}))
        .unwrap();
    cluster.until_running("lab").await;
    let deployment = cluster.get("deployments", "workspace-lab").unwrap();
    assert!(fields::condition(&deployment, "ReplicaFailure").is_none());
}
