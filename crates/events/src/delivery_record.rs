//! Records attempts of deliveries in the log of [`Outbound`], for developers who look for the reason of a failure.

use kontor_json::Value;
use kontor_outbound::{DeliveryAttempt, DeliveryLog, Outbound, OutboundResponse, ResourceName};
use std::sync::Arc;
use std::time::Instant;

/// The fields of destinations that name an address, and those that name a part of it.
const ADDRESS_FIELDS: [&str; 6] = ["url", "queueUrl", "topicArn", "arn", "uri", "connectionString"];
const ADDRESS_PARTS: [&str; 6] = ["bootstrapServer", "topic", "projectId", "accountId", "source", "region"];
/// The replacement of values that may be credentials.
const HIDDEN: &str = "****";

/// An attempt that has begun.
pub(crate) struct DeliveryRecord {
    receiver: ResourceName,
    destination: String,
    at_ms: i64,
    started: Instant,
    /// The number of the attempt.
    pub(crate) attempts: u32,
}

impl DeliveryRecord {
    /// Starts the record of an attempt to deliver to a resource with this destination, which has no secrets.
    pub(crate) fn start(type_id: &str, id: &str, shown_destination: &Value) -> Self {
        Self {
            receiver: ResourceName { type_id: type_id.to_owned(), id: id.to_owned() },
            destination: address(shown_destination),
            at_ms: jiff::Timestamp::now().as_millisecond(),
            started: Instant::now(),
            attempts: 1,
        }
    }

    /// Adds the attempt to the log. `body` is the sent body, `about` contains the `resource` that it is about.
    pub(crate) fn finish(
        self,
        outbound: &Outbound,
        project: &str,
        (body, about): (&[u8], &Value),
        received: Option<&OutboundResponse>,
        error: Option<String>,
    ) {
        let log: &Arc<DeliveryLog> = outbound.deliveries();
        let resource = &about["resource"];
        let resource = match (resource["typeId"].as_str(), resource["id"].as_str()) {
            (Some(type_id), Some(id)) => {
                Some(ResourceName { type_id: type_id.to_owned(), id: id.to_owned() })
            }
            _ => None,
        };
        let response_body = received.filter(|received| !received.body.is_empty());
        log.record(
            project,
            DeliveryAttempt {
                receiver: self.receiver,
                resource,
                destination: self.destination,
                at_ms: self.at_ms,
                duration: self.started.elapsed(),
                attempts: self.attempts,
                http_status: received.map(|received| received.status),
                error,
                request_body: log.kept_body(body),
                response_body: response_body.map(|received| log.kept_body(&received.body)),
            },
        );
    }
}

/// Returns the address of a destination as text. User names, passwords and values of parameters are hidden, as they may be
/// credentials.
fn address(destination: &Value) -> String {
    let text = |name: &&str| destination[*name].as_str();
    if let Some(address) = ADDRESS_FIELDS.iter().find_map(text) {
        return without_credentials(address);
    }
    let parts: Vec<&str> = ADDRESS_PARTS.iter().filter_map(text).collect();
    let kind = destination["type"].as_str().unwrap_or_default();
    if parts.is_empty() { kind.to_owned() } else { format!("{kind}: {}", parts.join("/")) }
}

fn without_credentials(address: &str) -> String {
    let (place, parameters) = match address.split_once('?') {
        Some((place, parameters)) => (place, Some(parameters)),
        None => (address, None),
    };
    let mut shown = match place.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            match authority.rsplit_once('@') {
                Some((_, host)) => format!("{scheme}://{HIDDEN}@{host}{path}"),
                None => place.to_owned(),
            }
        }
        None => place.to_owned(),
    };
    let names = parameters.into_iter().flat_map(|parameters| parameters.split('&'));
    for (position, parameter) in names.enumerate() {
        let name = parameter.split('=').next().unwrap_or_default();
        shown.push(if position == 0 { '?' } else { '&' });
        shown.push_str(name);
        if parameter.contains('=') {
            shown.push('=');
            shown.push_str(HIDDEN);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn shows_addresses_without_credentials() {
        for (destination, shown) in [
            (json!({"type": "HTTP", "url": "https://a.b/hook"}), "https://a.b/hook"),
            (
                json!({"type": "HTTP", "url": "https://me:pw@a.b:80/h?code=x&debug"}),
                "https://****@a.b:80/h?code=****&debug",
            ),
            (
                json!({"type": "SNS", "topicArn": "arn:aws:sns:eu:1:orders", "accessSecret": "s"}),
                "arn:aws:sns:eu:1:orders",
            ),
            (
                json!({"type": "ConfluentCloud", "bootstrapServer": "k:9092", "topic": "orders", "apiSecret": "s"}),
                "ConfluentCloud: k:9092/orders",
            ),
            (json!({"type": "HTTP"}), "HTTP"),
        ] {
            assert_eq!(address(&destination), shown);
        }
    }
}
