//! `transitionState`: the workflow of a Payment, at `paymentStatus.state`.
//!
//! Source: reference types `PaymentTransitionStateAction`, `PaymentStatusStateTransitionMessage`.

use crate::transition::{first_state, next_state};
use kontor_engine::document::{get, must_get, set};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::StateTypeEnum;
use kontor_errors::ApiResult;
use kontor_json::json;

/// The type of State that Payments have.
const STATE_TYPE: StateTypeEnum = StateTypeEnum::PaymentState;
const STATE: [&str; 2] = ["paymentStatus", "state"];

/// Checks the State of a new Payment.
pub(super) fn admit_first(payment: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(state) = get(payment, &STATE) else { return Ok(()) };
    first_state(state, STATE_TYPE, rules).map(|_| ())
}

pub(super) fn transition_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = must_get(arguments, &["state"])?.clone();
    let force = arguments.get("force").cloned().unwrap_or(json!(false));
    let old = get(context.document, &STATE).cloned();
    next_state(old.as_ref(), &new, STATE_TYPE, force == json!(true), context.rules)?;
    if old.as_ref() == Some(&new) {
        return Ok(());
    }
    let mut fields = Document::new();
    fields.insert("state", new.clone());
    fields.insert("force", force);
    context.emit("PaymentStatusStateTransition", fields)?;
    set(context.document, &STATE, Some(new));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_errors::Code;
    use kontor_json::Value;

    fn shop() -> TestShop {
        TestShop::new()
            .with_document(
                "state",
                json!({"id": "paid", "key": "paid", "type": STATE_TYPE, "initial": false}),
            )
            .with_document(
                "state",
                json!({"id": "open", "key": "open", "type": STATE_TYPE, "initial": true,
                       "transitions": [{"typeId": "state", "id": "paid"}]}),
            )
            .with_document(
                "state",
                json!({"id": "new", "key": "new", "type": "ReviewState", "initial": true}),
            )
    }

    fn draft(state: &str) -> Value {
        json!({
            "amountPlanned": {"currencyCode": "EUR", "centAmount": 1000},
            "paymentStatus": {"state": {"key": state}},
        })
    }

    fn step(state: &str, force: bool) -> Value {
        json!([{"action": "transitionState", "state": {"key": state}, "force": force}])
    }

    #[test]
    fn a_payment_transition_emits_a_message() {
        let payment = shop().create("payment", draft("open")).unwrap();
        let (payment, messages) = shop().update("payment", &payment, step("paid", false)).unwrap();
        assert_eq!(payment["paymentStatus"]["state"], json!({"typeId": "state", "id": "paid"}));
        let expected = json!({"state": {"typeId": "state", "id": "paid"}, "force": false});
        assert_eq!(messages, [("PaymentStatusStateTransition".to_owned(), expected)]);
    }

    #[test]
    fn without_a_state_the_first_is_an_initial_one_unless_forced() {
        let payment = shop()
            .create("payment", json!({"amountPlanned": {"currencyCode": "EUR", "centAmount": 1}}))
            .unwrap();
        assert!(shop().update("payment", &payment, step("open", false)).is_ok());
        let error = shop().update("payment", &payment, step("paid", false)).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
        assert!(shop().update("payment", &payment, step("paid", true)).is_ok());
    }

    #[test]
    fn the_state_is_one_for_payments() {
        assert_eq!(shop().create("payment", draft("new")).unwrap_err().code(), Code::InvalidOperation);
        let payment = shop().create("payment", draft("open")).unwrap();
        assert!(shop().update("payment", &payment, step("new", true)).is_err());
    }
}
