//! Secrets of settings that are used, not compared: documents show their ends, the whole is kept apart.
//!
//! Source: reference types of destinations ("partially hidden on retrieval"), whose examples show the last four characters.

use kontor_engine::document::{get, must_text, set, text, text_or_log};
use kontor_engine::{Document, Effects};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Stands for what is not shown.
pub const HIDDEN: &str = kontor_engine::MASK;
/// Characters at the end that are shown, of texts with at least twice as many.
const SHOWN_CHARS: usize = 4;

/// Fields of destinations that hold an address.
const ADDRESSES: &[&str] = &["url", "uri", "queueUrl"];
/// What names of parameters contain whose values are secret: `code` of Azure Functions, `access_token`, `api-key`, `X-Amz-Signature`.
const SECRET_PARAMETERS: &[&str] =
    &["code", "key", "token", "secret", "signature", "password", "passwd", "pwd", "auth", "credential"];

/// Names of fields, one below the other, of each secret.
pub(crate) type Paths = &'static [&'static [&'static str]];

/// The secrets of one field of a document.
pub(crate) struct Secrets {
    /// The `typeId` of the document.
    pub(crate) type_id: &'static str,
    /// The field.
    pub(crate) field: &'static str,
    /// Where secrets stand in a value of it.
    pub(crate) paths: fn(&Document) -> Paths,
    /// How much of a secret is shown.
    pub(crate) shown: fn(&str) -> String,
}

impl Secrets {
    /// Under which name the whole value of the field is kept.
    pub(crate) fn place(&self, id: &str) -> String {
        format!("{}/{id}/{}", self.type_id, self.field)
    }

    /// Keeps the value of the field apart and leaves in the document what is shown of it. One that comes back as it is
    /// shown is what it was, beside an unchanged rest only, and is refused elsewhere: whoever may change settings could otherwise have
    /// a secret sent to an address of their own, and what was exported would be taken for the secret. True where there is a new value.
    pub(crate) fn keep_apart(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        effects: &mut Effects,
    ) -> ApiResult<bool> {
        let old = before.and_then(|before| before.get(self.field));
        if after.get(self.field) == old {
            return Ok(false);
        }
        let id = must_text(after, &["id"])?.to_owned();
        let Some(Value::Object(value)) = after.get_mut(self.field) else {
            effects.store_setting(&self.place(&id), None);
            return Ok(true);
        };
        let whole = Value::Object(value.clone());
        let mut has_secret = false;
        for path in (self.paths)(value) {
            let Some(secret) = text(value, path) else { continue };
            if secret.contains(HIDDEN) {
                let field = format!("{}.{}", self.field, path.join("."));
                let expected = "Expected the whole secret: this is how a part of one is shown.";
                return Err(ApiError::invalid_field(&field, &json!(secret), expected, None));
            }
            let shown = (self.shown)(secret);
            set(value, path, Some(json!(shown)));
            has_secret = true;
        }
        for name in ADDRESSES {
            let Some(url) = text(value, &[*name]) else { continue };
            let Some(shown) = without_credentials(url) else { continue };
            if url.contains(HIDDEN) {
                let field = format!("{}.{name}", self.field);
                let expected = "Expected the whole address: this is how one with credentials is shown.";
                return Err(ApiError::invalid_field(&field, &json!(url), expected, None));
            }
            set(value, &[*name], Some(json!(shown)));
            has_secret = true;
        }
        effects.store_setting(&self.place(&id), has_secret.then(|| whole.to_string()));
        Ok(true)
    }

    /// Nothing is kept of a document that goes.
    pub(crate) fn forget(&self, document: &Document, effects: &mut Effects) {
        let value = document.get(self.field).and_then(Value::as_object);
        let has_secret = |value: &Document| {
            let mut addresses = ADDRESSES.iter().filter_map(|name| text(value, &[*name]));
            (self.paths)(value).iter().any(|path| get(value, path).is_some())
                || addresses.any(|url| without_credentials(url).is_some())
        };
        if value.is_some_and(has_secret) {
            effects.store_setting(&self.place(text_or_log(document, &["id"])), None);
        }
    }
}

/// The end of a secret.
pub(crate) fn end_of(secret: &str) -> String {
    let chars = secret.chars().count();
    let shown = if chars >= 2 * SHOWN_CHARS { SHOWN_CHARS } else { 0 };
    secret.chars().skip(chars - shown).fold(HIDDEN.to_owned(), |mut shown, char| {
        shown.push(char);
        shown
    })
}

/// An address with its credentials hidden: user and password before the host, and the values of parameters whose name says that they
/// are secret. `https://ada:pass@shop.example/hook?code=1234` is shown as `https://****@shop.example/hook?code=****`. `None` where there
/// are no credentials.
pub(crate) fn without_credentials(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, end)| (rest, Some(end)));
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    let (authority, path) = place.find('/').map_or((place, ""), |at| place.split_at(at));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let user = if host == authority { "" } else { "****@" };
    let parameters = query.map(|query| query.split('&').map(parameter_shown).collect::<Vec<_>>().join("&"));
    let mut shown = format!("{scheme}://{user}{host}{path}");
    for (sign, part) in [('?', parameters.as_deref()), ('#', fragment)] {
        if let Some(part) = part {
            shown.push(sign);
            shown.push_str(part);
        }
    }
    let is_hidden = shown != url || url.contains(HIDDEN);
    is_hidden.then_some(shown)
}

/// A parameter of an address, with a mask in place of a secret value.
fn parameter_shown(parameter: &str) -> String {
    let Some((name, value)) = parameter.split_once('=').filter(|(_, value)| !value.is_empty()) else {
        return parameter.to_owned();
    };
    let lowercase = name.to_ascii_lowercase();
    let is_secret = SECRET_PARAMETERS.iter().any(|secret| lowercase.contains(secret)) || lowercase == "sig";
    let shown = if is_secret { HIDDEN } else { value };
    format!("{name}={shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_secret_is_shown_and_nothing_of_a_short_one() {
        assert_eq!(end_of("some-azure-function-code"), "****code");
        assert_eq!(end_of("eight888"), "****t888");
        assert_eq!(end_of("short"), "****");
        assert_eq!(end_of(""), "****");
    }

    #[test]
    fn credentials_in_addresses_are_hidden() {
        for (url, shown) in [
            ("https://ada:pass@shop.example:8443/hook", "https://****@shop.example:8443/hook"),
            ("https://token@shop.example", "https://****@shop.example"),
            ("https://a@b@shop.example/?x=1", "https://****@shop.example/?x=1"),
            ("https://shop.example/f?code=abc&x=1#top", "https://shop.example/f?code=****&x=1#top"),
            (
                "https://shop.example/f?Access_Token=abc&sig=d",
                "https://shop.example/f?Access_Token=****&sig=****",
            ),
        ] {
            assert_eq!(without_credentials(url).as_deref(), Some(shown), "{url}");
        }
        for url in
            ["https://shop.example/ada@home?x=1&empty=", "http://127.0.0.1:80", "https://a.b?code=", "a.b"]
        {
            assert_eq!(without_credentials(url), None, "{url}");
        }
    }
}
