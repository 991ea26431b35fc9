//! Reads headers that must occur only once.

use axum::http::{HeaderMap, HeaderName};

/// Returns the value of a header that occurs exactly once. If it occurs twice, a proxy may have checked the other
/// value.
pub(crate) fn single_value(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let stands_once = headers.len() == headers.keys_len() || headers.get_all(&name).iter().nth(1).is_none();
    let value = headers.get(name).filter(|_| stands_once)?.as_bytes();
    // An invalid byte makes the whole value invalid: checking the whole is faster than byte by byte.
    std::str::from_utf8(value).ok().filter(|text| text.is_ascii())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use axum::http::{HeaderValue, header};

    #[test]
    fn a_header_given_twice_has_no_value() {
        let mut headers = HeaderMap::new();
        headers.append(header::HOST, HeaderValue::from_static("a"));
        headers.append(header::VIA, HeaderValue::from_static("b"));
        assert_eq!(single_value(&headers, header::HOST), Some("a"));
        headers.append(header::VIA, HeaderValue::from_static("c"));
        assert_eq!(single_value(&headers, header::HOST), Some("a"), "another one stands twice");
        assert_eq!(single_value(&headers, header::VIA), None);
        assert_eq!(single_value(&headers, header::AGE), None);
        headers.insert(header::VIA, HeaderValue::from_bytes("é".as_bytes()).unwrap());
        assert_eq!(single_value(&headers, header::VIA), None, "no text that headers are written in");
    }
}
