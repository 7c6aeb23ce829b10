//! Who signed a request to the AWS endpoint: by the Authorization header, or in the query (presigned).

use super::failure::{AwsFailure, Protocol};
use super::sessions::{Principal, Sessions, Unknown};
use super::sigv4::{self, Canonical, Credential};
use http::HeaderMap;
use http::request::Parts;

/// A caller whose signature was right.
pub struct Caller {
    pub principal: Principal,
    pub region: String,
    pub service: String,
}

/// Why a request is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Missing,
    /// What is missing or malformed.
    Incomplete(String),
    UnknownKey,
    SessionExpired,
    /// The request's time is too far from now; a sentence.
    Time(String),
    Mismatch,
}

/// Difference between the clocks that AWS tolerates.
const SKEW_SECONDS: i64 = 300;
/// Longest life of a presigned request.
const MOST_EXPIRES: i64 = 7 * 24 * 3600;

/// Where the signature's parts were found.
struct Claim {
    credential: Credential,
    signed_headers: Vec<String>,
    signature: String,
    timestamp: String,
    token: Option<String>,
    /// Seconds of validity of a presigned request.
    expires: Option<i64>,
}

/// `now` in seconds since the epoch.
///
/// # Errors
/// [`Refusal`]
pub fn authenticate(sessions: &Sessions, parts: &Parts, body: &[u8], now: i64) -> Result<Caller, Refusal> {
    let query = sigv4::parse_query(parts.uri.query().unwrap_or(""));
    let claim = read_claim(&parts.headers, &query)?;
    check_time(&claim, now)?;
    let known = sessions.find(&claim.credential.access_key_id, claim.token.as_deref(), now).map_err(
        |why| match why {
            Unknown::Invalid => Refusal::UnknownKey,
            Unknown::Expired => Refusal::SessionExpired,
        },
    )?;
    let payload_hash = sigv4::hash(body);
    let canonical = Canonical {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        query: query.into_iter().filter(|(key, _)| key != "X-Amz-Signature").collect(),
        headers: signed_values(parts, &claim.signed_headers)?,
        payload_hash: &payload_hash,
    };
    let secret = &known.secret_access_key;
    if !sigv4::matches(&claim.signature, secret, &claim.timestamp, &claim.credential, &canonical) {
        return Err(Refusal::Mismatch);
    }
    let Credential { region, service, .. } = claim.credential;
    Ok(Caller { principal: known.principal, region, service })
}

fn read_claim(headers: &HeaderMap, query: &[(String, String)]) -> Result<Claim, Refusal> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(authorization) = header("authorization") {
        return header_claim(authorization, header("x-amz-date"), header("x-amz-security-token"));
    }
    let find = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    if find("X-Amz-Signature").is_none() {
        return Err(Refusal::Missing);
    }
    let need = |name: &str| find(name).ok_or_else(|| incomplete(&format!("'{name}' parameter")));
    if need("X-Amz-Algorithm")? != sigv4::ALGORITHM {
        return Err(incomplete("a supported 'X-Amz-Algorithm'"));
    }
    let expires = need("X-Amz-Expires")?.parse().ok().filter(|seconds| (0..=MOST_EXPIRES).contains(seconds));
    Ok(Claim {
        credential: parse_credential(&need("X-Amz-Credential")?)?,
        signed_headers: split_headers(&need("X-Amz-SignedHeaders")?),
        signature: need("X-Amz-Signature")?,
        timestamp: need("X-Amz-Date")?,
        token: find("X-Amz-Security-Token"),
        expires: Some(expires.ok_or_else(|| incomplete("a valid 'X-Amz-Expires'"))?),
    })
}

fn header_claim(authorization: &str, date: Option<&str>, token: Option<&str>) -> Result<Claim, Refusal> {
    let fields = authorization
        .strip_prefix(sigv4::ALGORITHM)
        .ok_or_else(|| incomplete("a supported algorithm in 'Authorization'"))?;
    let field = |name: &str| {
        fields
            .split(',')
            .find_map(|field| field.trim().strip_prefix(name)?.strip_prefix('='))
            .ok_or_else(|| incomplete(&format!("'{name}' in 'Authorization'")))
    };
    Ok(Claim {
        credential: parse_credential(field("Credential")?)?,
        signed_headers: split_headers(field("SignedHeaders")?),
        signature: field("Signature")?.to_owned(),
        timestamp: date.ok_or_else(|| incomplete("'X-Amz-Date' header"))?.to_owned(),
        token: token.map(str::to_owned),
        expires: None,
    })
}

fn parse_credential(text: &str) -> Result<Credential, Refusal> {
    Credential::parse(text).ok_or_else(|| incomplete("a valid credential scope"))
}

fn split_headers(text: &str) -> Vec<String> {
    text.split(';').map(str::to_owned).collect()
}

fn incomplete(what: &str) -> Refusal {
    Refusal::Incomplete(format!("Request must contain {what}."))
}

fn check_time(claim: &Claim, now: i64) -> Result<(), Refusal> {
    let text = &claim.timestamp;
    let at = sigv4::parse_timestamp(text)
        .filter(|_| text.starts_with(&claim.credential.date))
        .ok_or_else(|| incomplete("a date in ISO 8601 basic format, equal to the credential's"))?;
    if at > now + SKEW_SECONDS {
        return Err(Refusal::Time(format!(
            "Signature not yet current: {text} is still later than the server's time"
        )));
    }
    if at + claim.expires.unwrap_or(0).max(SKEW_SECONDS) < now {
        return Err(Refusal::Time(format!(
            "Signature expired: {text} is now earlier than the oldest accepted time"
        )));
    }
    Ok(())
}

/// The signed headers with their values; `host` must be among them, and each must be there.
fn signed_values(parts: &Parts, names: &[String]) -> Result<Vec<(String, String)>, Refusal> {
    if !names.iter().any(|name| name == "host") {
        return Err(incomplete("'host' among the signed headers"));
    }
    names
        .iter()
        .map(|name| {
            let values: Vec<&str> =
                parts.headers.get_all(name.as_str()).iter().filter_map(|value| value.to_str().ok()).collect();
            match values.is_empty() {
                true => Err(incomplete(&format!("the signed header '{name}'"))),
                false => Ok((name.clone(), values.join(","))),
            }
        })
        .collect()
}

impl Refusal {
    /// In the words of the protocol.
    pub fn failure(&self, protocol: Protocol) -> AwsFailure {
        let (query, json, message) = match self {
            Refusal::Missing => (
                "MissingAuthenticationToken",
                "MissingAuthenticationTokenException",
                "Request is missing Authentication Token".to_owned(),
            ),
            Refusal::Incomplete(what) => {
                ("IncompleteSignature", "IncompleteSignatureException", what.clone())
            }
            Refusal::UnknownKey => (
                "InvalidClientTokenId",
                "UnrecognizedClientException",
                "The security token included in the request is invalid.".to_owned(),
            ),
            Refusal::SessionExpired => (
                "ExpiredToken",
                "ExpiredTokenException",
                "The security token included in the request is expired".to_owned(),
            ),
            Refusal::Time(sentence) => {
                ("SignatureDoesNotMatch", "InvalidSignatureException", sentence.clone())
            }
            Refusal::Mismatch => (
                "SignatureDoesNotMatch",
                "InvalidSignatureException",
                "The request signature we calculated does not match the signature you provided. Check your AWS \
                 Secret Access Key and signing method. Consult the service documentation for details."
                    .to_owned(),
            ),
        };
        match protocol {
            Protocol::Query => AwsFailure::new(403, query, message),
            Protocol::RestJson => AwsFailure::new(403, json, message),
            Protocol::Json => AwsFailure::new(400, json, message),
        }
    }
}
