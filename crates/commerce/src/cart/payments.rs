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
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let payment = must_get(arguments, &["payment"])?.clone();
    let mut payments = list(context.document, &PAYMENTS).to_vec();
    if payments.contains(&payment) {
        return Ok(());
    }
    admit_free(context, &payment)?;
    payments.push(payment);
    set(context.document, &PAYMENTS, Some(Value::Array(payments)));
    Ok(())
}

/// `removePayment`: removing the last Payment removes `paymentInfo`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut payments = list(context.document, &PAYMENTS).to_vec();
    payments.retain(|payment| Some(payment) != arguments.get("payment"));
    let info = (!payments.is_empty()).then(|| json!({"payments": payments}));
    set(context.document, &PAYMENTS[..1], info);
    Ok(())
}
