//! Reviews over HTTP: bodies in JSON, YAML or protobuf, answers likewise.

use super::negotiation::{self, Offer};
use super::{answer, body, write};
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::identity::UserInfo;
use crate::kube::protobuf;
use crate::kube::refusals::bad_request;
use crate::kube::reviews::Review;
use axum::response::Response;
use http::HeaderMap;
use serde_json::Value;

/// A review to be answered.
pub(super) struct Asked<'r> {
    pub review: &'static Review,
    pub route: &'r super::Route,
    pub query: &'r super::Query,
    pub headers: &'r HeaderMap,
    pub body: &'r [u8],
}

/// # Errors
/// 400, 404, 405, 406, 415, 422.
pub(super) fn serve(core: &Core, user: &UserInfo, asked: &Asked<'_>) -> Result<Response, Failure> {
    let (review, route) = (asked.review, asked.route);
    if review.namespaced == route.namespace.is_empty() || !route.name.is_empty() {
        return Err(super::no_such_resource());
    }
    if route.verb != "create" {
        return Err(super::method_not_allowed());
    }
    let wanted = negotiation::negotiate(
        asked.headers,
        asked.query,
        Offer { protobuf: true, forms: false, stream: false },
    )?;
    let question = decode(asked)?;
    let manager = write::manager_name(asked.headers, asked.query.text("fieldManager"));
    let reply = review.answer(core, user, &route.namespace, &manager, &question)?;
    Ok(answer::render(201, &wanted, &reply))
}

fn decode(asked: &Asked<'_>) -> Result<Value, Failure> {
    const ACCEPTED: [&str; 3] =
        ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
    let kind = asked.review.kind;
    let unreadable = |why: String| {
        bad_request(format!("the object provided is unrecognized (must be of type {kind}): {why}"))
    };
    let question: Value = match body::media_type_of(asked.headers) {
        "application/json" => serde_json::from_slice(asked.body).map_err(|error| {
            let problem = body::json_problem(asked.body, &error);
            unreadable(format!("couldn't get version/kind; json parse error: {problem}"))
        })?,
        "application/yaml" => std::str::from_utf8(asked.body)
            .map_err(|error| error.to_string())
            .and_then(|text| serde_saphyr::from_str(text).map_err(|error| error.to_string()))
            .map_err(unreadable)?,
        "application/vnd.kubernetes.protobuf" => protobuf::decode(asked.body).map_err(unreadable)?,
        _ => return Err(body::unsupported_media_type(&ACCEPTED)),
    };
    let fits = |field: &str, expected: &str| {
        question[field].as_str().is_none_or(|given| given.is_empty() || given == expected)
    };
    if question.is_object() && fits("kind", kind) && fits("apiVersion", &asked.review.api_version()) {
        return Ok(question);
    }
    Err(unreadable("kind or apiVersion do not match".to_owned()))
}
