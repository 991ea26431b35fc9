//! Actions that add Payments to an Order and remove them.
//!
//! Source: reference types `OrderAddPaymentAction`, `OrderRemovePaymentAction`, `OrderPaymentRemovedMessage`.

use crate::payment_holders::admit_free;
use kontor_engine::document::{fields, list, must_get, set};
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

const INFO: &str = "paymentInfo";

/// `addPayment`: adding an existing Payment changes nothing; a Payment of another Order or of an active Cart is
/// refused.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let payment = must_get(arguments, &["payment"])?;
    let mut payments = list(context.document, &[INFO, "payments"]).to_vec();
    if payments.contains(payment) {
        return Ok(());
    }
    admit_free(context, payment)?;
    payments.push(payment.clone());
    set(context.document, &[INFO, "payments"], Some(Value::Array(payments)));
    context.emit("OrderPaymentAdded", fields([("paymentRef", Some(payment.clone()))]))
}

/// `removePayment`: removing the last Payment removes `paymentInfo`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let payment = arguments.get("payment").cloned();
    let before = list(context.document, &[INFO, "payments"]);
    let left: Vec<Value> = before.iter().filter(|other| Some(*other) != payment.as_ref()).cloned().collect();
    if left.len() == before.len() {
        return Ok(());
    }
    let is_last = left.is_empty();
    set(context.document, &[INFO], (!is_last).then(|| json!({"payments": left})));
    context.emit(
        "OrderPaymentRemoved",
        fields([("paymentRef", payment), ("removedPaymentInfo", Some(json!(is_last)))]),
    )
}
