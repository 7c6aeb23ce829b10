//! Host allow-list: a name that only an attacker's DNS points to us gets 421 and nothing else.

use crate::error::ApiError;
use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::header::HOST;
use axum::middleware::Next;
use axum::response::Response;

pub async fn layer(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    // HTTP/2 carries the name in the address instead of a header.
    let header = request.headers().get(HOST).and_then(|value| value.to_str().ok());
    let host = header.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    if !host.is_some_and(|host| state.origins.accepts_host(host)) {
        return Err(ApiError::UnknownHost);
    }
    Ok(next.run(request).await)
}
