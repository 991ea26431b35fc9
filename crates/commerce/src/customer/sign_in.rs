//! The endpoint that authenticates a Customer by email address and password: a global Customer, or one of the Store.
//!
//! Source: reference types `CustomerSignin`, `MyCustomerSignin`. Neither the response nor its timing tells whether the
//! address or the password was wrong.

use super::{anonymous, email, password};
use crate::cart::{self, SignInInput};
use kontor_engine::document::{must_text, text};
use kontor_engine::{
    Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules, SecretProof,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;

/// `POST /login`, `POST /me/login`.
pub(super) const LOGIN: EndpointHandler = EndpointHandler { find, act: sign_in };

fn find(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let found = email::customer_with(must_text(input, &["email"])?, rules)?;
    let id = found.unwrap_or_default();
    Ok(EndpointTarget {
        proof: Some(SecretProof {
            secret: must_text(input, &["password"])?.to_owned(),
            hash: if id.is_empty() { None } else { password::hash_of(&id, rules)? },
            refusal: ApiError::new(Code::InvalidCredentials, "Account with the given credentials not found."),
        }),
        id,
        ..EndpointTarget::default()
    })
}

fn sign_in(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    let session = text(input, &["anonymousId"]).or_else(|| anonymous::anonymous_session(context.rules));
    if let Some(session) = session {
        anonymous::take_over(context.document, session, context.rules, context.effects)?;
    }
    let who = SignInInput { customer: context.document, is_new: false, input, session };
    cart::sign_in(&who, context.rules, context.effects)?;
    Ok(EndpointReply::Value(Value::Object(context.document.clone())))
}
