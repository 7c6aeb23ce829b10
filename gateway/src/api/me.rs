//! Who am I.

use crate::context::RequestContext;
use crate::extract::Json;
use spaceport_shared::session::Me;

/// The signed-in person: roles, projects, and how each cluster knows them.
#[utoipa::path(get, path = "/api/v1/me", operation_id = "getMe", tag = "session",
    responses((status = 200, description = "The asker", body = Me)))]
pub async fn get(ctx: RequestContext) -> Json<Me> {
    Json(ctx.me().await)
}
