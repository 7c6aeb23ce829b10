//! Forwards one request to a Space's server, bodies streaming both ways, websockets as raw bytes.

use super::super::server::Endpoint;
use super::headers::{clean_request, clean_response, wants_websocket};
use super::upstream::{Upstream, uri};
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{StatusCode, header};
use hyper_util::rt::TokioIo;

/// # Errors
/// A sentence for the log, when the server cannot be reached.
pub async fn forward(
    client: &Upstream,
    endpoint: &Endpoint,
    mut request: Request,
) -> Result<Response, String> {
    let websocket = wants_websocket(request.headers());
    let target = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = uri(endpoint, target).map_err(|error| error.to_string())?;
    // hyper hands the browser's connection over once the answer below is sent.
    let browser = websocket.then(|| hyper::upgrade::on(&mut request));
    clean_request(request.headers_mut(), websocket);
    if let Some(value) = &endpoint.authorization {
        request.headers_mut().insert(header::AUTHORIZATION, value.clone());
    }
    let mut response = client.request(request).await.map_err(|error| error.to_string())?;
    let switched = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    if let (true, Some(browser)) = (switched, browser) {
        let server = hyper::upgrade::on(&mut response);
        tokio::spawn(async move {
            if let (Ok(browser), Ok(server)) = tokio::join!(browser, server) {
                // Ends with either side; an error means that one of them went away, which is how sockets end.
                let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(browser), &mut TokioIo::new(server))
                    .await;
            }
        });
    }
    clean_response(response.headers_mut(), switched);
    Ok(response.map(Body::new))
}
