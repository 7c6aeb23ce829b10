//! The gateway's one error enum, cut by what the caller can do about it.
//!
//! Internal detail (`Cause`) goes to the log and never into an answer. Codes and statuses: `shared::error`.

mod aws;
mod kube;

pub use aws::from_sdk;

use crate::middleware::request_id;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use spaceport_shared::error::{ErrorBody, ErrorCode, ErrorDetail, FieldError, Layer};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Why an upstream call or our own code failed: for the log alone. Cheap to clone, so that every waiter of a
/// single-flight call gets the same failure.
#[derive(Clone)]
pub struct Cause(Arc<anyhow::Error>);

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Cause {
    fn from(error: E) -> Self {
        Cause(Arc::new(error.into()))
    }
}

/// A foreign service as users and operators know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upstream {
    Kubernetes,
    Sts,
    Eks,
    SageMaker,
}

impl Upstream {
    pub const fn name(self) -> &'static str {
        match self {
            Upstream::Kubernetes => "Kubernetes",
            Upstream::Sts => "AWS STS",
            Upstream::Eks => "Amazon EKS",
            Upstream::SageMaker => "Amazon SageMaker",
        }
    }
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum ApiError {
    /// The request cannot be read: correct it.
    #[error("{0}")]
    Malformed(String),
    #[error("Sign in to continue.")]
    Unauthenticated,
    /// Signed in, not allowed: ask whoever owns the layer. `rule` is shown to the caller.
    #[error("Not allowed: {rule}")]
    Forbidden { layer: Layer, rule: String },
    /// Writes are refused until an administrator corrects the access entry.
    #[error("The cluster knows you as \"{found}\", not as \"{expected}\"; changes are refused.")]
    IdentityMismatch { expected: String, found: String },
    /// Not sent by our own page or by a script that follows docs/API.md.
    #[error("{0}")]
    CsrfRejected(&'static str),
    /// Not there, or not for the caller to know of; the two must not be told apart.
    #[error("There is no such object.")]
    NotFound,
    #[error("This path does not support the method.")]
    MethodNotAllowed,
    /// Read again and retry.
    #[error("The object has changed since it was read.")]
    Conflict { resource_version: Option<String> },
    #[error("The name is taken.")]
    AlreadyExists,
    /// Wait for another state; `status` is the present one.
    #[error("The Space is not ready for this (status: {status}).")]
    NotReady { status: String },
    #[error("The name belongs to another object now.")]
    ObjectReplaced,
    #[error("The request is larger than {max_bytes} bytes.")]
    TooLarge { max_bytes: usize },
    #[error("The content type must be application/json.")]
    UnsupportedMediaType,
    #[error("This server does not answer for that host name.")]
    UnknownHost,
    /// Correct the named fields.
    #[error("Some fields are not valid.")]
    Invalid(Vec<FieldError>),
    #[error("A quota forbids this: {rule}")]
    QuotaExceeded { rule: String },
    #[error("Send If-Match with the object's ETag.")]
    PreconditionRequired,
    #[error("Too many requests; try again later.")]
    RateLimited { retry_after: Duration },
    /// Our fault; nothing the caller can do but name the request id.
    #[error("Something went wrong on our side.")]
    Internal(Cause),
    /// Answered with something that cannot be used: report it.
    #[error("{} answered with an error.", service.name())]
    UpstreamFailed { service: Upstream, cause: Cause },
    /// Not reachable, or asks to wait: try again.
    #[error("{} cannot be reached at the moment.", service.name())]
    UpstreamUnavailable { service: Upstream, retry_after: Duration, cause: Cause },
    #[error("The server is busy or shutting down.")]
    Unavailable { retry_after: Duration },
}

/// Marks an answer whose body already is an `ErrorBody`; anything else with an error status gets one on its way out.
#[derive(Clone, Copy)]
pub struct Coded;

impl ApiError {
    pub fn internal(cause: impl Into<Cause>) -> Self {
        ApiError::Internal(cause.into())
    }

    /// One invalid field.
    pub fn field(error: FieldError) -> Self {
        ApiError::Invalid(vec![error])
    }

    pub const fn code(&self) -> ErrorCode {
        match self {
            ApiError::Malformed(_) => ErrorCode::Malformed,
            ApiError::Unauthenticated => ErrorCode::Unauthenticated,
            ApiError::Forbidden { .. } => ErrorCode::Forbidden,
            ApiError::IdentityMismatch { .. } => ErrorCode::IdentityMismatch,
            ApiError::CsrfRejected(_) => ErrorCode::CsrfRejected,
            ApiError::NotFound => ErrorCode::NotFound,
            ApiError::MethodNotAllowed => ErrorCode::MethodNotAllowed,
            ApiError::Conflict { .. } => ErrorCode::Conflict,
            ApiError::AlreadyExists => ErrorCode::AlreadyExists,
            ApiError::NotReady { .. } => ErrorCode::NotReady,
            ApiError::ObjectReplaced => ErrorCode::ObjectReplaced,
            ApiError::TooLarge { .. } => ErrorCode::TooLarge,
            ApiError::UnsupportedMediaType => ErrorCode::UnsupportedMediaType,
            ApiError::UnknownHost => ErrorCode::UnknownHost,
            ApiError::Invalid(_) => ErrorCode::Invalid,
            ApiError::QuotaExceeded { .. } => ErrorCode::QuotaExceeded,
            ApiError::PreconditionRequired => ErrorCode::PreconditionRequired,
            ApiError::RateLimited { .. } => ErrorCode::RateLimited,
            ApiError::Internal(_) => ErrorCode::Internal,
            ApiError::UpstreamFailed { .. } => ErrorCode::UpstreamFailed,
            ApiError::UpstreamUnavailable { .. } => ErrorCode::UpstreamUnavailable,
            ApiError::Unavailable { .. } => ErrorCode::Unavailable,
        }
    }

    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.code().status()).expect("the table of codes holds valid statuses only")
    }

    /// How long to wait before the same request makes sense again.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            ApiError::RateLimited { retry_after }
            | ApiError::UpstreamUnavailable { retry_after, .. }
            | ApiError::Unavailable { retry_after } => Some(*retry_after),
            _ => None,
        }
    }

    /// What the caller is told; also the form of failures inside streams, where no status can be sent any more.
    pub fn detail(&self, request_id: String) -> ErrorDetail {
        let mut details = BTreeMap::new();
        let mut layer = None;
        let mut fields = Vec::new();
        match self {
            ApiError::Forbidden { layer: decided, rule } => {
                layer = Some(*decided);
                details.insert("rule".to_owned(), rule.clone());
            }
            ApiError::IdentityMismatch { expected, found } => {
                layer = Some(Layer::Cluster);
                details.insert("expected".to_owned(), expected.clone());
                details.insert("found".to_owned(), found.clone());
            }
            ApiError::QuotaExceeded { rule } => {
                layer = Some(Layer::Project);
                details.insert("rule".to_owned(), rule.clone());
            }
            ApiError::Conflict { resource_version: Some(version) } => {
                details.insert("resourceVersion".to_owned(), version.clone());
            }
            ApiError::NotReady { status } => {
                details.insert("status".to_owned(), status.clone());
            }
            ApiError::TooLarge { max_bytes } => {
                details.insert("maxBytes".to_owned(), max_bytes.to_string());
            }
            ApiError::UpstreamFailed { service, .. } | ApiError::UpstreamUnavailable { service, .. } => {
                details.insert("service".to_owned(), service.name().to_owned());
            }
            ApiError::Invalid(invalid) => fields.clone_from(invalid),
            _ => {}
        }
        if let Some(wait) = self.retry_after() {
            details.insert("retryAfterSeconds".to_owned(), seconds_up(wait).to_string());
        }
        ErrorDetail { code: self.code(), message: self.to_string(), request_id, fields, layer, details }
    }

    fn log(&self) {
        match self {
            ApiError::Internal(cause) => tracing::error!(?cause, "internal error"),
            ApiError::UpstreamFailed { service, cause } => {
                tracing::warn!(service = service.name(), ?cause, "upstream failed");
            }
            ApiError::UpstreamUnavailable { service, cause, .. } => {
                tracing::warn!(service = service.name(), ?cause, "upstream unavailable");
            }
            other => tracing::debug!(code = other.code().as_str(), "request refused"),
        }
    }
}

/// Whole seconds, rounded up: a Retry-After of 0 would invite a busy loop.
fn seconds_up(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.log();
        let body = ErrorBody { error: self.detail(request_id::current()) };
        let mut response = (self.status(), axum::Json(body)).into_response();
        if let Some(wait) = self.retry_after() {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds_up(wait)));
        }
        response.extensions_mut().insert(Coded);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_never_shows_the_cause() {
        let error = ApiError::internal(anyhow::anyhow!("password=hunter2"));
        let text = serde_json::to_string(&error.detail("r".into())).expect("wire types serialise");
        assert!(!text.contains("hunter2"), "{text}");
    }

    #[test]
    fn waiting_is_said_in_whole_seconds_and_never_zero() {
        let answer = ApiError::RateLimited { retry_after: Duration::from_millis(1200) }.into_response();
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(answer.headers()[RETRY_AFTER], "2");
        assert_eq!(seconds_up(Duration::ZERO), 1);
    }

    #[test]
    fn a_denial_names_its_layer_and_rule() {
        let denial = ApiError::Forbidden { layer: Layer::Cluster, rule: "no access entry".into() };
        let detail = denial.detail("r".into());
        assert_eq!(detail.layer, Some(Layer::Cluster));
        assert_eq!(detail.details["rule"], "no access entry");
    }
}
