//! `kontor health`: asks a server on this machine whether it serves.
//!
//! A container image without a shell has no other program for its health check.

use crate::arguments::HealthArguments;
use anyhow::{Context as _, bail};
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long the command waits to connect, and then for each part of the response.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The part of a response that is read. `/health` responds with less.
const RESPONSE_BYTES_MAX: u64 = 64 * 1024;

/// Runs the command: `GET /health`. Fails unless the response is 200.
pub(crate) fn run(arguments: &HealthArguments) -> anyhow::Result<()> {
    let address = reachable(arguments.listen);
    let unreachable = || format!("no server responds at {address}");
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT).with_context(unreachable)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = format!("GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).with_context(unreachable)?;
    let mut response = Vec::new();
    stream.take(RESPONSE_BYTES_MAX).read_to_end(&mut response).with_context(unreachable)?;
    let response = String::from_utf8_lossy(&response);
    if status(&response) != Some(200) {
        bail!("{address} responds with {}", response.lines().next().unwrap_or("nothing"));
    }
    Ok(())
}

/// The address to connect to: loopback if the server listens at all addresses.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// The status of an HTTP response.
fn status(response: &str) -> Option<u16> {
    response.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{reachable, status};

    #[test]
    fn a_server_at_all_addresses_is_asked_at_loopback() {
        for (listen, expected) in
            [("0.0.0.0:8989", "127.0.0.1:8989"), ("[::]:1", "[::1]:1"), ("10.0.0.7:8989", "10.0.0.7:8989")]
        {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), expected);
        }
    }

    #[test]
    fn a_status_is_read() {
        assert_eq!(status("HTTP/1.1 200 OK\r\n"), Some(200));
        assert_eq!(status("HTTP/1.1 503 Service Unavailable\r\n"), Some(503));
        assert_eq!(status("SSH-2.0-OpenSSH"), None);
    }
}
