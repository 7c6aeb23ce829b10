//! Refuses bodies that announce more than the limit, after reading (and dropping) a bounded part of them: a client that is
//! still sending would otherwise see a broken connection in place of the answer.

use crate::error::ApiError;
use crate::extract::MAX_BODY;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use std::time::Duration;

const MOST_DRAINED: usize = 16 << 20;
const LONGEST_DRAIN: Duration = Duration::from_secs(5);

pub async fn layer(request: Request, next: Next) -> Result<Response, ApiError> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length = announced.map_or(Some(0), |text| text.parse::<usize>().ok());
    if length.is_none_or(|length| length > MAX_BODY) {
        // However the draining ends, the answer is the same.
        let _ = tokio::time::timeout(LONGEST_DRAIN, drain(request.into_body())).await;
        return Err(ApiError::TooLarge { max_bytes: MAX_BODY });
    }
    Ok(next.run(request).await)
}

async fn drain(mut body: Body) {
    let mut seen = 0;
    while let Some(Ok(frame)) = body.frame().await {
        seen += frame.data_ref().map_or(0, bytes::Bytes::len);
        if seen > MOST_DRAINED {
            return;
        }
    }
}
