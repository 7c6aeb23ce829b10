//! EKS: DescribeCluster and ListClusters (REST JSON).

use super::authentication::Caller;
use super::failure::{AwsFailure, Protocol};
use super::{ClusterSide, permit};
use serde_json::{Value, json};

/// Answers `method path`; the query is decoded.
///
/// # Errors
/// As EKS words them.
pub fn answer(
    clusters: &[ClusterSide],
    caller: &Caller,
    method: &str,
    path: &str,
    query: &[(String, String)],
) -> Result<Value, AwsFailure> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    match (method, segments.as_slice()) {
        ("GET", ["clusters"]) => list(clusters, caller, query),
        ("GET", ["clusters", name]) => describe(clusters, caller, name),
        _ => Err(AwsFailure::new(
            404,
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

fn list(clusters: &[ClusterSide], caller: &Caller, query: &[(String, String)]) -> Result<Value, AwsFailure> {
    let (region, account) = (&caller.region, caller.principal.account());
    permit(
        caller,
        Protocol::RestJson,
        "eks:ListClusters",
        &format!("arn:aws:eks:{region}:{account}:cluster/*"),
    )?;
    if let Some((_, most)) = query.iter().find(|(key, _)| key == "maxResults")
        && !most.parse().is_ok_and(|most: u32| (1..=100).contains(&most))
    {
        return Err(AwsFailure::new(400, "InvalidParameterException", "maxResults must be from 1 to 100"));
    }
    let names: Vec<&str> = visible(clusters, caller).map(|side| side.facts.eks_name).collect();
    Ok(json!({"clusters": names, "nextToken": null}))
}

fn describe(clusters: &[ClusterSide], caller: &Caller, name: &str) -> Result<Value, AwsFailure> {
    let (region, account) = (&caller.region, caller.principal.account());
    let arn = format!("arn:aws:eks:{region}:{account}:cluster/{name}");
    permit(caller, Protocol::RestJson, "eks:DescribeCluster", &arn)?;
    let side = visible(clusters, caller).find(|side| side.facts.eks_name == name).ok_or_else(|| {
        let mut failure =
            AwsFailure::new(404, "ResourceNotFoundException", format!("No cluster found for name: {name}."));
        failure.members.insert("clusterName".to_owned(), json!(name));
        failure
    })?;
    Ok(json!({"cluster": describe_cluster(side)}))
}

fn describe_cluster(side: &ClusterSide) -> Value {
    let facts = side.facts;
    json!({
        "name": facts.eks_name,
        "arn": facts.eks_arn(),
        "createdAt": side.created_at,
        "version": "1.34",
        "platformVersion": "eks.9",
        "endpoint": side.endpoint,
        "roleArn": facts.role_arn("EksClusterRole"),
        "resourcesVpcConfig": {
            "subnetIds": ["subnet-0a1b2c3d4e5f60718", "subnet-0b1c2d3e4f5a60728"],
            "securityGroupIds": [], "clusterSecurityGroupId": "sg-0c1d2e3f4a5b60738",
            "vpcId": "vpc-0d1e2f3a4b5c60748", "endpointPublicAccess": false, "endpointPrivateAccess": true,
            "publicAccessCidrs": [],
        },
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": "172.20.0.0/16", "ipFamily": "ipv4", "elasticLoadBalancing": {"enabled": false},
        },
        "status": "ACTIVE",
        "certificateAuthority": {"data": data_encoding::BASE64.encode(side.ca_pem.as_bytes())},
        "tags": {},
        "accessConfig": {"authenticationMode": "API"},
        "deletionProtection": false,
    })
}
