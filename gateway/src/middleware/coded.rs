//! The net under everything: whatever error leaves without an `ErrorBody` (a layer of a library, an upgrade that fails)
//! gets one here.

use crate::error::{ApiError, Coded};
use crate::extract::MAX_BODY;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Duration;

pub async fn layer(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<Coded>().is_some() {
        return response;
    }
    error_for(status.as_u16()).into_response()
}

fn error_for(status: u16) -> ApiError {
    match status {
        401 => ApiError::Unauthenticated,
        404 => ApiError::NotFound,
        405 => ApiError::MethodNotAllowed,
        413 => ApiError::TooLarge { max_bytes: MAX_BODY },
        415 => ApiError::UnsupportedMediaType,
        408 | 503 => ApiError::Unavailable { retry_after: Duration::from_secs(2) },
        400..500 => ApiError::Malformed("The request cannot be served as it is.".to_owned()),
        _ => ApiError::internal(anyhow::anyhow!("an answer of status {status} without a body of ours")),
    }
}
