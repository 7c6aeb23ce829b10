//! The few SageMaker calls the product makes, as one person, in shared types.

use super::acting_as;
use crate::error::{ApiError, Upstream, from_sdk};
use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use aws_sdk_sagemaker::types::ClusterInstanceGroupDetails;
use spaceport_shared::cluster::InstanceGroup;

/// What `DescribeCluster` tells of a HyperPod cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct HyperPod {
    /// `InService`, `Updating` …
    pub status: Option<String>,
    pub instance_groups: Vec<InstanceGroup>,
}

/// One node as `ListClusterNodes` tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct HyperPodNode {
    pub group: String,
    pub instance_id: String,
    pub instance_type: String,
    pub status: Option<String>,
}

pub struct SageMaker {
    client: aws_sdk_sagemaker::Client,
}

impl SageMaker {
    pub(crate) fn new(base: &SdkConfig, region: &str, credentials: Credentials) -> SageMaker {
        SageMaker { client: aws_sdk_sagemaker::Client::new(&acting_as(base, region, credentials)) }
    }

    /// Names of all HyperPod clusters of the account and region.
    pub async fn list_clusters(&self) -> Result<Vec<String>, ApiError> {
        let mut pages = self.client.list_clusters().into_paginator().send();
        let mut names = Vec::new();
        while let Some(page) = pages.next().await {
            let page =
                page.map_err(|error| from_sdk(Upstream::SageMaker, "sagemaker:ListClusters", error))?;
            let summaries = page.cluster_summaries.unwrap_or_default();
            names.extend(summaries.into_iter().filter_map(|summary| summary.cluster_name));
        }
        Ok(names)
    }

    pub async fn describe_cluster(&self, name: &str) -> Result<HyperPod, ApiError> {
        let answer = self
            .client
            .describe_cluster()
            .cluster_name(name)
            .send()
            .await
            .map_err(|error| from_sdk(Upstream::SageMaker, "sagemaker:DescribeCluster", error))?;
        Ok(HyperPod {
            status: answer.cluster_status.map(|status| status.as_str().to_owned()),
            instance_groups: answer
                .instance_groups
                .unwrap_or_default()
                .into_iter()
                .map(instance_group)
                .collect(),
        })
    }

    pub async fn list_cluster_nodes(&self, name: &str) -> Result<Vec<HyperPodNode>, ApiError> {
        let mut pages = self.client.list_cluster_nodes().cluster_name(name).into_paginator().send();
        let mut nodes = Vec::new();
        while let Some(page) = pages.next().await {
            let page =
                page.map_err(|error| from_sdk(Upstream::SageMaker, "sagemaker:ListClusterNodes", error))?;
            nodes.extend(page.cluster_node_summaries.unwrap_or_default().into_iter().map(|node| {
                HyperPodNode {
                    group: node.instance_group_name.unwrap_or_default(),
                    instance_id: node.instance_id.unwrap_or_default(),
                    instance_type: node
                        .instance_type
                        .map(|kind| kind.as_str().to_owned())
                        .unwrap_or_default(),
                    status: node
                        .instance_status
                        .and_then(|details| details.status)
                        .map(|status| status.as_str().to_owned()),
                }
            }));
        }
        Ok(nodes)
    }
}

fn instance_group(details: ClusterInstanceGroupDetails) -> InstanceGroup {
    InstanceGroup {
        name: details.instance_group_name.unwrap_or_default(),
        instance_type: details.instance_type.map(|kind| kind.as_str().to_owned()).unwrap_or_default(),
        current_count: i64::from(details.current_count.unwrap_or_default()),
        target_count: i64::from(details.target_count.unwrap_or_default()),
        status: details.status.map(|status| status.as_str().to_owned()),
    }
}
