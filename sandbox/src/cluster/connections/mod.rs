//! The aggregated API `connection.workspace.jupyter.org`: ways into a Space, and reviews of them. Nothing is stored.
//!
//! Checks and words follow the order of the extension server (jupyter-k8s, `internal/extensionapi`). Its errors carry no
//! `reason`, so clients must go by code and message.

mod review;
mod token;

pub use self::token::{Claims, ConnectionTokens};

use super::fields::{self, annotation, condition_is_true, is_unset, items, name, namespace, text, uid};
use super::gotemplate::strategy_reference;
use super::kubelet::Signal;
use super::names::{CREATED_BY, LABEL_SPACE, REMOTE_SIDECAR, escape_username};
use super::operator::bearer_url;
use super::sentinel::{self, Sentinel};
use crate::kube::LocalApi;
use crate::kube::hooks::AggregatedCreate;
use crate::kube::identity::UserInfo;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The extension server of one cluster.
pub struct Connections {
    /// Acts as the operator.
    pub(super) api: LocalApi,
    pub(super) tokens: ConnectionTokens,
    pub(super) signals: mpsc::UnboundedSender<Signal>,
    pub(super) eks_cluster_arn: String,
}

/// Code and message of a refusal.
type Refusal = (u16, String);

impl AggregatedCreate for Connections {
    fn create(&self, user: &UserInfo, place: &str, resource: &str, body: &[u8]) -> (u16, Value) {
        let Ok(request) = serde_json::from_slice::<Value>(body) else {
            return match resource {
                "workspaceconnections" => refusal((400, "Invalid JSON".to_owned())),
                _ => (400, json!({"error": "Invalid JSON"})),
            };
        };
        match resource {
            "workspaceconnections" => match self.connect(user, place, &request) {
                Ok(connection) => (201, connection),
                Err(refused) => refusal(refused),
            },
            "connectionaccessreviews" => review::access(&self.api, place, request),
            "bearertokenreviews" => review::token(&self.tokens, request),
            _ => refusal((404, "the server could not find the requested resource".to_owned())),
        }
    }
}

fn refusal((code, message): Refusal) -> (u16, Value) {
    (
        code,
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
            "code": code,
        }),
    )
}

fn refuse<T>(code: u16, message: impl Into<String>) -> Result<T, Refusal> {
    Err((code, message.into()))
}

impl Connections {
    /// A way into a Space for its asker.
    fn connect(&self, user: &UserInfo, place: &str, request: &Value) -> Result<Value, Refusal> {
        let (wanted, kind) = read_request(request)?;
        let Some(space) = self.api.get("workspaces", place, wanted) else {
            return refuse(404, "Workspace not found");
        };
        if !may_connect(&space, &user.username) {
            return refuse(403, "User is not the workspace owner");
        }
        let Some((strategy_place, strategy)) = strategy_reference(&space) else {
            // The extension server dereferences the missing reference and its recovery answers this.
            return refuse(500, "runtime error: invalid memory address or nil pointer dereference");
        };
        let Some(strategy) = self.api.get("workspaceaccessstrategies", strategy_place, strategy) else {
            return refuse(404, "access strategy not found");
        };
        if !condition_is_true(&space, "Available") {
            return refuse(400, "workspace is not available. Check workspace status for details");
        }
        let url = if kind == "web-ui" {
            self.web_url(user, &space, &strategy)?
        } else {
            self.remote_url(user, &space, &strategy, kind)?
        };
        // The loop is gone only when the whole cluster ends.
        let _ = self.signals.send(Signal::Connected { space_uid: uid(&space).to_owned() });
        let mut connection = request.clone();
        connection["metadata"]["namespace"] = json!(place);
        connection["status"] = json!({"workspaceConnectionType": kind, "workspaceConnectionUrl": url});
        Ok(connection)
    }

    fn web_url(&self, user: &UserInfo, space: &Value, strategy: &Value) -> Result<String, Refusal> {
        let Some(url) = bearer_url(space, strategy) else {
            return refuse(400, "web browser access is not enabled for this workspace");
        };
        let url = url.map_err(|why| (500, why))?;
        let domain = url::Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let Some(domain) = domain else { return refuse(500, "the strategy makes no address") };
        let claims =
            Claims { user: user.clone(), domain, path: "/".to_owned(), space_uid: uid(space).to_owned() };
        let token = self.tokens.mint(&claims, jiff::Timestamp::now());
        Ok(format!("{url}?token={token}"))
    }

    fn remote_url(
        &self,
        user: &UserInfo,
        space: &Value,
        strategy: &Value,
        kind: &str,
    ) -> Result<String, Refusal> {
        let spec = &strategy["spec"];
        let handlers = &spec["createConnectionHandlerMap"];
        let handler = match handlers[kind].as_str() {
            Some(handler) => handler,
            None if is_unset(handlers) => text(&spec["createConnectionHandler"]),
            None => "",
        };
        match handler {
            "" => {
                return refuse(
                    400,
                    format!("connection type \"{kind}\" is not configured for this workspace"),
                );
            }
            "k8s-native" => {
                let message = format!(
                    "k8s-native handler is not supported for remote connections (requested \"{kind}\")"
                );
                return refuse(400, message);
            }
            _ => {}
        }
        let pod = self.managed_pod(space)?;
        let instance = format!("mi-0{}", &pod.replace('-', "").chars().take(16).collect::<String>());
        if sentinel::of_space(name(space)) == Some(Sentinel::FailRemote) {
            let message = format!(
                "failed to start SSM session: instance {instance} exceeds active sessions limit (11/10)"
            );
            return refuse(500, message);
        }
        let session = user.username.rsplit('/').next().unwrap_or("user");
        let random = uuid::Uuid::new_v4().simple().to_string();
        Ok(self.ide_url(space, kind, &format!("{session}-{}", &random[..17])))
    }

    /// The link that the IDE's toolkit opens. Parameters are not percent-encoded, as upstream; whoever passes the link
    /// on has to see to it.
    fn ide_url(&self, space: &Value, kind: &str, session: &str) -> String {
        let scheme = match kind {
            "kiro-remote" => "kiro",
            "cursor-remote" => "cursor",
            _ => "vscode",
        };
        let region = self.eks_cluster_arn.split(':').nth(3).unwrap_or("us-west-2");
        // Shaped like Systems Manager's, and of no use anywhere.
        let session_token = format!("{0}{0}", uuid::Uuid::new_v4().simple());
        let stream = format!(
            "wss://ssmmessages.{region}.amazonaws.com/v1/data-channel/{session}?role=publish_subscribe"
        );
        format!(
            "{scheme}://amazonwebservices.aws-toolkit-vscode/connect/workspace?sessionId={session}&sessionToken=\
             {session_token}&streamUrl={stream}&workspaceName={}&namespace={}&eksClusterArn={}",
            name(space),
            namespace(space),
            self.eks_cluster_arn
        )
    }

    /// The uid of the Space's pod, once its agent has registered.
    fn managed_pod(&self, space: &Value) -> Result<String, Refusal> {
        let pods = self.api.list("pods", Some(namespace(space)));
        let pod = pods
            .iter()
            .find(|pod| fields::label(pod, LABEL_SPACE) == name(space) && !fields::is_deleting(pod));
        let Some(pod) = pod else {
            return refuse(500, format!("no pod found for workspace {}", name(space)));
        };
        let agents = items(&pod["status"]["containerStatuses"]);
        if !agents.iter().any(|agent| agent["name"] == REMOTE_SIDECAR && agent["ready"] == true) {
            let pod = uid(pod);
            let message = format!(
                "failed to find managed instance for pod {pod}: no managed instance found with workspace-pod-uid tag: \
                 {pod}"
            );
            return refuse(500, message);
        }
        Ok(uid(pod).to_owned())
    }
}

/// Name and kind of the wanted connection.
fn read_request(request: &Value) -> Result<(&str, &str), Refusal> {
    let spec = &request["spec"];
    let (wanted, kind) = (text(&spec["workspaceName"]), text(&spec["workspaceConnectionType"]));
    if wanted.is_empty() {
        return refuse(400, "workspaceName is required");
    }
    if kind.is_empty() {
        return refuse(400, "workspaceConnectionType is required");
    }
    if kind != "web-ui" && !is_remote_type(kind) {
        let message = format!(
            "invalid workspaceConnectionType: '{kind}'. Must be 'web-ui' or follow the '{{ide}}-remote' pattern (e.g. \
             'vscode-remote')"
        );
        return refuse(400, message);
    }
    Ok((wanted, kind))
}

/// `^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*-remote$`
fn is_remote_type(kind: &str) -> bool {
    let words = kind.strip_suffix("-remote").map(|words| words.split('-'));
    words.is_some_and(|mut words| {
        words.all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric()))
    })
}

/// A private Space is its owner's alone; administrators are not exempt.
fn may_connect(space: &Value, username: &str) -> bool {
    space["spec"]["accessType"] != "OwnerOnly" || annotation(space, CREATED_BY) == escape_username(username)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_types_follow_their_pattern() {
        for kind in ["vscode-remote", "my-ide2-remote", "a-remote"] {
            assert!(is_remote_type(kind), "{kind}");
        }
        for kind in ["remote", "-remote", "a--remote", "a_b-remote", "vscode-remote-x", "中-remote"] {
            assert!(!is_remote_type(kind), "{kind}");
        }
    }

    #[test]
    fn what_is_missing_is_named_first() {
        let message = |spec: Value| -> String {
            read_request(&json!({"spec": spec})).map_or_else(|(_, message)| message, |_| String::new())
        };
        assert_eq!(message(json!({})), "workspaceName is required");
        assert_eq!(message(json!({"workspaceName": "a"})), "workspaceConnectionType is required");
        let wrong = message(json!({"workspaceName": "a", "workspaceConnectionType": "ssh"}));
        assert!(
            wrong.starts_with("invalid workspaceConnectionType: 'ssh'. Must be 'web-ui' or follow"),
            "{wrong}"
        );
    }
}
