//! Where a cluster's API server is, and whom to trust there.

use super::acting_as;
use crate::config::Cluster;
use crate::error::{ApiError, Upstream, from_sdk};
use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use data_encoding::BASE64;

/// Address and certificate authority (PEM) of an API server.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub url: http::Uri,
    pub ca_pem: Vec<u8>,
}

/// Asks EKS as `credentials`; people's roles need `eks:DescribeCluster`.
pub async fn describe(
    base: &SdkConfig,
    cluster: &Cluster,
    credentials: Credentials,
) -> Result<Endpoint, ApiError> {
    let answer = aws_sdk_eks::Client::new(&acting_as(base, &cluster.region, credentials))
        .describe_cluster()
        .name(&cluster.eks_cluster)
        .send()
        .await
        .map_err(|error| from_sdk(Upstream::Eks, "eks:DescribeCluster", error))?;
    let described = answer.cluster.ok_or_else(|| unusable("no cluster in the answer"))?;
    let endpoint = described.endpoint.ok_or_else(|| unusable("no endpoint yet"))?;
    let ca = described.certificate_authority.and_then(|ca| ca.data).ok_or_else(|| unusable("no CA yet"))?;
    Ok(Endpoint {
        url: endpoint.parse().map_err(|error| unusable(&format!("endpoint \"{endpoint}\": {error}")))?,
        ca_pem: BASE64.decode(ca.as_bytes()).map_err(|error| unusable(&format!("CA: {error}")))?,
    })
}

fn unusable(what: &str) -> ApiError {
    ApiError::UpstreamFailed {
        service: Upstream::Eks,
        cause: anyhow::anyhow!("DescribeCluster: {what}").into(),
    }
}
