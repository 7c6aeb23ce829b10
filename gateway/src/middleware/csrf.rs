//! Unsafe calls must come from our own page or from a script that means it (docs/API.md, section Signing in).
//!
//! Three fences, each enough alone against a form on another site: a header that forces a preflight, a content type that a
//! form cannot send, and the browser's own word on where the request comes from.

use crate::error::ApiError;
use crate::extract::is_json;
use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;

pub const HEADER: &str = "x-spaceport-csrf";

pub async fn layer(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !safe {
        let headers = request.headers();
        if headers.get(HEADER).is_none_or(|value| value != "1") {
            return Err(ApiError::CsrfRejected("Send the header X-Spaceport-CSRF: 1 with every change."));
        }
        if state.origins.is_foreign(headers) {
            return Err(ApiError::CsrfRejected("Changes are accepted from the portal's own pages only."));
        }
        // Demanded of an empty body too: a request without a type is what a form on another site can send.
        if !is_json(headers) {
            return Err(ApiError::UnsupportedMediaType);
        }
    }
    Ok(next.run(request).await)
}
