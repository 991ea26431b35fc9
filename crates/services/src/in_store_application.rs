//! Callbacks of the in-store application: stores the URLs that user tokens and Carts are retrieved from, and retrieves
//! one (document A, "Callbacks of the in-store application").
//!
//! The settings are in the storage of the project, outside of its documents. A request that sets a URL must contain the
//! API key again, so that no client can have a key that it does not know sent to a URL of its choice.

use crate::url_encoding::percent_encode;
use hyper::Uri;
use hyper::header::{HeaderName, HeaderValue};
use kontor_engine::{Document, Shop, document, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_outbound::{Outbound, OutboundError, OutboundRequest};
use kontor_storage::{Commit, CommitError, Write};
use std::time::Duration;

/// The setting of a project's storage that holds the URLs and the key.
const SETTING: &str = "inStoreApplication";
/// The field with the API key.
const KEY: &str = "callbackApiKey";
/// The request header with the API key.
const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");
/// The fields with URLs. The first one is the default of the others.
const URLS: [&str; 3] = ["tokenRetrievalUrl", "paymentCartRetrievalUrl", "returnCartRetrievalUrl"];
/// The objects that can be retrieved, and the field with the URL of each.
const KINDS: [(&str, &str); 3] = [("UserToken", URLS[0]), ("PaymentCart", URLS[1]), ("ReturnCart", URLS[2])];
/// Timeout of a callback.
const CALLBACK_PATIENCE: Duration = Duration::from_secs(10);
/// Maximum size of a callback's response, in bytes.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Maximum length of the API key.
const KEY_CHARS_MAX: usize = 1024;

/// Returns the settings without the API key; a 404 if there are none.
pub(crate) fn settings(shop: &Shop) -> ApiResult<Value> {
    let settings = stored_settings(shop)?;
    Ok(without_key(settings.ok_or_else(|| ApiError::not_found("resource in-store-application/settings"))?))
}

/// Replaces the settings.
///
/// # Errors
/// 400 `InvalidField` for a URL that is not HTTPS, 400 `InvalidInput` for an API key that is not valid in a header.
pub(crate) async fn set_settings(shop: &Shop, settings: Document) -> ApiResult<Value> {
    for field in URLS {
        if let Some(url) = document::text(&settings, &[field]) {
            admit_url(field, url)?;
        }
    }
    let key = document::must_text(&settings, &[KEY])?;
    let fits = |key: &str| key.bytes().all(|byte| byte.is_ascii_graphic());
    if !(1..=KEY_CHARS_MAX).contains(&key.len()) || !fits(key) {
        return Err(ApiError::invalid_input(format!(
            "{KEY}: expected 1 to {KEY_CHARS_MAX} visible characters of ASCII."
        )));
    }
    let value = Some(Value::Object(settings.clone()).to_string());
    let commit = Commit::new().write(Write::Setting { name: SETTING.to_owned(), value });
    match shop.storage().commit(commit).await {
        Ok(_) => Ok(without_key(settings)),
        Err(CommitError::Failed(error)) => Err(storage_failure(error)),
        Err(CommitError::Refused(_)) => Err(ApiError::bug("a setting was refused that requires nothing")),
    }
}

/// Calls the URL for what is wanted, and returns the status and the body of its response.
///
/// # Errors
/// 400 `InvalidOperation` without settings, 502 `BadGateway` if the callback does not respond.
pub(crate) async fn retrieve(
    shop: &Shop,
    outbound: Option<&Outbound>,
    wanted: &Document,
) -> ApiResult<Value> {
    let Some(settings) = stored_settings(shop)? else {
        return Err(ApiError::invalid_operation(
            "The settings of the in-store application are missing, which name the address of the callback.",
        ));
    };
    let (kind, id) = (document::must_text(wanted, &["kind"])?, document::must_text(wanted, &["id"])?);
    let url = callback_url(&settings, kind, id)?;
    let Some(outbound) = outbound else { return Err(callback_failed("no certificates are trusted here")) };
    let mut key = HeaderValue::from_str(document::must_text(&settings, &[KEY])?)
        .map_err(|_| ApiError::bug("a callback key was kept that fits into no header"))?;
    key.set_sensitive(true);
    let outgoing = OutboundRequest {
        url,
        headers: vec![(KEY_HEADER, key)],
        body: Default::default(),
        timeout: CALLBACK_PATIENCE,
        response_bytes_max: ANSWER_BYTES_MAX,
    };
    match outbound.of_project(&shop.key).get(outgoing).await {
        Ok(received) => Ok(json!({"status": received.status, "body": read_body(&received.body)})),
        Err(OutboundError::NotAllowed) => {
            Err(ApiError::invalid_operation("Requests may not go to the address in the settings."))
        }
        Err(OutboundError::Unreachable(why) | OutboundError::Closed(why)) => {
            tracing::warn!(project = %shop.key, why, "the in-store application's callback is out of reach");
            Err(callback_failed("it cannot be reached"))
        }
        Err(OutboundError::TimedOut) => Err(callback_failed("it did not respond in time")),
        Err(OutboundError::InvalidResponse) => {
            Err(callback_failed("its response was too long or incomplete"))
        }
    }
}

fn stored_settings(shop: &Shop) -> ApiResult<Option<Document>> {
    let kept = shop.storage().setting(SETTING).map_err(storage_failure)?;
    let read = |kept: String| {
        kontor_json::from_str(&kept)
            .map_err(|error| ApiError::bug(format!("kept settings are no object: {error}")))
    };
    kept.map(read).transpose()
}

/// Returns the settings as clients see them, without the API key.
fn without_key(mut settings: Document) -> Value {
    settings.shift_remove(KEY);
    Value::Object(settings)
}

/// Rejects URLs that are not HTTPS, or contain a query or credentials: the id is appended to the URL.
fn admit_url(field: &str, url: &str) -> ApiResult<()> {
    let uri: Option<Uri> = url.parse().ok();
    let fits = |uri: &Uri| {
        uri.scheme_str() == Some("https")
            && uri.host().is_some_and(|host| !host.is_empty())
            && uri.query().is_none()
            && !uri.authority().is_some_and(|authority| authority.as_str().contains('@'))
    };
    if uri.as_ref().is_some_and(fits) && !url.contains('#') {
        return Ok(());
    }
    let expected = "Expected an address that begins with https:// and has no query.";
    Err(ApiError::invalid_field(field, &json!(url), expected, None))
}

/// Returns the URL of a callback: `<callback-path>/<id>`.
fn callback_url(settings: &Document, kind: &str, id: &str) -> ApiResult<String> {
    let known = KINDS.iter().find(|(known, _)| *known == kind);
    let (_, field) =
        known.ok_or_else(|| ApiError::bug("a kind of retrieval that the model does not have"))?;
    let base = match document::text(settings, &[field]) {
        Some(own) => own,
        None => document::must_text(settings, &[URLS[0]])?,
    };
    Ok(format!("{}/{}", base.trim_end_matches('/'), percent_encode(id)))
}

/// Returns the body as JSON if it is JSON, otherwise as a string; null if it is empty.
fn read_body(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    kontor_json::from_slice(body).unwrap_or_else(|_| json!(String::from_utf8_lossy(body)))
}

fn callback_failed(why: &str) -> ApiError {
    ApiError::new(Code::BadGateway, format!("The callback address could not be asked: {why}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_for_https() {
        for (url, fits) in [
            ("https://shop.example/tokens", true),
            ("https://shop.example:8443/a/b/", true),
            ("https://[2001:db8::1]/a", true),
            ("http://shop.example/tokens", false),
            ("shop.example/tokens", false),
            ("/tokens", false),
            ("https://", false),
            ("https://shop.example/tokens?a=b", false),
            ("https://shop.example/tokens#a", false),
            ("https://user:secret@shop.example/tokens", false),
            ("", false),
        ] {
            assert_eq!(admit_url("tokenRetrievalUrl", url).is_ok(), fits, "{url}");
        }
    }

    #[test]
    fn appends_the_id_to_the_callback_url() {
        let settings = json!({"tokenRetrievalUrl": "https://a.example/t/", "returnCartRetrievalUrl": "https://b.example"});
        let Value::Object(settings) = settings else { panic!() };
        for (kind, id, expected) in [
            ("UserToken", "jo", "https://a.example/t/jo"),
            ("PaymentCart", "a/../b", "https://a.example/t/a%2F..%2Fb"),
            ("ReturnCart", "ä?x=1", "https://b.example/%C3%A4%3Fx%3D1"),
        ] {
            assert_eq!(callback_url(&settings, kind, id).unwrap(), expected);
        }
    }

    #[test]
    fn a_response_is_json_or_text() {
        assert_eq!(read_body(br#"{"a":1}"#), json!({"a": 1}));
        assert_eq!(read_body(b"token"), json!("token"));
        assert_eq!(read_body(b""), Value::Null);
    }
}
