//! The headers of the console's responses: security, and validators of caches.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use sha2::{Digest, Sha256};

/// The policy of all pages: code and styles from files of this server only. Images of products may be anywhere.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data: blob: https: http:; object-src 'none'; frame-ancestors 'none'; \
     form-action 'self'; base-uri 'none'",
);

/// Features of browsers that the console does not use.
const PERMISSIONS: HeaderValue =
    HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()");

/// Bytes of a hash in an `ETag`.
const TAG_BYTES: usize = 12;

/// Adds the security headers that every response below `/console` has.
pub fn add_security_headers(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(HeaderName::from_static("permissions-policy"), PERMISSIONS);
}

/// Returns the `ETag` of a content. It is weak: the compressed and the plain form have the same.
pub fn entity_tag(content: &[u8]) -> HeaderValue {
    let hash = Sha256::digest(content);
    let digits: String = hash.iter().take(TAG_BYTES).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("W/\"{digits}\"")).unwrap_or(HeaderValue::from_static("W/\"0\""))
}

/// Returns whether the client has the content with this `ETag`.
pub fn is_unchanged(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let Ok(tag) = tag.to_str() else { return false };
    let opaque = |text: &str| text.trim().trim_start_matches("W/").to_owned();
    let sent = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    sent.flat_map(|value| value.split(',')).any(|known| known.trim() == "*" || opaque(known) == opaque(tag))
}

/// Returns a 304 with this `ETag`.
pub fn unchanged(tag: HeaderValue) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response.headers_mut().insert(header::ETAG, tag);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_in_each_form_of_the_header() {
        let tag = entity_tag(b"content");
        let text = tag.to_str().unwrap().to_owned();
        for sent in [&*text, &text[2..], "*", &format!("\"other\", {text}")] {
            let headers: HeaderMap =
                [(header::IF_NONE_MATCH, HeaderValue::from_str(sent).unwrap())].into_iter().collect();
            assert!(is_unchanged(&headers, &tag), "{sent}");
        }
        assert!(!is_unchanged(&HeaderMap::new(), &tag));
        assert!(!is_unchanged(&HeaderMap::new(), &entity_tag(b"other")));
    }
}
