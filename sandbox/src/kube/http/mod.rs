//! HTTP in front of the verbs: one handler that reads the route, asks who and whether, and hands over.

mod answer;
mod body;
mod delete_options;
mod documents;
mod list;
mod negotiation;
mod path;
mod query;
mod read;
mod represent;
mod review;
mod scan;
mod token;
mod watch;
mod write;
mod yaml;

use super::Core;
use super::failure::Failure;
use super::identity::UserInfo;
use super::{authn, authz, discovery, impersonation, kinds, protobuf, refusals, reviews};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::HeaderMap;
use http::request::Parts;
use negotiation::{Offer, Wanted};
use path::Route;
use query::Query;
use represent::Served;
use std::sync::Arc;

/// Request bodies above this are refused (upstream's default).
const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// A request to a served resource, authenticated and authorized.
struct Call {
    core: Arc<Core>,
    user: UserInfo,
    route: Route,
    query: Query,
    headers: HeaderMap,
    served: Served,
    body: Bytes,
    wanted: Wanted,
}

/// The whole HTTP surface of one API server.
pub(super) fn router(core: Arc<Core>) -> axum::Router {
    axum::Router::new().fallback(serve).with_state(core)
}

async fn serve(State(core): State<Arc<Core>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    // Refusals have no other forms than the whole object.
    let wanted =
        negotiation::negotiate(&parts.headers, &query, Offer { protobuf: true, forms: false, stream: false })
            .ok();
    match answer(core, parts, query, body).await {
        Ok(response) => response,
        Err(failure) => answer::failure(&failure, wanted.as_ref()),
    }
}

async fn answer(core: Arc<Core>, parts: Parts, query: Query, body: Body) -> Result<Response, Failure> {
    let route = Route::parse(&parts.method, parts.uri.path(), &query);
    let asked = route.attributes();
    let caller = authn::authenticate(&core, &parts.headers)?;
    let user = impersonation::resolve(&core, caller, &parts.headers, &asked)?;
    authz::require(&core, &user, &asked)?;
    let headers = &parts.headers;
    if !route.is_resource() {
        let wanted =
            negotiation::negotiate(headers, &query, Offer { protobuf: false, forms: false, stream: false })
                .unwrap_or(Wanted::JSON);
        let (method, path) = (&parts.method, parts.uri.path());
        return documents::serve(&core, &documents::Asked { method, path, query: &query, headers, wanted });
    }
    let body = axum::body::to_bytes(body, BODY_LIMIT).await.map_err(|_| {
        Failure::new(413, "RequestEntityTooLarge", format!("Request entity too large: limit is {BODY_LIMIT}"))
    })?;
    if let Some(review) = reviews::find(&route.group, &route.version, &route.resource) {
        let asked = review::Asked { review, route: &route, query: &query, headers, body: &body };
        return review::serve(&core, &user, &asked);
    }
    if let Some(response) = aggregated(&core, &user, &route, &body) {
        return Ok(response);
    }
    let Some(kind) = kinds::served(&route.group, &route.version, &route.resource) else {
        return unknown(&route);
    };
    let served = Served { kind, group: route.group.clone(), version: route.version.clone() };
    let wanted = Wanted::JSON;
    dispatch(Call { core, user, route, query, headers: parts.headers, served, body, wanted })
}

/// What the answers about a kind can be encoded in.
fn offer(call: &Call) -> Offer {
    let known = protobuf::knows(&call.served.api_version(), call.served.kind.kind);
    let stream = call.route.verb == "watch";
    Offer { protobuf: known && !stream, forms: true, stream }
}

/// The create-only API that an extension server would answer.
fn aggregated(core: &Core, user: &UserInfo, route: &Route, body: &[u8]) -> Option<Response> {
    if route.group != discovery::CONNECTIONS || route.verb != "create" {
        return None;
    }
    let connections = core.hooks()?.connections.as_ref()?;
    let (code, answer) = connections.create(user, &route.namespace, &route.resource, body);
    Some(answer::json(code, &answer))
}

/// A resource nobody serves: groups of CRDs are behind another handler upstream, and answer plainly.
fn unknown(route: &Route) -> Result<Response, Failure> {
    let built_in = kinds::all().iter().any(|kind| !kind.custom && kind.group == route.group);
    if built_in { Err(no_such_resource()) } else { Ok(answer::page_not_found()) }
}

fn no_such_resource() -> Failure {
    Failure::new(404, "NotFound", "the server could not find the requested resource")
        .with_details(serde_json::json!({}))
}

fn method_not_allowed() -> Failure {
    Failure::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
        .with_details(serde_json::json!({}))
}

fn dispatch(mut call: Call) -> Result<Response, Failure> {
    let kind = call.served.kind;
    let route = &call.route;
    let in_path = route.path.trim_end_matches('/').split('/').next_back() != Some(kind.plural);
    if let Some(response) = misplaced(&call, in_path)? {
        return Ok(response);
    }
    if call.route.subresource != "log" {
        call.wanted = negotiation::negotiate(&call.headers, &call.query, offer(&call))?;
    }
    let deprecated = call.served.kind.deprecation(&call.served.version).map(str::to_owned);
    let warnings: Vec<String> = deprecated.into_iter().collect();
    match perform(&call) {
        Ok(mut response) => {
            answer::warn(&mut response, &warnings);
            Ok(response)
        }
        Err(failure) => Err(failure.warn(warnings)),
    }
}

fn perform(call: &Call) -> Result<Response, Failure> {
    match (call.route.verb.as_str(), call.route.subresource.as_str()) {
        ("get", "") | ("get", "status") => read::get(call),
        ("get", "scale") => read::scale(call),
        ("get", "log") => read::log(call),
        ("list", _) => list::list(call),
        ("watch", _) => watch::watch(call),
        ("create", "") => write::create(call),
        ("update", "" | "status" | "scale") => write::update(call),
        ("patch", "" | "status" | "scale") => write::patch(call),
        ("delete", "") => write::delete(call),
        ("deletecollection", _) => write::delete_collection(call),
        _ => Err(method_not_allowed()),
    }
}

/// Requests whose method, scope or subresource does not fit the kind.
fn misplaced(call: &Call, in_path: bool) -> Result<Option<Response>, Failure> {
    let (kind, route) = (call.served.kind, &call.route);
    let scoped = !route.namespace.is_empty() && kind.plural != "namespaces";
    let known = match route.subresource.as_str() {
        "" => true,
        "status" => kind.status,
        "scale" => kind.scale,
        other => kind.extra.contains(&other),
    };
    if kind.custom {
        let wide = matches!(route.verb.as_str(), "list" | "watch") && !in_path;
        if scoped != kind.namespaced && !(kind.namespaced && (wide || route.verb.is_empty())) {
            return Ok(Some(answer::page_not_found()));
        }
        if !known {
            return Err(refusals::not_found(kind, &route.name));
        }
        if route.verb.is_empty() {
            let message = format!(" is not supported on resources of kind \"{}\"", kind.qualified_plural());
            let details = refusals::details("", kind.group, kind.plural);
            return Err(Failure::new(405, "MethodNotAllowed", message).with_details(details));
        }
        if matches!(route.verb.as_str(), "update" | "patch") && !in_path {
            return Err(refusals::bad_request("name must be provided"));
        }
        return Ok(None);
    }
    if !known || (scoped && !kind.namespaced) {
        return Err(no_such_resource());
    }
    if kind.namespaced && !scoped && in_path {
        return Err(no_such_resource());
    }
    let fits = match route.verb.as_str() {
        "list" | "watch" => true,
        "get" => in_path,
        "create" => (!in_path || !route.subresource.is_empty()) && (scoped || !kind.namespaced),
        "deletecollection" => !in_path && (scoped || !kind.namespaced) && kind.plural != "namespaces",
        "update" | "patch" | "delete" => in_path,
        _ => false,
    };
    if fits { Ok(None) } else { Err(method_not_allowed()) }
}
