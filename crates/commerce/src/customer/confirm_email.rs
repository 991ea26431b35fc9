//! The endpoints that verify an email address: one creates a token, the other redeems it.

use super::token;
use kontor_engine::document::must_text;
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// `POST /customers/email-token`.
pub(super) const CREATE_TOKEN: EndpointHandler =
    EndpointHandler { find: find_by_id, act: |context, input| token::create(context, input, &token::EMAIL) };
/// `GET /customers/email-token={emailToken}`.
pub(super) const BY_TOKEN: EndpointHandler = EndpointHandler {
    find: |input, rules| find_by_token(input, "emailToken", rules),
    act: |_, _| Ok(EndpointReply::Document),
};
/// `POST /customers/email/confirm`.
pub(super) const CONFIRM: EndpointHandler =
    EndpointHandler { find: |input, rules| find_by_token(input, "tokenValue", rules), act: confirm };

fn find_by_id(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let id = must_text(input, &["id"])?.to_owned();
    if rules.peek_type("customer", &id)?.is_none() {
        return Err(ApiError::resource_not_found(&format!("with ID '{id}'")));
    }
    Ok(EndpointTarget {
        id,
        version: input.get("version").and_then(Value::as_i64),
        ..EndpointTarget::default()
    })
}

fn find_by_token(input: &Document, field: &str, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let version = input.get("version").and_then(Value::as_i64);
    token::find(must_text(input, &[field])?, version, &token::EMAIL, rules)
}

fn confirm(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    let value = must_text(input, &["tokenValue"])?;
    token::redeem(value, context.document, &token::EMAIL, context.rules, context.effects)?;
    context.document.insert("isEmailVerified", Value::Bool(true));
    context.emit("CustomerEmailVerified", Document::new())?;
    Ok(EndpointReply::Document)
}
