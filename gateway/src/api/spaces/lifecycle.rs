//! Start, stop and connect.

use crate::api::spaces::{Address, tagged};
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::extract::{Json, Path};
use crate::spaces::change::{self, Target};
use crate::spaces::{View, connection};
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::response::Response;
use spaceport_shared::space::{Connection, ConnectionRequest, LifecycleRequest, Space};

/// Start a stopped Space. Starting one that runs changes nothing.
#[utoipa::path(post, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}/start",
    operation_id = "startSpace", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    request_body = LifecycleRequest,
    responses((status = 200, description = "The Space, starting", body = Space)))]
pub async fn start(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
    Json(request): Json<LifecycleRequest>,
) -> Result<Response, ApiError> {
    set_running(&ctx, &state, &at, &request.uid, true).await
}

/// Stop a Space: its kernels end, its volume stays.
#[utoipa::path(post, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}/stop",
    operation_id = "stopSpace", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    request_body = LifecycleRequest,
    responses((status = 200, description = "The Space, stopping", body = Space)))]
pub async fn stop(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
    Json(request): Json<LifecycleRequest>,
) -> Result<Response, ApiError> {
    set_running(&ctx, &state, &at, &request.uid, false).await
}

async fn set_running(
    ctx: &RequestContext,
    state: &AppState,
    at: &Address,
    uid: &str,
    running: bool,
) -> Result<Response, ApiError> {
    let view = View::of_namespace(ctx, state, &at.cluster, &at.namespace).await?;
    let target = Target { cluster: &at.cluster, namespace: &at.namespace, name: &at.name, uid };
    Ok(tagged(change::set_running(ctx, &state.door, &view, &target, running).await?))
}

/// A way into the Space. The address is a secret, good for minutes, and answered once.
#[utoipa::path(post, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}/connections",
    operation_id = "connectSpace", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    request_body = ConnectionRequest,
    responses((status = 201, description = "The connection", body = Connection)))]
pub async fn connect(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
    Json(request): Json<ConnectionRequest>,
) -> Result<(StatusCode, [(HeaderName, &'static str); 1], Json<Connection>), ApiError> {
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    let place = (at.cluster.as_str(), at.namespace.as_str(), at.name.as_str());
    let minted = connection::mint(&ctx, &state.door, &view, place, &request.r#type).await?;
    Ok((StatusCode::CREATED, [(CACHE_CONTROL, "no-store")], Json(minted)))
}
