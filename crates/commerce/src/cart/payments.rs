//! The Payments of a Cart. A Payment belongs to one Cart.
//!
//! Source: reference types `CartAddPaymentAction`, `CartRemovePaymentAction`, `PaymentInfo`.

use kontor_engine::document::{list, must_field, must_get, set, text};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Where they are, and their index.
const PAYMENTS: [&str; 2] = ["paymentInfo", "payments"];
const PAYMENT_ID: &str = "paymentInfo.payments.id";

/// `addPayment`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let payment = must_get(arguments, &["payment"])?.clone();
    let mut payments = list(acting.document, &PAYMENTS).to_vec();
    if payments.contains(&payment) {
        return Ok(());
    }
    let id = must_field(&payment, "id")?;
    if let Some(kind) = acting.rules.model.kind_by_type_id("cart") {
        let own = text(acting.document, &["id"]);
        let others = acting.rules.others_with(kind, PAYMENT_ID, id, own)?;
        if others.iter().any(|other| text(other, &["cartState"]) == Some("Active")) {
            return Err(ApiError::invalid_operation(format!(
                "{}.payment: the Payment '{id}' is assigned to another active Cart.",
                acting.place
            )));
        }
    }
    payments.push(payment);
    set(acting.document, &PAYMENTS, Some(Value::Array(payments)));
    Ok(())
}

/// `removePayment`: without Payments there is no `paymentInfo`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut payments = list(acting.document, &PAYMENTS).to_vec();
    payments.retain(|payment| Some(payment) != arguments.get("payment"));
    let info = (!payments.is_empty()).then(|| json!({"payments": payments}));
    set(acting.document, &PAYMENTS[..1], info);
    Ok(())
}
