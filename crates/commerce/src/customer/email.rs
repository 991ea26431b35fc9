//! The email address: unique in each Store, and for a global Customer in the whole project,
//! case-insensitively.
//!
//! Source: public documentation, "Customers overview", "Global versus Store-specific Customers".

use super::token;
use crate::kinds;
use kontor_engine::document::{fields, list, must_get, must_text, text};
use kontor_engine::{ActionContext, Document, PART_SEPARATOR, RefusalReason, Rules, UniqueKey};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The path of the unique keys.
const EMAIL: &str = "email";
/// The path of the index of addresses in lower case.
const LOWERCASE: &str = "lowercaseEmail";
/// Longest address in characters (RFC 5321, section 4.5.3.1: 64 before and 255 behind the sign, and the sign).
const EMAIL_CHARS_MAX: usize = 320;

/// The address of a Customer without Stores (a global Customer) is unique among all global ones.
pub(super) fn unique_keys(customer: &Document) -> Vec<UniqueKey> {
    let Some(email) = text(customer, &[EMAIL]) else { return Vec::new() };
    if is_global(customer) {
        return vec![UniqueKey::new(EMAIL, key_in("", email))];
    }
    let keys = list(customer, &["stores"]).iter().filter_map(|store| store["key"].as_str());
    keys.map(|store| UniqueKey::new(EMAIL, key_in(store, email))).collect()
}

fn key_in(store: &str, email: &str) -> String {
    format!("{store}{PART_SEPARATOR}{}", email.to_lowercase())
}

/// Whether a Customer is global, i.e. has no Stores.
pub(super) fn is_global(customer: &Document) -> bool {
    list(customer, &["stores"]).is_empty()
}

/// Returns the id of the Customer with an address: one of the Store of the request, or a global one.
pub(super) fn customer_with(email: &str, rules: &Rules<'_>) -> ApiResult<Option<String>> {
    let found_in = |scope: &str| rules.peek_unique("customer", EMAIL, &key_in(scope, email));
    let own = rules.bounds.store.as_deref().map_or(Ok(None), found_in)?;
    let found = own.map_or_else(|| found_in(""), |own| Ok(Some(own)))?;
    Ok(found.and_then(|found| text(&found.document, &["id"]).map(str::to_owned)))
}

/// Checks that a new address, or one that enters further Stores, belongs to no global Customer, and that the
/// address of a global Customer is unused.
pub(super) fn admit_scope(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let scope = |customer: &Document| unique_keys(customer);
    if before.is_some_and(|before| scope(before) == scope(after)) {
        return Ok(());
    }
    let email = must_text(after, &[EMAIL])?.to_lowercase();
    let others = rules.find_others(kinds::CUSTOMER, LOWERCASE, &email, text(after, &["id"]))?;
    if others.iter().any(|other| is_global(other) || is_global(after)) {
        return Err(existing_email_error(&email));
    }
    Ok(())
}

/// An address that another Customer has.
pub(super) fn duplicate_email_error(refused: RefusalReason<'_>) -> Option<ApiError> {
    let RefusalReason::Duplicate { path: EMAIL, value, .. } = refused else { return None };
    let email = value.rsplit(PART_SEPARATOR).next().unwrap_or(value);
    Some(existing_email_error(email))
}

fn existing_email_error(email: &str) -> ApiError {
    ApiError::duplicate_field(EMAIL, json!(email))
        .with_message("There is already an existing customer with the provided email.")
}

/// Checks that an address has no white space. Whether the mailbox exists is not known.
pub(super) fn check_email(customer: &Document) -> ApiResult<()> {
    let email = must_text(customer, &[EMAIL])?;
    let is_address = !email.is_empty()
        && email.chars().count() <= EMAIL_CHARS_MAX
        && !email.chars().any(|letter| letter.is_whitespace() || letter.is_control());
    if is_address {
        return Ok(());
    }
    Err(ApiError::invalid_field(EMAIL, &json!(email), "Expected an email address.", None))
}

/// `changeEmail`: the new address is not verified.
pub(super) fn change(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (new, old) = (must_get(arguments, &[EMAIL])?.clone(), must_get(context.document, &[EMAIL])?.clone());
    if new == old {
        return Ok(());
    }
    context.emit("CustomerEmailChanged", fields([(EMAIL, Some(new.clone())), ("oldEmail", Some(old))]))?;
    context.document.insert(EMAIL, new);
    context.document.insert("isEmailVerified", Value::Bool(false));
    // Also where a later action of the same request changes it back.
    token::forget_all(context.document, context.rules, context.effects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;

    #[test]
    fn an_address_is_unique_in_its_scope_whatever_its_capitals() {
        let keys = |customer: Value| unique_keys(&object(customer));
        assert_eq!(
            keys(json!({"email": "Maria@Example.com", "stores": []})),
            [UniqueKey::new("email", "\u{0}maria@example.com")]
        );
        let stores = json!([{"typeId": "store", "key": "north"}, {"typeId": "store", "key": "south"}]);
        assert_eq!(
            keys(json!({"email": "maria@example.com", "stores": stores})),
            [
                UniqueKey::new("email", "north\u{0}maria@example.com"),
                UniqueKey::new("email", "south\u{0}maria@example.com")
            ]
        );
    }

    #[test]
    fn refuses_empty_addresses_and_white_space() {
        assert!(TestShop::new().create("customer", json!({"email": "maria", "password": "hash"})).is_ok());
        for email in ["", "ma ria@example.com", "a@b\n"] {
            let error =
                TestShop::new().create("customer", json!({"email": email, "password": "hash"})).unwrap_err();
            assert_eq!(error.code(), Code::InvalidField, "{email}");
        }
    }
}
