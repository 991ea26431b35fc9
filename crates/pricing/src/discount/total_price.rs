//! Discounts on the total price.
//!
//! Source: reference type `CartDiscountTotalPriceTarget`. Recorded: a share is one of what is left of everything that is
//! charged, rounded itself; an amount is at most all of it.

use super::definition::DiscountValue;
use crate::cent_amount::{CentAmount, Rounding};
use crate::reduction::Permyriad;
use kontor_errors::ApiResult;

/// What a discount takes off a total price: nothing off one that is not above zero.
pub(super) fn taken_off_total(
    total: CentAmount,
    value: &DiscountValue,
    rounding: Rounding,
) -> ApiResult<CentAmount> {
    let total = total.max(CentAmount::ZERO);
    match value {
        DiscountValue::Relative { permyriad, .. } => {
            total.share(permyriad.parts().into(), Permyriad::WHOLE.into(), rounding)
        }
        DiscountValue::Absolute { amount, .. } => Ok(total.min(*amount)),
        DiscountValue::Fixed { price, .. } => total.minus(total.min(price.cents())),
    }
}
