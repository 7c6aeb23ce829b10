//! Pages, filters, rights and errors of the SageMaker calls.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::aws::sessions::Principal;
use crate::aws::sessions::tests::sessions;
use crate::cluster::InstanceGroup;
use crate::kube::identity::UserInfo;
use crate::kube::{ApiConfig, ApiServer};
use crate::landscape::SANDBOX;

fn side() -> ClusterSide {
    let api = ApiServer::new(ApiConfig::default()).unwrap().local(UserInfo::component("test"));
    let group = InstanceGroup {
        name: "cpu".into(),
        instance_type: "ml.m5.xlarge".into(),
        zones: vec!["us-west-2a".into()],
        vcpus: 4,
        memory_gib: 16,
        pod_slots: 10,
        volume_slots: 5,
        ..InstanceGroup::default()
    };
    for index in 0..5 {
        api.create("nodes", "", group.node("sandbox", index)).unwrap();
    }
    ClusterSide {
        facts: &SANDBOX,
        endpoint: "https://127.0.0.1:1".into(),
        ca_pem: "PEM".into(),
        created_at: 1000,
        groups: vec![group],
        api,
    }
}

fn call(role: &str, operation: &str, input: Value) -> Result<Value, AwsFailure> {
    let session = sessions().issue(SANDBOX.account, role, "somebody", None, 1).unwrap().session;
    let caller = Caller {
        principal: Principal::Session(session),
        region: SANDBOX.region.into(),
        service: "sagemaker".into(),
    };
    answer(&[side()], &caller, operation, &input)
}

fn auditor(operation: &str, input: Value) -> Result<Value, AwsFailure> {
    call("SpaceportAuditor", operation, input)
}

#[test]
fn nodes_come_in_pages_that_join_to_all() {
    let first =
        auditor("ListClusterNodes", serde_json::json!({"ClusterName": "sandbox", "MaxResults": 2})).unwrap();
    let mut names: Vec<Value> = Vec::new();
    let mut page = first;
    loop {
        names
            .extend(page["ClusterNodeSummaries"].as_array().unwrap().iter().map(|n| n["InstanceId"].clone()));
        let Some(token) = page["NextToken"].as_str() else { break };
        let input = serde_json::json!({"ClusterName": "sandbox", "MaxResults": 2, "NextToken": token});
        page = auditor("ListClusterNodes", input).unwrap();
    }
    assert_eq!(names.len(), 5);
    names.dedup();
    assert_eq!(names.len(), 5);
}

#[test]
fn a_node_is_described_by_its_instance_id() {
    let list =
        auditor("ListClusterNodes", serde_json::json!({"ClusterName": SANDBOX.hyperpod_arn()})).unwrap();
    let id = &list["ClusterNodeSummaries"][0]["InstanceId"];
    let node =
        auditor("DescribeClusterNode", serde_json::json!({"ClusterName": "sandbox", "NodeId": id})).unwrap();
    assert_eq!(node["NodeDetails"]["InstanceStatus"]["Status"], "Running");
    assert_eq!(node["NodeDetails"]["Placement"]["AvailabilityZone"], "us-west-2a");
    let missing = serde_json::json!({"ClusterName": "sandbox", "NodeId": "i-0"});
    assert_eq!(auditor("DescribeClusterNode", missing).unwrap_err().code, "ResourceNotFound");
}

#[test]
fn a_cluster_counts_its_nodes_by_group() {
    let cluster = auditor("DescribeCluster", serde_json::json!({"ClusterName": "sandbox"})).unwrap();
    assert_eq!(cluster["InstanceGroups"][0]["CurrentCount"], 5);
    assert_eq!(cluster["Orchestrator"]["Eks"]["ClusterArn"], SANDBOX.eks_arn());
}

#[test]
fn rights_are_the_role_s() {
    let input = serde_json::json!({"ClusterName": "sandbox"});
    assert!(call("TeamADataScientist", "DescribeCluster", input.clone()).is_ok());
    let denied = call("TeamADataScientist", "ListClusterNodes", input.clone()).unwrap_err();
    assert_eq!((denied.status, denied.code), (400, "AccessDeniedException"));
    assert!(
        denied
            .message
            .starts_with("User: arn:aws:sts::111122223333:assumed-role/TeamADataScientist/somebody")
    );
    assert_eq!(call("BillingReader", "DescribeCluster", input).unwrap_err().code, "AccessDeniedException");
}

#[test]
fn bad_input_is_worded_by_the_model() {
    let code = |operation: &str, input: Value| auditor(operation, input).unwrap_err().code;
    let nodes = |more: Value| {
        let mut input = serde_json::json!({"ClusterName": "sandbox"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        code("ListClusterNodes", input)
    };
    assert_eq!(nodes(serde_json::json!({"MaxResults": 0})), "ValidationException");
    assert_eq!(nodes(serde_json::json!({"MaxResults": 101})), "ValidationException");
    assert_eq!(nodes(serde_json::json!({"NextToken": "x"})), "ValidationException");
    assert_eq!(nodes(serde_json::json!({"SortBy": "SIZE"})), "ValidationException");
    assert_eq!(nodes(serde_json::json!({"ClusterName": 1})), "SerializationException");
    assert_eq!(code("DescribeCluster", serde_json::json!({})), "ValidationException");
    assert_eq!(code("DescribeCluster", serde_json::json!({"ClusterName": "other"})), "ResourceNotFound");
    assert_eq!(code("CreateCluster", serde_json::json!({})), "UnknownOperationException");
}
