//! The holder of a Payment: one Order, or one active Cart.
//!
//! Source: reference types `CartAddPaymentAction`, `OrderAddPaymentAction`.

use crate::kinds;
use kontor_engine::document::{has_enum, must_field, text};
use kontor_engine::{ActionContext, Document};
use kontor_enums::CartState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Refuses a Payment that another Cart or Order has.
///
/// 400 `InvalidOperation`.
pub(crate) fn admit_free(context: &ActionContext<'_, '_>, payment: &Value) -> ApiResult<()> {
    let id = must_field(payment, "id")?;
    let own = text(context.document, &["id"]);
    for (kind, called) in [(kinds::ORDER, "another Order"), (kinds::CART, "another active Cart")] {
        let holders = context.rules.find_others(kind, "paymentInfo.payments.id", id, own)?;
        let holds =
            |holder: &Document| kind == kinds::ORDER || has_enum(holder, &["cartState"], CartState::Active);
        if holders.iter().any(|holder| holds(holder)) {
            return Err(ApiError::invalid_operation(format!(
                "{}.payment: the Payment '{id}' is assigned to {called}.",
                context.place
            )));
        }
    }
    Ok(())
}
