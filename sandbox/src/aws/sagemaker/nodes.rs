//! ListClusterNodes and DescribeClusterNode, from the Node objects.

use super::paging::{Sortable, page};
use super::{invalid, seconds, text};
use crate::aws::ClusterSide;
use crate::aws::failure::AwsFailure;
use serde_json::{Map, Value, json};
use std::sync::Arc;

const LABEL_GROUP: &str = "sagemaker.amazonaws.com/instance-group-name";
const LABEL_HEALTH: &str = "sagemaker.amazonaws.com/node-health-status";
const LABEL_INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
const LABEL_ZONE: &str = "topology.kubernetes.io/zone";
/// `hyperpod-<instance id>`.
const NAME_PREFIX: &str = "hyperpod-";

/// A Node object seen as an instance.
pub struct Node(Arc<Value>);

impl Node {
    /// Every node that belongs to HyperPod.
    pub fn all(side: &ClusterSide) -> Vec<Node> {
        let nodes = side.api.list("nodes", None).into_iter().map(Node);
        nodes.filter(|node| !node.group().is_empty() && node.name().starts_with(NAME_PREFIX)).collect()
    }

    fn name(&self) -> &str {
        self.0["metadata"]["name"].as_str().unwrap_or("")
    }

    fn instance_id(&self) -> &str {
        self.name().strip_prefix(NAME_PREFIX).unwrap_or("")
    }

    fn label(&self, key: &str) -> &str {
        self.0["metadata"]["labels"][key].as_str().unwrap_or("")
    }

    pub fn group(&self) -> &str {
        self.label(LABEL_GROUP)
    }

    /// Seconds since the epoch.
    fn launched(&self) -> i64 {
        self.0["metadata"]["creationTimestamp"]
            .as_str()
            .and_then(|text| text.parse::<jiff::Timestamp>().ok())
            .map_or(0, |time| time.as_second())
    }

    /// The health label speaks first: it is what the node recovery of HyperPod writes.
    fn status(&self) -> &'static str {
        let ready = self.0["status"]["conditions"]
            .as_array()
            .and_then(|conditions| conditions.iter().find(|condition| condition["type"] == "Ready"))
            .map(|condition| condition["status"] == "True");
        match (self.label(LABEL_HEALTH), ready) {
            ("UnschedulablePendingReplacement" | "UnschedulablePendingReboot", _) => "Failure",
            ("Unschedulable", _) => "DeepHealthCheckInProgress",
            (_, Some(true)) => "Running",
            (_, Some(false)) => "Failure",
            (_, None) => "Pending",
        }
    }

    fn private_name(&self, side: &ClusterSide) -> String {
        let octets: Vec<String> = self.address().iter().map(u8::to_string).collect();
        format!("ip-{}.{}.compute.internal", octets.join("-"), side.facts.region)
    }

    /// From the instance id, so that it is stable and most likely unique.
    fn address(&self) -> [u8; 4] {
        let digits = self.instance_id().trim_start_matches("i-").as_bytes();
        let sum = |from: usize| {
            digits
                .iter()
                .skip(from)
                .step_by(2)
                .fold(0_u8, |sum, digit| sum.wrapping_mul(31).wrapping_add(*digit))
        };
        [10, 1, sum(0), sum(1)]
    }

    fn summary(&self, side: &ClusterSide) -> Value {
        json!({
            "InstanceGroupName": self.group(), "InstanceId": self.instance_id(),
            "InstanceType": self.label(LABEL_INSTANCE_TYPE), "LaunchTime": self.launched(),
            "InstanceStatus": {"Status": self.status()}, "PrivateDnsHostname": self.private_name(side),
        })
    }

    fn details(&self, side: &ClusterSide) -> Value {
        let labels = &self.0["metadata"]["labels"];
        let taints: Vec<Value> =
            self.0["spec"]["taints"].as_array().into_iter().flatten().map(pascal_taint).collect();
        let mut details = self.summary(side);
        let more = json!({
            "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-lifecycle-sandbox/", "OnCreate": "on_create.sh"},
            "ThreadsPerCore": 2,
            "PrivatePrimaryIp": self.address().map(|octet| octet.to_string()).join("."),
            "Placement": {"AvailabilityZone": self.label(LABEL_ZONE)},
            "KubernetesConfig": {
                "CurrentLabels": labels, "DesiredLabels": labels,
                "CurrentTaints": taints, "DesiredTaints": taints,
            },
            "CapacityType": "OnDemand",
        });
        if let (Value::Object(details), Value::Object(more)) = (&mut details, more) {
            details.extend(more);
        }
        details
    }
}

/// `{key, value, effect}` in SageMaker's spelling.
pub fn pascal_taint(taint: &Value) -> Value {
    let members = [("Key", "key"), ("Value", "value"), ("Effect", "effect")];
    let present = members.into_iter().filter(|(_, key)| taint[*key].is_string());
    Value::Object(present.map(|(to, key)| (to.to_owned(), taint[key].clone())).collect::<Map<_, _>>())
}

pub fn list(side: &ClusterSide, input: &Value) -> Result<Value, AwsFailure> {
    let group = text(input, "InstanceGroupNameContains")?.unwrap_or("");
    let (after, before) = (seconds(input, "CreationTimeAfter")?, seconds(input, "CreationTimeBefore")?);
    let items = Node::all(side)
        .into_iter()
        .filter(|node| node.group().contains(group))
        .map(|node| Sortable {
            name: node.instance_id().to_owned(),
            created: node.launched() as f64,
            item: node.summary(side),
        })
        .filter(|item| after.is_none_or(|t| item.created > t) && before.is_none_or(|t| item.created < t))
        .collect();
    let (summaries, next) = page(input, items)?;
    let mut answer = json!({"ClusterNodeSummaries": summaries});
    if let Some(next) = next {
        answer["NextToken"] = json!(next);
    }
    Ok(answer)
}

pub fn describe(side: &ClusterSide, input: &Value) -> Result<Value, AwsFailure> {
    let id = match (text(input, "NodeId")?, text(input, "NodeLogicalId")?) {
        (Some(id), None) => id,
        (None, Some(id)) => id,
        _ => return Err(invalid("nodeId", "null", "be given, or nodeLogicalId, and not both")),
    };
    let node = Node::all(side).into_iter().find(|node| node.instance_id() == id).ok_or_else(|| {
        let name = side.facts.name;
        AwsFailure::new(400, "ResourceNotFound", format!("Instance {id} was not found in cluster {name}."))
    })?;
    Ok(json!({"NodeDetails": node.details(side)}))
}
