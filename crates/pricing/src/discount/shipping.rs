//! Discounts on shipping prices.
//!
//! Source: reference type `CartDiscountShippingCostTarget`. Recorded: a relative discount reduces each
//! shipping entry, and a free entry lists the discount with 0.

use super::definition::DiscountValue;
use super::take::relative_reduction;
use crate::cent_amount::CentAmount;
use kontor_enums::RoundingMode;
use kontor_errors::ApiResult;

/// A shipping entry with its price and discounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiscountedShipping {
    /// Before discounts.
    pub(crate) price: CentAmount,
    /// After them.
    pub(crate) charged: CentAmount,
    /// The index of each discount, and its reduction.
    pub(crate) included: Vec<(usize, CentAmount)>,
}

impl DiscountedShipping {
    /// Creates an entry with this price before discounts.
    pub(crate) fn new(price: CentAmount) -> Self {
        Self { price, charged: price, included: Vec::new() }
    }
}

/// Returns the reduction of each shipping entry; an absolute amount is split in proportion to their prices.
pub(super) fn takes_of_shipping(
    shipping: &[DiscountedShipping],
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<Vec<CentAmount>> {
    let charged = shipping.iter().map(|shipping| shipping.charged.max(CentAmount::ZERO));
    match value {
        DiscountValue::Relative { permyriad, .. } => charged
            .map(|charged| relative_reduction(charged.0, *permyriad, rounding).map(CentAmount))
            .collect(),
        DiscountValue::Absolute { amount, .. } => amount.taken_off_each(&charged.collect::<Vec<_>>()),
        DiscountValue::Fixed { price, .. } => {
            charged.map(|charged| charged.minus(price.cents().min(charged))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discount::DiscountApplicationMode::IndividualApplication;
    use crate::{Currency, Money, Permyriad};

    fn takes(prices: &[i64], value: DiscountValue) -> Vec<i64> {
        let shipping: Vec<_> =
            prices.iter().map(|price| DiscountedShipping::new(CentAmount(*price))).collect();
        let takes = takes_of_shipping(&shipping, &value, RoundingMode::HalfEven).unwrap();
        takes.into_iter().map(|taken| taken.0).collect()
    }

    #[test]
    fn a_share_is_taken_off_each_way_of_shipping_and_an_amount_off_all_together() {
        let relative = |parts| DiscountValue::Relative {
            permyriad: Permyriad::new(parts).unwrap(),
            mode: IndividualApplication,
        };
        assert_eq!(takes(&[50_000, 0], relative(1000)), [5000, 0]);
        assert_eq!(takes(&[490], relative(10_000)), [490]);
        let absolute =
            |cents| DiscountValue::Absolute { amount: CentAmount(cents), mode: IndividualApplication };
        assert_eq!(takes(&[500, 300], absolute(700)), [438, 262]);
        assert_eq!(takes(&[500, 300], absolute(900)), [500, 300]);
        assert_eq!(takes(&[], absolute(900)), [0; 0]);
    }

    #[test]
    fn a_fixed_price_takes_what_exceeds_it() {
        let price = Money::Cent { currency: Currency::EUR, cents: CentAmount(200) };
        let fixed = DiscountValue::Fixed { price, mode: IndividualApplication };
        assert_eq!(takes(&[500, 200, 100, 0], fixed), [300, 0, 0, 0]);
    }
}
