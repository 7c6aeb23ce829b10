//! Probes and metrics.

use crate::cluster::hub;
use crate::error::ApiError;
use crate::extract::Json;
use crate::state::AppState;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Serialize;
use std::time::Duration;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`; anything else is an error answer.
    status: &'static str,
}

/// The process runs.
#[utoipa::path(get, path = "/healthz", operation_id = "getHealth", tag = "health",
    responses((status = 200, description = "Running", body = Health)))]
pub async fn live() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// The process can serve: the database answers, no shutdown has begun, and every cluster has been read once or is
/// known to be away. A cluster that is away does not take the portal with it.
#[utoipa::path(get, path = "/readyz", operation_id = "getReadiness", tag = "health",
    responses((status = 200, description = "Ready", body = Health)))]
pub async fn ready(State(state): State<AppState>) -> Result<Json<Health>, ApiError> {
    if state.lifecycle.is_stopping() {
        return Err(ApiError::Unavailable { retry_after: Duration::from_secs(5) });
    }
    if state.hubs.all().any(|hub| matches!(*hub.health().borrow(), hub::Health::Connecting)) {
        return Err(ApiError::Unavailable { retry_after: Duration::from_secs(1) });
    }
    state.db.ping().await?;
    Ok(Json(Health { status: "ok" }))
}

/// Prometheus text; on the admin listener alone.
pub async fn metrics(State(state): State<AppState>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], state.metrics.render())
}
