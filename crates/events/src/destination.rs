//! Where somebody is asked: the request that a destination wants.

use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use kontor_outbound::Outgoing;
use serde_json::Value;
use std::time::Duration;

/// How many bytes an answer may have. Far above a hundred update actions.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

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
