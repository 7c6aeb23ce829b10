//! AWS as the gateway uses it: role sessions of people, EKS tokens, cluster endpoints, HyperPod clusters.
//!
//! AWS types do not leave this folder, credentials apart. Must not know HTTP handlers.

pub mod credentials;
pub mod eks;
pub mod sagemaker;
pub mod token;

use crate::config;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use secrecy::ExposeSecret;

/// The SDKs' configuration under the gateway's own identity: configured keys, else the default chain (Pod Identity,
/// IRSA, instance role). TLS is ring's. Every call names its cluster's region; `region` only keeps the SDK from asking the
/// instance metadata service for one at start.
pub async fn sdk_config(config: &config::Aws, region: &str) -> anyhow::Result<SdkConfig> {
    let http =
        aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http)
        .region(Region::new(region.to_owned()));
    if let Some((id, secret)) = config.keys()? {
        let keys = Credentials::new(id, secret.expose_secret(), None, None, "spaceport configuration");
        loader = loader.credentials_provider(keys);
    }
    if let Some(url) = &config.endpoint_url {
        loader = loader.endpoint_url(url);
    }
    Ok(loader.load().await)
}

/// The same configuration in another region.
fn in_region(base: &SdkConfig, region: &str) -> SdkConfig {
    base.to_builder().region(Region::new(region.to_owned())).build()
}

/// The same configuration as somebody else.
fn acting_as(base: &SdkConfig, region: &str, credentials: Credentials) -> SdkConfig {
    in_region(base, region)
        .to_builder()
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build()
}
