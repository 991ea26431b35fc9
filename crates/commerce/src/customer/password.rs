//! The password of a Customer: stored outside of the document as a hash, displayed as a mask. Start at [`store_hash`].
//!
//! Rules see hashes only: the engine hashes passwords of requests (`@secret` in the model).
//!
//! **Invariant:** a commit that writes a password also writes its Customer, so the revision of the Customer
//! protects both.

use kontor_engine::document::{fields, has_enum, must_get, must_text, text, text_or_log};
use kontor_engine::{
    ActionContext, Document, Effects, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, MASK,
    Put, Rules, SecretProof,
};
use kontor_enums::AuthenticationMode;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use sha2::{Digest, Sha256};

/// The kind of the hidden documents with passwords, by the id of the Customer. No API returns them.
const PASSWORD: &str = "customer-password";
/// The number of bytes of the hash's digest that are shown after the mask, as two characters each: enough to detect a
/// change, but useless for guessing a password, since the hash has a salt.
const TOLD_BYTES: usize = 2;

/// `POST /customers/password`.
pub(super) const CHANGE: EndpointHandler = EndpointHandler { find: find_by_password, act: change };

/// `POST /me/password`.
pub(super) const CHANGE_MINE: EndpointHandler = EndpointHandler { find: find_me, act: change };

/// Checks a draft against its authentication mode, and stores the password.
pub(super) fn complete(customer: &mut Document, draft: &Document, effects: &mut Effects) -> ApiResult<()> {
    if !has_enum(customer, &["authenticationMode"], AuthenticationMode::Password) {
        return Ok(());
    }
    let hash = text(draft, &["password"]).ok_or_else(|| ApiError::required_field("password"))?;
    store_hash(customer, Some(hash), effects);
    Ok(())
}

/// `setAuthenticationMode`: a password is set with the mode that needs it and forgotten with the other.
pub(super) fn set_authentication_mode(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let mode = must_get(arguments, &["authMode"])?.clone();
    let hash = text(arguments, &["password"]);
    if mode == AuthenticationMode::Password.as_str() {
        let field = format!("{}.password", context.place);
        let hash = hash.ok_or_else(|| ApiError::required_field(&field))?;
        store_hash(context.document, Some(hash), context.effects);
    } else if context.document.get("authenticationMode") != Some(&mode) {
        store_hash(context.document, None, context.effects);
    }
    context.document.insert("authenticationMode", mode);
    Ok(())
}

/// Stores a hash, or removes it.
pub(super) fn store_hash(customer: &mut Document, hash: Option<&str>, effects: &mut Effects) {
    let id = text_or_log(customer, &["id"]).to_owned();
    let body = match hash {
        Some(hash) => json!({"hash": hash}),
        None => json!({}),
    };
    effects.put_hidden(Put {
        kind: PASSWORD.into(),
        id,
        version: 1,
        body: body.to_string().into(),
        ..Put::default()
    });
    match hash {
        Some(hash) => customer.insert("password", json!(mask(hash))),
        None => customer.shift_remove("password"),
    };
}

/// Returns the displayed mask of a password: it changes with the password.
fn mask(hash: &str) -> String {
    let digest = Sha256::digest(hash);
    digest.iter().take(TOLD_BYTES).fold(MASK.to_owned(), |mask, byte| format!("{mask}{byte:02x}"))
}

/// The hash of a Customer's password.
pub(super) fn hash_of(id: &str, rules: &Rules<'_>) -> ApiResult<Option<String>> {
    let kept = rules.hidden_document(PASSWORD, id)?;
    Ok(kept.and_then(|kept| text(&kept.document, &["hash"]).map(str::to_owned)))
}

/// The hash of a Customer's password, for a copy of the shop.
pub(super) fn stored_hash(customer: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let hash = hash_of(must_text(customer, &["id"])?, rules)?;
    Ok(hash.into_iter().map(|hash| ("password".to_owned(), Value::String(hash))).collect())
}

/// Deletes the password of a deleted Customer.
pub(super) fn delete_hash(customer: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    effects.forget_hidden(PASSWORD, must_text(customer, &["id"])?, rules)
}

/// Sets a new password and emits the Message about it.
pub(super) fn replace(
    context: &mut EndpointContext<'_, '_>,
    input: &Document,
    reset: bool,
) -> ApiResult<EndpointReply> {
    if !has_enum(context.document, &["authenticationMode"], AuthenticationMode::Password) {
        return Err(ApiError::invalid_operation("The Customer signs in elsewhere and has no password here."));
    }
    let hash =
        text(input, &["newPassword"]).ok_or_else(|| ApiError::bug("a new password that was not hashed"))?;
    store_hash(context.document, Some(hash), context.effects);
    context.emit("CustomerPasswordUpdated", fields([("reset", Some(Value::Bool(reset)))]))?;
    Ok(EndpointReply::Document)
}

fn find_by_password(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    prove(must_text(input, &["id"])?, input, rules)
}

fn find_me(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let id = rules.bounds.mine.as_ref().and_then(|asker| asker.customer()).unwrap_or("");
    prove(id, input, rules)
}

fn prove(id: &str, input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let Some(_) = rules.peek_type("customer", id)? else {
        return Err(ApiError::resource_not_found(&format!("with ID '{id}'")));
    };
    Ok(EndpointTarget {
        id: id.to_owned(),
        version: input.get("version").and_then(Value::as_i64),
        proof: Some(SecretProof {
            secret: must_text(input, &["currentPassword"])?.to_owned(),
            hash: hash_of(id, rules)?,
            refusal: ApiError::new(
                Code::InvalidCurrentPassword,
                "The given current password does not match.",
            ),
        }),
        ..EndpointTarget::default()
    })
}

fn change(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    replace(context, input, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::Write;
    use kontor_engine::trial::{create_document, effect_writes};

    #[test]
    fn a_password_is_kept_beside_the_document() {
        TestShop::new().rules(|rules| {
            let kind = rules.model.kind_by_type_id("customer").unwrap();
            let mut effects = Effects::default();
            let draft = json!({"email": "a@example.com", "password": "the hash"});
            let customer = create_document(kind, draft, rules, &mut effects).unwrap();
            assert_eq!(customer["password"], mask("the hash"));
            assert_ne!(mask("the hash"), mask("another"), "a change shows");
            assert!(!Value::Object(customer.clone()).to_string().contains("the hash"));
            let written = effect_writes(effects, rules).unwrap();
            let [Write::Put(put)] = written.as_slice() else { panic!("{written:?}") };
            assert_eq!((put.kind.as_str(), json!(put.id)), ("customer-password", customer["id"].clone()));
            assert_eq!(&put.body[..], br#"{"hash":"the hash"}"#);
        });
    }

    #[test]
    fn a_password_requires_its_authentication_mode() {
        let shop = TestShop::new();
        let error = shop.create("customer", json!({"email": "a@example.com"})).unwrap_err();
        assert_eq!(error.code(), Code::RequiredField);
        let external =
            json!({"email": "a@example.com", "authenticationMode": "ExternalAuth", "password": "x"});
        let customer = shop.create("customer", external).unwrap();
        assert!(!customer.contains_key("password"));

        let set =
            |mode: &str| json!([{"action": "setAuthenticationMode", "authMode": mode, "password": "hash"}]);
        let (customer, _) = shop.update("customer", &customer, set("Password")).unwrap();
        assert!(customer["password"].as_str().is_some_and(|shown| shown.len() == 8), "{customer:?}");
        let (customer, _) = shop.update("customer", &customer, set("ExternalAuth")).unwrap();
        assert!(!customer.contains_key("password"));
        let without = json!([{"action": "setAuthenticationMode", "authMode": "Password"}]);
        assert_eq!(shop.update("customer", &customer, without).unwrap_err().code(), Code::RequiredField);
    }

    #[test]
    fn deleting_a_customer_deletes_the_password() {
        let customer = json!({"id": "maria", "authenticationMode": "Password"});
        let shop = TestShop::new().with_document(PASSWORD, json!({"id": "maria", "hash": "x"}));
        shop.rules(|rules| {
            let mut effects = Effects::default();
            delete_hash(&object(customer.clone()), rules, &mut effects).unwrap();
            let written = effect_writes(effects, rules).unwrap();
            assert!(matches!(written.as_slice(), [Write::Delete { id, .. }] if id == "maria"));
        });
        TestShop::new().rules(|rules| {
            let mut effects = Effects::default();
            delete_hash(&object(customer), rules, &mut effects).unwrap();
            assert!(effect_writes(effects, rules).unwrap().is_empty(), "there was none");
        });
    }
}
