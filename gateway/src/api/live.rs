//! The live socket.

use crate::context::RequestContext;
use crate::error::ApiError;
use crate::live::socket;
use crate::state::AppState;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use spaceport_shared::error::Layer;
use std::time::Duration;

/// Far above any message of the protocol.
const MAX_MESSAGE: usize = 64 * 1024;

/// One websocket per tab; docs/API.md, Live.
#[utoipa::path(get, path = "/api/v1/live", operation_id = "openLive", tag = "live",
    responses((status = 101, description = "The live protocol follows")))]
pub async fn open(
    ctx: RequestContext,
    State(state): State<AppState>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    // Cookies ride along on a socket that another site opens, and no CSRF header covers it.
    if !state.origins.is_own(&headers) {
        let rule = "the Origin header is not this portal's".to_owned();
        return Err(ApiError::Forbidden { layer: Layer::Organization, rule });
    }
    let (mut parts, _) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &state).await;
    let upgrade = upgrade.map_err(|_| ApiError::Malformed("A websocket is expected here.".to_owned()))?;
    let seat = state.sockets.take(&ctx.user().session_name);
    let seat = seat.ok_or(ApiError::RateLimited { retry_after: Duration::from_secs(30) })?;
    let upgrade = upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE);
    Ok(upgrade.on_upgrade(move |stream| socket::serve(stream, ctx, state, seat)))
}
