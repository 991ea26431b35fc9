//! Parses the addresses on the command line: listen addresses, networks, URLs, CORS origins and host names.
//!
//! Each function is a clap value parser. A value that can never work is an error that shows the right form.

use ipnet::IpNet;
use reqwest::Url;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs as _};

/// Parses a listen address: `HOST:PORT`, `:PORT` (all interfaces) or `PORT` (loopback). Prefers IPv4 when a name has
/// both.
pub(crate) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let expected = "expected an address and a port such as 127.0.0.1:8989, localhost:8989, :8989 or 8989";
    let port = |text: &str| text.parse::<u16>().ok();
    if let Some(port) = port(text) {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    if let Some(port) = text.strip_prefix(':').and_then(port) {
        return Ok((Ipv4Addr::UNSPECIFIED, port).into());
    }
    let found: Vec<SocketAddr> =
        text.to_socket_addrs().map_err(|error| format!("{expected}: {error}"))?.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| expected.to_owned())
}

/// Parses a network such as `10.0.0.0/8`, or a single address.
pub(crate) fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse()
        .or_else(|_| address())
        .map_err(|_| "expected an address or a network such as 10.0.0.0/8".into())
}

/// Parses the URL of a server and returns it without trailing slashes, e.g. `https://shop.example.com`.
pub(crate) fn server_address(text: &str) -> Result<String, String> {
    let expected = "expected an address such as https://shop.example.com";
    if !has_scheme(text) {
        return Err(format!("{expected}, with its scheme: https://{text}"));
    }
    let url = Url::parse(text).map_err(|error| format!("{expected}: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("{expected}: its scheme is http or https"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("{expected}, without ? and #"));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Parses the address of an issuer. A slash at its end stays: providers compare whole texts.
pub(crate) fn issuer_address(text: &str) -> Result<String, String> {
    server_address(text).map(|_| text.to_owned())
}

/// Parses an origin in the form that browsers send: scheme, host, and the port unless it is the default one.
pub(crate) fn origin(text: &str) -> Result<String, String> {
    let expected = "expected an origin such as https://www.example.com";
    if text == "*" {
        return Err(format!("{expected}: without any, all origins may call"));
    }
    if text == "null" {
        return Ok(text.to_owned());
    }
    if !has_scheme(text) {
        return Err(format!("{expected}, with its scheme: https://{text}"));
    }
    let url = Url::parse(text).map_err(|error| format!("{expected}: {error}"))?;
    let sent = match url.origin() {
        // Apps have their own schemes: `capacitor://localhost`.
        origin if !origin.is_tuple() => {
            format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default())
        }
        origin => origin.ascii_serialization(),
    };
    if sent == text {
        return Ok(sent);
    }
    Err(format!("{expected}, as browsers send it: {sent}"))
}

/// Parses a host name without scheme, port and path, e.g. `auth.example.com`.
pub(crate) fn host_name(text: &str) -> Result<String, String> {
    let host = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = host.split(['/', '?', '#', ':']).next().unwrap_or_default();
    if host == text && !text.is_empty() {
        return Ok(text.to_owned());
    }
    Err(format!("expected the name of a host, without scheme, port and path: {host}"))
}

fn has_scheme(text: &str) -> bool {
    text.contains("://")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_port_means_loopback() {
        for (given, expected) in [
            ("127.0.0.1:9001", "127.0.0.1:9001"),
            ("localhost:9001", "127.0.0.1:9001"),
            ("9001", "127.0.0.1:9001"),
            (":9001", "0.0.0.0:9001"),
            ("[::1]:9001", "[::1]:9001"),
        ] {
            assert_eq!(listen_address(given).unwrap().to_string(), expected, "{given}");
        }
        for wrong in ["", "localhost", "127.0.0.1", "99999", ":x", "http://localhost:9001"] {
            let said = listen_address(wrong).unwrap_err();
            assert!(said.starts_with("expected an address and a port"), "{wrong}: {said}");
        }
    }

    #[test]
    fn rejects_invalid_server_addresses_with_the_right_form() {
        for (given, right) in [
            ("shop.example.com", "https://shop.example.com"),
            ("localhost:8989", "https://localhost:8989"),
            ("ftp://shop.example.com", "http or https"),
            ("https://shop.example.com/?a=b", "without ? and #"),
        ] {
            let said = server_address(given).unwrap_err();
            assert!(said.ends_with(right), "{given}: {said}");
        }
        for given in ["https://shop.example.com", "http://10.0.0.1:8989", "https://example.com/shop"] {
            assert_eq!(server_address(given).unwrap(), given);
            assert_eq!(server_address(&format!("{given}/")).unwrap(), given);
        }
    }

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        for (given, right) in [
            ("www.example.com", "https://www.example.com"),
            ("https://www.example.com/", "https://www.example.com"),
            ("https://www.example.com/shop", "https://www.example.com"),
            ("https://WWW.example.com:443", "https://www.example.com"),
            ("*", "all origins may call"),
        ] {
            let said = origin(given).unwrap_err();
            assert!(said.ends_with(right), "{given}: {said}");
        }
        for given in ["https://www.example.com", "http://localhost:3000", "capacitor://localhost", "null"] {
            assert_eq!(origin(given).unwrap(), given);
        }
    }

    #[test]
    fn a_host_has_no_scheme_no_port_and_no_path() {
        assert_eq!(host_name("auth.example.com").unwrap(), "auth.example.com");
        for given in ["https://auth.example.com", "auth.example.com:443", "auth.example.com/oauth"] {
            assert!(host_name(given).unwrap_err().ends_with(" auth.example.com"), "{given}");
        }
    }
}
