//! Host names of Spaces: `<space>-<base32 of the namespace>.spaces.localhost`.
//!
//! Each Space has an origin of its own because cookies ignore ports: the portal's cookie must never reach a Space, nor
//! one Space's cookie another. The label's form is that of the add-on's access strategy (docs/SANDBOX.md, Runtime).

use data_encoding::BASE32_NOPAD;

/// Everything below `localhost` resolves to the loopback interface without a name server (RFC 6761, 6.3).
pub const DOMAIN: &str = "spaces.localhost";

/// The first label of a Space's host, lower case.
pub fn label(space: &str, namespace: &str) -> String {
    format!("{space}-{}", BASE32_NOPAD.encode(namespace.as_bytes()).to_ascii_lowercase())
}

/// The full host name, without a port.
pub fn name(space: &str, namespace: &str) -> String {
    format!("{}.{DOMAIN}", label(space, namespace))
}

/// The host name of a `Host` header: without port, in lower case. `None` unless it is exactly one label below
/// [`DOMAIN`].
pub fn of_header(header: &str) -> Option<String> {
    let host = match header.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => header,
    };
    let host = host.to_ascii_lowercase();
    let label = host.strip_suffix(DOMAIN)?.strip_suffix('.')?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    (!label.is_empty() && label.bytes().all(plain)).then(|| host.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_the_space_and_the_namespace_in_base32() {
        assert_eq!(label("lab", "ns"), "lab-nzzq");
        assert_eq!(name("lab", "ns"), "lab-nzzq.spaces.localhost");
    }

    #[test]
    fn a_host_header_is_read_without_port_and_case() {
        assert_eq!(
            of_header("Lab-NZZQ.spaces.localhost:18888").as_deref(),
            Some("lab-nzzq.spaces.localhost")
        );
        assert_eq!(of_header("lab-nzzq.spaces.localhost").as_deref(), Some("lab-nzzq.spaces.localhost"));
    }

    #[test]
    fn hosts_that_are_not_one_label_below_the_domain_are_refused() {
        for header in [
            "127.0.0.1:18888",
            "spaces.localhost",
            ".spaces.localhost",
            "a.b.spaces.localhost",
            "a.spaces.localhost.evil",
            "a@b.spaces.localhost",
        ] {
            assert_eq!(of_header(header), None, "{header}");
        }
    }
}
