//! Where the asker may create Spaces, and what the form offers there.

use crate::context::RequestContext;
use crate::error::ApiError;
use crate::extract::{Json, Path};
use crate::spaces::{View, options};
use crate::state::AppState;
use axum::extract::State;
use spaceport_shared::page::Page;
use spaceport_shared::project::ProjectMap;
use spaceport_shared::template::{NamespaceChoice, NamespaceOptions};

/// Namespaces that the asker may see.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces", operation_id = "listNamespaces",
    tag = "namespaces", params(("cluster" = String, Path)),
    responses((status = 200, description = "Namespaces", body = Page<NamespaceChoice>)))]
pub async fn list(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path(cluster): Path<String>,
) -> Result<Json<Page<NamespaceChoice>>, ApiError> {
    let view = View::whole(&ctx, &state, &cluster).await?;
    let items = options::namespaces(&view, &ProjectMap(state.config.projects.clone()));
    Ok(Json(Page { total: items.len(), items, next_cursor: None, observed_at: view.observed_at() }))
}

/// What a Space of this namespace can be made of.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}/namespaces/{namespace}/options",
    operation_id = "getNamespaceOptions", tag = "namespaces",
    params(("cluster" = String, Path), ("namespace" = String, Path)),
    responses((status = 200, description = "Options", body = NamespaceOptions)))]
pub async fn options(
    ctx: RequestContext,
    State(state): State<AppState>,
    Path((cluster, namespace)): Path<(String, String)>,
) -> Result<Json<NamespaceOptions>, ApiError> {
    let view = View::of_namespace(&ctx, &state, &cluster, &namespace).await?;
    Ok(Json(options::of_namespace(&view, &namespace).await))
}
