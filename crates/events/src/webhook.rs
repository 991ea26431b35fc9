//! Webhooks, a destination of our own: each notification is a POST to an address, signed if there is a secret.

use crate::payload::Payload;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use kontor_json::Value;
use kontor_outbound::OutboundRequest;
use ring::hmac;
use std::fmt::Write as _;
use std::time::Duration;

/// The header with the signature.
const SIGNATURE: &str = "x-kontor-signature";

/// Builds the request. `None` if the destination has no valid address.
pub(crate) fn request(
    destination: &Value,
    payload: &Payload,
    timeout: Duration,
    response_bytes_max: usize,
) -> Option<OutboundRequest> {
    let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static(payload.content_type()))];
    if let Some(secret) = destination["secret"].as_str() {
        let signature = HeaderValue::from_str(&signature(secret, &payload.body)).ok()?;
        headers.push((HeaderName::from_static(SIGNATURE), signature));
    }
    Some(OutboundRequest {
        url: destination["url"].as_str()?.to_owned(),
        headers,
        body: payload.body.clone(),
        timeout,
        response_bytes_max,
    })
}

/// Returns the signature of a body: `sha256=` and its HMAC with the secret, in hexadecimal digits.
fn signature(secret: &str, body: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), body);
    tag.as_ref().iter().fold("sha256=".to_owned(), |mut signature, byte| {
        // Writing to a string does not fail.
        let _ = write!(signature, "{byte:02x}");
        signature
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_test_case_of_rfc_4231() {
        assert_eq!(
            signature("Jefe", b"what do ya want for nothing?"),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
