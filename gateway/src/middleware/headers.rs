//! Security headers of every answer (OWASP HTTP Headers Cheat Sheet; CSP level 3).

use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use data_encoding::BASE64;
use sha2::{Digest, Sha256};

const ALWAYS: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    ),
];

pub async fn layer(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A page sets its own, with the hashes of what it holds inline.
    headers.entry(CONTENT_SECURITY_POLICY).or_insert_with(|| policy("", ""));
    if headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json")) {
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    if state.config.public_url.is_https() {
        let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert(STRICT_TRANSPORT_SECURITY, year);
    }
    response
}

/// The policy of an HTML page: its inline scripts and styles are allowed by hash, no others.
pub fn content_security_policy(page: &str) -> HeaderValue {
    policy(&hashes(page, "script"), &hashes(page, "style"))
}

fn policy(scripts: &str, styles: &str) -> HeaderValue {
    let text = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'{styles}; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    );
    HeaderValue::try_from(text).expect("base64 and the fixed text are ASCII")
}

/// ` 'sha256-…'` for each inline element of the name. An element with `src` has an empty body and needs none.
fn hashes(page: &str, element: &str) -> String {
    let (open, close) = (format!("<{element}"), format!("</{element}>"));
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(&open) {
        rest = &rest[at + open.len()..];
        if !rest.starts_with(['>', ' ', '\n', '\t']) {
            continue;
        }
        let (Some(from), Some(to)) = (rest.find('>'), rest.find(&close)) else { break };
        if from < to && from + 1 < to {
            let digest = BASE64.encode(&Sha256::digest(&rest.as_bytes()[from + 1..to]));
            out.push_str(&format!(" 'sha256-{digest}'"));
        }
        rest = &rest[to..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_allowed_by_hash_and_no_others() {
        let page =
            "<script type=\"module\">a()</script><script src=\"x.js\"></script><scripture>no</scripture>";
        let digest = BASE64.encode(&Sha256::digest(b"a()"));
        assert_eq!(hashes(page, "script"), format!(" 'sha256-{digest}'"));
    }

    #[test]
    fn nothing_inline_is_allowed_by_default() {
        let text = policy("", "");
        let text = text.to_str().expect("ASCII");
        assert!(text.contains("script-src 'self' 'wasm-unsafe-eval';") && !text.contains("unsafe-inline"));
    }
}
