//! Tokens that verify access to a Customer's mailbox: stored outside of documents, by the hash of their
//! value.
//!
//! Source: reference types `CustomerToken`, `CustomerCreateEmailToken`, `CustomerCreatePasswordResetToken`;
//! document A, release of invalidateOlderTokens: 24 hours by default, redeemed once, the value in the message
//! only if the token is valid for 60 minutes or less.

use jiff::{SignedDuration, Timestamp};
use kontor_engine::document::{must_integer, must_text, text};
use kontor_engine::{
    Document, Effects, EndpointContext, EndpointReply, EndpointTarget, FoundDocument, IndexValue,
    Precondition, Put, Rules, UniqueKey, format_time,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use sha2::{Digest, Sha256};

/// The longest validity, in minutes, of a token whose value is in the Message. Others get the value only in the
/// response.
const TOLD_MINUTES_MAX: i64 = 60;
/// Period in which an expired token is reported as expired; after that it is unknown.
const EXPIRED_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The purpose of a token.
pub(super) struct Purpose {
    /// The kind of the hidden documents with tokens. No API returns them.
    kind: &'static str,
    created: &'static str,
    /// The error of an expired token.
    expired: (Code, &'static str),
}

pub(super) const EMAIL: Purpose = Purpose {
    kind: "customer-email-token",
    created: "CustomerEmailTokenCreated",
    expired: (Code::ExpiredCustomerEmailToken, "The given email token has expired."),
};
pub(super) const PASSWORD: Purpose = Purpose {
    kind: "customer-password-token",
    created: "CustomerPasswordTokenCreated",
    expired: (Code::ExpiredCustomerPasswordToken, "The given password token has expired."),
};

/// Creates a token for the Customer. `input` has its validity, and whether it invalidates older tokens.
pub(super) fn create(
    context: &mut EndpointContext<'_, '_>,
    input: &Document,
    purpose: &Purpose,
) -> ApiResult<EndpointReply> {
    let rules = context.rules;
    let customer = must_text(context.document, &["id"])?.to_owned();
    let minutes = must_integer(input, &["ttlMinutes"])?;
    let expires = minutes
        .checked_mul(60)
        .and_then(|seconds| rules.now.checked_add(SignedDuration::from_secs(seconds)).ok())
        .ok_or_else(|| {
            ApiError::invalid_field(
                "ttlMinutes",
                &json!(minutes),
                "A token cannot be valid for so long.",
                None,
            )
        })?;
    let ends_older = input.get("invalidateOlderTokens") == Some(&Value::Bool(true));
    for older in rules.peek_by_value(purpose.kind, "customerId", &customer)? {
        if ends_older || expiry(&older.document).is_none_or(|expiry| expiry + EXPIRED_FOR < rules.now) {
            delete(purpose, &older, context.effects);
        }
    }
    let id = rules.new_id();
    let now = rules.time();
    let kept = json!({"id": id, "customerId": customer, "expiresAt": format_time(expires)});
    context.effects.put_hidden(Put {
        kind: purpose.kind.into(),
        id: id.clone(),
        version: 1,
        body: kept.to_string().into(),
        unique: vec![UniqueKey::new("value", hash(context.token))],
        indexed: vec![("customerId".into(), IndexValue::Text(customer.clone()))],
        ..Put::default()
    });
    let message_fields = json!({
        "customerId": customer,
        "expiresAt": format_time(expires),
        "value": (minutes <= TOLD_MINUTES_MAX).then_some(context.token),
        "invalidateOlderTokens": ends_older,
    });
    let token = json!({
        "id": id, "customerId": customer, "value": context.token, "expiresAt": format_time(expires),
        "invalidateOlderTokens": ends_older, "createdAt": now, "lastModifiedAt": now,
    });
    if let Value::Object(mut told) = message_fields {
        told.retain(|_, value| !value.is_null());
        context.emit_about(purpose.kind, &id, purpose.created, told)?;
    }
    Ok(EndpointReply::Value(token))
}

/// Returns the Customer of a valid token; 404 if it does not exist, 400 if it has expired.
pub(super) fn find(
    value: &str,
    version: Option<i64>,
    purpose: &Purpose,
    rules: &Rules<'_>,
) -> ApiResult<EndpointTarget> {
    let found = rules.peek_unique(purpose.kind, "value", &hash(value))?;
    let Some(token) = found else { return Err(ApiError::resource_not_found("with the given token")) };
    if expiry(&token.document).is_none_or(|expiry| expiry <= rules.now) {
        let (code, message) = purpose.expired;
        return Err(ApiError::new(code, message));
    }
    let id = must_text(&token.document, &["customerId"])?.to_owned();
    Ok(EndpointTarget { id, version, ..EndpointTarget::default() })
}

/// Ends a token that is redeemed, with all others of its purpose. The token must still exist when the change is written.
pub(super) fn redeem(
    value: &str,
    customer: &Document,
    purpose: &Purpose,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    if rules.peek_unique(purpose.kind, "value", &hash(value))?.is_none() {
        return Err(ApiError::resource_not_found("with the given token"));
    }
    end_all(customer, purpose, rules, effects)
}

/// Deletes all tokens of a Customer who is deleted.
pub(super) fn forget_all(customer: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    end_all(customer, &EMAIL, rules, effects)?;
    end_all(customer, &PASSWORD, rules, effects)
}

fn end_all(
    customer: &Document,
    purpose: &Purpose,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let id = must_text(customer, &["id"])?;
    for token in rules.peek_by_value(purpose.kind, "customerId", id)? {
        delete(purpose, &token, effects);
    }
    // Fails if a token was created meanwhile, so that none is left.
    rules.require(Precondition::IndexedAtMost {
        kind: purpose.kind.into(),
        path: "customerId".into(),
        value: IndexValue::Text(id.to_owned()),
        limit: 0,
    });
    Ok(())
}

fn delete(purpose: &Purpose, token: &FoundDocument, effects: &mut Effects) {
    effects.delete_hidden(purpose.kind, &token.id);
}

fn expiry(token: &Document) -> Option<Timestamp> {
    text(token, &["expiresAt"])?.parse().ok()
}

/// A token has 256 random bits, so a fast hash is enough.
fn hash(value: &str) -> String {
    Sha256::digest(value.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
