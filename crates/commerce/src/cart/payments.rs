//! The Payments of a Cart. A Payment belongs to one Cart or Order.
//!
//! Source: reference types `CartAddPaymentAction`, `CartRemovePaymentAction`, `PaymentInfo`.

use crate::payment_holders::admit_free;
use kontor_engine::document::{list, must_get, set};
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// The path of the Payments.
const PAYMENTS: [&str; 2] = ["paymentInfo", "payments"];

/// `addPayment`.
pub(super) fn add(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let payment = must_get(arguments, &["payment"])?.clone();
    let mut payments = list(acting.document, &PAYMENTS).to_vec();
    if payments.contains(&payment) {
        return Ok(());
    }
    admit_free(acting, &payment)?;
    payments.push(payment);
    set(acting.document, &PAYMENTS, Some(Value::Array(payments)));
    Ok(())
}

/// `removePayment`: removing the last Payment removes `paymentInfo`.
pub(super) fn remove(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut payments = list(acting.document, &PAYMENTS).to_vec();
    payments.retain(|payment| Some(payment) != arguments.get("payment"));
    let info = (!payments.is_empty()).then(|| json!({"payments": payments}));
    set(acting.document, &PAYMENTS[..1], info);
    Ok(())
}
