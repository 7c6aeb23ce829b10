//! The layers around every request, one file a concern; their order is `stack`, on this screen.

pub mod authenticate;
mod body_limit;
mod coded;
pub mod csrf;
pub mod headers;
mod host;
mod metrics;
pub mod origin;
pub mod peer;
pub mod request_id;
mod timeout;
mod trace;

use crate::error::ApiError;
use crate::extract::MAX_BODY;
use crate::session;
use crate::state::AppState;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use std::any::Any;
use tower::ServiceBuilder;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

/// Around everything, pages and probes included. Outermost first.
pub fn stack(router: Router, state: &AppState) -> Router {
    let outer = ServiceBuilder::new()
        .layer(from_fn_with_state(state.clone(), request_id::layer))
        .layer(from_fn(trace::layer))
        .layer(from_fn(metrics::layer))
        .layer(from_fn_with_state(state.clone(), headers::layer))
        .layer(from_fn(coded::layer))
        .layer(CatchPanicLayer::custom(panicked));
    let inner = ServiceBuilder::new()
        .layer(from_fn_with_state(state.clone(), host::layer))
        .layer(from_fn(timeout::layer))
        .layer(from_fn(body_limit::layer))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(is_compressible));
    router.layer(inner).layer(outer)
}

/// Around the API alone: who asks (401 by default), and whether our own page or a script asks.
pub fn api_stack(router: Router<AppState>, state: &AppState) -> Router<AppState> {
    router.layer(
        ServiceBuilder::new()
            .layer(map_response(session::complete_removal))
            .layer(session::layer(state.sessions.clone(), &state.config))
            .layer(from_fn_with_state(state.clone(), authenticate::layer))
            .layer(from_fn_with_state(state.clone(), csrf::layer)),
    )
}

/// Streams are left alone: a compressor would hold lines back.
fn is_compressible(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.starts_with("application/json") || kind.starts_with("text/html")
}

fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    ApiError::internal(anyhow::anyhow!("panic: {text}")).into_response()
}
