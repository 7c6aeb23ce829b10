//! Answers: status, headers and bodies, in the representation the client asked for.

use crate::kube::failure::Failure;
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;

/// A JSON answer that ends with a newline, as the real server's.
pub fn json(code: u16, body: &Value) -> Response {
    let mut bytes = body.to_string().into_bytes();
    bytes.push(b'\n');
    with_type(code, "application/json", Body::from(bytes))
}

/// An answer without a body.
pub fn empty(code: u16) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

pub fn with_type(code: u16, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

/// What Go's mux says of a path nobody serves.
pub fn page_not_found() -> Response {
    let mut response = with_type(404, "text/plain; charset=utf-8", Body::from("404 page not found\n"));
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// A refusal as a JSON `Status`.
pub fn failure(failure: &Failure) -> Response {
    let mut response = json(failure.code, &failure.body());
    if let Some(seconds) = failure.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if failure.code == 403 && failure.message.contains("cannot ") {
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }
    warn(&mut response, failure.warnings());
    response
}

/// Adds a Warning header for each text.
pub fn warn(response: &mut Response, warnings: &[String]) {
    for text in warnings {
        let value = format!("299 - {}", crate::kube::refusals::quote(text));
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().append(header::WARNING, value);
        }
    }
}
