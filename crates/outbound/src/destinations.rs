//! Address rules for outbound requests that settings of projects cause: public addresses only, by default.
//!
//! A client that may change a project must not be able to reach services of the machine or its network, or a
//! cloud's metadata address. The address counts, not the name: it is checked after the name is resolved, and
//! the connection is made to the checked address.

use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::dns::Name;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::task::{Context, Poll};
use tower::Service;

/// The allowed destinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destinations {
    /// Public addresses only.
    Public,
    /// Private addresses too, if the operator allows them.
    Any,
}

impl Destinations {
    /// Returns whether requests may go to a host, judged by its text alone. Names are checked when they are resolved.
    pub fn allows_host(self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare.parse().map_or(true, |address| self.allows(address))
    }

    fn allows(self, address: IpAddr) -> bool {
        self == Destinations::Any || is_public(address)
    }
}

/// Resolves names to allowed addresses.
impl Service<Name> for Destinations {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = std::io::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let allowed = *self;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let admitted: Vec<SocketAddr> = found.filter(|found| allowed.allows(found.ip())).collect();
            if admitted.is_empty() {
                return Err(std::io::Error::other("the name leads to no address that is allowed"));
            }
            Ok(admitted.into_iter())
        })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_for_protocols = (first, second, third) == (192, 0, 0);
    let is_for_benchmarks = first == 198 && matches!(second, 18 | 19);
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || is_shared
        || is_for_protocols
        || is_for_benchmarks
        // 0.0.0.0 is the machine itself, and 240.0.0.0/4 is reserved.
        || first == 0
        || first >= 240)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // IPv6 addresses that contain an IPv4 address lead to that.
    let segments = address.segments();
    let inner = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match segments {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_v4(inner(high, low))
        }
        [0x2002, high, low, ..] => is_public_v4(inner(high, low)),
        // Of all addresses, only those that are assigned to the public.
        [first, ..] => first & 0xe000 == 0x2000 && !matches!(segments, [0x2001, 0xdb8 | 0, ..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_private_addresses() {
        for host in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[::]",
            "[fe80::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
        ] {
            assert!(!Destinations::Public.allows_host(host), "{host}");
            assert!(Destinations::Any.allows_host(host), "{host}");
        }
        for host in
            ["example.com", "93.184.215.14", "172.32.0.1", "[2606:2800:21f::1]", "[::ffff:93.184.215.14]"]
        {
            assert!(Destinations::Public.allows_host(host), "{host}");
        }
    }

    #[tokio::test]
    async fn checks_a_name_when_it_is_resolved() {
        let name = || "localhost".parse::<Name>().unwrap();
        assert!(Destinations::Public.call(name()).await.is_err());
        assert!(Destinations::Any.call(name()).await.is_ok());
    }
}
