//! 401 by default: an operation is public only if it is on this list, which a test compares with the router's own table.

use crate::context::Asker;
use crate::error::ApiError;
use crate::session;
use crate::state::AppState;
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;
use tower_sessions::Session;

/// Method and path template of every operation that answers without a sign-in.
pub const PUBLIC: [(&str, &str); 6] = [
    ("GET", "/api/v1/session"),
    ("POST", "/api/v1/session"),
    ("GET", "/api/v1/openapi.json"),
    ("GET", "/api/v1/docs"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
];

/// Puts the `Asker` into the request, or refuses it.
pub async fn layer(
    State(state): State<AppState>,
    session: Session,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    match asker(&state, &session).await? {
        Some(asker) => {
            request.extensions_mut().insert(Arc::new(asker));
        }
        None if is_public(&request) => {}
        None => return Err(ApiError::Unauthenticated),
    }
    Ok(next.run(request).await)
}

fn is_public(request: &Request) -> bool {
    let method = if request.method() == Method::HEAD { "GET" } else { request.method().as_str() };
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    PUBLIC.contains(&(method, path))
}

/// The session's person, if both still exist: a persona taken out of the configuration is signed out with it.
async fn asker(state: &AppState, session: &Session) -> Result<Option<Asker>, ApiError> {
    let Some((key, signed_in)) = session::current(session, crate::clock::now()).await? else {
        return Ok(None);
    };
    let user = state.identity.find(&signed_in.issuer, &signed_in.subject);
    Ok(user.map(|user| Asker {
        user: user.clone(),
        session: key,
        session_ends_at: spaceport_shared::time::Timestamp(signed_in.ends_at),
    }))
}
