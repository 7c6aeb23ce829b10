//! Sign-ins: what a session holds, how long it lives, who learns that it ended.
//!
//! A session holds who signed in and when, nothing else: groups and roles follow the configuration, credentials live
//! in memory only.

mod store;

pub use store::SqlStore;

use crate::config::{Config, PublicUrl};
use crate::error::ApiError;
use crate::identity::User;
use axum::http::HeaderValue;
use axum::http::header::SET_COOKIE;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use spaceport_shared::time::Timestamp;
use time::Duration;
use tower_sessions::cookie::SameSite;
use tower_sessions::{Expiry, Session, SessionManagerLayer};

const HOST_COOKIE: &str = "__Host-spaceport";
const SIGNED_IN: &str = "signedIn";
/// How often a session in use is written: the idle time is exact to this.
const TOUCH_EVERY_MS: i64 = 60_000;

/// Name of a session outside its cookie: SHA-256 of the id, in hex. Safe to keep and to log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey(String);

/// Who signed in, and until when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    pub issuer: String,
    pub subject: String,
    /// Milliseconds since 1970.
    pub ends_at: i64,
    seen_at: i64,
}

/// Writes the sign-in under a fresh id; whatever the browser held before is deleted (session fixation).
pub async fn start(
    session: &Session,
    user: &User,
    now: Timestamp,
    hours: u32,
) -> Result<Timestamp, ApiError> {
    session.clear().await;
    // Not `flush`: that deletes the row and then saves the new one under the old id.
    session.cycle_id().await.map_err(ApiError::internal)?;
    let ends_at = Timestamp(now.0 + i64::from(hours) * 3_600_000);
    let signed_in = SignedIn {
        issuer: user.issuer.clone(),
        subject: user.subject.clone(),
        ends_at: ends_at.0,
        seen_at: now.0,
    };
    session.insert(SIGNED_IN, signed_in).await.map_err(ApiError::internal)?;
    Ok(ends_at)
}

/// Deletes the session's row; its sockets learn of it at once.
pub async fn end(session: &Session) -> Result<(), ApiError> {
    if session.id().is_some() {
        session.flush().await.map_err(ApiError::internal)?;
    }
    Ok(())
}

/// The live sign-in of a request, if there is one; keeps the idle time running.
pub async fn current(session: &Session, now: Timestamp) -> Result<Option<(SessionKey, SignedIn)>, ApiError> {
    let Some(mut signed_in) = session.get::<SignedIn>(SIGNED_IN).await.map_err(ApiError::internal)? else {
        return Ok(None);
    };
    let Some(id) = session.id() else { return Ok(None) };
    if signed_in.ends_at <= now.0 {
        return Ok(None);
    }
    if now.0 - signed_in.seen_at >= TOUCH_EVERY_MS {
        signed_in.seen_at = now.0;
        session.insert(SIGNED_IN, &signed_in).await.map_err(ApiError::internal)?;
    }
    Ok(Some((store::key(&id), signed_in)))
}

/// The cookie. `__Host-` keeps neighbours on the same domain from planting one; Lax lets links from mail and chat
/// arrive signed in.
///
/// Chromium and curl (seen with 7.88) treat plain http on loopback as trustworthy and keep a Secure cookie there;
/// for clients that do not, `session.plain_cookie` gives up prefix and Secure.
pub fn layer(store: SqlStore, config: &Config) -> SessionManagerLayer<SqlStore> {
    let plain = config.session.plain_cookie;
    SessionManagerLayer::new(store)
        .with_name(cookie_name(&config.public_url, plain))
        .with_secure(!plain)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(Duration::minutes(i64::from(config.session.idle_minutes))))
}

/// Gives the cookie's removal the attributes of the cookie: browsers ignore a `Set-Cookie` of a `__Host-` name without
/// `Secure`, and would keep the dead session's cookie.
pub async fn complete_removal(mut response: Response) -> Response {
    let written: Vec<HeaderValue> = response.headers().get_all(SET_COOKIE).iter().map(completed).collect();
    response.headers_mut().remove(SET_COOKIE);
    for value in written {
        response.headers_mut().append(SET_COOKIE, value);
    }
    response
}

fn completed(value: &HeaderValue) -> HeaderValue {
    match value.to_str() {
        Ok(text) if text.starts_with(HOST_COOKIE) && !text.contains("; Secure") => {
            let text = format!("{text}; HttpOnly; SameSite=Lax; Secure");
            HeaderValue::try_from(text).unwrap_or_else(|_| value.clone())
        }
        _ => value.clone(),
    }
}

fn cookie_name(public_url: &PublicUrl, plain: bool) -> &'static str {
    if plain && !public_url.is_https() { "spaceport" } else { HOST_COOKIE }
}
