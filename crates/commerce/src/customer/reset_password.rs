//! The endpoints that reset a forgotten password: one creates a token for an email address, the other sets a new
//! password by the token.

use super::{email, password, token};
use kontor_engine::document::must_text;
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// `POST /customers/password-token`.
pub(super) const CREATE_TOKEN: EndpointHandler = EndpointHandler {
    find: find_by_email,
    act: |context, input| token::create(context, input, &token::PASSWORD),
};
/// `GET /customers/password-token={passwordToken}`.
pub(super) const BY_TOKEN: EndpointHandler = EndpointHandler {
    find: |input, rules| find_by_token(input, "passwordToken", rules),
    act: |_, _| Ok(EndpointReply::Document),
};
/// `POST /customers/password/reset`.
pub(super) const RESET: EndpointHandler =
    EndpointHandler { find: |input, rules| find_by_token(input, "tokenValue", rules), act: reset };

/// A global Customer, or one of the Store.
fn find_by_email(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let address = must_text(input, &["email"])?;
    match email::customer_with(address, rules)? {
        Some(id) => Ok(EndpointTarget { id, ..EndpointTarget::default() }),
        None => Err(ApiError::resource_not_found(&format!("with email '{address}'"))),
    }
}

fn find_by_token(input: &Document, field: &str, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let version = input.get("version").and_then(Value::as_i64);
    token::find(must_text(input, &[field])?, version, &token::PASSWORD, rules)
}

fn reset(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    let value = must_text(input, &["tokenValue"])?;
    token::redeem(value, context.document, &token::PASSWORD, context.rules, context.effects)?;
    password::replace(context, input, true)
}
