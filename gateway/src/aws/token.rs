//! EKS bearer tokens: a presigned `GetCallerIdentity` URL in base64 (aws-iam-authenticator, "API Authorization from
//! Outside a Cluster").
//!
//! The URL names the partition's regional STS host whatever endpoint the SDKs use: a verifier rejects any other.

use crate::config::Cluster;
use crate::error::ApiError;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign};
use aws_sigv4::sign::v4;
use data_encoding::BASE64URL_NOPAD;
use secrecy::SecretString;
use std::time::{Duration, SystemTime};

const PREFIX: &str = "k8s-aws-v1.";
const CLUSTER_HEADER: &str = "x-k8s-aws-id";
/// Only its presence and range count; the verifier allows 15 minutes from the date.
const EXPIRES: Duration = Duration::from_secs(60);
/// Longer tokens are refused by the verifier.
const MOST_BYTES: usize = 4096;

/// Signs a token for one cluster, valid for 15 minutes from `at` or until the credentials end.
///
/// # Errors
/// `Internal` if the credentials cannot sign, or their session token makes the result too long to be accepted.
pub fn sign_token(
    credentials: Credentials,
    cluster: &Cluster,
    at: SystemTime,
) -> Result<SecretString, ApiError> {
    let host = cluster.partition.sts_host(&cluster.region);
    let url = format!("https://{host}/?Action=GetCallerIdentity&Version=2011-06-15");
    let mut settings = SigningSettings::default();
    settings.signature_location = SignatureLocation::QueryParams;
    settings.expires_in = Some(EXPIRES);
    let identity = credentials.into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(&cluster.region)
        .name("sts")
        .time(at)
        .settings(settings)
        .build()
        .map_err(ApiError::internal)?
        .into();
    let headers = [(CLUSTER_HEADER, cluster.eks_cluster.as_str())];
    let signable = SignableRequest::new("GET", url.as_str(), headers.into_iter(), SignableBody::empty())
        .map_err(ApiError::internal)?;
    let (instructions, _) = sign(signable, &params).map_err(ApiError::internal)?.into_parts();
    let mut request = http::Request::get(&url).body(()).map_err(ApiError::internal)?;
    instructions.apply_to_request_http1x(&mut request);
    let token = format!("{PREFIX}{}", BASE64URL_NOPAD.encode(request.uri().to_string().as_bytes()));
    if token.len() > MOST_BYTES {
        return Err(ApiError::internal(anyhow::anyhow!(
            "the EKS token has {} bytes, over {MOST_BYTES}",
            token.len()
        )));
    }
    Ok(token.into())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    fn cluster() -> Cluster {
        toml_cluster("aws", "us-west-2")
    }

    fn toml_cluster(partition: &str, region: &str) -> Cluster {
        serde_json::from_value(serde_json::json!({
            "name": "sandbox", "eks_cluster": "sandbox-eks", "account": "111122223333",
            "region": region, "partition": partition,
            "hub_role_arn": format!("arn:{partition}:iam::111122223333:role/SpaceportHub"),
        }))
        .unwrap()
    }

    fn credentials(session_token: &str) -> Credentials {
        let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
        Credentials::new("ASIAIOSFODNN7EXAMPLE", secret, Some(session_token.to_owned()), None, "test")
    }

    fn url(token: &SecretString) -> String {
        let encoded = token.expose_secret().strip_prefix(PREFIX).unwrap();
        String::from_utf8(BASE64URL_NOPAD.decode(encoded.as_bytes()).unwrap()).unwrap()
    }

    fn at() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_083_200)
    }

    /// The signature was computed from the Signature Version 4 description by an independent HMAC program.
    #[test]
    fn the_token_matches_the_golden_vector() {
        let token = sign_token(credentials("FwoGZXIvYXdzE+/=="), &cluster(), at()).unwrap();
        assert_eq!(
            url(&token),
            "https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15\
             &X-Amz-Algorithm=AWS4-HMAC-SHA256\
             &X-Amz-Credential=ASIAIOSFODNN7EXAMPLE%2F20261201%2Fus-west-2%2Fsts%2Faws4_request\
             &X-Amz-Date=20261201T000000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id\
             &X-Amz-Signature=f2583915c23d7a15ad6ff572e774562e4fad743aeaf324fdd3dbb0577e3fb41f&X-Amz-Security-Token=FwoGZXIvYXdzE%2B%2F%3D%3D"
        );
    }

    #[test]
    fn each_partition_has_its_own_host() {
        let token = sign_token(credentials("t"), &toml_cluster("aws-cn", "cn-north-1"), at()).unwrap();
        assert!(url(&token).starts_with("https://sts.cn-north-1.amazonaws.com.cn/?"));
    }

    #[test]
    fn a_token_that_the_verifier_would_refuse_is_not_sent() {
        assert!(sign_token(credentials(&"x".repeat(4000)), &cluster(), at()).is_err());
    }
}
