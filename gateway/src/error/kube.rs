//! What a failure of a Kubernetes API server means to the caller
//! (Kubernetes API conventions, section "HTTP Status codes").

use super::{ApiError, Upstream};
use kube::core::Status;
use spaceport_shared::error::{FieldCode, FieldError, Layer};
use std::time::Duration;

/// Wait after a failed connection: long enough for a load balancer to notice, short enough for a person.
const RECONNECT: Duration = Duration::from_secs(5);

impl From<kube::Error> for ApiError {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => from_status(&status),
            // Our own bearer layer fails with an ApiError; it must not be told as a broken connection.
            kube::Error::Service(inner) => match inner.downcast::<ApiError>() {
                Ok(own) => *own,
                Err(other) => unreachable_cluster(anyhow::anyhow!(other)),
            },
            kube::Error::HyperError(inner) => unreachable_cluster(anyhow::anyhow!(inner)),
            other => ApiError::UpstreamFailed { service: Upstream::Kubernetes, cause: other.into() },
        }
    }
}

fn unreachable_cluster(cause: anyhow::Error) -> ApiError {
    ApiError::UpstreamUnavailable {
        service: Upstream::Kubernetes,
        retry_after: RECONNECT,
        cause: cause.into(),
    }
}

fn from_status(status: &Status) -> ApiError {
    match status.code {
        400 => ApiError::Malformed(status.message.clone()),
        // A fresh token that is refused means: no access entry. Signing in again would not help.
        401 => ApiError::Forbidden {
            layer: Layer::Cluster,
            rule: "The cluster does not accept this identity (no access entry for its role).".to_owned(),
        },
        403 => from_forbidden(status),
        404 => ApiError::NotFound,
        409 if status.reason == "AlreadyExists" => ApiError::AlreadyExists,
        409 if status.message.contains("UID in precondition") => ApiError::ObjectReplaced,
        409 | 410 => ApiError::Conflict { resource_version: None },
        413 => ApiError::TooLarge { max_bytes: 3 << 20 },
        422 => ApiError::Invalid(fields(status)),
        429 => ApiError::RateLimited { retry_after: retry_after(status) },
        503 | 504 => ApiError::UpstreamUnavailable {
            service: Upstream::Kubernetes,
            retry_after: retry_after(status),
            cause: anyhow::anyhow!("{status:?}").into(),
        },
        _ => ApiError::UpstreamFailed {
            service: Upstream::Kubernetes,
            cause: anyhow::anyhow!("{status:?}").into(),
        },
    }
}

/// 403 has three senders: authorization, a ResourceQuota and an admission rule; only the first is about rights.
fn from_forbidden(status: &Status) -> ApiError {
    let message = &status.message;
    if message.contains("exceeded quota:") {
        return ApiError::QuotaExceeded { rule: message.clone() };
    }
    if let Some(reason) = admission_reason(message) {
        let field = FieldError::new("", FieldCode::Rejected, reason).with("reason", reason);
        return ApiError::Invalid(vec![field]);
    }
    ApiError::Forbidden { layer: Layer::Cluster, rule: message.clone() }
}

/// The rule's own words in the message of a webhook or a ValidatingAdmissionPolicy.
fn admission_reason(message: &str) -> Option<&str> {
    const WEBHOOK: &str = "denied the request: ";
    const POLICY: &str = "denied request: ";
    if message.contains("admission webhook ") {
        let at = message.find(WEBHOOK)?;
        return Some(&message[at + WEBHOOK.len()..]);
    }
    if message.contains("ValidatingAdmissionPolicy ") {
        let at = message.find(POLICY)?;
        return Some(&message[at + POLICY.len()..]);
    }
    None
}

fn fields(status: &Status) -> Vec<FieldError> {
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    if causes.is_empty() {
        return vec![
            FieldError::new("", FieldCode::Rejected, &status.message).with("reason", &status.message),
        ];
    }
    causes
        .iter()
        .map(|cause| {
            let code = match cause.reason.as_str() {
                "FieldValueRequired" => FieldCode::Required,
                "FieldValueDuplicate" => FieldCode::Duplicate,
                "FieldValueNotFound" => FieldCode::NotFound,
                "FieldValueTooLong" => FieldCode::TooLong,
                _ => FieldCode::Rejected,
            };
            FieldError::new(&cause.field, code, &cause.message).with("reason", &cause.message)
        })
        .collect()
}

fn retry_after(status: &Status) -> Duration {
    let seconds = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    if seconds == 0 { RECONNECT } else { Duration::from_secs(u64::from(seconds)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(code: u16, reason: &str, message: &str) -> Status {
        Status { code, ..Status::failure(message, reason) }
    }

    #[test]
    fn a_quota_and_an_admission_rule_are_not_told_as_missing_rights() {
        let quota =
            status(403, "Forbidden", "pods \"x\" is forbidden: exceeded quota: team, requested: cpu=1");
        assert!(matches!(from_status(&quota), ApiError::QuotaExceeded { .. }));
        let webhook =
            status(403, "Forbidden", "admission webhook \"v.example\" denied the request: image not allowed");
        let ApiError::Invalid(fields) = from_status(&webhook) else { panic!("{webhook:?}") };
        assert_eq!(fields[0].params["reason"], "image not allowed");
        let rights = status(403, "Forbidden", "workspaces is forbidden: User \"u\" cannot list");
        assert!(matches!(from_status(&rights), ApiError::Forbidden { layer: Layer::Cluster, .. }));
    }

    #[test]
    fn a_replaced_object_is_told_apart_from_a_changed_one() {
        let replaced =
            status(409, "Conflict", "Precondition failed: UID in precondition: a, UID in object: b");
        assert!(matches!(from_status(&replaced), ApiError::ObjectReplaced));
        assert!(matches!(from_status(&status(409, "Conflict", "modified")), ApiError::Conflict { .. }));
        assert!(matches!(from_status(&status(409, "AlreadyExists", "exists")), ApiError::AlreadyExists));
    }

    #[test]
    fn invalid_without_causes_still_says_why() {
        let ApiError::Invalid(fields) = from_status(&status(422, "Invalid", "too odd")) else {
            panic!("422 must be Invalid")
        };
        assert_eq!(fields[0].message, "too odd");
    }

    #[test]
    fn a_failure_of_our_own_layer_keeps_its_meaning() {
        let wrapped = kube::Error::Service(Box::new(ApiError::Unauthenticated));
        assert!(matches!(ApiError::from(wrapped), ApiError::Unauthenticated));
    }
}
