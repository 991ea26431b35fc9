//! Where somebody is asked, or told: the request that a destination wants, and what its answer means.

use crate::payload::Payload;
use crate::webhook;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use kontor_outbound::{Outbound, Outgoing, Received, Unanswered};
use serde_json::Value;
use std::time::Duration;

/// How many bytes an answer may have. Far above a hundred update actions.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How many bytes the answer to a notification may have: nobody reads it.
const RECEIPT_BYTES_MAX: usize = 1024 * 1024;
/// How many bytes a notification may have where the destination says nothing else: as much as most queues take.
const PAYLOAD_BYTES_MAX: usize = 256 * 1024;

/// Why a notification was not received. The texts are for people, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undelivered {
    /// It will not be as long as the settings stay as they are.
    Configuration(String),
    /// It may be later.
    Temporary(String),
    /// Nobody is there.
    OutOfReach(String),
}

impl Undelivered {
    /// The `status` of the Subscription.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Undelivered::Configuration(_) => "ConfigurationError",
            Undelivered::Temporary(_) | Undelivered::OutOfReach(_) => "TemporaryError",
        }
    }

    /// In words.
    pub(crate) fn why(&self) -> &str {
        match self {
            Undelivered::Configuration(why) | Undelivered::Temporary(why) | Undelivered::OutOfReach(why) => {
                why
            }
        }
    }
}

/// How many bytes a destination takes at once.
pub(crate) fn bytes_max(_destination: &Value) -> usize {
    PAYLOAD_BYTES_MAX
}

/// Sends a notification and waits until it is received.
pub(crate) async fn deliver(
    outbound: &Outbound,
    destination: &Value,
    payload: &Payload,
    patience: Duration,
) -> Result<(), Undelivered> {
    let unusable = || Undelivered::Configuration("the settings of the destination cannot be used".to_owned());
    let outgoing = match destination["type"].as_str() {
        Some("HTTP") => webhook::request(destination, payload, patience, RECEIPT_BYTES_MAX),
        _ => return Err(Undelivered::OutOfReach("nothing is sent to this cloud yet".to_owned())),
    };
    receipt(outbound.post(outgoing.ok_or_else(unusable)?).await)
}

/// What the answer to a notification means.
fn receipt(answered: Result<Received, Unanswered>) -> Result<(), Undelivered> {
    let said = |status: u16| format!("it answered {status}");
    match answered {
        Ok(Received { status: 200..=299, .. }) => Ok(()),
        Ok(Received { status: status @ (408 | 425 | 429), .. }) => Err(Undelivered::Temporary(said(status))),
        Ok(Received { status: status @ 300..=499, .. }) => Err(Undelivered::Configuration(said(status))),
        Ok(Received { status, .. }) => Err(Undelivered::Temporary(said(status))),
        Err(Unanswered::NotAllowed) => Err(Undelivered::Configuration(
            "it is at an address of this machine or of a private network, which --allow-private-destinations would allow, \
             or at none"
                .to_owned(),
        )),
        Err(Unanswered::OutOfReach(_)) => Err(Undelivered::OutOfReach("it is out of reach".to_owned())),
        Err(Unanswered::TooLate) => Err(Undelivered::OutOfReach("it did not answer in time".to_owned())),
        Err(Unanswered::Broken) => Err(Undelivered::Temporary("its answer broke off".to_owned())),
    }
}

/// What a destination is, as far as requests can be sent to it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An address of HTTP.
    Address,
    /// A service of a cloud, to which nothing is sent yet.
    Cloud,
}

/// What kind of destination it is.
pub(crate) fn kind_of(destination: &Value) -> Kind {
    match destination["type"].as_str() {
        Some("HTTP" | "GoogleCloudFunction") => Kind::Address,
        _ => Kind::Cloud,
    }
}

/// A POST of JSON to a destination. `None` where a header of it cannot be one.
pub(crate) fn request(destination: &Value, body: &Value, patience: Duration) -> Option<Outgoing> {
    let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let authentication = &destination["authentication"];
    let secret = match authentication["type"].as_str() {
        Some("AuthorizationHeader") => Some((AUTHORIZATION, &authentication["headerValue"])),
        Some("AzureFunctions") => Some((HeaderName::from_static("x-functions-key"), &authentication["key"])),
        _ => None,
    };
    if let Some((name, value)) = secret {
        let mut value = HeaderValue::from_str(value.as_str()?).ok()?;
        value.set_sensitive(true);
        headers.push((name, value));
    }
    Some(Outgoing {
        url: destination["url"].as_str()?.to_owned(),
        headers,
        body: body.to_string().into(),
        patience,
        answer_bytes_max: ANSWER_BYTES_MAX,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn headers(authentication: Value) -> Option<Vec<(String, String)>> {
        let destination = json!({"type": "HTTP", "url": "http://a.b", "authentication": authentication});
        let outgoing = request(&destination, &json!({}), Duration::ZERO)?;
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        Some(outgoing.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect())
    }

    #[test]
    fn what_is_refused_needs_other_settings_and_what_fails_is_tried_again() {
        let status =
            |status: u16| receipt(Ok(Received { status, body: "".into() })).err().map(|why| why.status());
        assert_eq!([200, 204].map(status), [None, None]);
        assert_eq!([301, 400, 401, 404, 410].map(status), [Some("ConfigurationError"); 5]);
        assert_eq!([408, 429, 500, 503].map(status), [Some("TemporaryError"); 4]);
        let unanswered = |why| receipt(Err(why)).err().map(|why| why.status());
        assert_eq!(unanswered(Unanswered::TooLate), Some("TemporaryError"));
        assert_eq!(unanswered(Unanswered::NotAllowed), Some("ConfigurationError"));
    }

    #[test]
    fn destinations_are_asked_as_they_want_to_be() {
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
