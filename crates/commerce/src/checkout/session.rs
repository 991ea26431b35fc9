//! Session: a buyer's way through a checkout. Payment connectors authenticate the requests of a storefront by its id.
//!
//! A Session expires some hours after its last use, and a read is a use. The time of the last use is part of the stored
//! document only, and a write of it keeps the version.
//!
//! Source: type `Session` of the public package `@commercetools/connect-payments-sdk`. Conversation:
//! `tests/api/checkout/sessions.txt`.

use jiff::{SignedDuration, Timestamp};
use kontor_engine::document::{must_text, text};
use kontor_engine::{
    Behaviour, Document, DueOutcome, DueRule, Effects, EndpointContext, EndpointHandler, EndpointReply,
    EndpointTarget, Rules, ViewOptions, format_time,
};
use kontor_enums::SessionState;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// How long a Session is active after its last use.
const LIFETIME_HOURS: i64 = 24;
/// A use is stored once in this time, so that most reads write nothing. A Session may expire that much earlier.
const USE_STEP_MINUTES: i64 = 1;
/// How long an expired Session can be read.
const KEPT_DAYS: i64 = 30;

const STATE: &str = "state";
const ACTIVE: &str = SessionState::Active.as_str();
const EXPIRED: &str = SessionState::Expired.as_str();
/// The stored time of the last use, which responses leave out.
const USED_AT: &str = "usedAt";
const CART: [&str; 3] = ["activeCart", "cartRef", "id"];

/// `GET /sessions/{ID}`.
const READ: EndpointHandler = EndpointHandler { find, act: read };

pub(crate) struct Session;

impl Behaviour for Session {
    fn resource(&self) -> &'static str {
        "Session"
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[("withId", READ)]
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        after.insert(STATE, json!(ACTIVE));
        after.insert(USED_AT, json!(rules.time()));
        Ok(())
    }

    fn due_rule(&self) -> Option<DueRule> {
        Some(DueRule { at: |session| expiry_time(session).map(format_time), act: expire })
    }

    fn always_splices(&self) -> bool {
        true
    }

    fn splice(&self, session: &mut Document, _asked: &ViewOptions, rules: &Rules<'_>) -> ApiResult<()> {
        show(session, rules)
    }
}

fn find(input: &Document, _rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    Ok(EndpointTarget { id: must_text(input, &["ID"])?.to_owned(), ..EndpointTarget::default() })
}

/// Returns the Session, and stores that it was used.
fn read(context: &mut EndpointContext<'_, '_>, _input: &Document) -> ApiResult<EndpointReply> {
    let rules = context.rules;
    let is_new_use = last_use_time(context.document)
        .and_then(|used| used.checked_add(SignedDuration::from_mins(USE_STEP_MINUTES)).ok())
        .is_some_and(|again| again <= rules.now);
    if is_new_use && !is_over(context.document, rules.now) {
        context.document.insert(USED_AT, json!(rules.time()));
    }
    let mut shown = context.document.clone();
    show(&mut shown, rules)?;
    Ok(EndpointReply::Value(Value::Object(shown)))
}

/// Converts the stored form to that of responses.
fn show(session: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    // The change at the time of the expiry may be late.
    if is_over(session, rules.now) {
        session.insert(STATE, json!(EXPIRED));
    }
    session.shift_remove(USED_AT);
    if let Some(customer) = customer(session, rules)? {
        session.insert("customer", customer);
    }
    Ok(())
}

/// Returns the customer or the anonymous session of the Cart; `None` if it has neither, or was deleted.
fn customer(session: &Document, rules: &Rules<'_>) -> ApiResult<Option<Value>> {
    let Some(cart) = rules.peek_type("cart", must_text(session, &CART)?)? else { return Ok(None) };
    if let Some(id) = text(&cart, &["customerId"]) {
        let mut reference = json!({"id": id});
        let customer = rules.peek_type("customer", id)?;
        for field in ["key", "externalId"] {
            if let Some(value) = customer.as_ref().and_then(|customer| text(customer, &[field])) {
                reference[field] = json!(value);
            }
        }
        return Ok(Some(json!({"customerRef": reference})));
    }
    let anonymous = text(&cart, &["anonymousId"]);
    Ok(anonymous.map(|id| json!({"customerRef": {}, "anonymousId": id})))
}

fn expire(session: &mut Document, _rules: &Rules<'_>, _effects: &mut Effects) -> ApiResult<DueOutcome> {
    session.insert(STATE, json!(EXPIRED));
    session.insert("deleteDaysAfterLastModification", json!(KEPT_DAYS));
    Ok(DueOutcome { is_new_version: true, messages: Vec::new() })
}

fn last_use_time(session: &Document) -> Option<Timestamp> {
    text(session, &[USED_AT])?.parse().ok()
}

/// Returns the time at which an active Session expires; `None` for an expired one.
fn expiry_time(session: &Document) -> Option<Timestamp> {
    let is_active = text(session, &[STATE]) == Some(ACTIVE);
    let used = last_use_time(session).filter(|_| is_active)?;
    used.checked_add(SignedDuration::from_hours(LIFETIME_HOURS)).ok()
}

fn is_over(session: &Document, now: Timestamp) -> bool {
    expiry_time(session).is_none_or(|ends| ends <= now)
}
