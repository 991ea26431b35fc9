//! Payments below `/me`: drafts with at most one Transaction, which only authorizes or charges.
//!
//! Source: reference types `MyPaymentDraft`, `MyTransactionDraft`, `MyPayment…Action`. The payment service
//! decides the state of a Transaction, so customers cannot set it.

use kontor_engine::conversion;
use kontor_engine::document::{fields, list, must_text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::{TransactionState, TransactionType};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The types of Transactions that customers may create.
const ALLOWED: [&str; 2] = [TransactionType::Authorization.as_str(), TransactionType::Charge.as_str()];
/// Fields that customers' actions change, apart from Transactions.
const OF_CUSTOMERS: [&str; 3] = ["amountPlanned", "paymentMethodInfo", "custom"];
/// The initial state of every Transaction.
const INITIAL: &str = TransactionState::Initial.as_str();

/// Sets the status of a new Payment, and adds the Transaction of the draft.
pub(super) fn complete(payment: &mut Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    payment.entry("paymentStatus").or_insert_with(|| json!({}));
    if let Some(Value::Object(sent)) = draft.get("transaction") {
        let transaction = transaction(sent, "MyTransactionDraft", "transaction", rules)?;
        payment.insert("transactions", json!([transaction]));
    }
    Ok(())
}

/// Once a Payment has a Transaction, its customer can change only custom fields of the Transaction.
///
/// 400 `InvalidOperation`. Reference: "Update MyPayment", type `MyPaymentAddTransactionAction`.
pub(super) fn admit_change(before: &Document, after: &Document) -> ApiResult<()> {
    let begun = list(before, &["transactions"]).len();
    let is_as_before = || {
        list(after, &["transactions"]).len() == begun
            && OF_CUSTOMERS.iter().all(|field| before.get(*field) == after.get(*field))
    };
    if begun == 0 || is_as_before() { Ok(()) } else { Err(has_transactions("changed")) }
}

/// Checks that a Payment without Transactions is deleted; its customer may not delete others.
///
/// 400 `InvalidOperation`. Reference: "Delete MyPayment".
pub(super) fn admit_end(payment: &Document) -> ApiResult<()> {
    if list(payment, &["transactions"]).is_empty() { Ok(()) } else { Err(has_transactions("deleted")) }
}

fn has_transactions(what: &str) -> ApiError {
    ApiError::invalid_operation(format!("The Payment has Transactions: it cannot be {what} by its customer."))
}

/// `addTransaction`.
pub(super) fn add_transaction(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let Some(Value::Object(sent)) = arguments.get("transaction") else {
        return Err(ApiError::bug("an action without its transaction"));
    };
    let place = format!("{}.transaction", context.place);
    let transaction = transaction(sent, "TransactionDraft", &place, context.rules)?;
    context.emit("PaymentTransactionAdded", fields([("transaction", Some(transaction.clone()))]))?;
    match context.document.entry("transactions").or_insert_with(|| json!([])) {
        Value::Array(transactions) => transactions.push(transaction),
        _ => return Err(ApiError::bug("transactions that are no list")),
    }
    Ok(())
}

/// `setTransactionCustomField`: the action names no Transaction, so the latest one is meant.
pub(super) fn set_transaction_custom_field(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let name = must_text(arguments, &["name"])?;
    let missing = || {
        ApiError::invalid_operation(format!(
            "{}: the Payment has no Transaction with a custom type, so it has no custom fields to set.",
            context.place
        ))
    };
    let custom = match context.document.get_mut("transactions") {
        Some(Value::Array(transactions)) => transactions.last_mut(),
        _ => None,
    };
    let custom = custom.and_then(|latest| latest.get_mut("custom")).and_then(Value::as_object_mut);
    let custom = custom.ok_or_else(missing)?;
    let value = arguments.get("value").filter(|value| !value.is_null()).cloned();
    conversion::set_custom_field(custom, name, value, context.rules)?;
    Ok(())
}

fn transaction(sent: &Document, shape: &str, place: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let model = rules.model;
    let shapes = model.object_by_name(shape).zip(model.object_by_name("Transaction"));
    let (input, output) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    for (field, allowed) in [("type", &ALLOWED[..]), ("state", &[INITIAL][..])] {
        let Some(value) = sent.get(field) else { continue };
        if value.as_str().is_none_or(|value| !allowed.contains(&value)) {
            return Err(ApiError::invalid_field(
                &format!("{place}.{field}"),
                value,
                "Customers cannot choose it.",
                Some(json!(allowed)),
            ));
        }
    }
    let mut stored = conversion::convert_object(input, output, sent.clone(), place, rules)?;
    stored.entry("state").or_insert_with(|| json!(INITIAL));
    Ok(Value::Object(stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;

    #[test]
    fn a_transaction_of_a_customer_begins_and_only_begins() {
        let amount = json!({"currencyCode": "EUR", "centAmount": 100});
        TestShop::new().rules(|rules| {
            let sent = object(json!({"type": "Charge", "amount": amount}));
            let begun = transaction(&sent, "MyTransactionDraft", "transaction", rules).unwrap();
            assert_eq!(begun["state"], "Initial");
            for wrong in [
                json!({"type": "Refund", "amount": amount}),
                json!({"type": "Charge", "state": "Success", "amount": amount}),
            ] {
                let error =
                    transaction(&object(wrong), "TransactionDraft", "transaction", rules).unwrap_err();
                assert_eq!(error.code(), Code::InvalidField);
            }
        });
    }
}
