//! Discounts on the total price.
//!
//! Source: reference type `CartDiscountTotalPriceTarget`. Recorded: a relative discount is a share of the
//! remaining total, and is itself rounded; an absolute amount is at most the total.

use super::definition::DiscountValue;
use crate::cent_amount::CentAmount;
use crate::reduction::Permyriad;
use kontor_enums::RoundingMode;
use kontor_errors::ApiResult;

/// Returns the reduction of a total price; 0 if the total is not above zero.
pub(super) fn taken_off_total(
    total: CentAmount,
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<CentAmount> {
    let total = total.max(CentAmount::ZERO);
    match value {
        DiscountValue::Relative { permyriad, .. } => {
            total.fraction(permyriad.parts().into(), Permyriad::WHOLE.into(), rounding)
        }
        DiscountValue::Absolute { amount, .. } => Ok(total.min(*amount)),
        DiscountValue::Fixed { price, .. } => total.minus(total.min(price.cents())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discount::DiscountApplicationMode::ProportionateDistribution;
    use crate::{Currency, Money, Permyriad};

    #[test]
    fn a_reduction_is_rounded_and_at_most_the_total() {
        let mode = ProportionateDistribution;
        let relative = |parts| DiscountValue::Relative { permyriad: Permyriad::new(parts).unwrap(), mode };
        let absolute = |cents| DiscountValue::Absolute { amount: CentAmount(cents), mode };
        let price = Money::Cent { currency: Currency::EUR, cents: CentAmount(300) };
        for (total, value, taken) in [
            (171_000, relative(2000), 34_200),
            (136_800, relative(500), 6840),
            // 2.5 and 3.5 cents: the share itself goes to the even cent.
            (25, relative(1000), 2),
            (35, relative(1000), 4),
            (1000, absolute(1500), 1000),
            (1000, absolute(15), 15),
            (-5, absolute(15), 0),
            (-5, relative(10_000), 0),
            (1000, DiscountValue::Fixed { price, mode }, 700),
            (200, DiscountValue::Fixed { price, mode }, 0),
        ] {
            let found = taken_off_total(CentAmount(total), &value, RoundingMode::HalfEven).unwrap();
            assert_eq!(found, CentAmount(taken), "{value:?} off {total}");
        }
    }
}
