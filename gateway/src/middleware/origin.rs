//! Which host names are ours, and which requests come from our own pages.

use crate::config::{Config, is_loopback_host};
use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use std::collections::HashSet;

#[derive(Debug)]
pub struct Origins {
    public_origin: String,
    scheme: String,
    hosts: HashSet<String>,
}

impl Origins {
    pub fn from_config(config: &Config) -> Origins {
        let mut hosts: HashSet<String> =
            config.http.allowed_hosts.iter().map(|h| h.to_ascii_lowercase()).collect();
        hosts.insert(config.public_url.authority().to_ascii_lowercase());
        Origins {
            public_origin: config.public_url.origin().to_ascii_lowercase(),
            scheme: config.public_url.scheme().to_owned(),
            hosts,
        }
    }

    /// `host` as a `Host` header has it. Loopback names count with any port: a page elsewhere cannot make a browser send
    /// them (DNS rebinding sends its own name).
    pub fn accepts_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.contains(&host) || is_loopback_host(without_port(&host))
    }

    /// Whether a request says that it comes from another site. Missing headers say nothing: scripts send none.
    pub fn is_foreign(&self, headers: &HeaderMap) -> bool {
        let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
        site.is_some_and(|site| site != b"same-origin")
            || (headers.contains_key(ORIGIN) && !self.is_own(headers))
    }

    /// Whether `Origin` is there and is ours: what a websocket from a browser must show.
    pub fn is_own(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(ORIGIN).and_then(|value| value.to_str().ok()) else { return false };
        let origin = origin.to_ascii_lowercase();
        if origin == self.public_origin {
            return true;
        }
        // The page may have been opened under another of our names; then both name it alike.
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
        scheme == self.scheme && authority == host.to_ascii_lowercase() && self.accepts_host(authority)
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn origins() -> Origins {
        Origins {
            public_origin: "https://portal.example".into(),
            scheme: "https".into(),
            hosts: ["portal.example".to_owned()].into(),
        }
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn hosts_are_exact() {
        let ours = origins();
        assert!(
            ours.accepts_host("Portal.Example")
                && ours.accepts_host("127.0.0.1:9")
                && ours.accepts_host("[::1]:9")
        );
        for foreign in
            ["portal.example.evil", "x.portal.example", "a.spaces.localhost:18888", "", "127.0.0.1.evil"]
        {
            assert!(!ours.accepts_host(foreign), "{foreign}");
        }
    }

    #[test]
    fn another_site_is_foreign_and_a_script_is_not() {
        let ours = origins();
        assert!(!ours.is_foreign(&headers(&[])));
        assert!(!ours.is_foreign(&headers(&[
            ("origin", "https://portal.example"),
            ("sec-fetch-site", "same-origin")
        ])));
        for foreign in [
            [("origin", "https://evil.example"), ("host", "portal.example")],
            [("origin", "http://portal.example"), ("host", "portal.example")],
            [("origin", "null"), ("host", "portal.example")],
            [("sec-fetch-site", "same-site"), ("host", "portal.example")],
            [("sec-fetch-site", "none"), ("host", "portal.example")],
        ] {
            assert!(ours.is_foreign(&headers(&foreign)), "{foreign:?}");
        }
    }

    #[test]
    fn a_socket_without_origin_is_not_our_own() {
        assert!(!origins().is_own(&headers(&[("host", "portal.example")])));
    }
}
