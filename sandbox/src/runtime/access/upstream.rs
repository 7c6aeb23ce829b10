//! The HTTP client towards the Spaces' servers, which listen on loopback only.

use super::super::server::Endpoint;
use axum::body::Body;
use http::{Request, Uri, header};
use http_body_util::{BodyExt, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::time::Duration;

pub type Upstream = Client<HttpConnector, Body>;

/// The operator's own limit for an idle check.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
const PROBE_BYTES: usize = 1024 * 1024;

pub fn upstream() -> Upstream {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(Duration::from_secs(5)));
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
}

/// The address of `path_and_query` on a server.
pub fn uri(endpoint: &Endpoint, path_and_query: &str) -> Result<Uri, http::Error> {
    Uri::builder()
        .scheme("http")
        .authority(endpoint.address.to_string())
        .path_and_query(path_and_query)
        .build()
}

/// A GET as a probe sends it: status and body.
///
/// # Errors
/// A sentence, when the server cannot be reached in time or answers too much.
pub async fn get(client: &Upstream, endpoint: &Endpoint, path: &str) -> Result<(u16, String), String> {
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = uri(endpoint, path).map_err(|error| error.to_string())?;
    if let Some(value) = &endpoint.authorization {
        request.headers_mut().insert(header::AUTHORIZATION, value.clone());
    }
    let exchange = async {
        let response = client.request(request).await.map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), PROBE_BYTES).collect().await;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    };
    tokio::time::timeout(PROBE_TIMEOUT, exchange)
        .await
        .unwrap_or_else(|_| Err("no answer in time".to_owned()))
}
