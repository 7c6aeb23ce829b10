//! One Space: read, edit, delete.

use crate::api::spaces::{Address, if_match, tagged};
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::extract::{Json, Path};
use crate::spaces::change::{self, Target};
use crate::spaces::{View, edit};
use crate::state::AppState;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use spaceport_shared::space::{Space, SpaceEdit};

/// One Space.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}",
    operation_id = "getSpace", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses((status = 200, description = "The Space; its ETag is `\"uid:resourceVersion\"`", body = Space)))]
pub async fn get(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
) -> Result<Response, ApiError> {
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    Ok(tagged(view.find(&at.namespace, &at.name).await?))
}

/// Change what the body names and nothing else. A running Space restarts.
#[utoipa::path(patch, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}",
    operation_id = "editSpace", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path),
        ("If-Match" = String, Header, description = "ETag of the Space as it was read")),
    request_body = SpaceEdit,
    responses((status = 200, description = "The Space after the edit", body = Space)))]
pub async fn edit(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
    headers: HeaderMap,
    Json(request): Json<SpaceEdit>,
) -> Result<Response, ApiError> {
    let (uid, version) = if_match(&headers)?;
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    let target = Target { cluster: &at.cluster, namespace: &at.namespace, name: &at.name, uid: &uid };
    Ok(tagged(edit::apply(&ctx, &state.door, &view, &target, &version, &request).await?))
}

/// Delete a Space and the data on its volume. Only the uid of `If-Match` counts: status changes do not matter here.
#[utoipa::path(delete, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}",
    operation_id = "deleteSpace", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path),
        ("If-Match" = String, Header, description = "ETag of the Space as it was read")),
    responses((status = 202, description = "Deletion has begun")))]
pub async fn delete(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let (uid, _) = if_match(&headers)?;
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    let target = Target { cluster: &at.cluster, namespace: &at.namespace, name: &at.name, uid: &uid };
    change::delete(&ctx, &state.door, &view, &target).await?;
    Ok(StatusCode::ACCEPTED)
}
