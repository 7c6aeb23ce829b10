//! Paths that name no resource: version, health, discovery, OpenAPI.

use super::answer;
use super::negotiation::Wanted;
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::{discovery, openapi};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::Value;

const DISCOVERY_TYPE: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const OPENAPI_V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// What is asked for.
pub(super) struct Asked<'r> {
    pub method: &'r Method,
    pub path: &'r str,
    pub query: &'r super::Query,
    pub headers: &'r HeaderMap,
    pub wanted: Wanted,
}

impl Asked<'_> {
    fn accepts(&self, text: &str) -> bool {
        let accept = self.headers.get_all(header::ACCEPT).iter();
        accept.filter_map(|value| value.to_str().ok()).any(|value| value.contains(text))
    }
}

/// # Errors
/// 405 for a method that does not fit, 406.
pub(super) fn serve(core: &Core, asked: &Asked<'_>) -> Result<Response, Failure> {
    let parts: Vec<&str> = asked.path.split('/').filter(|part| !part.is_empty()).collect();
    let reads = matches!(*asked.method, Method::GET | Method::HEAD);
    match parts.as_slice() {
        ["version"] if reads => Ok(version()),
        ["version"] => Err(super::method_not_allowed()),
        ["healthz" | "livez" | "readyz", checks @ ..] => Ok(health(parts[0], checks, asked)),
        ["api" | "apis"] => Ok(root(core, asked, parts[0] == "api")),
        ["api", version] => Ok(found(asked, discovery::resource_list("", version))),
        ["apis", group] => Ok(found(asked, discovery::group(group))),
        ["apis", group, version] if !group.is_empty() => {
            Ok(found(asked, discovery::resource_list(group, version)))
        }
        ["openapi", "v2"] => Ok(old_openapi(asked)),
        ["openapi", "v3"] => {
            Ok(answer::with_type(200, "text/plain; charset=utf-8", Body::from(openapi::index().to_string())))
        }
        ["openapi", "v3", place @ ..] => Ok(openapi_document(asked, &place.join("/"))),
        _ => Ok(answer::page_not_found()),
    }
}

/// Indented and without a newline, as the real server writes it.
fn version() -> Response {
    let text = serde_json::to_string_pretty(&discovery::version()).unwrap_or_default();
    answer::with_type(200, "application/json", Body::from(text))
}

fn health(name: &str, checks: &[&str], asked: &Asked<'_>) -> Response {
    let text = match checks {
        [] if asked.query.get("verbose").is_some() => {
            let lines: String = CHECKS.iter().map(|check| format!("[+]{check} ok\n")).collect();
            format!("{lines}{name} check passed\n")
        }
        [] => "ok".to_owned(),
        [check] if CHECKS.contains(check) => "ok".to_owned(),
        _ => return answer::page_not_found(),
    };
    let mut response = answer::with_type(200, "text/plain; charset=utf-8", Body::from(text));
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn root(core: &Core, asked: &Asked<'_>, is_core: bool) -> Response {
    if asked.accepts("g=apidiscovery.k8s.io;v=v2;") {
        let mut text = discovery::aggregated(is_core).to_string();
        text.push('\n');
        return answer::with_type(200, DISCOVERY_TYPE, Body::from(text));
    }
    let server = core.config.server_url.split("://").last().unwrap_or_default();
    let document = if is_core { discovery::core_versions(server) } else { discovery::groups() };
    answer::render(200, &asked.wanted, &document)
}

fn found(asked: &Asked<'_>, document: Option<Value>) -> Response {
    document.map_or_else(answer::page_not_found, |document| answer::render(200, &asked.wanted, &document))
}

fn old_openapi(asked: &Asked<'_>) -> Response {
    if asked.accepts("proto-openapi.spec.v2") {
        return answer::with_type(200, OPENAPI_V2_PROTOBUF, Body::from(openapi::old_document_protobuf()));
    }
    answer::with_type(200, "application/json", Body::from(openapi::old_document().to_string()))
}

/// A document is asked for by its hash, so that it can be kept for ever; an old hash leads to the new one.
fn openapi_document(asked: &Asked<'_>, place: &str) -> Response {
    let Some(document) = openapi::find(place) else { return answer::empty(404) };
    let etag = HeaderValue::from_str(&format!("\"{}\"", document.hash));
    let given = asked.query.text("hash");
    let mut response = if !given.is_empty() && given != document.hash {
        let mut moved = answer::with_type(301, "application/json", Body::empty());
        let target = format!("/openapi/v3/{place}?hash={}", document.hash);
        if let Ok(target) = HeaderValue::from_str(&target) {
            moved.headers_mut().insert(header::LOCATION, target);
        }
        moved
    } else {
        answer::with_type(200, "application/json", Body::from(document.text.as_str()))
    };
    if given == document.hash {
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, HeaderValue::from_static("public, immutable, max-age=31536000"));
    }
    if let Ok(etag) = etag {
        response.headers_mut().insert(header::ETAG, etag);
    }
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}
