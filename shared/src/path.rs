//! Every REST path as a function: used by the router's tests, the browser and scripts' examples alike.

use std::fmt::Write;

pub const API: &str = "/api/v1";

/// Percent-encodes one path segment (RFC 3986 unreserved characters stay).
pub fn encode(segment: &str) -> String {
    let mut out = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte as char);
        } else {
            write!(out, "%{byte:02X}").expect("writing to a String cannot fail");
        }
    }
    out
}

/// Undoes `encode`; nothing when the bytes are not UTF-8 or an escape is cut short.
pub fn decode(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, after @ ..] = tail else { return None };
        let digit = |b: &u8| char::from(*b).to_digit(16);
        bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

pub fn session() -> String {
    format!("{API}/session")
}

pub fn me() -> String {
    format!("{API}/me")
}

pub fn clusters() -> String {
    format!("{API}/clusters")
}

pub fn cluster(cluster: &str) -> String {
    format!("{API}/clusters/{}", encode(cluster))
}

pub fn spaces(cluster: &str) -> String {
    format!("{}/spaces", self::cluster(cluster))
}

pub fn namespaces(cluster: &str) -> String {
    format!("{}/namespaces", self::cluster(cluster))
}

pub fn namespace_options(cluster: &str, namespace: &str) -> String {
    format!("{}/{}/options", namespaces(cluster), encode(namespace))
}

pub fn space(cluster: &str, namespace: &str, name: &str) -> String {
    format!("{}/{}/spaces/{}", namespaces(cluster), encode(namespace), encode(name))
}

/// `part`: `start`, `stop`, `connections`, `events`, `logs`, `yaml`, `explanation`.
pub fn space_part(cluster: &str, namespace: &str, name: &str, part: &str) -> String {
    format!("{}/{part}", space(cluster, namespace, name))
}

pub fn templates(cluster: &str) -> String {
    format!("{}/templates", self::cluster(cluster))
}

pub fn template(cluster: &str, namespace: &str, name: &str) -> String {
    format!("{}/{}/templates/{}", namespaces(cluster), encode(namespace), encode(name))
}

pub fn live() -> String {
    format!("{API}/live")
}

/// The page that mints a connection and leaves for it.
pub fn open(cluster: &str, namespace: &str, name: &str, connection: &str) -> String {
    format!("/open/{}/{}/{}?type={}", encode(cluster), encode(namespace), encode(name), encode(connection))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_reads_back_and_nonsense_is_refused() {
        for text in ["", "lab", "../x y/\u{5b9e}+%", "a%b"] {
            assert_eq!(decode(&encode(text)).as_deref(), Some(text));
        }
        for text in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn segments_cannot_leave_their_place() {
        assert_eq!(
            space("sandbox", "hyperpod-ns-team-a", "../x y/实"),
            "/api/v1/clusters/sandbox/namespaces/hyperpod-ns-team-a/spaces/..%2Fx%20y%2F%E5%AE%9E"
        );
        assert_eq!(open("c", "n", "s", "web-ui"), "/open/c/n/s?type=web-ui");
    }
}
