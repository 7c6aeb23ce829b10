//! Each rejection of an EKS token, against tokens that the AWS SDK's own signer made.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::super::sessions::tests::sessions;
use super::*;
use crate::landscape::{SANDBOX, SANDBOX_EAST};
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign};
use aws_sigv4::sign::v4;
use std::time::{Duration, UNIX_EPOCH};

const NOW: i64 = 1_800_000_000;

/// What a client would sign; tests change one thing each.
struct Ingredients {
    url: String,
    cluster_header: Option<&'static str>,
    role: &'static str,
    region: &'static str,
    service: &'static str,
    signed_at: i64,
    session_ends: i64,
}

impl Default for Ingredients {
    fn default() -> Ingredients {
        Ingredients {
            url: "https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15".into(),
            cluster_header: Some("sandbox-eks"),
            role: "TeamADataScientist",
            region: "us-west-2",
            service: "sts",
            signed_at: NOW,
            session_ends: NOW + 3600,
        }
    }
}

impl Ingredients {
    fn signed_url(&self) -> String {
        let issued = sessions()
            .issue(SANDBOX.account, self.role, "ds-a1", Some("ds-a1".into()), self.session_ends)
            .unwrap();
        let credentials = Credentials::new(
            issued.access_key_id,
            issued.secret_access_key,
            Some(issued.session_token),
            None,
            "test",
        );
        let identity = credentials.into();
        let mut settings = SigningSettings::default();
        settings.signature_location = SignatureLocation::QueryParams;
        settings.expires_in = Some(Duration::from_secs(60));
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(self.region)
            .name(self.service)
            .time(UNIX_EPOCH + Duration::from_secs(u64::try_from(self.signed_at).unwrap()))
            .settings(settings)
            .build()
            .unwrap()
            .into();
        let headers = self.cluster_header.map(|name| (CLUSTER_HEADER, name));
        let request =
            SignableRequest::new("GET", &self.url, headers.into_iter(), SignableBody::Bytes(&[])).unwrap();
        let (instructions, _) = sign(request, &params).unwrap().into_parts();
        let mut request = http::Request::get(&self.url).body(()).unwrap();
        instructions.apply_to_request_http1x(&mut request);
        request.uri().to_string()
    }
}

fn token_of(url: &str) -> String {
    format!("{PREFIX}{}", BASE64URL_NOPAD.encode(url.as_bytes()))
}

fn check(token: &str) -> Result<UserInfo, String> {
    EksTokens::new(sessions(), &SANDBOX).check(token, NOW)
}

/// The reason for refusing a token whose ingredients or finished URL were changed.
fn refusal(ingredients: Ingredients, change: impl Fn(String) -> String) -> String {
    check(&token_of(&change(ingredients.signed_url()))).expect_err("the token must be refused")
}

#[test]
fn a_good_token_is_the_role_session() {
    let user = check(&token_of(&Ingredients::default().signed_url())).unwrap();
    assert_eq!(user.username, "arn:aws:sts::111122223333:assumed-role/TeamADataScientist/ds-a1");
    assert!(user.extra["accessKeyId"][0].starts_with("ASIA"));
}

#[test]
fn the_dual_stack_host_is_as_good() {
    let url = "https://sts.us-west-2.api.aws/?Action=GetCallerIdentity&Version=2011-06-15".to_owned();
    assert!(check(&token_of(&Ingredients { url, ..Ingredients::default() }.signed_url())).is_ok());
}

#[test]
fn a_token_lives_fifteen_minutes_from_its_date() {
    let at = |signed_at| Ingredients { signed_at, ..Ingredients::default() };
    assert!(check(&token_of(&at(NOW - 899).signed_url())).is_ok());
    assert_eq!(refusal(at(NOW - 900), |url| url), "token is expired");
    assert_eq!(refusal(at(NOW + 301), |url| url), "token is from the future");
}

#[test]
fn what_is_signed_must_be_this_call_for_this_cluster() {
    let with = |change: fn(&mut Ingredients)| {
        let mut ingredients = Ingredients::default();
        change(&mut ingredients);
        refusal(ingredients, |url| url)
    };
    assert_eq!(with(|i| i.cluster_header = Some("sandbox-east-eks")), "signature does not match");
    assert_eq!(with(|i| i.cluster_header = None), "x-k8s-aws-id is not signed");
    assert_eq!(with(|i| i.region = "us-east-1"), "signed for another service or region");
    assert_eq!(with(|i| i.service = "eks"), "signed for another service or region");
    assert_eq!(
        with(|i| i.url = i.url.replace("GetCallerIdentity", "GetSessionToken")),
        "not a GetCallerIdentity call"
    );
    assert_eq!(with(|i| i.url = i.url.replace("2011-06-15", "2011-06-16")), "not a GetCallerIdentity call");
    assert_eq!(with(|i| i.url.push_str("&Debug=1")), "debug is not expected");
    assert_eq!(with(|i| i.session_ends = NOW), "credentials: Expired");
}

#[test]
fn only_the_regional_sts_address_is_accepted() {
    let with = |from: &str, to: &str| refusal(Ingredients::default(), |url| url.replacen(from, to, 1));
    assert_eq!(with("https://", "http://"), "scheme is not https");
    for host in [
        "sts.amazonaws.com",
        "sts.us-east-1.amazonaws.com",
        "sts.us-west-2.amazonaws.com.evil.example",
        "sts.us-west-2.amazonaws.com:443",
        "user@sts.us-west-2.amazonaws.com",
        "127.0.0.1:14566",
    ] {
        assert!(
            with("sts.us-west-2.amazonaws.com", host).ends_with("is not an STS host of us-west-2"),
            "{host}"
        );
    }
    assert_eq!(with(".com/?", ".com/x?"), "path is not /");
    assert_eq!(with("/?", "?"), "the URL has no path");
    assert_eq!(with("/?", "/"), "the URL has no query");
    assert_eq!(refusal(Ingredients::default(), |url| url + "#x"), "the URL has a fragment");
}

#[test]
fn query_keys_are_known_and_single_in_any_case() {
    let with = |extra: &str| refusal(Ingredients::default(), |url| format!("{url}&{extra}"));
    assert_eq!(with("X-Amz-Date=20260101T000000Z"), "x-amz-date occurs twice");
    assert_eq!(with("x-amz-credential=x"), "x-amz-credential occurs twice");
    assert_eq!(with("ACTION=GetCallerIdentity"), "action occurs twice");
    assert_eq!(with("evil=1"), "evil is not expected");
    assert_eq!(with("X-Amz-User-Agent=x"), "signature does not match");
}

#[test]
fn expires_is_zero_to_nine_hundred() {
    let with = |value: &str| {
        refusal(Ingredients::default(), |url| {
            url.replace("X-Amz-Expires=60", &format!("X-Amz-Expires={value}"))
        })
    };
    for bad in ["901", "-1", "x", ""] {
        assert_eq!(with(bad), "x-amz-expires is not 0 to 900", "{bad}");
    }
    // In range, but not what was signed.
    assert_eq!(with("61"), "signature does not match");
}

#[test]
fn fields_cannot_be_removed_or_changed() {
    let without = |key: &str| {
        refusal(Ingredients::default(), |url| {
            let (address, query) = url.split_once('?').unwrap();
            let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with(key)).collect();
            format!("{address}?{}", kept.join("&"))
        })
    };
    assert_eq!(without("Action"), "action is missing");
    assert_eq!(without("X-Amz-Algorithm"), "x-amz-algorithm is missing");
    assert_eq!(without("X-Amz-Expires"), "x-amz-expires is missing");
    assert_eq!(without("X-Amz-Date"), "x-amz-date is missing");
    assert_eq!(without("X-Amz-SignedHeaders"), "x-amz-signedheaders is missing");
    assert_eq!(without("X-Amz-Credential"), "x-amz-credential is malformed");
    assert_eq!(without("X-Amz-Signature"), "x-amz-signature is missing");
    assert_eq!(without("X-Amz-Security-Token"), "credentials: Invalid");
    let changed = refusal(Ingredients::default(), |url| {
        let (before, signature) = url.split_once("X-Amz-Signature=").unwrap();
        let flipped = if signature.starts_with('0') { '1' } else { '0' };
        format!("{before}X-Amz-Signature={flipped}{}", &signature[1..])
    });
    assert_eq!(changed, "signature does not match");
}

#[test]
fn size_and_encoding_are_checked() {
    let exact = format!("{PREFIX}{}", "A".repeat(4096 - PREFIX.len()));
    assert_ne!(check(&exact), Err("token is too large".to_owned()));
    assert_eq!(check(&format!("{exact}A")), Err("token is too large".to_owned()));
    assert_eq!(check("k8s-aws-v1.%%%"), Err("token is not base64url".to_owned()));
    let padded = format!("{}=", token_of("https://x"));
    assert_eq!(check(&padded), Err("token is not base64url".to_owned()));
}

#[test]
fn a_principal_without_access_entry_or_of_another_account_is_refused() {
    let billing = Ingredients { role: "BillingReader", ..Ingredients::default() };
    assert!(refusal(billing, |url| url).ends_with("role/BillingReader has no access entry"));
    let east = Ingredients {
        url: "https://sts.us-east-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15".into(),
        region: "us-east-1",
        cluster_header: Some("sandbox-east-eks"),
        ..Ingredients::default()
    };
    let verdict = EksTokens::new(sessions(), &SANDBOX_EAST).check(&token_of(&east.signed_url()), NOW);
    assert!(verdict.is_err_and(|why| why.ends_with("is of another account")));
}

#[test]
fn other_tokens_are_left_to_others() {
    assert!(EksTokens::new(sessions(), &SANDBOX).authenticate("sandbox-abc").is_none());
    assert!(EksTokens::new(sessions(), &SANDBOX).authenticate("k8s-aws-v1.x").is_some_and(|r| r.is_err()));
}
