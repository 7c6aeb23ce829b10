//! Ways into a Space, through the API server's hook.

use super::*;
use crate::kube::hooks::AggregatedCreate;
use crate::kube::identity::UserInfo;

/// The extension server of a cluster, asked as somebody.
struct Extension {
    connections: Arc<dyn AggregatedCreate>,
}

impl Extension {
    fn ask(&self, user: &str, space: &str, kind: &str) -> (u16, Value) {
        let body = json!({
            "apiVersion": "connection.workspace.jupyter.org/v1alpha1", "kind": "WorkspaceConnection",
            "metadata": {"namespace": NS},
            "spec": {"workspaceName": space, "workspaceConnectionType": kind},
        });
        self.post(user, "workspaceconnections", body.to_string().as_bytes())
    }

    fn post(&self, user: &str, resource: &str, body: &[u8]) -> (u16, Value) {
        let user = UserInfo { username: user.into(), ..UserInfo::default() };
        self.connections.create(&user, NS, resource, body)
    }

    /// Code and message of a refusal; refusals carry no reason.
    fn refusal(&self, user: &str, space: &str, kind: &str) -> (u16, String) {
        let (code, body) = self.ask(user, space, kind);
        assert_eq!(body["kind"], "Status");
        assert!(body["reason"].is_null());
        assert_eq!(body["code"], code);
        (code, body["message"].as_str().unwrap().to_owned())
    }
}

/// A second extension server over the same store: it keeps nothing, so it answers as the installed one.
fn extension(cluster: &TestCluster) -> (Extension, ConnectionTokens) {
    let tokens = ConnectionTokens::generate().unwrap();
    let options = ClusterOptions::new("sandbox", volumes(cluster.dir.path()), tokens.clone());
    let hooks = Cluster::new(cluster.server.clone(), options).hooks();
    (Extension { connections: hooks.connections.unwrap() }, tokens)
}

#[tokio::test]
async fn a_browser_gets_an_address_whose_token_the_router_accepts() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    let space = cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    let (extension, tokens) = extension(&cluster);
    let (code, answer) = extension.ask("ds-a2", "lab", "web-ui");
    assert_eq!(code, 201);
    assert_eq!(answer["status"]["workspaceConnectionType"], "web-ui");
    let url = url::Url::parse(answer["status"]["workspaceConnectionUrl"].as_str().unwrap()).unwrap();
    assert_eq!(url.path(), "/bearer-auth");
    assert_eq!(url.port(), Some(1));
    let token = url.query_pairs().find(|(key, _)| key == "token").unwrap().1.into_owned();
    let claims = tokens.verifier()(&token, url.host_str().unwrap()).unwrap();
    assert_eq!(claims.user, "ds-a2");
    assert_eq!(claims.space_uid, fields::uid(&space));
}

#[tokio::test]
async fn each_ide_gets_a_link_of_its_own_scheme() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("lab", json!({}));
    cluster.until_running("lab").await;
    let (extension, _) = extension(&cluster);
    for (kind, scheme) in [("vscode-remote", "vscode"), ("kiro-remote", "kiro"), ("cursor-remote", "cursor")]
    {
        let (code, answer) = extension.ask("ds-a1", "lab", kind);
        assert_eq!(code, 201, "{answer}");
        let url = answer["status"]["workspaceConnectionUrl"].as_str().unwrap();
        let prefix =
            format!("{scheme}://amazonwebservices.aws-toolkit-vscode/connect/workspace?sessionId=ds-a1-");
        assert!(url.starts_with(&prefix), "{url}");
        assert!(
            url.contains("&workspaceName=lab&namespace=hyperpod-ns-team-a&eksClusterArn=arn:aws:eks:"),
            "{url}"
        );
    }
    assert_eq!(
        extension.refusal("ds-a1", "lab", "emacs-remote"),
        (400, "connection type \"emacs-remote\" is not configured for this workspace".into())
    );
}

#[tokio::test]
async fn refusals_come_in_the_extension_servers_order_and_words() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("private", json!({"accessType": "OwnerOnly", "desiredStatus": "Stopped"}));
    cluster.until_condition("private", "Stopped", "True", "AllResourcesStopped").await;
    let (extension, _) = extension(&cluster);
    assert_eq!(extension.refusal("ds-a1", "none", "web-ui"), (404, "Workspace not found".into()));
    assert_eq!(
        extension.refusal("ds-a2", "private", "web-ui"),
        (403, "User is not the workspace owner".into()),
        "before its being stopped is told"
    );
    assert_eq!(
        extension.refusal("ds-a1", "private", "web-ui"),
        (400, "workspace is not available. Check workspace status for details".into())
    );
    assert_eq!(extension.post("ds-a1", "workspaceconnections", b"{").0, 400);
}

#[tokio::test]
async fn a_full_managed_instance_is_a_server_error_with_its_text() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("fail-remote-x", json!({}));
    cluster.until_running("fail-remote-x").await;
    let (extension, _) = extension(&cluster);
    let (code, message) = extension.refusal("ds-a1", "fail-remote-x", "vscode-remote");
    assert_eq!(code, 500);
    assert!(message.ends_with("exceeds active sessions limit (11/10)"), "{message}");
    assert_eq!(extension.ask("ds-a1", "fail-remote-x", "web-ui").0, 201);
}

#[tokio::test]
async fn reviews_tell_who_may_connect_and_whose_a_token_is() {
    let cluster = TestCluster::start(vec![group("cpu", 1, 1)]).await;
    cluster.space("lab", json!({"accessType": "OwnerOnly"}));
    cluster.until_running("lab").await;
    let (extension, _) = extension(&cluster);
    let review = |user: &str| {
        let body = json!({"spec": {"workspaceName": "lab", "user": user}});
        extension.post("router", "connectionaccessreviews", body.to_string().as_bytes()).1["status"].clone()
    };
    assert_eq!(review("ds-a1")["allowed"], true);
    assert_eq!(review("ds-a2")["reason"], "User is not the owner of the private Workspace");
    let (_, connection) = extension.ask("ds-a1", "lab", "web-ui");
    let url = connection["status"]["workspaceConnectionUrl"].as_str().unwrap();
    let token = url.split_once("token=").unwrap().1;
    let whose = |token: &str| {
        let body = json!({"spec": {"token": token}});
        extension.post("router", "bearertokenreviews", body.to_string().as_bytes()).1["status"].clone()
    };
    assert_eq!(whose(token)["user"]["username"], "ds-a1");
    assert_eq!(whose("x")["error"], "invalid or expired token");
    assert_eq!(whose("")["error"], "token is required");
}
