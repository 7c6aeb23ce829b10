//! One id per request: in the log, in every error and in the `X-Request-Id` of the answer.

use super::peer;
use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use data_encoding::HEXLOWER;

pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
const LONGEST: usize = 64;

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request that this task serves; `-` outside of any.
pub fn current() -> String {
    CURRENT.try_with(String::clone).unwrap_or_else(|_| "-".to_owned())
}

/// 128 random bits in hex.
pub fn random() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    HEXLOWER.encode(&bytes)
}

/// An id from outside counts only from a trusted proxy, or anybody could forge lines that belong together.
pub async fn layer(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let proxies = &state.config.http.trusted_proxies;
    let given = peer::is_trusted(&request, proxies).then(|| request.headers().get(HEADER)).flatten();
    let id = given
        .and_then(|value| value.to_str().ok())
        .filter(|id| is_sound(id))
        .map_or_else(random, str::to_owned);
    if let Some(ip) = peer::client_ip(&request, proxies) {
        request.extensions_mut().insert(peer::ClientIp(ip));
    }
    let mut response = CURRENT.scope(id.clone(), next.run(request)).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

fn is_sound(id: &str) -> bool {
    (8..=LONGEST).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.=".contains(&b))
}
