//! A bound on the time to the answer's head. Bodies that stream (live socket, NDJSON, followed logs) begin after the head
//! and are not cut.

use crate::error::ApiError;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use std::time::Duration;

/// Longer than the slowest upstream call that can still succeed, shorter than a load balancer's idle limit (60 s).
const LIMIT: Duration = Duration::from_secs(30);

pub async fn layer(request: Request, next: Next) -> Result<Response, ApiError> {
    tokio::time::timeout(LIMIT, next.run(request))
        .await
        .map_err(|_| ApiError::Unavailable { retry_after: Duration::from_secs(5) })
}
