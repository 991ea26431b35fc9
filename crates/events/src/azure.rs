//! The services of Azure: queues and topics of Service Bus, and topics of Event Grid, each over HTTPS.
//!
//! Source: reference types `AzureServiceBusDestination`, `AzureEventGridDestination`; documentation of Azure, "Send
//! Message" of the REST API of Service Bus, "Service Bus access control with Shared Access Signatures", "Publish
//! events to Event Grid custom topics".

use crate::payload::Payload;
use crate::percent::encoded;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use jiff::Timestamp;
use kontor_json::Value;
use kontor_outbound::OutboundRequest;
use ring::hmac;
use std::time::Duration;

/// How long a signature is valid, in seconds.
const SIGNATURE_SECONDS: i64 = 600;
/// The header with the key of a topic of Event Grid.
const GRID_KEY: &str = "aeg-sas-key";

/// A parsed connection string.
struct AzureConnectionString<'a> {
    /// The host, without scheme and trailing slash.
    host: &'a str,
    key_name: &'a str,
    key: &'a str,
    /// The name of the queue or topic.
    entity: &'a str,
    /// Whether this is the emulator of Azure, which has no TLS.
    is_emulator: bool,
}

impl<'a> AzureConnectionString<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let part =
            |name: &str| text.split(';').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='));
        let endpoint = part("Endpoint")?;
        let host = endpoint.split_once("://").map_or(endpoint, |(_, host)| host).trim_end_matches('/');
        Some(Self {
            host,
            key_name: part("SharedAccessKeyName")?,
            key: part("SharedAccessKey")?,
            entity: part("EntityPath").filter(|entity| !entity.is_empty())?,
            is_emulator: part("UseDevelopmentEmulator").is_some_and(|is| is.eq_ignore_ascii_case("true")),
        })
    }

    /// Returns the signature that grants access to an address until a time, in seconds since 1970.
    fn signature(&self, address: &str, until: i64) -> String {
        let address = encoded(address);
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.key.as_bytes());
        let tag = BASE64_STANDARD.encode(hmac::sign(&key, format!("{address}\n{until}").as_bytes()));
        let tag = encoded(&tag);
        format!("SharedAccessSignature sr={address}&sig={tag}&se={until}&skn={}", self.key_name)
    }
}

/// Builds the request to a queue or topic of Service Bus. `None` if the connection string is incomplete, e.g. has no
/// `EntityPath`.
pub(crate) fn service_bus(
    destination: &Value,
    payload: &Payload,
    timeout: Duration,
    response_bytes_max: usize,
) -> Option<OutboundRequest> {
    let connection = AzureConnectionString::read(destination["connectionString"].as_str()?)?;
    let scheme = if connection.is_emulator { "http" } else { "https" };
    let address = format!("{scheme}://{}/{}", connection.host, connection.entity);
    let until = Timestamp::now().as_second() + SIGNATURE_SECONDS;
    let mut signature = HeaderValue::try_from(connection.signature(&address, until)).ok()?;
    signature.set_sensitive(true);
    Some(OutboundRequest {
        url: format!("{address}/messages"),
        headers: vec![
            (CONTENT_TYPE, HeaderValue::from_static(payload.content_type())),
            (AUTHORIZATION, signature),
        ],
        body: payload.body.clone(),
        timeout,
        response_bytes_max,
    })
}

/// Builds the request to a topic of Event Grid. `None` if its key is no valid header value.
pub(crate) fn event_grid(
    destination: &Value,
    payload: &Payload,
    timeout: Duration,
    response_bytes_max: usize,
) -> Option<OutboundRequest> {
    let mut key = HeaderValue::from_str(destination["accessKey"].as_str()?).ok()?;
    key.set_sensitive(true);
    Some(OutboundRequest {
        url: destination["uri"].as_str()?.to_owned(),
        headers: vec![
            (CONTENT_TYPE, HeaderValue::from_static(payload.content_type())),
            (HeaderName::from_static(GRID_KEY), key),
        ],
        body: payload.body.clone(),
        timeout,
        response_bytes_max,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn payload() -> Payload {
        Payload { body: "{}".into(), is_cloud_event: true, subject: String::new(), about: String::new() }
    }

    #[test]
    fn parses_a_connection_string() {
        let whole = "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=abc=;EntityPath=orders";
        let destination = json!({"connectionString": whole});
        let outgoing = service_bus(&destination, &payload(), Duration::ZERO, 1).unwrap();
        assert_eq!(outgoing.url, "https://a.servicebus.windows.net/orders/messages");
        let emulator = json!({"connectionString": format!("{whole};UseDevelopmentEmulator=true")});
        assert!(service_bus(&emulator, &payload(), Duration::ZERO, 1).unwrap().url.starts_with("http://"));
        let nowhere = json!({"connectionString": whole.replace(";EntityPath=orders", "")});
        assert!(service_bus(&nowhere, &payload(), Duration::ZERO, 1).is_none());
    }

    #[test]
    fn a_signature_names_the_address_the_time_and_the_key() {
        let connection = AzureConnectionString {
            host: "a",
            key_name: "send",
            key: "abc",
            entity: "q",
            is_emulator: false,
        };
        // The expected value was computed with another implementation of HMAC: Python's `hmac`.
        assert_eq!(
            connection.signature("https://a/q", 1_700_000_000),
            "SharedAccessSignature sr=https%3A%2F%2Fa%2Fq&sig=lQ7Ba0n%2BSssBxdzyxDaIGsjREGTiRrOzaAdeWpgO3IY%3D&se=1700000000&skn=send"
        );
    }
}
