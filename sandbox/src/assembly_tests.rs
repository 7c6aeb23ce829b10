//! A whole sandbox on free ports.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::kube::identity::UserInfo;
use crate::options::SeedChoice;
use serde_json::json;
use tokio::net::TcpStream;

fn options(dir: &std::path::Path) -> Options {
    Options::for_tests(dir, SeedChoice::Empty)
}

fn namespace(name: &str) -> serde_json::Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

#[tokio::test]
async fn what_was_stored_is_there_after_a_restart_and_the_seed_is_not_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::start(options(dir.path())).await.unwrap();
    let api = sandbox.server("sandbox").unwrap().local(UserInfo::component("test"));
    api.create("namespaces", "", namespace("mine")).unwrap();
    let template = api.get("workspacetemplates", "jupyter-k8s-system", "sagemaker-jupyter-template").unwrap();
    sandbox.stop().await;

    let sandbox = Sandbox::start(options(dir.path())).await.unwrap();
    let api = sandbox.server("sandbox").unwrap().local(UserInfo::component("test"));
    assert!(api.get("namespaces", "", "mine").is_some());
    let again = api.get("workspacetemplates", "jupyter-k8s-system", "sagemaker-jupyter-template").unwrap();
    assert_eq!(template["metadata"]["uid"], again["metadata"]["uid"]);
    sandbox.stop().await;
}

#[tokio::test]
async fn after_a_restart_on_another_port_the_access_strategy_names_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let strategy = |sandbox: &Sandbox| {
        let api = sandbox.server("sandbox").unwrap().local(UserInfo::component("test"));
        let strategy =
            api.get("workspaceaccessstrategies", "jupyter-k8s-system", "hyperpod-access-strategy").unwrap();
        strategy["spec"]["bearerAuthURLTemplate"].as_str().unwrap().to_owned()
    };
    for _ in 0..2 {
        let sandbox = Sandbox::start(options(dir.path())).await.unwrap();
        let port = sandbox.spaces_url.rsplit_once(':').unwrap().1.to_owned();
        assert!(strategy(&sandbox).contains(&format!(":{port}/bearer-auth")));
        sandbox.stop().await;
    }
}

#[tokio::test]
async fn one_folder_serves_one_sandbox() {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::start(options(dir.path())).await.unwrap();
    let second = Sandbox::start(options(dir.path())).await.map(|_| ()).unwrap_err();
    assert!(second.to_string().contains("another sandbox uses"), "{second}");
    sandbox.stop().await;
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let dir = tempfile::tempdir().unwrap();
    let options = Options { aws_port: port, ..options(dir.path()) };
    let error = format!("{:#}", Sandbox::start(options).await.map(|_| ()).unwrap_err());
    assert!(error.contains(&port.to_string()), "{error}");
}

#[tokio::test]
async fn nothing_listens_after_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::start(options(dir.path())).await.unwrap();
    let addresses = [&sandbox.kube_url, &sandbox.kube_east_url, &sandbox.aws_url, &sandbox.admin_url]
        .map(|url| url.split_once("//").unwrap().1.to_owned());
    for address in &addresses {
        assert!(address.starts_with("127.0.0.1:"));
        TcpStream::connect(address).await.unwrap();
    }
    sandbox.stop().await;
    for address in &addresses {
        assert!(TcpStream::connect(address).await.is_err(), "{address}");
    }
}

/// Status of a condition, or empty.
fn condition<'a>(space: &'a serde_json::Value, kind: &str) -> &'a str {
    space["status"]["conditions"]
        .as_array()
        .and_then(|conditions| conditions.iter().find(|condition| condition["type"] == kind))
        .map_or("", |condition| condition["status"].as_str().unwrap())
}

/// Reason why the application's container waits, or why its pod has no node; empty when neither.
fn pod_trouble(pod: &serde_json::Value) -> String {
    let find = |list: &serde_json::Value, key: &str, value: &str| {
        list.as_array()
            .and_then(|list| list.iter().find(|item| item[key] == value))
            .cloned()
            .unwrap_or_default()
    };
    let container = find(&pod["status"]["containerStatuses"], "name", "workspace");
    let scheduled = find(&pod["status"]["conditions"], "type", "PodScheduled");
    let waiting = container["state"]["waiting"]["reason"].as_str().or(scheduled["reason"].as_str());
    waiting.unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_demo_has_spaces_in_every_state() {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::start(Options { seed: SeedChoice::Demo, ..options(dir.path()) }).await.unwrap();
    let api = sandbox.server("sandbox").unwrap().local(UserInfo::component("test"));
    let space = |name: &str| {
        let spaces = api.list("workspaces", None);
        spaces.into_iter().find(|space| space["metadata"]["name"] == name).unwrap_or_else(|| panic!("{name}"))
    };
    for running in
        ["churn-model", "gpu-finetune", "mig-slice", "dataset-browser", "pipeline-code", "forecast"]
    {
        assert_eq!(condition(&space(running), "Available"), "True", "{running}");
    }
    for stopped in ["weekly-report", "quarter-review", "pricing", "0dd"] {
        assert_eq!(condition(&space(stopped), "Stopped"), "True", "{stopped}");
    }
    assert_eq!(condition(&space("fail-probe-access"), "Degraded"), "True");
    assert_eq!(condition(&space("hold-delete-old"), "Deleting"), "True");
    let stopping = space("hold-stop-archive");
    assert_eq!((condition(&stopping, "Stopped"), condition(&stopping, "Progressing")), ("False", "True"));
    sandbox.stop().await;
}

#[tokio::test]
async fn the_demo_s_failures_fail_as_their_names_say() {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::start(Options { seed: SeedChoice::Demo, ..options(dir.path()) }).await.unwrap();
    let api = sandbox.server("sandbox").unwrap().local(UserInfo::component("test"));
    let pods = api.list("pods", None);
    let trouble = |name: &str| {
        pods.iter()
            .find(|pod| pod["metadata"]["labels"]["workspace.jupyter.org/workspace-name"] == name)
            .map(|pod| pod_trouble(pod))
    };
    for (name, expected) in [
        ("fail-image-registry", "ImagePullBackOff"),
        ("fail-crash-startup", "CrashLoopBackOff"),
        ("fail-oom-etl", "CrashLoopBackOff"),
        ("fail-config-secret", "CreateContainerConfigError"),
        ("missing-dataset", "Unschedulable"),
        ("vision-training", "Unschedulable"),
        ("hold-image-embeddings", "PodInitializing"),
        ("churn-model", ""),
    ] {
        assert_eq!(trouble(name).as_deref(), Some(expected), "{name}");
    }
    assert_eq!(trouble("second-large-slice"), None, "the quota refuses the pod itself");
    let refused = api.get("deployments", "hyperpod-ns-team-a", "workspace-second-large-slice").unwrap();
    assert!(refused["status"]["conditions"].to_string().contains("exceeded quota: large-slices"));
    sandbox.stop().await;
}
