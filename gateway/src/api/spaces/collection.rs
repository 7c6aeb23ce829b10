//! The list of Spaces, as pages or as a stream, and their creation.

use crate::api::spaces::tagged;
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::extract::{Json, Path, Query};
use crate::live::lines;
use crate::spaces::list::{self, Query as ListQuery};
use crate::spaces::{View, create};
use crate::state::AppState;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use spaceport_shared::error::{FieldCode, FieldError};
use spaceport_shared::live::{Filter, Topic, View as LiveView};
use spaceport_shared::page::Page;
use spaceport_shared::space::Space;
use spaceport_shared::space::create::CreateSpace;
use utoipa::IntoParams;

/// Longest Idempotency-Key; a UUID has 36 characters.
const MAX_KEY: usize = 200;

/// Spaces that the asker may see. With `watch=true`: live messages as NDJSON.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/spaces", operation_id = "listSpaces", tag = "spaces",
    params(("cluster" = String, Path, description = "HyperPod cluster name"), ListQuery),
    responses((status = 200, description = "A page of Spaces", body = Page<Space>)))]
pub async fn list(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(cluster): Path<String>,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    if query.watch == Some(true) {
        let body = lines::open(ctx, state, topic(cluster, query)).await?;
        return Ok(([(CONTENT_TYPE, "application/x-ndjson")], body).into_response());
    }
    let view = View::whole(&ctx, &state, &cluster).await?;
    Ok(Json(list::page(&view, &query)?).into_response())
}

/// A stream narrows by namespace and owner; scripts filter the rest.
fn topic(cluster: String, query: ListQuery) -> Topic {
    let filter = Filter { name: None, owner: query.owner };
    Topic { view: LiveView::Spaces, cluster, namespaces: query.namespace.map(|n| vec![n]), filter }
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct CreateQuery {
    /// `true` changes nothing and answers with a `DryRun`.
    pub dry_run: bool,
}

/// Create a Space, or see what would be stored. The same `Idempotency-Key` again answers with the first success.
#[utoipa::path(post, path = "/api/v1/clusters/{cluster}/spaces", operation_id = "createSpace", tag = "spaces",
    params(("cluster" = String, Path, description = "HyperPod cluster name"), CreateQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "Any text, once for each intended Space")),
    request_body = CreateSpace,
    responses((status = 201, description = "Created", body = Space),
        (status = 200, description = "Dry run", body = spaceport_shared::space::verdict::DryRun)))]
pub async fn create(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(cluster): Path<String>,
    Query(query): Query<CreateQuery>,
    headers: HeaderMap,
    Json(request): Json<CreateSpace>,
) -> Result<Response, ApiError> {
    let key = idempotency_key(&headers)?;
    let view = View::of_namespace(&ctx, &state, &cluster, &request.namespace).await?;
    if query.dry_run {
        return Ok(Json(create::dry_run(&view, &request).await?).into_response());
    }
    let space = create::create(&ctx, &state.door, &view, &request, key.as_deref()).await?;
    Ok((StatusCode::CREATED, tagged(space)).into_response())
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get("Idempotency-Key") else { return Ok(None) };
    let refuse = || {
        FieldError::new("Idempotency-Key", FieldCode::InvalidFormat, "printable text of 1 to 200 characters")
    };
    let is_fine = |v: &HeaderValue| (1..=MAX_KEY).contains(&v.len());
    let text = value.to_str().ok().filter(|_| is_fine(value)).map(str::to_owned);
    text.map(Some).ok_or_else(|| ApiError::field(refuse()))
}
