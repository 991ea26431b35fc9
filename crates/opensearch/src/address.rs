//! The address of the OpenSearch server, parsed from a URL.

use base64::Engine as _;
use hyper::Uri;
use hyper::header::HeaderValue;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::str::FromStr;

/// The default prefix of index names.
const PREFIX_DEFAULT: &str = "kontor";

/// An address: `http(s)://USER:PASSWORD@HOST:9200`, with `?prefix=NAME` if several installations share a server.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchAddress {
    /// Scheme, host, port and path, without a slash at the end.
    pub(crate) base: String,
    /// The `Authorization` header.
    pub(crate) authorization: Option<HeaderValue>,
    /// The prefix of index names.
    pub(crate) prefix: String,
}

impl SearchAddress {
    /// Returns scheme, host and port, which may be logged.
    pub fn server(&self) -> &str {
        &self.base
    }
}

impl fmt::Debug for SearchAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SearchAddress").field("base", &self.base).finish_non_exhaustive()
    }
}

impl FromStr for SearchAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "http(s)://USER:PASSWORD@HOST:9200 is expected";
        let uri: Uri = text.parse().map_err(|_| format!("no address: {expected}"))?;
        let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"));
        let (Some(scheme), Some(authority)) = (scheme, uri.authority()) else {
            return Err(format!("the scheme or host is missing: {expected}"));
        };
        let (user, host) = match authority.as_str().rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority.as_str()),
        };
        let authorization = user.map(|user| {
            let decoded: Vec<u8> = percent_decode_str(user).collect();
            let encoded = base64::engine::general_purpose::STANDARD.encode(decoded);
            let mut basic =
                HeaderValue::try_from(format!("Basic {encoded}")).map_err(|error| error.to_string())?;
            basic.set_sensitive(true);
            Ok::<_, String>(basic)
        });
        let authorization = authorization.transpose()?;
        let mut prefix = PREFIX_DEFAULT.to_owned();
        for (name, value) in
            uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='))
        {
            if name != "prefix" {
                return Err(format!("the parameter '{name}' is unknown: prefix is the only one"));
            }
            value.clone_into(&mut prefix);
        }
        let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if prefix.is_empty() || prefix.starts_with('-') || !prefix.chars().all(is_name) {
            return Err("the prefix is one of a-z, 0-9 and -, and begins with no -".to_owned());
        }
        let base = format!("{scheme}://{host}{}", uri.path().trim_end_matches('/'));
        Ok(Self { base, authorization, prefix })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parses_user_and_prefix() {
        let plain: SearchAddress = "http://localhost:9200/".parse().unwrap();
        assert_eq!(
            (plain.server(), plain.authorization.as_ref(), &*plain.prefix),
            ("http://localhost:9200", None, "kontor")
        );
        let whole: SearchAddress = "https://me:p%40ss@search.test/path?prefix=shop-2".parse().unwrap();
        assert_eq!((whole.server(), &*whole.prefix), ("https://search.test/path", "shop-2"));
        assert_eq!(whole.authorization.unwrap(), "Basic bWU6cEBzcw==");
        assert!(!format!("{:?}", "http://me:hush@host".parse::<SearchAddress>().unwrap()).contains("hush"));
    }

    #[test]
    fn refuses_invalid_addresses() {
        for wrong in ["", "localhost:9200", "ftp://host", "http://host?index=x", "http://host?prefix=A"] {
            assert!(wrong.parse::<SearchAddress>().is_err(), "{wrong}");
        }
    }
}
