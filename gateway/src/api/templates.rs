//! Templates that the asker may read.

use crate::api::spaces::Address;
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::extract::{Json, Path};
use crate::spaces::{View, options};
use crate::state::AppState;
use axum::extract::State;
use spaceport_shared::page::Page;
use spaceport_shared::template::Template;
use std::collections::BTreeSet;

/// Templates of the asker's namespaces, of the add-on and of the shared namespace.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/templates", operation_id = "listTemplates",
    tag = "templates", params(("cluster" = String, Path)),
    responses((status = 200, description = "Templates", body = Page<Template>)))]
pub async fn list(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(cluster): Path<String>,
) -> Result<Json<Page<Template>>, ApiError> {
    let view = View::whole(&ctx, &state, &cluster).await?;
    let mut sources: BTreeSet<String> = view.access.keys().cloned().collect();
    sources.extend(options::template_sources(""));
    sources.remove("");
    let items = options::templates(&view, &sources).await;
    Ok(Json(Page { total: items.len(), items, next_cursor: None, observed_at: view.observed_at() }))
}

/// One template.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/templates/{name}",
    operation_id = "getTemplate", tag = "templates",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses((status = 200, description = "The template", body = Template)))]
pub async fn get(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(at): Path<Address>,
) -> Result<Json<Template>, ApiError> {
    let view = View::whole(&ctx, &state, &at.cluster).await?;
    let found = options::templates(&view, &BTreeSet::from([at.namespace])).await;
    found.into_iter().find(|t| t.name == at.name).map(Json).ok_or(ApiError::NotFound)
}
