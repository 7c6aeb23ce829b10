//! What a failure of an AWS API means to the caller (AWS General Reference, "Common errors").

use super::{ApiError, Upstream};
use aws_sdk_sts::error::{ProvideErrorMetadata, SdkError};
use spaceport_shared::error::Layer;
use std::time::Duration;

const RETRY: Duration = Duration::from_secs(5);

/// `action` is the IAM action (`sts:AssumeRole`): a denial names it, since that is what a policy must allow.
pub fn from_sdk<E, R>(service: Upstream, action: &str, error: SdkError<E, R>) -> ApiError
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    let code = error.code().unwrap_or_default().to_owned();
    if matches!(error, SdkError::DispatchFailure(_) | SdkError::TimeoutError(_)) || is_outage(&code) {
        return ApiError::UpstreamUnavailable { service, retry_after: RETRY, cause: error.into() };
    }
    match code.as_str() {
        "AccessDenied" | "AccessDeniedException" | "UnauthorizedOperation" => {
            ApiError::Forbidden { layer: Layer::Organization, rule: format!("{action} is not allowed.") }
        }
        "ResourceNotFound" | "ResourceNotFoundException" => ApiError::NotFound,
        _ => ApiError::UpstreamFailed { service, cause: error.into() },
    }
}

fn is_outage(code: &str) -> bool {
    code.starts_with("Throttl")
        || matches!(code, "RequestLimitExceeded" | "TooManyRequestsException" | "ServiceUnavailable")
}
