//! Percent encoding of text in URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The unescaped characters of a path segment or a query (RFC 3986, unreserved).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes text for a segment of a path or a value in a query.
pub(crate) fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}
