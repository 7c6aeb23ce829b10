//! The AWS endpoint of all accounts: STS, EKS and SageMaker on one port, every request signed with SigV4.
//!
//! The service is the one a request was signed for. Also here: the EKS side of the API servers, tokens and access
//! policies. Knows clusters only through their API server and their facts.

mod authentication;
mod eks;
pub mod entries;
mod failure;
pub mod policies;
mod roles;
mod sagemaker;
pub mod sessions;
mod sigv4;
mod sts;
pub mod token;

use crate::cluster::InstanceGroup;
use crate::kube::LocalApi;
use crate::landscape::ClusterFacts;
use authentication::{Caller, authenticate};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use failure::{AwsFailure, Protocol};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use serde_json::{Map, Value};
use sessions::{Principal, Sessions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the endpoint knows of a cluster.
pub struct ClusterSide {
    pub facts: &'static ClusterFacts,
    /// Of the API server.
    pub endpoint: String,
    pub ca_pem: String,
    /// Seconds since the epoch.
    pub created_at: i64,
    pub groups: Vec<InstanceGroup>,
    /// Nodes are read from here.
    pub api: LocalApi,
}

struct Endpoint {
    sessions: Sessions,
    clusters: Vec<ClusterSide>,
}

/// More than any call of these services may send.
const MOST_BODY_BYTES: usize = 1024 * 1024;

pub fn router(sessions: Sessions, clusters: Vec<ClusterSide>) -> axum::Router {
    axum::Router::new().fallback(serve).with_state(Arc::new(Endpoint { sessions, clusters }))
}

async fn serve(State(endpoint): State<Arc<Endpoint>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let request_id = uuid::Uuid::new_v4().to_string();
    let protocol = spoken(&parts.headers, &parts.uri);
    let mut response = match axum::body::to_bytes(body, MOST_BODY_BYTES).await {
        Ok(body) => endpoint
            .answer(&parts, &body, protocol, &request_id)
            .unwrap_or_else(|failure| failure.respond(protocol, &request_id)),
        Err(_) => AwsFailure::new(413, "RequestEntityTooLarge", "The request is too large.")
            .respond(protocol, &request_id),
    };
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert("x-amzn-requestid", value);
    }
    response
}

/// The protocol, told from the request's shape: an unsigned request deserves a readable refusal, too.
fn spoken(headers: &HeaderMap, uri: &Uri) -> Protocol {
    if headers.contains_key("x-amz-target") {
        Protocol::Json
    } else if uri.path() == "/" {
        Protocol::Query
    } else {
        Protocol::RestJson
    }
}

/// A provoked error in the form that the caller expects.
pub fn provoked(request: &Parts, status: u16, code: &str, message: &str) -> Response {
    let protocol = spoken(&request.headers, &request.uri);
    failure::respond(protocol, "provoked", status, code, message, &Map::new())
}

impl Endpoint {
    fn answer(
        &self,
        parts: &Parts,
        body: &[u8],
        protocol: Protocol,
        request_id: &str,
    ) -> Result<Response, AwsFailure> {
        let now = jiff::Timestamp::now().as_second();
        let caller =
            authenticate(&self.sessions, parts, body, now).map_err(|refusal| refusal.failure(protocol))?;
        if Protocol::of_service(&caller.service) != Some(protocol) {
            let message =
                format!("Credential should be scoped to correct service, not '{}'.", caller.service);
            return Err(AwsFailure::new(403, "SignatureDoesNotMatch", message));
        }
        match protocol {
            Protocol::Query => {
                let xml = sts::answer(&self.sessions, &caller, &form(parts, body)?, now, request_id)?;
                Ok(respond("text/xml", xml))
            }
            Protocol::RestJson => {
                let query = sigv4::parse_query(parts.uri.query().unwrap_or(""));
                let path = percent_encoding::percent_decode_str(parts.uri.path()).decode_utf8_lossy();
                let value = eks::answer(&self.clusters, &caller, parts.method.as_str(), &path, &query)?;
                Ok(respond("application/json", value.to_string()))
            }
            Protocol::Json => {
                let value = sagemaker::answer(&self.clusters, &caller, &operation(parts), &json(body)?)?;
                Ok(respond("application/x-amz-json-1.1", value.to_string()))
            }
        }
    }
}

fn respond(content_type: &'static str, body: String) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, content_type)], Body::from(body)).into_response()
}

/// Fields of a query-protocol call: the form of a POST, the query of a GET.
fn form(parts: &Parts, body: &[u8]) -> Result<BTreeMap<String, String>, AwsFailure> {
    let malformed = || AwsFailure::new(400, "MalformedInput", "The body is not a form.");
    let pairs: Vec<(String, String)> = match parts.method.as_str() {
        "GET" => sigv4::parse_query(parts.uri.query().unwrap_or("")),
        "POST" => {
            let text = std::str::from_utf8(body).map_err(|_| malformed())?;
            url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
        }
        _ => return Err(malformed()),
    };
    let count = pairs.len();
    let fields: BTreeMap<String, String> = pairs.into_iter().collect();
    if fields.len() == count { Ok(fields) } else { Err(malformed()) }
}

/// `X-Amz-Target: SageMaker.ListClusters`.
fn operation(parts: &Parts) -> String {
    let target = parts.headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or("");
    target.strip_prefix("SageMaker.").unwrap_or("").to_owned()
}

fn json(body: &[u8]) -> Result<Value, AwsFailure> {
    match serde_json::from_slice(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        _ => Err(AwsFailure::new(400, "SerializationException", "The body is not a JSON object.")),
    }
}

/// May the caller's identity policy do this?
///
/// # Errors
/// AccessDenied in the words of the protocol.
fn permit(caller: &Caller, protocol: Protocol, action: &str, resource: &str) -> Result<(), AwsFailure> {
    let granted = match &caller.principal {
        Principal::Gateway => roles::GATEWAY_ACTIONS,
        Principal::Session(session) => {
            roles::find(&session.account, &session.role).map_or(&[][..], |role| role.actions)
        }
    };
    match roles::grants(granted, action) {
        true => Ok(()),
        false => Err(AwsFailure::denied(protocol, &caller.principal.arn(), action, resource)),
    }
}

#[cfg(test)]
mod tests;
