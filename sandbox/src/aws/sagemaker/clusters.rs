//! ListClusters and DescribeCluster.

use super::nodes::Node;
use super::paging::{Sortable, page};
use super::{seconds, text, visible};
use crate::aws::authentication::Caller;
use crate::aws::failure::{AwsFailure, Protocol};
use crate::aws::{ClusterSide, permit};
use crate::cluster::InstanceGroup;
use serde_json::{Value, json};

pub fn list(clusters: &[ClusterSide], caller: &Caller, input: &Value) -> Result<Value, AwsFailure> {
    let any = format!("arn:aws:sagemaker:{}:{}:cluster/*", caller.region, caller.principal.account());
    permit(caller, Protocol::Json, "sagemaker:ListClusters", &any)?;
    let contains = text(input, "NameContains")?.unwrap_or("");
    let (after, before) = (seconds(input, "CreationTimeAfter")?, seconds(input, "CreationTimeBefore")?);
    let items = visible(clusters, caller)
        .filter(|side| side.facts.name.contains(contains))
        .map(|side| Sortable {
            name: side.facts.name.to_owned(),
            created: side.created_at as f64,
            item: summary(side),
        })
        .filter(|item| after.is_none_or(|t| item.created > t) && before.is_none_or(|t| item.created < t))
        .collect();
    let (summaries, next) = page(input, items)?;
    let mut answer = json!({"ClusterSummaries": summaries});
    if let Some(next) = next {
        answer["NextToken"] = json!(next);
    }
    Ok(answer)
}

fn summary(side: &ClusterSide) -> Value {
    json!({
        "ClusterArn": side.facts.hyperpod_arn(), "ClusterName": side.facts.name,
        "CreationTime": side.created_at, "ClusterStatus": "InService", "TrainingPlanArns": [],
    })
}

pub fn describe(side: &ClusterSide) -> Value {
    let nodes = Node::all(side);
    let groups: Vec<Value> = side.groups.iter().map(|group| describe_group(side, group, &nodes)).collect();
    json!({
        "ClusterArn": side.facts.hyperpod_arn(), "ClusterName": side.facts.name,
        "ClusterStatus": "InService", "CreationTime": side.created_at,
        "InstanceGroups": groups, "RestrictedInstanceGroups": [],
        "VpcConfig": {"SecurityGroupIds": ["sg-0c1d2e3f4a5b60738"],
                      "Subnets": ["subnet-0a1b2c3d4e5f60718", "subnet-0b1c2d3e4f5a60728"]},
        "Orchestrator": {"Eks": {"ClusterArn": side.facts.eks_arn()}},
        "NodeRecovery": "Automatic", "NodeProvisioningMode": "Continuous",
        "ClusterRole": side.facts.role_arn("HyperPodClusterRole"),
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService"},
    })
}

fn describe_group(side: &ClusterSide, group: &InstanceGroup, nodes: &[Node]) -> Value {
    let count = nodes.iter().filter(|node| node.group() == group.name).count();
    json!({
        "InstanceGroupName": group.name, "InstanceType": group.instance_type,
        "CurrentCount": count, "TargetCount": count.max(group.initial), "MinCount": 0,
        "Status": "InService", "ThreadsPerCore": 2,
        "ExecutionRole": side.facts.role_arn("HyperPodNodeRole"),
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-lifecycle-sandbox/", "OnCreate": "on_create.sh"},
        "KubernetesConfig": {
            "CurrentLabels": group.labels, "DesiredLabels": group.labels,
            "CurrentTaints": taints(group), "DesiredTaints": taints(group),
        },
        "CapacityRequirements": {"OnDemand": {}},
    })
}

/// Kubernetes writes members in lower case, SageMaker in Pascal case.
fn taints(group: &InstanceGroup) -> Vec<Value> {
    group.taints.iter().map(super::nodes::pascal_taint).collect()
}
