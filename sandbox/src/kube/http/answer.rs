//! Answers: status, headers and bodies, in the representation the client asked for.

use super::negotiation::{Encoding, Wanted};
use super::yaml;
use crate::kube::failure::Failure;
use crate::kube::protobuf;
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

/// An object in the encoding that was negotiated (indented JSON ends without a newline upstream too); JSON where protobuf is wanted of a kind that has none.
pub fn render(code: u16, wanted: &Wanted, body: &Value) -> Response {
    match wanted.encoding {
        Encoding::Yaml => with_type(code, "application/yaml", Body::from(yaml::write(body))),
        Encoding::Protobuf => match protobuf::encode(body) {
            Some(bytes) => with_type(code, "application/vnd.kubernetes.protobuf", Body::from(bytes)),
            None => json(code, body),
        },
        Encoding::Json if wanted.pretty => {
            let text = serde_json::to_string_pretty(body).unwrap_or_default();
            with_type(code, "application/json", Body::from(text))
        }
        Encoding::Json => json(code, body),
    }
}

/// A refusal as a `Status`, in the client's encoding; indented JSON when it accepts none (as upstream does then).
pub fn failure(failure: &Failure, wanted: Option<&Wanted>) -> Response {
    let body = failure.body();
    let mut response = match wanted {
        Some(wanted) => render(failure.code, wanted, &body),
        None => {
            let text = serde_json::to_string_pretty(&body).unwrap_or_default();
            with_type(failure.code, "application/json", Body::from(text))
        }
    };
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
