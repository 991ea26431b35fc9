//! The client address of a request, also behind proxies.

use crate::server::Server;
use axum::http::HeaderName;
use axum::http::request::Parts;
use ipnet::IpNet;
use std::net::IpAddr;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of the connection's other end. The listener adds it to each request that may write or is the console's,
/// for the rate limit of wrong secrets. Other reads do not need it: they contain no secret.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub(crate) IpAddr);

/// Returns the client address of a request: the other end of the connection or, if that is a trusted proxy, the address
/// that the proxy forwards.
pub(crate) fn client_address(server: &Server, parts: &Parts) -> Option<IpAddr> {
    let peer = parts.extensions.get::<PeerAddress>()?.0;
    let trusted = &server.options.trusted_proxies;
    if trusted.is_empty() {
        return Some(peer);
    }
    let lines = parts.headers.get_all(FORWARDED_FOR).iter();
    let lines: Vec<&str> = lines.filter_map(|line| line.to_str().ok()).collect();
    Some(first_untrusted(peer, &lines.join(","), trusted))
}

/// Returns the last address that is not a trusted proxy: each proxy appends the address of its client, and earlier
/// addresses can be forged.
fn first_untrusted(peer: IpAddr, forwarded_for: &str, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut sender = peer;
    for said in forwarded_for.rsplit(',') {
        if !is_trusted(&sender) {
            break;
        }
        let Ok(address) = said.trim().parse() else { break };
        sender = address;
    }
    sender
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client_address(peer: &str, forwarded_for: &str) -> String {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        first_untrusted(peer.parse().unwrap(), forwarded_for, &trusted).to_string()
    }

    #[test]
    fn trusts_the_address_that_a_trusted_proxy_forwards() {
        assert_eq!(client_address("10.0.0.1", "192.0.2.7"), "192.0.2.7");
        assert_eq!(client_address("10.0.0.1", "192.0.2.7, 10.0.0.2"), "192.0.2.7");
        assert_eq!(client_address("::1", "2001:db8::7"), "2001:db8::7");
    }

    #[test]
    fn ignores_addresses_that_others_forward() {
        assert_eq!(client_address("192.0.2.9", "192.0.2.7"), "192.0.2.9");
        assert_eq!(
            client_address("10.0.0.1", "198.51.100.1, 192.0.2.7"),
            "192.0.2.7",
            "what stands before is hearsay"
        );
    }

    #[test]
    fn ignores_malformed_addresses() {
        for none in ["", "unknown", "192.0.2.7:80", ",", "192.0.2.7,"] {
            assert_eq!(client_address("10.0.0.1", none), "10.0.0.1", "{none}");
        }
    }
}
