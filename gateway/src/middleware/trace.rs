//! One span and one line a request, by route template: addresses, queries and cookies may hold secrets.

use super::request_id;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;
use tracing::Instrument;

pub async fn layer(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("-", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let span = tracing::info_span!("request", id = request_id::current(), %method, route);
    let started = Instant::now();
    async move {
        let response = next.run(request).await;
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(status = response.status().as_u16(), millis, "answered");
        response
    }
    .instrument(span)
    .await
}
