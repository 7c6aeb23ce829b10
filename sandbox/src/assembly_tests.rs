//! A whole sandbox on free ports.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
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
