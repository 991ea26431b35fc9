//! The Payments of an Order.
//!
//! Source: reference types `OrderAddPaymentAction`, `OrderRemovePaymentAction`, `OrderPaymentRemovedMessage`.

use kontor_engine::document::{fields, list, must_field, must_get, set, text};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const INFO: &str = "paymentInfo";

/// `addPayment`; one that is there already stays, and one of another Order or of an active Cart is refused.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let payment = must_get(arguments, &["payment"])?;
    let mut payments = list(acting.document, &[INFO, "payments"]).to_vec();
    if payments.contains(payment) {
        return Ok(());
    }
    admit(acting, payment)?;
    payments.push(payment.clone());
    set(acting.document, &[INFO, "payments"], Some(Value::Array(payments)));
    acting.emit("OrderPaymentAdded", fields([("paymentRef", Some(payment.clone()))]))
}

/// A Payment belongs to one Order, or to one active Cart.
fn admit(acting: &Acting<'_, '_>, payment: &Value) -> ApiResult<()> {
    let id = must_field(payment, "id")?;
    for (type_id, called) in [("order", "another Order"), ("cart", "an active Cart")] {
        let Some(kind) = acting.rules.model.kind_by_type_id(type_id) else { continue };
        let own = text(acting.document, &["id"]);
        let holders = acting.rules.others_with(kind, "paymentInfo.payments.id", id, own)?;
        let holds = |holder: &Document| type_id == "order" || text(holder, &["cartState"]) == Some("Active");
        if holders.iter().any(|holder| holds(holder)) {
            return Err(ApiError::invalid_operation(format!(
                "{}.payment: the Payment '{id}' is assigned to {called}.",
                acting.place
            )));
        }
    }
    Ok(())
}

/// `removePayment`: without Payments there is no `paymentInfo`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let payment = arguments.get("payment").cloned();
    let before = list(acting.document, &[INFO, "payments"]);
    let left: Vec<Value> = before.iter().filter(|other| Some(*other) != payment.as_ref()).cloned().collect();
    if left.len() == before.len() {
        return Ok(());
    }
    let is_last = left.is_empty();
    set(acting.document, &[INFO], (!is_last).then(|| json!({"payments": left})));
    acting.emit(
        "OrderPaymentRemoved",
        fields([("paymentRef", payment), ("removedPaymentInfo", Some(json!(is_last)))]),
    )
}
