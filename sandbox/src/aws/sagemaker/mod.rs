//! SageMaker's HyperPod calls (JSON 1.1): ListClusters, DescribeCluster, ListClusterNodes, DescribeClusterNode.
//! Nodes are those that Kubernetes has: one truth for both views.

mod clusters;
mod nodes;
mod paging;

use super::authentication::Caller;
use super::failure::{AwsFailure, Protocol};
use super::{ClusterSide, permit};
use serde_json::Value;

/// Answers one operation.
///
/// # Errors
/// As SageMaker words them.
pub fn answer(
    clusters: &[ClusterSide],
    caller: &Caller,
    operation: &str,
    input: &Value,
) -> Result<Value, AwsFailure> {
    match operation {
        "ListClusters" => clusters::list(clusters, caller, input),
        "DescribeCluster" => find(clusters, caller, operation, input).map(clusters::describe),
        "ListClusterNodes" => nodes::list(find(clusters, caller, operation, input)?, input),
        "DescribeClusterNode" => nodes::describe(find(clusters, caller, operation, input)?, input),
        _ => Err(AwsFailure::new(
            400,
            "UnknownOperationException",
            "The sandbox does not implement this operation",
        )),
    }
}

fn visible<'a>(clusters: &'a [ClusterSide], caller: &'a Caller) -> impl Iterator<Item = &'a ClusterSide> {
    clusters
        .iter()
        .filter(|side| side.facts.account == caller.principal.account() && side.facts.region == caller.region)
}

/// The cluster that `ClusterName` (a name or an ARN) means, when the caller may do this to it.
fn find<'a>(
    clusters: &'a [ClusterSide],
    caller: &'a Caller,
    operation: &str,
    input: &Value,
) -> Result<&'a ClusterSide, AwsFailure> {
    let asked = text(input, "ClusterName")?.ok_or_else(|| invalid("clusterName", "null", "not be null"))?;
    let found =
        visible(clusters, caller).find(|side| side.facts.name == asked || side.facts.hyperpod_arn() == asked);
    let arn = match found {
        Some(side) => side.facts.hyperpod_arn(),
        None if asked.starts_with("arn:") => asked.to_owned(),
        None => format!("arn:aws:sagemaker:{}:{}:cluster/{asked}", caller.region, caller.principal.account()),
    };
    permit(caller, Protocol::Json, &format!("sagemaker:{operation}"), &arn)?;
    found.ok_or_else(|| {
        AwsFailure::new(400, "ResourceNotFound", format!("Cluster with name {asked} was not found."))
    })
}

/// A string member; absent and null are alike.
fn text<'a>(input: &'a Value, member: &str) -> Result<Option<&'a str>, AwsFailure> {
    match &input[member] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(wrong_type(member)),
    }
}

/// A timestamp: seconds since the epoch, with or without a fraction.
fn seconds(input: &Value, member: &str) -> Result<Option<f64>, AwsFailure> {
    match &input[member] {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(number.as_f64()),
        _ => Err(wrong_type(member)),
    }
}

fn wrong_type(member: &str) -> AwsFailure {
    AwsFailure::new(400, "SerializationException", format!("{member} has the wrong type."))
}

fn invalid(member: &str, value: &str, must: &str) -> AwsFailure {
    AwsFailure::new(
        400,
        "ValidationException",
        format!(
            "1 validation error detected: Value '{value}' at '{member}' failed to satisfy constraint: Member must {must}"
        ),
    )
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
