//! Spaces over HTTP: addresses, headers and codes. What happens is in `crate::spaces`.

pub mod collection;
pub mod evidence;
pub mod lifecycle;
pub mod one;

use crate::error::ApiError;
use axum::http::header::{ETAG, IF_MATCH};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use spaceport_shared::space::Space;

/// The address of one Space.
#[derive(Debug, Deserialize)]
pub struct Address {
    pub cluster: String,
    pub namespace: String,
    pub name: String,
}

/// A Space with its `ETag`.
pub fn tagged(space: Space) -> Response {
    let tag = format!("\"{}:{}\"", space.row.id, space.row.resource_version);
    let mut response = axum::Json(space).into_response();
    // uids and versions are plain ASCII; an odd one costs the header, not the answer.
    if let Ok(value) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(ETAG, value);
    }
    response
}

/// The uid and version of `If-Match: "uid:resourceVersion"`.
///
/// # Errors
/// `PreconditionRequired` without the header or with `*`: which object is meant must be said.
pub fn if_match(headers: &HeaderMap) -> Result<(String, String), ApiError> {
    let text = headers.get(IF_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let tag = text.trim().trim_start_matches("W/").trim_matches('"');
    match tag.split_once(':') {
        Some((uid, version)) if !uid.is_empty() => Ok((uid.to_owned(), version.to_owned())),
        _ => Err(ApiError::PreconditionRequired),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Option<&'static str>) -> Result<(String, String), ApiError> {
        let mut headers = HeaderMap::new();
        if let Some(value) = value {
            headers.insert(IF_MATCH, HeaderValue::from_static(value));
        }
        if_match(&headers)
    }

    #[test]
    fn a_tag_names_object_and_version() {
        assert_eq!(read(Some("\"u-1:42\"")).expect("a tag"), ("u-1".to_owned(), "42".to_owned()));
        for missing in [None, Some("*"), Some(""), Some("\"x\""), Some("\":1\"")] {
            assert!(matches!(read(missing), Err(ApiError::PreconditionRequired)), "{missing:?}");
        }
    }
}
