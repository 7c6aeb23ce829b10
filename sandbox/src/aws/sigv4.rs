//! Signature Version 4: the canonical form of a request and its signature (AWS, "Create a signed AWS API request").
//!
//! Recomputes what a client must have signed; knows nothing of who may do what.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest, Sha256};

pub const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// Hash of an empty body.
pub const EMPTY_HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// `<key>/<date>/<region>/<service>/aws4_request`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    pub access_key_id: String,
    pub date: String,
    pub region: String,
    pub service: String,
}

impl Credential {
    pub fn parse(text: &str) -> Option<Credential> {
        let mut parts = text.split('/').map(str::to_owned);
        let mut next = || parts.next().filter(|part| !part.is_empty());
        let credential =
            Credential { access_key_id: next()?, date: next()?, region: next()?, service: next()? };
        let terminator = next()?;
        (terminator == "aws4_request" && parts.next().is_none()).then_some(credential)
    }

    fn scope(&self) -> String {
        format!("{}/{}/{}/aws4_request", self.date, self.region, self.service)
    }
}

/// What is signed. `path` is the path as sent; `query` decoded, without the signature; `headers` the signed ones,
/// in the order in which they were signed.
pub struct Canonical<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    pub payload_hash: &'a str,
}

impl Canonical<'_> {
    fn text(&self) -> String {
        // Every service but S3 encodes the already encoded path once more.
        let path: Vec<String> = self.path.split('/').map(encode).collect();
        let path = path.join("/");
        let mut query: Vec<String> =
            self.query.iter().map(|(key, value)| format!("{}={}", encode(key), encode(value))).collect();
        query.sort();
        let mut headers = String::new();
        for (name, value) in &self.headers {
            headers.push_str(name);
            headers.push(':');
            headers.push_str(&value.split_whitespace().collect::<Vec<_>>().join(" "));
            headers.push('\n');
        }
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        format!(
            "{}\n{}\n{}\n{headers}\n{}\n{}",
            self.method,
            if path.is_empty() { "/" } else { &path },
            query.join("&"),
            names.join(";"),
            self.payload_hash
        )
    }
}

/// Compares in constant time. `timestamp` is the request's `X-Amz-Date`.
pub fn matches(
    signature: &str,
    secret: &str,
    timestamp: &str,
    credential: &Credential,
    canonical: &Canonical<'_>,
) -> bool {
    let Ok(signature) = HEXLOWER.decode(signature.as_bytes()) else { return false };
    let text = format!(
        "{ALGORITHM}\n{timestamp}\n{}\n{}",
        credential.scope(),
        HEXLOWER.encode(&Sha256::digest(canonical.text()))
    );
    let mut key = format!("AWS4{secret}").into_bytes();
    for part in [&credential.date, &credential.region, &credential.service, "aws4_request"] {
        key = hmac(&key, part).finalize().into_bytes().to_vec();
    }
    hmac(&key, &text).verify_slice(&signature).is_ok()
}

fn hmac(key: &[u8], text: &str) -> Hmac<Sha256> {
    let mut hmac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    hmac.update(text.as_bytes());
    hmac
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// A query string in decoded pairs. A plus is a plus: AWS clients write spaces as `%20`.
pub fn parse_query(query: &str) -> Vec<(String, String)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key), decode(value))
        })
        .collect()
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Hex SHA-256.
pub fn hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Seconds since the epoch of `20260131T235959Z`.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let time = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", text).ok()?;
    // strptime skips white space; the text must be exactly what is signed.
    (text.len() == 16).then_some(())?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    /// The example of AWS's documentation of the signing process (IAM ListUsers).
    fn example() -> (Credential, Canonical<'static>) {
        let credential = Credential::parse("AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request").unwrap();
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let canonical = Canonical {
            method: "GET",
            path: "/",
            query: parse_query("Version=2010-05-08&Action=ListUsers"),
            headers: vec![
                header("content-type", "application/x-www-form-urlencoded; charset=utf-8"),
                header("host", "iam.amazonaws.com"),
                header("x-amz-date", "20150830T123600Z"),
            ],
            payload_hash: EMPTY_HASH,
        };
        (credential, canonical)
    }

    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    const SIGNATURE: &str = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";

    #[test]
    fn the_documented_example_matches() {
        let (credential, canonical) = example();
        assert!(matches(SIGNATURE, SECRET, "20150830T123600Z", &credential, &canonical));
    }

    #[test]
    fn any_change_breaks_the_signature() {
        let check = |secret: &str, time: &str, change: fn(&mut Credential, &mut Canonical<'_>)| {
            let (mut credential, mut canonical) = example();
            change(&mut credential, &mut canonical);
            matches(SIGNATURE, secret, time, &credential, &canonical)
        };
        let time = "20150830T123600Z";
        assert!(check(SECRET, time, |_, _| ()));
        assert!(!check("another", time, |_, _| ()));
        assert!(!check(SECRET, "20150830T123601Z", |_, _| ()));
        assert!(!check(SECRET, time, |credential, _| credential.region = "us-west-2".into()));
        assert!(!check(SECRET, time, |_, canonical| canonical.method = "POST"));
        assert!(!check(SECRET, time, |_, canonical| canonical.path = "/x"));
        assert!(!check(SECRET, time, |_, canonical| canonical.payload_hash = "0"));
        assert!(!check(SECRET, time, |_, canonical| canonical.query.pop().map(drop).unwrap()));
        assert!(!check(SECRET, time, |_, canonical| canonical.headers[1].1 = "evil".into()));
    }

    #[test]
    fn times_are_read_strictly() {
        assert_eq!(parse_timestamp("19700101T000010Z"), Some(10));
        assert_eq!(parse_timestamp("1970-01-01T00:00:10Z"), None);
        assert_eq!(parse_timestamp("19701301T000010Z"), None);
    }

    #[test]
    fn a_credential_has_five_parts() {
        assert!(Credential::parse("K/20150830/r/s/aws4_request").is_some());
        assert!(Credential::parse("K/20150830/r/s/aws4_request/x").is_none());
        assert!(Credential::parse("K//r/s/aws4_request").is_none());
        assert!(Credential::parse("K").is_none());
    }
}
