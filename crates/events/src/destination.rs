//! Destinations of Subscriptions and API Extensions: builds the request for each type, and interprets its response.
//! Start at [`deliver`].

use crate::aws::AwsSigningError;
use crate::delivery_failure::DeliveryFailure;
use crate::payload::Payload;
use crate::{aws, azure, google, kafka, webhook};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use kontor_engine::document::enum_in_or_log;
use kontor_enums::{DestinationTag, ExtensionDestinationTag, HttpDestinationAuthenticationTag};
use kontor_json::Value;
use kontor_outbound::{Outbound, OutboundError, OutboundRequest, OutboundResponse};
use std::time::Duration;

/// Maximum size of a response, in bytes. Far above a hundred update actions.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum size of the response to a notification, in bytes: its content is ignored.
const RECEIPT_BYTES_MAX: usize = 1024 * 1024;
/// Maximum size of a notification, in bytes, unless the destination has another limit: most queues accept 256 KB, and
/// some room is left for the envelope.
const PAYLOAD_BYTES_MAX: usize = 255 * 1024;
/// Maximum size of an event of Event Grid and of a record of Kafka, in bytes.
const LARGER_BYTES_MAX: usize = 1_000_000;
/// Maximum size of a message of Pub/Sub, in bytes: it is sent in base64.
const PUBSUB_BYTES_MAX: usize = 7_000_000;

/// Returns the maximum size of one notification for a destination, in bytes.
pub(crate) fn bytes_max(destination: &Value) -> usize {
    match enum_in_or_log(destination, "type") {
        Some(DestinationTag::EventGrid | DestinationTag::ConfluentCloud) => LARGER_BYTES_MAX,
        Some(DestinationTag::GoogleCloudPubSub) => PUBSUB_BYTES_MAX,
        Some(
            DestinationTag::AzureServiceBus
            | DestinationTag::EventBridge
            | DestinationTag::Http
            | DestinationTag::Sns
            | DestinationTag::Sqs,
        )
        | None => PAYLOAD_BYTES_MAX,
    }
}

/// Sends a notification and returns once the destination has acknowledged it. `received` is set to the response, if
/// there is one.
pub(crate) async fn deliver(
    outbound: &Outbound,
    destination: &Value,
    payload: &Payload,
    timeout: Duration,
    received: &mut Option<OutboundResponse>,
) -> Result<(), DeliveryFailure> {
    let tag = enum_in_or_log(destination, "type").ok_or_else(DeliveryFailure::unusable)?;
    let outcome = match notification_transport(tag, outbound, destination, payload, timeout).await? {
        Transport::Http(request) => outbound.post(request).await,
        Transport::Kafka(topic) => match outbound.apply_fault(&topic.url()).await {
            Some(outcome) => outcome,
            None => return topic.deliver(outbound, payload, timeout).await,
        },
    };
    *received = outcome.as_ref().ok().cloned();
    if let Ok(OutboundResponse { status: 200..=299, body }) = &outcome
        && tag == DestinationTag::EventBridge
        && aws::has_failed_entries(body)
    {
        return Err(DeliveryFailure::Temporary("it has not taken it".to_owned()));
    }
    interpret_receipt(outcome)
}

const NO_KEY: &str = "the server has no key for it in its environment";
const NOT_ALLOWED: &str = "the server's own key is used for destinations only with --use-server-credentials";

/// How one notification is sent.
enum Transport<'d> {
    Http(OutboundRequest),
    Kafka(kafka::TopicSettings<'d>),
}

/// Returns the request, or the topic, by which a destination receives a notification. A new type of destination is an
/// error of the compiler here.
async fn notification_transport<'d>(
    tag: DestinationTag,
    outbound: &Outbound,
    destination: &'d Value,
    payload: &Payload,
    timeout: Duration,
) -> Result<Transport<'d>, DeliveryFailure> {
    let own = outbound.uses_own_credentials();
    let signed = async |call| {
        let signed = aws::sign(destination, call, own, timeout, RECEIPT_BYTES_MAX).await;
        signed.map(Transport::Http).map_err(|why| match why {
            AwsSigningError::Unusable => DeliveryFailure::unusable(),
            AwsSigningError::NoKey => DeliveryFailure::NoKey(NO_KEY.to_owned()),
            AwsSigningError::NotAllowed => DeliveryFailure::NoKey(NOT_ALLOWED.to_owned()),
        })
    };
    let request = match tag {
        DestinationTag::ConfluentCloud => {
            let topic = kafka::TopicSettings::from_destination(destination);
            return topic.map(Transport::Kafka).ok_or_else(DeliveryFailure::unusable);
        }
        DestinationTag::Sqs => return signed(aws::queue(destination, payload)).await,
        DestinationTag::Sns => return signed(aws::topic(destination, payload)).await,
        DestinationTag::EventBridge => return signed(aws::event_bus(destination, payload)).await,
        DestinationTag::GoogleCloudPubSub => {
            let no_key = || DeliveryFailure::NoKey(if own { NO_KEY } else { NOT_ALLOWED }.to_owned());
            let request = google::request(destination, payload, own, timeout, RECEIPT_BYTES_MAX);
            return request.map(Transport::Http).ok_or_else(no_key);
        }
        DestinationTag::AzureServiceBus => {
            azure::service_bus(destination, payload, timeout, RECEIPT_BYTES_MAX)
        }
        DestinationTag::EventGrid => azure::event_grid(destination, payload, timeout, RECEIPT_BYTES_MAX),
        DestinationTag::Http => webhook::request(destination, payload, timeout, RECEIPT_BYTES_MAX),
    };
    request.map(Transport::Http).ok_or_else(DeliveryFailure::unusable)
}

/// Interprets the response to a notification.
fn interpret_receipt(outcome: Result<OutboundResponse, OutboundError>) -> Result<(), DeliveryFailure> {
    let said = |status: u16| format!("it responded with {status}");
    match outcome {
        Ok(OutboundResponse { status: 200..=299, .. }) => Ok(()),
        Ok(OutboundResponse { status: status @ (408 | 425 | 429), .. }) => {
            Err(DeliveryFailure::Temporary(said(status)))
        }
        Ok(OutboundResponse { status: 400, body }) if aws::is_throttled(&body) => {
            Err(DeliveryFailure::Temporary(said(400)))
        }
        Ok(OutboundResponse { status: status @ 300..=499, .. }) => {
            Err(DeliveryFailure::Configuration(said(status)))
        }
        Ok(OutboundResponse { status, .. }) => Err(DeliveryFailure::Temporary(said(status))),
        Err(why) => Err(why.into()),
    }
}

/// Builds the request of an Extension call.
pub(crate) async fn extension_request(
    outbound: &Outbound,
    destination: &Value,
    body: &Value,
    timeout: Duration,
) -> Result<OutboundRequest, &'static str> {
    let own = outbound.uses_own_credentials();
    let unusable = "its address or its secret cannot be used";
    match enum_in_or_log(destination, "type").ok_or(unusable)? {
        ExtensionDestinationTag::AWSLambda => {
            let signed = aws::invocation(destination, body, own, timeout, ANSWER_BYTES_MAX).await;
            signed.map_err(|why| match why {
                AwsSigningError::Unusable => "its ARN or its keys cannot be used",
                AwsSigningError::NoKey => NO_KEY,
                AwsSigningError::NotAllowed => NOT_ALLOWED,
            })
        }
        ExtensionDestinationTag::GoogleCloudFunction => {
            let mut outgoing = request(destination, body, timeout).ok_or(unusable)?;
            // A public function needs no token, so it is called without one if there is none.
            if own && let Some(token) = google::identity(outbound, &outgoing.url, timeout).await {
                outgoing.headers.push((AUTHORIZATION, token));
            }
            Ok(outgoing)
        }
        ExtensionDestinationTag::Http => request(destination, body, timeout).ok_or(unusable),
    }
}

/// Returns whether a destination of an API Extension is a function of AWS Lambda.
pub(crate) fn is_lambda(destination: &Value) -> bool {
    enum_in_or_log(destination, "type") == Some(ExtensionDestinationTag::AWSLambda)
}

/// Returns whether the response reports a failure of the called function, and not of the service that runs
/// it.
pub(crate) fn is_function_failure(destination: &Value, response: &[u8]) -> bool {
    is_lambda(destination)
        && kontor_json::from_slice::<Value>(response)
            .is_ok_and(|response| response.get("errorMessage").is_some() && response.get("actions").is_none())
}

/// Builds a POST of JSON to a destination. `None` if one of its headers is invalid.
fn request(destination: &Value, body: &Value, timeout: Duration) -> Option<OutboundRequest> {
    let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let authentication = &destination["authentication"];
    let secret = match authentication.get("type").and_then(|_| enum_in_or_log(authentication, "type")) {
        Some(HttpDestinationAuthenticationTag::AuthorizationHeader) => {
            Some((AUTHORIZATION, &authentication["headerValue"]))
        }
        Some(HttpDestinationAuthenticationTag::AzureFunctions) => {
            Some((HeaderName::from_static("x-functions-key"), &authentication["key"]))
        }
        None => None,
    };
    if let Some((name, value)) = secret {
        let mut value = HeaderValue::from_str(value.as_str()?).ok()?;
        value.set_sensitive(true);
        headers.push((name, value));
    }
    Some(OutboundRequest {
        url: destination["url"].as_str()?.to_owned(),
        headers,
        body: body.to_string().into(),
        timeout,
        response_bytes_max: ANSWER_BYTES_MAX,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn headers(authentication: Value) -> Option<Vec<(String, String)>> {
        let destination = json!({"type": "HTTP", "url": "http://a.b", "authentication": authentication});
        let outgoing = request(&destination, &json!({}), Duration::ZERO)?;
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        Some(outgoing.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect())
    }

    #[test]
    fn distinguishes_configuration_errors_from_retryable_ones() {
        let status = |status: u16| {
            interpret_receipt(Ok(OutboundResponse { status, body: "".into() })).err().map(|why| why.status())
        };
        assert_eq!([200, 204].map(status), [None, None]);
        assert_eq!([301, 400, 401, 404, 410].map(status), [Some("ConfigurationError"); 5]);
        assert_eq!([408, 429, 500, 503].map(status), [Some("TemporaryError"); 4]);
        let unanswered = |why| interpret_receipt(Err(why)).err().map(|why| why.status());
        assert_eq!(unanswered(OutboundError::TimedOut), Some("TemporaryError"));
        assert_eq!(unanswered(OutboundError::NotAllowed), Some("ConfigurationError"));
    }

    #[test]
    fn builds_the_request_of_each_destination_type() {
        let json = ("content-type".to_owned(), "application/json".to_owned());
        assert_eq!(headers(Value::Null).unwrap(), vec![json.clone()]);
        assert_eq!(
            headers(json!({"type": "AuthorizationHeader", "headerValue": "Basic a"})).unwrap(),
            [json.clone(), ("authorization".to_owned(), "Basic a".to_owned())]
        );
        assert_eq!(
            headers(json!({"type": "AzureFunctions", "key": "k"})).unwrap(),
            [json, ("x-functions-key".to_owned(), "k".to_owned())]
        );
        assert_eq!(headers(json!({"type": "AzureFunctions", "key": "a\nb"})), None);
    }
}
