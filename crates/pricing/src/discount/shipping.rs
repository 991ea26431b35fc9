//! Discounts on what shipping costs.
//!
//! Source: reference type `CartDiscountShippingCostTarget`. Recorded: a share is taken off each way of shipping, and one
//! that is free lists the discount with nothing.

use super::definition::DiscountValue;
use super::take::relative;
use crate::cent_amount::{CentAmount, Rounding};
use kontor_errors::ApiResult;

/// A way of shipping with what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiscountedShipping {
    /// Before discounts.
    pub(crate) price: CentAmount,
    /// After them.
    pub(crate) charged: CentAmount,
    /// The index of each discount, and what it took.
    pub(crate) included: Vec<(usize, CentAmount)>,
}

impl DiscountedShipping {
    /// What costs so much, before discounts.
    pub(crate) fn new(price: CentAmount) -> Self {
        Self { price, charged: price, included: Vec::new() }
    }
}

/// What a discount takes off each way of shipping; an amount is shared in proportion to what they cost.
pub(super) fn takes_of_shipping(
    shipping: &[DiscountedShipping],
    value: &DiscountValue,
    rounding: Rounding,
) -> ApiResult<Vec<CentAmount>> {
    let charged = shipping.iter().map(|shipping| shipping.charged.max(CentAmount::ZERO));
    match value {
        DiscountValue::Relative { permyriad, .. } => {
            charged.map(|charged| relative(charged.0, *permyriad, rounding).map(CentAmount)).collect()
        }
        DiscountValue::Absolute { amount, .. } => amount.taken_off_each(&charged.collect::<Vec<_>>()),
        DiscountValue::Fixed { price, .. } => {
            charged.map(|charged| charged.minus(price.cents().min(charged))).collect()
        }
    }
}
