//! The contract: as `openapi.json`, and as a page that a browser without scripts can read.

mod page;

use crate::extract::Json;
use crate::middleware::headers;
use crate::router;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse, Response};
use utoipa::openapi::OpenApi;

/// The OpenAPI document.
#[utoipa::path(get, path = "/api/v1/openapi.json", operation_id = "getOpenApi", tag = "docs",
    responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
pub async fn openapi() -> Json<OpenApi> {
    Json(router::document())
}

/// The document as a page.
#[utoipa::path(get, path = "/api/v1/docs", operation_id = "getDocs", tag = "docs",
    responses((status = 200, description = "The API, browsable", content_type = "text/html", body = String)))]
pub async fn browse() -> Response {
    let text = page::render(&router::document());
    let policy = headers::content_security_policy(&text);
    ([(CONTENT_SECURITY_POLICY, policy)], Html(text)).into_response()
}
