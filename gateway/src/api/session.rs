//! Sign in and out.

use crate::cluster::Clusters;
use crate::context::{self, Asker, RequestContext};
use crate::db::users;
use crate::error::ApiError;
use crate::extract::Json;
use crate::session;
use crate::state::AppState;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use spaceport_shared::error::{FieldCode, FieldError};
use spaceport_shared::session::{Me, SignIn, SignInOptions};
use std::sync::Arc;
use tower_sessions::Session;

/// Whether somebody is signed in, and what the sign-in page may offer.
#[utoipa::path(get, path = "/api/v1/session", operation_id = "getSignInOptions", tag = "session",
    responses((status = 200, description = "Ways to sign in", body = SignInOptions)))]
pub async fn options(
    State(state): State<AppState>,
    asker: Option<Extension<Arc<Asker>>>,
) -> Json<SignInOptions> {
    Json(state.identity.options(state.is_sandbox(), asker.is_some()))
}

/// Sign in as a persona of the sandbox; sets the session cookie.
#[utoipa::path(post, path = "/api/v1/session", operation_id = "signIn", tag = "session", request_body = SignIn,
    responses((status = 200, description = "Signed in", body = Me)))]
pub async fn sign_in(
    State(state): State<AppState>,
    session: Session,
    Json(request): Json<SignIn>,
) -> Result<Json<Me>, ApiError> {
    let user = state.identity.find(state.identity.issuer(), &request.persona).ok_or_else(|| {
        ApiError::field(FieldError::new("persona", FieldCode::NotFound, "There is no such persona."))
    })?;
    let now = crate::clock::now();
    users::record(&state.db, &user.issuer, &user.subject, &user.session_name, now).await?;
    let ends_at = session::start(&session, user, now, state.config.session.absolute_hours).await?;
    tracing::info!(issuer = user.issuer, subject = user.subject, "signed in");
    warm_up(&state, user.clone());
    Ok(Json(context::describe(&state.clusters, user, ends_at, state.is_sandbox()).await))
}

/// Sign out: the session, its sockets and all credentials held for it end now.
#[utoipa::path(delete, path = "/api/v1/session", operation_id = "signOut", tag = "session",
    responses((status = 204, description = "Signed out")))]
pub async fn sign_out(
    ctx: RequestContext,
    State(clusters): State<Clusters>,
    session: Session,
) -> Result<StatusCode, ApiError> {
    session::end(&session).await?;
    clusters.forget(ctx.user());
    tracing::info!(issuer = ctx.user().issuer, subject = ctx.user().subject, "signed out");
    Ok(StatusCode::NO_CONTENT)
}

/// Role session, connection and identity check take most of a second: they begin while the page is still loading.
fn warm_up(state: &AppState, user: crate::identity::User) {
    let clusters = state.clusters.clone();
    state.lifecycle.spawn(async move {
        for cluster in clusters.of_user(&user) {
            if let Err(error) = clusters.access(&user, &cluster.name).await {
                tracing::info!(cluster = cluster.name, %error, "not reachable at sign-in");
            }
        }
    });
}
