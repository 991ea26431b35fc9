//! Payment: its owner, write-once fields, workflow, and Transactions. Start at [`Payment`].
//!
//! Source: reference types `PaymentDraft`, `Payment…Action`, `Payment…Message`. They limit neither the
//! currency of a Transaction nor the order of its states, so nothing here does.

mod mine;
mod set_method_info;
mod transition_state;

use crate::owner::admit_owner;
use kontor_engine::conversion::custom_fields;
use kontor_engine::document::{fields, get, list, must_get, must_text, set};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, Rules, UniqueKey};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Location;
use std::collections::HashSet;

pub(crate) struct Payment;

impl Behaviour for Payment {
    fn resource(&self) -> &'static str {
        "Payment"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("setAnonymousId", set_anonymous_id),
            ("setInterfaceId", set_interface_id),
            ("setMethodInfo", set_method_info::set_method_info),
            ("setMethodInfoInterface", set_method_info_interface),
            ("transitionState", transition_state::transition_state),
            ("addInterfaceInteraction", add_interface_interaction),
        ]
    }

    fn my_actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addTransaction", mine::add_transaction),
            ("setTransactionCustomField", mine::set_transaction_custom_field),
        ]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if rules.bounds.mine.is_some() {
            mine::complete(after, draft, rules)?;
        }
        transition_state::admit_first(after, rules)
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if let Some(before) = before
            && rules.bounds.mine.is_some()
        {
            mine::admit_change(before, after)?;
        }
        admit_owner("A Payment", "customer", before, after)?;
        let mut seen = HashSet::new();
        match interface_ids(after).find(|id| !seen.insert(*id)) {
            Some(twice) => Err(ApiError::duplicate_field(INTERFACE_ID_OF_TRANSACTION, json!(twice))),
            None => Ok(()),
        }
    }

    fn before_delete(&self, payment: &Document, rules: &Rules<'_>, _effects: &mut Effects) -> ApiResult<()> {
        if rules.bounds.mine.is_some() { mine::admit_end(payment) } else { Ok(()) }
    }

    fn unique_keys(&self, payment: &Document) -> Vec<UniqueKey> {
        interface_ids(payment).map(|id| UniqueKey::new(INTERFACE_ID_OF_TRANSACTION, id)).collect()
    }
}

/// Unique among the Transactions of all Payments (reference type `PaymentSetTransactionInterfaceIdAction`).
const INTERFACE_ID_OF_TRANSACTION: &str = "transactions.interfaceId";

fn interface_ids(payment: &Document) -> impl Iterator<Item = &str> {
    list(payment, &["transactions"]).iter().filter_map(|transaction| transaction["interfaceId"].as_str())
}

/// `setAnonymousId`: not of a customer's Payment.
fn set_anonymous_id(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if context.document.contains_key("customer") {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Payment is already associated with a customer.",
            context.place
        )));
    }
    set(context.document, &["anonymousId"], arguments.get("anonymousId").cloned());
    Ok(())
}

/// `setInterfaceId`: once.
fn set_interface_id(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let given = must_get(arguments, &["interfaceId"])?.clone();
    if set_once(context, &["interfaceId"], &given)? {
        context.emit("PaymentInterfaceIdSet", fields([("interfaceId", Some(given))]))?;
    }
    Ok(())
}

/// `setMethodInfoInterface`: once.
fn set_method_info_interface(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let given = must_get(arguments, &["interface"])?.clone();
    if set_once(context, &["paymentMethodInfo", "paymentInterface"], &given)? {
        context.emit("PaymentMethodInfoInterfaceSet", fields([("interface", Some(given))]))?;
    }
    Ok(())
}

/// `addInterfaceInteraction`: custom fields as an element of a list that only grows.
fn add_interface_interaction(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let interaction = custom_fields(
        arguments.clone(),
        "payment-interface-interaction",
        &Location::Text(context.place),
        context.rules,
    )?;
    context.emit("PaymentInteractionAdded", fields([("interaction", Some(interaction.clone()))]))?;
    match context.document.entry("interfaceInteractions").or_insert_with(|| json!([])) {
        Value::Array(interactions) => interactions.push(interaction),
        _ => return Err(ApiError::bug("interfaceInteractions that are no list")),
    }
    Ok(())
}

/// Sets a write-once value. Returns true if it was absent; the same value again changes nothing.
fn set_once(context: &mut ActionContext<'_, '_>, path: &[&str], given: &Value) -> ApiResult<bool> {
    match get(context.document, path) {
        None => {
            set(context.document, path, Some(given.clone()));
            Ok(true)
        }
        Some(current) if current == given => Ok(false),
        Some(_) => Err(ApiError::invalid_operation(format!(
            "{}: {} is '{}' and cannot be changed once it is set.",
            context.place,
            path.join("."),
            must_text(context.document, path)?
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;

    fn payment(more: Value) -> Document {
        let mut payment = object(json!({
            "id": "p", "version": 1, "amountPlanned": {"currencyCode": "EUR", "centAmount": 1000},
            "paymentMethodInfo": {}, "paymentStatus": {}, "transactions": [], "interfaceInteractions": [],
        }));
        payment.extend(object(more));
        payment
    }

    fn shop() -> TestShop {
        TestShop::new().with_document(
            "type",
            json!({
                "id": "t", "key": "call", "resourceTypeIds": ["payment-interface-interaction"],
                "fieldDefinitions": [{"name": "note", "required": true, "type": {"name": "String"}}],
            }),
        )
    }

    #[test]
    fn the_interface_id_is_set_once() {
        let set = |id: &str| json!([{"action": "setInterfaceId", "interfaceId": id}]);
        let (payment, messages) = shop().update("payment", &payment(json!({})), set("psp-1")).unwrap();
        assert_eq!(payment["interfaceId"], "psp-1");
        assert_eq!(messages, [("PaymentInterfaceIdSet".to_owned(), json!({"interfaceId": "psp-1"}))]);
        assert_eq!(shop().update("payment", &payment, set("psp-1")).unwrap(), (payment.clone(), vec![]));
        let error = shop().update("payment", &payment, set("psp-2")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
    }

    #[test]
    fn the_interface_of_the_method_is_set_once() {
        let set = |name: &str| json!([{"action": "setMethodInfoInterface", "interface": name}]);
        let (payment, messages) = shop().update("payment", &payment(json!({})), set("PSP")).unwrap();
        assert_eq!(payment["paymentMethodInfo"], json!({"paymentInterface": "PSP"}));
        assert_eq!(messages, [("PaymentMethodInfoInterfaceSet".to_owned(), json!({"interface": "PSP"}))]);
        assert!(shop().update("payment", &payment, set("Other")).is_err());
    }

    #[test]
    fn a_payment_is_of_a_customer_or_of_an_anonymous_session() {
        let customer = json!({"typeId": "customer", "id": "maria"});
        let set = json!([{"action": "setAnonymousId", "anonymousId": "visitor"}]);
        let of_maria = payment(json!({"customer": customer}));
        assert_eq!(
            shop().update("payment", &of_maria, set.clone()).unwrap_err().code(),
            Code::InvalidOperation
        );

        let (anonymous, messages) = shop().update("payment", &payment(json!({})), set).unwrap();
        assert_eq!((&anonymous["anonymousId"], messages), (&json!("visitor"), vec![]));
        let (nobodys, _) =
            shop().update("payment", &anonymous, json!([{"action": "setAnonymousId"}])).unwrap();
        assert!(!nobodys.contains_key("anonymousId"));

        shop().rules(|rules| {
            let mut both = payment(json!({"customer": customer, "anonymousId": "visitor"}));
            assert!(Payment.settle(None, &mut both, rules, &mut Effects::default()).is_err());
            Payment.settle(Some(&anonymous), &mut both, rules, &mut Effects::default()).unwrap();
            assert!(both.contains_key("customer") && !both.contains_key("anonymousId"));
        });
    }

    #[test]
    fn interactions_are_custom_fields_and_emit_messages() {
        let add = |fields: Value| json!([{"action": "addInterfaceInteraction", "type": {"key": "call"}, "fields": fields}]);
        let (payment, messages) =
            shop().update("payment", &payment(json!({})), add(json!({"note": "a"}))).unwrap();
        let interaction = json!({"type": {"typeId": "type", "id": "t"}, "fields": {"note": "a"}});
        assert_eq!(payment["interfaceInteractions"], json!([interaction]));
        assert_eq!(messages, [("PaymentInteractionAdded".to_owned(), json!({"interaction": interaction}))]);
        assert!(shop().update("payment", &payment, add(json!({}))).is_err(), "a required field is missing");
    }

    #[test]
    fn the_interface_id_of_a_transaction_is_unique_among_all() {
        let transaction = |id: &str| json!({"type": "Charge", "amount": {"currencyCode": "EUR", "centAmount": 1}, "interfaceId": id});
        let draft = |ids: [&str; 2]| {
            json!({
                "amountPlanned": {"currencyCode": "EUR", "centAmount": 2},
                "transactions": [transaction(ids[0]), transaction(ids[1])],
            })
        };
        let payment = shop().create("payment", draft(["a", "b"])).unwrap();
        assert_eq!(
            Payment.unique_keys(&payment),
            [
                UniqueKey::new("transactions.interfaceId", "a"),
                UniqueKey::new("transactions.interfaceId", "b")
            ]
        );
        let error = shop().create("payment", draft(["a", "a"])).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
    }
}
