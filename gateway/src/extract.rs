//! Our own `Json`, `Path` and `Query`: axum's, with coded rejections in place of plain text.

use crate::error::ApiError;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use spaceport_shared::error::{FieldCode, FieldError};

/// Largest request body. The greatest legitimate one, a Space with every list full, is under 64 KiB.
pub const MAX_BODY: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

#[derive(Clone, Copy, Debug)]
pub struct Path<T>(pub T);

#[derive(Clone, Copy, Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(ApiError::UnsupportedMediaType);
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            match rejection.into_response().status().as_u16() {
                413 => ApiError::TooLarge { max_bytes: MAX_BODY },
                _ => ApiError::Malformed("The request body could not be read.".to_owned()),
            }
        })?;
        parse(&bytes).map(Json)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    /// A segment that cannot be read names nothing that exists.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = axum::extract::Path::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(inner)| Path(inner)).map_err(|_| ApiError::NotFound)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = axum::extract::Query::from_request_parts(parts, state).await;
        query.map(|axum::extract::Query(inner)| Query(inner)).map_err(|rejection| {
            let text = rejection.body_text();
            let reason = text.rsplit("query string: ").next().unwrap_or(&text);
            ApiError::field(field_error("", reason))
        })
    }
}

/// `application/json` or a `+json` type, parameters ignored.
pub fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Broken JSON is 400; well-formed JSON of the wrong shape is 422, beside the field.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        match inner.classify() {
            serde_json::error::Category::Data => {
                let text = inner.to_string();
                let reason = text.split(" at line ").next().unwrap_or(&text);
                ApiError::field(field_error(if path == "." { "" } else { &path }, reason))
            }
            _ => ApiError::Malformed(format!("The body is not valid JSON: {inner}.")),
        }
    })?;
    reader.end().map_err(|error| ApiError::Malformed(format!("The body is not valid JSON: {error}.")))?;
    Ok(value)
}

/// serde says "unknown field `x`, expected …" and "missing field `x`"; the field's name belongs in the path. For an
/// unknown field the path already ends with it.
fn field_error(path: &str, reason: &str) -> FieldError {
    let quoted = reason.split('`').nth(1).unwrap_or_default();
    let child = match path {
        "" => quoted.to_owned(),
        _ if path == quoted || path.ends_with(&format!(".{quoted}")) => path.to_owned(),
        _ => format!("{path}.{quoted}"),
    };
    if reason.starts_with("unknown field") {
        FieldError::new(child, FieldCode::UnknownField, reason)
    } else if reason.starts_with("missing field") {
        FieldError::new(child, FieldCode::Required, reason)
    } else {
        FieldError::new(path, FieldCode::InvalidFormat, reason).with("form", reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only its path in errors is looked at")]
        inner: Inner,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only its path in errors is looked at")]
        size: i64,
    }

    fn refused(body: &str) -> (FieldCode, String) {
        match parse::<Outer>(body.as_bytes()) {
            Err(ApiError::Invalid(fields)) => (fields[0].code, fields[0].path.clone()),
            other => panic!("expected a field error, got {other:?}"),
        }
    }

    #[test]
    fn wrong_shapes_are_told_beside_the_field() {
        assert_eq!(refused(r#"{"inner":{"size":"x"}}"#), (FieldCode::InvalidFormat, "inner.size".into()));
        assert_eq!(refused(r#"{"inner":{}}"#), (FieldCode::Required, "inner.size".into()));
        assert_eq!(refused(r#"{"inner":{"size":1,"big":2}}"#), (FieldCode::UnknownField, "inner.big".into()));
        assert_eq!(refused(r#"{"other":1}"#), (FieldCode::UnknownField, "other".into()));
        assert_eq!(refused("[]").0, FieldCode::InvalidFormat);
    }

    #[test]
    fn truncated_json_and_trailing_text_are_malformed() {
        for body in [r#"{"inner":{"#, "", r#"{"inner":{"size":1}} x"#] {
            assert!(matches!(parse::<Outer>(body.as_bytes()), Err(ApiError::Malformed(_))), "{body}");
        }
    }

    #[test]
    fn only_json_types_are_json() {
        let with = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, axum::http::HeaderValue::from_static(value));
            is_json(&headers)
        };
        assert!(with("application/json; charset=utf-8") && with("application/merge-patch+json"));
        assert!(!with("text/plain") && !with("application/x-www-form-urlencoded") && !with("text/json+json"));
        assert!(!is_json(&HeaderMap::new()));
    }
}
