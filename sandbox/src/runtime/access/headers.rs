//! Which headers cross the border between a browser and a Space's server, and which requests may.
//!
//! A Space runs its owner's code: it must see neither the router's cookie nor the portal's, and set neither. And
//! because all Spaces are one site to a browser, `SameSite` does not keep one from calling another: the origin does.

use super::cookie;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request};

/// Removed in both directions: they belong to one connection (RFC 9110, 7.6.1).
const HOP_BY_HOP: [&str; 7] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
];
/// Would tell a server that believes proxies who somebody is.
const IDENTITY: [&str; 6] =
    ["authorization", "forwarded", "remote-user", "x-remote-user", "x-real-ip", "x-user"];
const IDENTITY_PREFIXES: [&str; 5] =
    ["x-forwarded-", "x-auth-request-", "x-amzn-oidc-", "x-spaceport-", "impersonate-"];

/// Takes out of a request what the Space's server must not see.
pub fn clean_request(headers: &mut HeaderMap, keep_upgrade: bool) {
    let identity = |name: &str| {
        IDENTITY.contains(&name) || IDENTITY_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    remove(headers, |name| identity(name) || (!keep_upgrade && name == "upgrade"));
    remove_hop_by_hop(headers, keep_upgrade);
    let cookies: Vec<String> =
        cookies(headers).filter(|(name, _)| !reserved(name)).map(|(n, v)| format!("{n}={v}")).collect();
    headers.remove(header::COOKIE);
    if let (false, Ok(value)) = (cookies.is_empty(), HeaderValue::try_from(cookies.join("; "))) {
        headers.insert(header::COOKIE, value);
    }
}

/// Takes out of an answer what the Space's server must not set: reserved cookies, and cookies for more than its host.
pub fn clean_response(headers: &mut HeaderMap, keep_upgrade: bool) {
    remove_hop_by_hop(headers, keep_upgrade);
    let all: Vec<HeaderValue> = headers.get_all(header::SET_COOKIE).iter().cloned().collect();
    headers.remove(header::SET_COOKIE);
    for value in all.into_iter().filter(|value| value.to_str().is_ok_and(own_cookie)) {
        headers.append(header::SET_COOKIE, value);
    }
}

fn own_cookie(set_cookie: &str) -> bool {
    let mut parts = set_cookie.split(';').map(str::trim);
    let name = parts.next().and_then(|pair| pair.split('=').next()).unwrap_or_default().trim();
    !reserved(name) && !parts.any(|attribute| attribute.to_ascii_lowercase().starts_with("domain"))
}

fn reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == cookie::NAME
        || ["__host-", "__secure-", "spaceport"].iter().any(|prefix| name.starts_with(prefix))
}

/// All cookies of a request. Browsers send several of one name when they were set for several domains.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

fn remove_hop_by_hop(headers: &mut HeaderMap, keep_upgrade: bool) {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    remove(headers, |name| {
        let upgrade = keep_upgrade && (name == "upgrade" || name == "connection");
        !upgrade && (HOP_BY_HOP.contains(&name) || named.iter().any(|other| other == name))
    });
}

fn remove(headers: &mut HeaderMap, unwanted: impl Fn(&str) -> bool) {
    let names: Vec<HeaderName> = headers.keys().filter(|name| unwanted(name.as_str())).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Whether the request asks to become a websocket.
pub fn wants_websocket(headers: &HeaderMap) -> bool {
    let says = |name, word: &str| {
        let mut values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.any(|value| value.split(',').any(|token| token.trim().eq_ignore_ascii_case(word)))
    };
    says(header::CONNECTION, "upgrade") && says(header::UPGRADE, "websocket")
}

/// Whether a page of this very host sent the request, or a person by a link, or a program that is no browser.
/// `authority` is the host with its port, as the browser addressed it.
pub fn from_own_origin<B>(request: &Request<B>, authority: &str) -> bool {
    let text = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(origin) = text("origin") {
        return ["http://", "https://"].iter().any(|scheme| {
            origin.strip_prefix(scheme).is_some_and(|rest| rest.eq_ignore_ascii_case(authority))
        });
    }
    let link = request.method() == Method::GET
        && text("sec-fetch-mode") == Some("navigate")
        && text("sec-fetch-dest") == Some("document");
    matches!(text("sec-fetch-site"), None | Some("same-origin" | "none")) || link
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn map(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn a_server_sees_neither_reserved_cookies_nor_who_is_asking() {
        let mut headers = map(&[
            ("cookie", "a=1; workspace_auth=x; __Host-spaceport=y; _xsrf=2; spaceport_theme=z"),
            ("authorization", "Bearer t"),
            ("x-forwarded-user", "admin"),
            ("impersonate-user", "admin"),
            ("accept", "*/*"),
        ]);
        clean_request(&mut headers, false);
        assert_eq!(headers, map(&[("cookie", "a=1; _xsrf=2"), ("accept", "*/*")]));
    }

    #[test]
    fn headers_of_one_connection_stay_there_and_an_upgrade_passes_only_as_one() {
        let pairs =
            [("connection", "upgrade, x-hop"), ("upgrade", "websocket"), ("x-hop", "1"), ("te", "trailers")];
        let mut plain = map(&pairs);
        clean_request(&mut plain, false);
        assert_eq!(plain, HeaderMap::new());
        let mut upgrade = map(&pairs);
        clean_request(&mut upgrade, true);
        assert_eq!(upgrade, map(&pairs[..2]));
    }

    #[test]
    fn a_server_may_set_its_own_cookies_and_no_others() {
        let mut headers = HeaderMap::new();
        for value in [
            "_xsrf=1; Path=/",
            "workspace_auth=x",
            "__Host-spaceport=x; Secure",
            "a=1; Domain=spaces.localhost",
        ] {
            headers.append(header::SET_COOKIE, HeaderValue::from_static(value));
        }
        clean_response(&mut headers, false);
        assert_eq!(headers.get_all(header::SET_COOKIE).iter().collect::<Vec<_>>(), ["_xsrf=1; Path=/"]);
    }

    #[test]
    fn another_spaces_page_may_link_here_but_neither_fetch_nor_embed_nor_post() {
        let cases: [(&[(&str, &str)], bool); 8] = [
            (&[], true),
            (&[("origin", "http://a.spaces.localhost:1")], true),
            (&[("origin", "http://b.spaces.localhost:1")], false),
            (&[("origin", "http://a.spaces.localhost:2")], false),
            (&[("origin", "null")], false),
            (
                &[
                    ("sec-fetch-site", "same-site"),
                    ("sec-fetch-mode", "navigate"),
                    ("sec-fetch-dest", "document"),
                ],
                true,
            ),
            (
                &[
                    ("sec-fetch-site", "same-site"),
                    ("sec-fetch-mode", "navigate"),
                    ("sec-fetch-dest", "iframe"),
                ],
                false,
            ),
            (&[("sec-fetch-site", "same-site"), ("sec-fetch-mode", "no-cors")], false),
        ];
        for (headers, expected) in cases {
            let mut request = Request::get("/");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let request = request.body(()).unwrap();
            assert_eq!(from_own_origin(&request, "a.spaces.localhost:1"), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_websocket_is_asked_for_by_both_headers() {
        assert!(wants_websocket(&map(&[("connection", "keep-alive, Upgrade"), ("upgrade", "WebSocket")])));
        assert!(!wants_websocket(&map(&[("upgrade", "websocket")])));
        assert!(!wants_websocket(&map(&[("connection", "upgrade"), ("upgrade", "h2c")])));
    }
}
