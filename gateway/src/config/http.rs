//! `public_url` and `[http]`: which host names and which proxies are ours.

use super::{Problems, is_loopback_host};
use ipnet::IpNet;
use serde::Deserialize;
use url::Url;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Http {
    /// Further host names (with port, unless it is the scheme's own) that the portal answers to.
    pub allowed_hosts: Vec<String>,
    /// Networks whose `X-Forwarded-For` and `X-Request-Id` are believed.
    pub trusted_proxies: Vec<IpNet>,
}

impl Http {
    pub(super) fn validate(&self, problems: &mut Problems) {
        for host in &self.allowed_hosts {
            if host.is_empty() || host.contains(['/', '*', '@', ' ']) {
                problems
                    .add("http.allowed_hosts", format!("\"{host}\" is not a host name (exact names only)"));
            }
        }
    }
}

/// The portal's own origin: scheme, host and port, nothing after them.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct PublicUrl(Url);

impl TryFrom<String> for PublicUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let url = Url::parse(&text).map_err(|error| format!("\"{text}\" is not a URL: {error}"))?;
        match url.host_str() {
            Some(_) if matches!(url.scheme(), "http" | "https") => Ok(PublicUrl(url)),
            _ => Err(format!("\"{text}\" is not an http or https address")),
        }
    }
}

impl PublicUrl {
    pub(super) fn validate(&self, problems: &mut Problems) {
        if self.0.path() != "/" || self.0.query().is_some() || self.0.fragment().is_some() {
            problems.add("public_url", "must end after host and port");
        }
        if !self.is_https() && !is_loopback_host(self.host()) {
            problems.add("public_url", "must be https, except on loopback: the session cookie is Secure");
        }
    }

    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    pub fn scheme(&self) -> &str {
        self.0.scheme()
    }

    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Host and port as a `Host` header names them: the scheme's own port is left out.
    pub fn authority(&self) -> String {
        match self.0.port() {
            Some(port) => format!("{}:{port}", self.host()),
            None => self.host().to_owned(),
        }
    }

    /// As an `Origin` header names it.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme(), self.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PublicUrl {
        PublicUrl::try_from(text.to_owned()).expect("a URL")
    }

    #[test]
    fn the_scheme_s_own_port_is_left_out() {
        assert_eq!(url("https://portal.example:443/").origin(), "https://portal.example");
        assert_eq!(url("http://127.0.0.1:8080").authority(), "127.0.0.1:8080");
    }

    #[test]
    fn plain_http_is_for_loopback_only() {
        let mut problems = Problems::default();
        url("http://portal.example").validate(&mut problems);
        assert!(problems.into_result().is_err());
        assert!(PublicUrl::try_from("ftp://x".to_owned()).is_err());
    }
}
