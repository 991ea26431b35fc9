//! `externalOAuth`: the introspection endpoint of an external token issuer. Its authorization header, and its address if that has
//! credentials, are stored outside of the document, which contains a masked form.
//!
//! Source: reference type `ExternalOAuth`.

use crate::masked_secrets::{ADDRESS_EXPECTED, HIDDEN};
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, Effects, without_credentials};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The name of the stored header, for the client that calls the introspection endpoint.
pub const EXTERNAL_OAUTH_HEADER: &str = "externalOAuth.authorizationHeader";
/// The name under which an address with credentials is kept, whole.
pub const EXTERNAL_OAUTH_URL: &str = "externalOAuth.url";
const HEADER: [&str; 2] = ["externalOAuth", "authorizationHeader"];

/// Moves the header of a request out of the document.
///
/// A masked header that is sent back keeps the stored one, but only for the same address: otherwise a client
/// that may change settings could send the header to its own address and read it.
pub(super) fn keep_header_apart(
    before: Option<&Document>,
    project: &mut Document,
    effects: &mut Effects,
) -> ApiResult<()> {
    let old = before.and_then(|before| before.get("externalOAuth"));
    if project.get("externalOAuth") == old {
        return Ok(());
    }
    let Some(Value::Object(sent)) = project.get_mut("externalOAuth") else {
        effects.store_setting(EXTERNAL_OAUTH_HEADER, None);
        keep_url(before, None, effects);
        return Ok(());
    };
    let url = must_text(sent, &["url"])?.to_owned();
    admit_address(&url)?;
    let header = must_text(sent, &["authorizationHeader"])?.to_owned();
    admit_header(&header)?;
    if before.and_then(|before| text(before, &HEADER)) == Some(header.as_str()) {
        return Err(ApiError::invalid_field(
            &HEADER.join("."),
            &json!(header),
            "Another address needs the whole header again.",
            None,
        ));
    }
    let shown_url = without_credentials(&url);
    if shown_url.is_some() && url.contains(HIDDEN) {
        return Err(ApiError::invalid_field(EXTERNAL_OAUTH_URL, &json!(url), ADDRESS_EXPECTED, None));
    }
    sent.insert("authorizationHeader", json!(mask_header(&header)));
    if let Some(shown_url) = shown_url {
        sent.insert("url", json!(shown_url));
        keep_url(before, Some(url), effects);
    } else {
        keep_url(before, None, effects);
    }
    effects.store_setting(EXTERNAL_OAUTH_HEADER, Some(header));
    Ok(())
}

/// Keeps an address with credentials, or forgets the one that was kept.
fn keep_url(before: Option<&Document>, url: Option<String>, effects: &mut Effects) {
    let was_kept = before
        .and_then(|before| text(before, &["externalOAuth", "url"]))
        .is_some_and(|url| url.contains(HIDDEN));
    if url.is_some() || was_kept {
        effects.store_setting(EXTERNAL_OAUTH_URL, url);
    }
}

/// Returns the scheme, e.g. `Bearer`, and nothing of the credentials.
fn mask_header(header: &str) -> String {
    match header.split_once(' ') {
        Some((scheme, _)) => format!("{scheme} {HIDDEN}"),
        None => HIDDEN.to_owned(),
    }
}

/// The shortest header, in characters (reference: pattern of `authorizationHeader`).
const HEADER_CHARS_MIN: usize = 3;

/// Checks that the text is a valid HTTP header value. A line break in it would begin another header.
fn admit_header(header: &str) -> ApiResult<()> {
    let is_fit = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    if header.len() >= HEADER_CHARS_MIN && header.trim() == header && header.bytes().all(is_fit) {
        return Ok(());
    }
    // The value is not repeated: it is a secret.
    Err(ApiError::invalid_field(
        &HEADER.join("."),
        &json!(HIDDEN),
        "Expected: visible ASCII characters and blanks between them, such as 'Bearer <token>'.",
        None,
    ))
}

/// Checks that an address is absolute. Plain http is allowed for endpoints in a private network.
fn admit_address(url: &str) -> ApiResult<()> {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_fit = |host: &str| {
        let authority = host.split(['/', '?', '#']).next().unwrap_or("");
        // Brackets enclose an IPv6 address; a single one is invalid.
        !authority.is_empty() && authority.contains('[') == authority.contains(']')
    };
    if host.is_some_and(is_fit) && url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    Err(ApiError::invalid_field(
        EXTERNAL_OAUTH_URL,
        &json!(without_credentials(url).as_deref().unwrap_or(url)),
        "Expected an absolute http(s) address.",
        None,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_engine::trial::settings;
    use kontor_errors::Code;

    const SECRET: &str = "Bearer open-sesame";

    /// Returns the project after the change, and the values stored outside of it.
    fn set_external_oauth(
        shop: &TestShop,
        oauth: Option<(&str, &str)>,
    ) -> (Document, Vec<(String, Option<String>)>) {
        let mut action = json!({"action": "setExternalOAuth"});
        if let Some((url, header)) = oauth {
            action["externalOAuth"] = json!({"url": url, "authorizationHeader": header});
        }
        shop.rules(|rules| {
            let mut effects = Effects::default();
            let (project, messages) =
                shop.update_with("project", &shop.project, json!([action]), rules, &mut effects).unwrap();
            assert_eq!(messages, []);
            (project, settings(&effects).to_vec())
        })
    }

    fn stored_header(header: Option<&str>) -> Vec<(String, Option<String>)> {
        vec![(EXTERNAL_OAUTH_HEADER.to_owned(), header.map(str::to_owned))]
    }

    #[test]
    fn the_header_is_kept_apart_and_shown_in_part() {
        let mut shop = TestShop::new();
        let (project, secret) = set_external_oauth(&shop, Some(("https://example.com/a", SECRET)));
        assert_eq!(
            project["externalOAuth"],
            json!({"url": "https://example.com/a", "authorizationHeader": "Bearer ****"})
        );
        assert_eq!(secret, stored_header(Some(SECRET)));

        // Sent back as it is shown, the header stays.
        shop.project = project;
        let (project, secret) = set_external_oauth(&shop, Some(("https://example.com/a", "Bearer ****")));
        assert_eq!((&project, secret), (&shop.project, vec![]));

        // A header with the same mask is still another header.
        let (project, secret) = set_external_oauth(&shop, Some(("https://example.com/a", "Bearer other")));
        assert_eq!(project, shop.project);
        assert_eq!(secret, stored_header(Some("Bearer other")));

        let (project, secret) = set_external_oauth(&shop, None);
        assert!(!project.contains_key("externalOAuth"));
        assert_eq!(secret, stored_header(None));
    }

    #[test]
    fn credentials_in_the_address_are_kept_apart() {
        let mut shop = TestShop::new();
        let whole = "https://ada:pass@example.com/a?token=1";
        let (project, secret) = set_external_oauth(&shop, Some((whole, SECRET)));
        assert_eq!(project["externalOAuth"]["url"], "https://****@example.com/a?token=****");
        assert!(secret.contains(&(EXTERNAL_OAUTH_URL.to_owned(), Some(whole.to_owned()))), "{secret:?}");

        shop.project = project;
        let shown = "https://****@example.com/a?token=****";
        assert_eq!(
            set_external_oauth(&shop, Some((shown, "Bearer ****"))).1,
            vec![],
            "sent back as it is shown"
        );
        let oauth = json!({"url": shown, "authorizationHeader": "Bearer other"});
        let set = json!([{"action": "setExternalOAuth", "externalOAuth": oauth}]);
        assert_eq!(shop.update("project", &shop.project, set).unwrap_err().code(), Code::InvalidField);
        let (_, secret) = set_external_oauth(&shop, Some(("https://example.com/a", SECRET)));
        assert!(secret.contains(&(EXTERNAL_OAUTH_URL.to_owned(), None)), "{secret:?}");
    }

    #[test]
    fn the_hidden_header_cannot_be_sent_to_another_address() {
        let mut shop = TestShop::new();
        shop.project = set_external_oauth(&shop, Some(("https://example.com/a", SECRET))).0;
        let oauth = json!({"url": "https://example.org/b", "authorizationHeader": "Bearer ****"});
        let set = json!([{"action": "setExternalOAuth", "externalOAuth": oauth}]);
        let error = shop.update("project", &shop.project, set).unwrap_err();
        assert_eq!(error.code(), Code::InvalidField);
    }

    #[test]
    fn other_changes_leave_the_header_alone() {
        let mut shop = TestShop::new();
        shop.project = set_external_oauth(&shop, Some(("https://example.com/a", SECRET))).0;
        shop.rules(|rules| {
            let rename = json!([{"action": "changeName", "name": "Other"}]);
            let mut effects = Effects::default();
            shop.update_with("project", &shop.project, rename, rules, &mut effects).unwrap();
            assert_eq!(settings(&effects), []);
        });
    }

    #[test]
    fn a_header_without_scheme_is_fully_masked() {
        assert_eq!(mask_header("open-sesame"), "****");
        assert_eq!(mask_header("Basic dTpw"), "Basic ****");
    }

    #[test]
    fn a_header_that_would_be_two_is_refused_and_not_repeated() {
        for good in [SECRET, "Basic dTpw=", "Token t=\"a b\""] {
            assert_eq!(admit_header(good), Ok(()), "{good}");
        }
        for bad in ["", "  ", " Bearer a", "Bearer a ", "ab", "Bearer a\r\nX: y", "Bearer a\0", "Bearer ä"] {
            let error = admit_header(bad).unwrap_err();
            assert_eq!(error.code(), Code::InvalidField, "{bad}");
            assert!(!error.body().to_string().contains("Bearer a"), "{bad}");
        }
    }

    #[test]
    fn the_address_is_an_absolute_one() {
        for good in ["https://example.com/introspect", "http://identity:8080"] {
            assert_eq!(admit_address(good), Ok(()));
        }
        for bad in [
            "http://[::1/",
            "https://?a",
            "https://bücher.example",
            "example.com",
            "https://",
            "ftp://example.com",
            "https:///x",
            "https://a b",
            "",
        ] {
            assert!(admit_address(bad).is_err(), "{bad}");
        }
    }
}
