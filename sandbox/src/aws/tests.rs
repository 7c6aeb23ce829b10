//! The endpoint as a client meets it: requests signed by the AWS SDK's own signer, and what is wrong with bad ones.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::kube::identity::UserInfo;
use crate::kube::{ApiConfig, ApiServer};
use crate::landscape::SANDBOX;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign};
use aws_sigv4::sign::v4;
use http_body_util::BodyExt;
use std::time::{Duration, SystemTime};
use tower::ServiceExt;

/// A call before it is signed.
struct Call {
    service: &'static str,
    region: &'static str,
    method: &'static str,
    path: &'static str,
    target: Option<&'static str>,
    body: String,
    credentials: Credentials,
    /// Seconds from now at which it claims to be signed.
    signed_at: i64,
    presigned_for: Option<u64>,
}

fn auditor() -> Credentials {
    let expires = jiff::Timestamp::now().as_second() + 60;
    credentials_until(expires)
}

fn credentials_until(expires: i64) -> Credentials {
    let issued = sessions::tests::sessions()
        .issue(SANDBOX.account, "SpaceportAuditor", "auditor", None, expires)
        .unwrap();
    Credentials::new(issued.access_key_id, issued.secret_access_key, Some(issued.session_token), None, "test")
}

fn sts(body: &str) -> Call {
    Call {
        service: "sts",
        region: "us-west-2",
        method: "POST",
        path: "/",
        target: None,
        body: body.to_owned(),
        credentials: auditor(),
        signed_at: 0,
        presigned_for: None,
    }
}

fn sagemaker(operation: &'static str, body: &str) -> Call {
    Call { service: "sagemaker", target: Some(operation), ..sts(body) }
}

fn eks(path: &'static str) -> Call {
    Call { service: "eks", method: "GET", path, ..sts("") }
}

const WHO: &str = "Action=GetCallerIdentity&Version=2011-06-15";
const HOST: &str = "127.0.0.1:14566";

impl Call {
    fn request(&self) -> http::Request<Body> {
        let uri = format!("http://{HOST}{}", self.path);
        let mut request = http::Request::builder().method(self.method).uri(&uri).header("host", HOST);
        if let Some(target) = self.target {
            request = request.header("x-amz-target", format!("SageMaker.{target}"));
        }
        request.body(Body::from(self.body.clone())).unwrap()
    }

    fn signed(&self) -> http::Request<Body> {
        let identity = self.credentials.clone().into();
        let mut settings = SigningSettings::default();
        if let Some(seconds) = self.presigned_for {
            settings.signature_location = SignatureLocation::QueryParams;
            settings.expires_in = Some(Duration::from_secs(seconds));
        }
        let seconds = u64::try_from(jiff::Timestamp::now().as_second() + self.signed_at).unwrap();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(self.region)
            .name(self.service)
            .time(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            .settings(settings)
            .build()
            .unwrap()
            .into();
        let mut request = self.request();
        let uri = request.uri().to_string();
        let headers: Vec<(String, String)> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let body = SignableBody::Bytes(self.body.as_bytes());
        let signable = SignableRequest::new(self.method, &uri, headers, body).unwrap();
        sign(signable, &params).unwrap().into_parts().0.apply_to_request_http1x(&mut request);
        request
    }
}

async fn send(request: http::Request<Body>) -> (u16, String) {
    let api = ApiServer::new(ApiConfig::default()).unwrap().local(UserInfo::component("test"));
    let side = ClusterSide {
        facts: &SANDBOX,
        endpoint: "https://127.0.0.1:16443".into(),
        ca_pem: "PEM".into(),
        created_at: 1,
        groups: Vec::new(),
        api,
    };
    let response = router(sessions::tests::sessions(), vec![side]).oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn refused(call: Call, status: u16, code: &str) {
    let (answered, body) = send(call.signed()).await;
    assert!(answered == status && body.contains(code), "{answered} {body}");
}

#[tokio::test]
async fn a_signed_call_of_each_service_is_answered() {
    let (status, body) = send(sts(WHO).signed()).await;
    assert_eq!(status, 200);
    assert!(body.contains("<Arn>arn:aws:sts::111122223333:assumed-role/SpaceportAuditor/auditor</Arn>"));
    let (status, body) = send(sagemaker("ListClusters", "{}").signed()).await;
    assert!(status == 200 && body.contains("\"ClusterName\":\"sandbox\""), "{body}");
    let (status, body) = send(eks("/clusters/sandbox-eks").signed()).await;
    assert!(status == 200 && body.contains("\"endpoint\":\"https://127.0.0.1:16443\""), "{body}");
}

#[tokio::test]
async fn a_presigned_identity_call_is_good_as_long_as_it_says() {
    let presigned = |signed_at, seconds| Call {
        method: "GET",
        path: "/?Action=GetCallerIdentity&Version=2011-06-15",
        presigned_for: Some(seconds),
        signed_at,
        ..sts("")
    };
    let (status, body) = send(presigned(0, 60).signed()).await;
    assert!(status == 200 && body.contains("assumed-role/SpaceportAuditor/auditor"), "{body}");
    let (status, _) = send(presigned(-1000, 900).signed()).await;
    assert_eq!(status, 403);
    let (status, _) = send(presigned(-1000, 1200).signed()).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_clock_five_minutes_off_is_the_limit() {
    assert_eq!(send(Call { signed_at: -290, ..sts(WHO) }.signed()).await.0, 200);
    refused(Call { signed_at: -310, ..sts(WHO) }, 403, "Signature expired").await;
    refused(Call { signed_at: 310, ..sts(WHO) }, 403, "Signature not yet current").await;
}

#[tokio::test]
async fn bad_credentials_are_refused_in_each_protocol() {
    let wrong = || Credentials::new("AKIATESTTESTTESTTEST", "wrong", None, None, "test");
    refused(Call { credentials: wrong(), ..sts(WHO) }, 403, "<Code>SignatureDoesNotMatch</Code>").await;
    refused(
        Call { credentials: wrong(), ..sagemaker("ListClusters", "{}") },
        400,
        "\"__type\":\"InvalidSignatureException\"",
    )
    .await;
    let nobody = || Credentials::new("AKIANOBODY", "x", None, None, "test");
    refused(Call { credentials: nobody(), ..sts(WHO) }, 403, "InvalidClientTokenId").await;
    refused(Call { credentials: nobody(), ..eks("/clusters") }, 403, "invalid").await;
    refused(Call { credentials: credentials_until(1), ..sts(WHO) }, 403, "<Code>ExpiredToken</Code>").await;
    refused(
        Call { credentials: credentials_until(1), ..sagemaker("ListClusters", "{}") },
        400,
        "ExpiredTokenException",
    )
    .await;
}

#[tokio::test]
async fn an_unsigned_or_half_signed_request_is_refused() {
    let (status, body) = send(sts(WHO).request()).await;
    assert!(status == 403 && body.contains("MissingAuthenticationToken"), "{body}");
    let (status, body) = send(sagemaker("ListClusters", "{}").request()).await;
    assert!(status == 400 && body.contains("MissingAuthenticationTokenException"), "{body}");
    let mut half = sts(WHO).signed();
    half.headers_mut().remove("x-amz-date");
    let (status, body) = send(half).await;
    assert!(status == 403 && body.contains("IncompleteSignature"), "{body}");
}

#[tokio::test]
async fn what_was_signed_is_what_counts() {
    let mut changed = sts(WHO).signed();
    *changed.body_mut() = Body::from("Action=AssumeRole&Version=2011-06-15");
    assert_eq!(send(changed).await.0, 403);
    let mut elsewhere = eks("/clusters").signed();
    *elsewhere.uri_mut() = "/clusters/sandbox-eks".parse().unwrap();
    assert_eq!(send(elsewhere).await.0, 403);
    refused(Call { service: "s3", ..sts(WHO) }, 403, "Credential should be scoped").await;
}

#[tokio::test]
async fn a_region_without_cluster_has_none() {
    let (status, body) = send(Call { region: "eu-west-1", ..eks("/clusters") }.signed()).await;
    assert!(status == 200 && body.contains("\"clusters\":[]"), "{body}");
    refused(Call { region: "eu-west-1", ..eks("/clusters/sandbox-eks") }, 404, "No cluster found").await;
}

#[tokio::test]
async fn bad_bodies_are_refused_by_code() {
    refused(sagemaker("ListClusters", "{"), 400, "SerializationException").await;
    refused(sagemaker("ListClusters", "[]"), 400, "SerializationException").await;
    refused(sts("Action=GetCallerIdentity&Action=AssumeRole"), 400, "MalformedInput").await;
    refused(sts(&"x".repeat(MOST_BODY_BYTES + 1)), 413, "RequestEntityTooLarge").await;
}

#[tokio::test]
async fn a_path_with_encoded_characters_is_canonicalised_twice() {
    refused(eks("/clusters/a%20b%2Fc"), 404, "").await;
}
