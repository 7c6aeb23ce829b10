//! EKS bearer tokens: a presigned GetCallerIdentity URL, checked as the AWS IAM authenticator does, with the
//! signature recomputed here instead of asking STS.

use super::entries::Entries;
use super::sessions::{Principal, Session, Sessions};
use super::sigv4::{self, Canonical, Credential};
use crate::kube::hooks::Authenticator;
use crate::kube::identity::UserInfo;
use crate::landscape::ClusterFacts;
use data_encoding::BASE64URL_NOPAD;
use std::collections::BTreeMap;

const PREFIX: &str = "k8s-aws-v1.";
const MOST_BYTES: usize = 4096;
/// From `X-Amz-Date`, whatever `X-Amz-Expires` says.
const LIFETIME_SECONDS: i64 = 15 * 60;
const MOST_EXPIRES: u32 = 900;
/// Difference between the clocks that STS tolerates.
const SKEW_SECONDS: i64 = 300;
const CLUSTER_HEADER: &str = "x-k8s-aws-id";

/// Query keys that may occur, each once, in any case.
const KEYS: [&str; 10] = [
    "action",
    "version",
    "x-amz-algorithm",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-expires",
    "x-amz-security-token",
    "x-amz-signature",
    "x-amz-signedheaders",
    "x-amz-user-agent",
];

/// Authenticates the tokens of one cluster.
pub struct EksTokens {
    sessions: Sessions,
    cluster: &'static ClusterFacts,
    entries: Entries,
}

impl EksTokens {
    pub fn new(sessions: Sessions, cluster: &'static ClusterFacts) -> EksTokens {
        EksTokens { sessions, cluster, entries: Entries::new(cluster) }
    }

    /// `now` in seconds since the epoch.
    fn check(&self, token: &str, now: i64) -> Result<UserInfo, String> {
        let session = self.verify(token, now)?;
        if session.account != self.cluster.account {
            return Err(format!("{} is of another account", session.arn()));
        }
        self.entries
            .user(&session.role, &session.name, &session.access_key_id)
            .ok_or_else(|| format!("{} has no access entry", session.role_arn()))
    }

    fn verify(&self, token: &str, now: i64) -> Result<Session, String> {
        if token.len() > MOST_BYTES {
            return Err("token is too large".to_owned());
        }
        let encoded = token.strip_prefix(PREFIX).ok_or("token has another prefix")?;
        let bytes = BASE64URL_NOPAD.decode(encoded.as_bytes()).map_err(|_| "token is not base64url")?;
        let text = String::from_utf8(bytes).map_err(|_| "token is not text")?;
        let (host, query) = self.split_url(&text)?;
        let fields = read_fields(query)?;
        let field = |key: &str| fields.get(key).map(String::as_str).ok_or(format!("{key} is missing"));
        if field("action")? != "GetCallerIdentity" || field("version")? != "2011-06-15" {
            return Err("not a GetCallerIdentity call".to_owned());
        }
        if field("x-amz-algorithm")? != sigv4::ALGORITHM {
            return Err("unknown algorithm".to_owned());
        }
        check_expires(field("x-amz-expires")?)?;
        check_date(field("x-amz-date")?, now)?;
        let (session, secret) = self.session(&fields, now)?;
        self.check_signature(host, query, &fields, &secret)?;
        Ok(session)
    }

    /// Host and query of the URL; anything but the plain regional STS address is refused before it is parsed further.
    fn split_url<'a>(&self, text: &'a str) -> Result<(&'a str, &'a str), String> {
        let rest = text.strip_prefix("https://").ok_or("scheme is not https")?;
        let (address, query) = rest.split_once('?').ok_or("the URL has no query")?;
        let (host, path) = address.split_once('/').ok_or("the URL has no path")?;
        if !path.is_empty() {
            return Err("path is not /".to_owned());
        }
        if query.contains('#') {
            return Err("the URL has a fragment".to_owned());
        }
        let region = self.cluster.region;
        let hosts = [format!("sts.{region}.amazonaws.com"), format!("sts.{region}.api.aws")];
        if !hosts.iter().any(|known| known == host) {
            return Err(format!("{host} is not an STS host of {region}"));
        }
        Ok((host, query))
    }

    /// The session behind the credential, and its secret key.
    fn session(&self, fields: &BTreeMap<String, String>, now: i64) -> Result<(Session, String), String> {
        let credential = credential(fields)?;
        let token = fields.get("x-amz-security-token").map(String::as_str);
        let known = self
            .sessions
            .find(&credential.access_key_id, token, now)
            .map_err(|why| format!("credentials: {why:?}"))?;
        match known.principal {
            Principal::Session(session) => Ok((session, known.secret_access_key)),
            Principal::Gateway => Err("an IAM user has no access entry".to_owned()),
        }
    }

    /// Replays the call with this cluster's own name: a token for another cluster does not match.
    fn check_signature(
        &self,
        host: &str,
        query: &str,
        fields: &BTreeMap<String, String>,
        secret: &str,
    ) -> Result<(), String> {
        let field = |key: &str| fields.get(key).map(String::as_str).ok_or(format!("{key} is missing"));
        let headers = self.signed_headers(field("x-amz-signedheaders")?, host)?;
        let credential = credential(fields)?;
        if credential.service != "sts" || credential.region != self.cluster.region {
            return Err("signed for another service or region".to_owned());
        }
        let date = field("x-amz-date")?;
        if !date.starts_with(&credential.date) {
            return Err("the credential is of another day".to_owned());
        }
        let canonical = Canonical {
            method: "GET",
            path: "/",
            query: sigv4::parse_query(query)
                .into_iter()
                .filter(|(key, _)| !key.eq_ignore_ascii_case("x-amz-signature"))
                .collect(),
            headers,
            payload_hash: sigv4::EMPTY_HASH,
        };
        match sigv4::matches(field("x-amz-signature")?, secret, date, &credential, &canonical) {
            true => Ok(()),
            false => Err("signature does not match".to_owned()),
        }
    }

    /// The values that the signed headers must have had, this cluster's name among them.
    fn signed_headers(&self, names: &str, host: &str) -> Result<Vec<(String, String)>, String> {
        let names: Vec<&str> = names.split(';').collect();
        if let Some(missing) = ["host", CLUSTER_HEADER].iter().find(|needed| !names.contains(needed)) {
            return Err(format!("{missing} is not signed"));
        }
        let value = |name: &str| match name {
            "host" => Ok(host.to_owned()),
            CLUSTER_HEADER => Ok(self.cluster.eks_name.to_owned()),
            other => Err(format!("signed header {other} is not expected")),
        };
        names.into_iter().map(|name| Ok((name.to_owned(), value(name)?))).collect()
    }
}

/// The query by lower-case keys: unknown and repeated ones are refused, or a caller could choose which is read.
fn read_fields(query: &str) -> Result<BTreeMap<String, String>, String> {
    let mut fields = BTreeMap::new();
    for (key, value) in sigv4::parse_query(query) {
        let key = key.to_ascii_lowercase();
        if !KEYS.contains(&key.as_str()) {
            return Err(format!("{key} is not expected"));
        }
        if fields.insert(key.clone(), value).is_some() {
            return Err(format!("{key} occurs twice"));
        }
    }
    Ok(fields)
}

fn credential(fields: &BTreeMap<String, String>) -> Result<Credential, String> {
    fields
        .get("x-amz-credential")
        .and_then(|text| Credential::parse(text))
        .ok_or_else(|| "x-amz-credential is malformed".to_owned())
}

fn check_expires(text: &str) -> Result<(), String> {
    match text.parse::<u32>() {
        Ok(seconds) if seconds <= MOST_EXPIRES => Ok(()),
        _ => Err(format!("x-amz-expires is not 0 to {MOST_EXPIRES}")),
    }
}

fn check_date(text: &str, now: i64) -> Result<(), String> {
    let at = sigv4::parse_timestamp(text).ok_or("x-amz-date is malformed")?;
    if now >= at + LIFETIME_SECONDS {
        return Err("token is expired".to_owned());
    }
    if at > now + SKEW_SECONDS {
        return Err("token is from the future".to_owned());
    }
    Ok(())
}

impl Authenticator for EksTokens {
    fn authenticate(&self, bearer: &str) -> Option<Result<UserInfo, String>> {
        bearer.starts_with(PREFIX).then(|| self.check(bearer, jiff::Timestamp::now().as_second()))
    }
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
