//! Ways into a Space, minted on request in the asker's name, never kept and never logged.

use super::View;
use super::change::Target;
use super::ide_link;
use crate::audit::Door;
use crate::clock;
use crate::cluster::reading::text;
use crate::context::RequestContext;
use crate::error::{ApiError, Upstream};
use kube::core::Status;
use serde_json::{Value, json};
use spaceport_shared::error::{FieldCode, FieldError, Layer};
use spaceport_shared::space::Connection;
use spaceport_shared::space::actions::{Action, WEB_UI};
use spaceport_shared::time::Timestamp;
use std::time::Duration;

/// Life of the token in the address (jupyter-k8s, bootstrap token).
const LIFE_MS: i64 = 5 * 60 * 1000;
/// A pod that has just started registers its agent within seconds.
const REGISTERING: Duration = Duration::from_secs(5);
const SESSIONS_FULL: Duration = Duration::from_secs(60);

/// Asks for a connection of the given type.
pub async fn mint(
    ctx: &RequestContext,
    door: &Door,
    view: &View,
    (cluster, namespace, name): (&str, &str, &str),
    wanted: &str,
) -> Result<Connection, ApiError> {
    let space = view.find(namespace, name).await?;
    view.require(&space, if wanted == WEB_UI { Action::Open } else { Action::OpenRemote })?;
    if !space.row.connection_types.iter().any(|t| t == wanted) {
        return Err(not_offered(&space.row.connection_types.join(", ")));
    }
    let target = Target { cluster, namespace, name, uid: &space.row.id };
    let object =
        door.perform(ctx, target.intent("space.connect"), post(view, namespace, name, wanted)).await?;
    let url = text(&object, &["status", "workspaceConnectionUrl"]);
    if url.is_empty() {
        let cause = anyhow::anyhow!("a connection without an address").into();
        return Err(ApiError::UpstreamFailed { service: Upstream::Kubernetes, cause });
    }
    let expires_at = Timestamp(clock::now().0 + LIFE_MS);
    Ok(Connection { url: ide_link::encoded(url), r#type: wanted.to_owned(), expires_at })
}

async fn post(view: &View, namespace: &str, name: &str, wanted: &str) -> Result<Value, ApiError> {
    let path = format!(
        "/apis/connection.workspace.jupyter.org/v1alpha1/namespaces/{}/workspaceconnections",
        spaceport_shared::path::encode(namespace)
    );
    let body = json!({
        "apiVersion": "connection.workspace.jupyter.org/v1alpha1", "kind": "WorkspaceConnection",
        "metadata": {"namespace": namespace},
        "spec": {"workspaceName": name, "workspaceConnectionType": wanted},
    });
    let request = http::Request::post(path)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(body.to_string().into_bytes())
        .map_err(ApiError::internal)?;
    match view.client.request::<Value>(request).await {
        Err(kube::Error::Api(status)) => Err(read_refusal(&status)),
        other => other.map_err(ApiError::from),
    }
}

/// The connection API answers without a `reason`: its words and the code must do.
fn read_refusal(status: &Status) -> ApiError {
    let message = status.message.as_str();
    let has = |part: &str| message.contains(part);
    match status.code {
        _ if has("not the workspace owner") => {
            ApiError::Forbidden { layer: Layer::Workload, rule: "accessType OwnerOnly".to_owned() }
        }
        _ if has("workspace is not available") => ApiError::NotReady { status: "starting".to_owned() },
        _ if has("web browser access is not enabled") || has("BearerAuthURLTemplate not configured") => {
            not_offered("")
        }
        _ if has("is not configured for this workspace")
            || has("handler is not supported")
            || has("plugin endpoints not configured")
            || has("invalid workspaceConnectionType") =>
        {
            not_offered("")
        }
        _ if has("exceeds active sessions limit") => ApiError::RateLimited { retry_after: SESSIONS_FULL },
        _ if has("failed to find managed instance") => ApiError::UpstreamUnavailable {
            service: Upstream::Kubernetes,
            retry_after: REGISTERING,
            cause: anyhow::anyhow!("{message}").into(),
        },
        404 => ApiError::NotFound,
        _ => ApiError::from(kube::Error::Api(Box::new(status.clone()))),
    }
}

fn not_offered(allowed: &str) -> ApiError {
    let error = FieldError::new("type", FieldCode::NotAllowed, "the Space has no way in of this kind");
    ApiError::field(error.with("allowed", allowed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spaceport_shared::error::ErrorCode;

    #[test]
    fn refusals_without_a_reason_are_read_by_their_words() {
        for (code, message, expected) in [
            (403, "User is not the workspace owner", ErrorCode::Forbidden),
            (404, "Workspace not found", ErrorCode::NotFound),
            (400, "workspace is not available. Check workspace status for details", ErrorCode::NotReady),
            (400, "web browser access is not enabled for this workspace", ErrorCode::Invalid),
            (500, "BearerAuthURLTemplate not configured in AccessStrategy", ErrorCode::Invalid),
            (400, "connection type \"x\" is not configured for this workspace", ErrorCode::Invalid),
            (
                500,
                "failed to start SSM session: instance mi-1 exceeds active sessions limit (11/10)",
                ErrorCode::RateLimited,
            ),
            (500, "failed to find managed instance for pod x", ErrorCode::UpstreamUnavailable),
            (500, "boom", ErrorCode::UpstreamFailed),
        ] {
            let status = Status { code, ..Status::failure(message, "") };
            assert_eq!(read_refusal(&status).code(), expected, "{message}");
        }
    }
}
