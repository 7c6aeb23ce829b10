//! Options of a delete: in the query, or in a body that takes its place.

use super::{Call, body};
use crate::kube::failure::Failure;
use crate::kube::refusals::{self, FieldError, bad_request};
use crate::kube::verbs::{DeleteOptions, Propagation};
use serde_json::{Value, json};

/// The options, and whether the body asks for a dry run.
///
/// # Errors
/// 400 for a body that is none, 422 for values that do not exist or exclude each other.
pub(super) fn read(call: &Call) -> Result<(DeleteOptions, bool), Failure> {
    if call.body.is_empty() {
        return Ok((from_query(call)?, false));
    }
    let given = body::options(call)?;
    let kind = given["kind"].as_str().unwrap_or("DeleteOptions");
    if kind != "DeleteOptions" {
        let api_version = given["apiVersion"].as_str().unwrap_or_default();
        return Err(bad_request(format!(
            "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"pkg/runtime/scheme.go:111\""
        )));
    }
    let dry_run = given["dryRun"].as_array().is_some_and(|runs| !runs.is_empty());
    Ok((from_body(&given)?, dry_run))
}

fn from_query(call: &Call) -> Result<DeleteOptions, Failure> {
    let query = &call.query;
    let orphan = query.get("orphanDependents").map(|_| query.flag("orphanDependents"));
    Ok(DeleteOptions {
        propagation: propagation(query.get("propagationPolicy"), orphan)?,
        grace_period_seconds: query.get("gracePeriodSeconds").and_then(|seconds| seconds.parse().ok()),
        ..DeleteOptions::default()
    })
}

fn from_body(given: &Value) -> Result<DeleteOptions, Failure> {
    let precondition = |field: &str| given["preconditions"][field].as_str().map(str::to_owned);
    Ok(DeleteOptions {
        propagation: propagation(given["propagationPolicy"].as_str(), given["orphanDependents"].as_bool())?,
        grace_period_seconds: given["gracePeriodSeconds"].as_i64(),
        uid: precondition("uid"),
        resource_version: precondition("resourceVersion"),
    })
}

fn propagation(policy: Option<&str>, orphan: Option<bool>) -> Result<Option<Propagation>, Failure> {
    let refuse = |error| Err(refusals::invalid_as("DeleteOptions", "meta.k8s.io", "", &[error]));
    let field = "propagationPolicy";
    match (policy, orphan) {
        (Some(policy), Some(_)) => {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            refuse(FieldError::invalid(field, &json!(policy), why))
        }
        (None, Some(true)) => Ok(Some(Propagation::Orphan)),
        (None, Some(false)) | (Some("Background"), None) => Ok(Some(Propagation::Background)),
        (Some("Foreground"), None) => Ok(Some(Propagation::Foreground)),
        (Some("Orphan"), None) => Ok(Some(Propagation::Orphan)),
        (None, None) => Ok(None),
        (Some(other), None) => {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            refuse(FieldError::unsupported(field, &json!(other), &supported))
        }
    }
}
