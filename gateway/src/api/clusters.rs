//! The HyperPod clusters that the asker has a role on.

use crate::cluster::Clusters;
use crate::config;
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::extract::{Json, Path};
use axum::extract::State;
use futures::future::join_all;
use spaceport_shared::cluster::Cluster;
use spaceport_shared::page::Page;
use std::time::Duration;

/// SageMaker is an addition to a row, not its source: the list does not wait for it for long.
const PATIENCE: Duration = Duration::from_secs(5);

/// All of the asker's clusters.
#[utoipa::path(get, path = "/api/v1/clusters", operation_id = "listClusters", tag = "clusters",
    responses((status = 200, description = "The asker's clusters", body = Page<Cluster>)))]
pub async fn list(ctx: RequestContext, State(clusters): State<Clusters>) -> Json<Page<Cluster>> {
    let rows = clusters.of_user(ctx.user()).map(|cluster| row(&ctx, &clusters, cluster));
    let items = join_all(rows).await;
    Json(Page { total: items.len(), items, next_cursor: None, observed_at: crate::clock::now() })
}

/// One cluster.
#[utoipa::path(get, path = "/api/v1/clusters/{cluster}", operation_id = "getCluster", tag = "clusters",
    params(("cluster" = String, Path, description = "HyperPod cluster name")),
    responses((status = 200, description = "The cluster", body = Cluster)))]
pub async fn get(
    ctx: RequestContext,
    State(clusters): State<Clusters>,
    Path(name): Path<String>,
) -> Result<Json<Cluster>, ApiError> {
    let cluster = clusters.find(ctx.user(), &name)?;
    Ok(Json(row(&ctx, &clusters, cluster).await))
}

async fn row(ctx: &RequestContext, clusters: &Clusters, cluster: &config::Cluster) -> Cluster {
    let described = async {
        let sagemaker = clusters.sagemaker(ctx.user(), &cluster.name).await?;
        sagemaker.describe_cluster(&cluster.name).await
    };
    let hyperpod = match tokio::time::timeout(PATIENCE, described).await {
        Ok(Ok(hyperpod)) => Some(hyperpod),
        Ok(Err(error)) => {
            tracing::info!(cluster = cluster.name, ?error, "not described");
            None
        }
        Err(_) => None,
    };
    Cluster {
        name: cluster.name.clone(),
        eks_cluster: cluster.eks_cluster.clone(),
        account: cluster.account.clone(),
        region: cluster.region.clone(),
        status: hyperpod.as_ref().and_then(|described| described.status.clone()),
        instance_groups: hyperpod.map(|described| described.instance_groups),
        health: clusters.health(&cluster.name),
    }
}
