//! Events, logs, YAML and explanation of one Space.

use crate::api::spaces::Address;
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::extract::{Json, Path, Query};
use crate::spaces::View;
use crate::spaces::evidence::{self, LogQuery};
use crate::state::AppState;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use spaceport_shared::page::Page;
use spaceport_shared::space::explanation::Explanation;
use spaceport_shared::space::{SpaceEvent, SpaceYaml};

/// Events of the Space and its children, newest first.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}/events",
    operation_id = "listSpaceEvents", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses((status = 200, description = "Events", body = Page<SpaceEvent>)))]
pub async fn events(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
) -> Result<Json<Page<SpaceEvent>>, ApiError> {
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    Ok(Json(evidence::events(&view, &at.namespace, &at.name).await?))
}

/// The container's log as text.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}/logs",
    operation_id = "readSpaceLogs", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path), LogQuery),
    responses((status = 200, description = "Lines of the log", body = String, content_type = "text/plain")))]
pub async fn logs(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
    Query(query): Query<LogQuery>,
) -> Result<Response, ApiError> {
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    let body = evidence::logs(&view, &at.namespace, &at.name, &query).await?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response())
}

/// The object as YAML, and who set what.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}/yaml",
    operation_id = "readSpaceYaml", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses((status = 200, description = "The object", body = SpaceYaml)))]
pub async fn yaml(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
) -> Result<Json<SpaceYaml>, ApiError> {
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    Ok(Json(evidence::yaml(&view, &at.namespace, &at.name).await?))
}

/// Why it is where it is, step by step, as far as the asker may know.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/spaces/{name}/explanation",
    operation_id = "explainSpace", tag = "spaces",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses((status = 200, description = "The explanation", body = Explanation)))]
pub async fn explanation(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
) -> Result<Json<Explanation>, ApiError> {
    let view = View::of_namespace(&ctx, &state, &at.cluster, &at.namespace).await?;
    Ok(Json(evidence::explanation(&view, &at.namespace, &at.name)?))
}
