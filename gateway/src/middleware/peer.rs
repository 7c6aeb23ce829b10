//! Who is at the other end of the connection, behind the proxies that the configuration trusts.

use axum::extract::{ConnectInfo, Request};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// The nearest address that is not one of our proxies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientIp(pub IpAddr);

fn peer(request: &Request) -> Option<IpAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
}

pub fn is_trusted(request: &Request, proxies: &[IpNet]) -> bool {
    peer(request).is_some_and(|ip| contains(proxies, ip))
}

fn contains(proxies: &[IpNet], ip: IpAddr) -> bool {
    proxies.iter().any(|net| net.contains(&ip))
}

pub fn client_ip(request: &Request, proxies: &[IpNet]) -> Option<IpAddr> {
    let forwarded: Vec<&str> = request
        .headers()
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    peer(request).map(|ip| walk(ip, &forwarded, proxies))
}

/// Walks from the right, as long as the one who said it is trusted. What stands further left is the client's own
/// invention.
fn walk(peer: IpAddr, forwarded: &[&str], proxies: &[IpNet]) -> IpAddr {
    let mut at = peer;
    for hop in forwarded.iter().rev() {
        if !contains(proxies, at) {
            break;
        }
        let Ok(ip) = hop.parse() else { break };
        at = ip;
    }
    at
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_may_say_who_the_client_is() {
        let proxies: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let ip = |text: &str| -> IpAddr { text.parse().unwrap() };
        assert_eq!(walk(ip("203.0.113.5"), &["198.51.100.1"], &proxies), ip("203.0.113.5"));
        assert_eq!(
            walk(ip("10.0.0.1"), &["6.6.6.6", "198.51.100.1", "10.0.0.2"], &proxies),
            ip("198.51.100.1")
        );
        assert_eq!(walk(ip("10.0.0.1"), &["nonsense"], &proxies), ip("10.0.0.1"));
    }
}
