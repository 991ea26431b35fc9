//! The outcome of a discount, and the resulting state of its Discount Code.
//!
//! Source: reference type `DiscountCodeState`.

/// The outcome of a discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountOutcome {
    /// It applies, and is shown even if its reduction is 0.
    Applied,
    /// Nothing in the Cart matches its target.
    WithoutEffect,
    /// A discount before it stops those after it.
    StoppedByPreviousDiscount,
    /// Another discount of its group has a greater reduction.
    StoppedByGroupBestDeal,
    /// It is on Line Items, and Product Discounts are the better deal for them.
    StoppedByProductDiscounts,
}

/// The state of a Discount Code that is active and valid and matches the Cart, and that has at least one Cart
/// Discount of which the same is true. The other states are determined before the calculation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountCodeState {
    /// Its discounts apply.
    MatchesCart,
    /// All its discounts come after a discount that stops others.
    ApplicationStoppedByPreviousDiscount,
    /// All its discounts are in groups where another discount has a greater reduction.
    ApplicationStoppedByGroupBestDeal,
}

impl DiscountCodeState {
    /// Returns the state of a Discount Code from the outcomes of its discounts.
    pub fn from_outcomes(outcomes: impl IntoIterator<Item = DiscountOutcome>) -> Self {
        let mut state = None;
        for outcome in outcomes {
            match outcome {
                DiscountOutcome::StoppedByPreviousDiscount => {
                    state = Some(Self::ApplicationStoppedByPreviousDiscount);
                }
                DiscountOutcome::StoppedByGroupBestDeal => {
                    state = state.or(Some(Self::ApplicationStoppedByGroupBestDeal));
                }
                DiscountOutcome::Applied
                | DiscountOutcome::WithoutEffect
                | DiscountOutcome::StoppedByProductDiscounts => return Self::MatchesCart,
            }
        }
        state.unwrap_or(Self::MatchesCart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_discount_that_counts_is_enough_for_a_code() {
        use DiscountOutcome::{
            Applied, StoppedByGroupBestDeal, StoppedByPreviousDiscount, StoppedByProductDiscounts,
            WithoutEffect,
        };
        for (outcomes, state) in [
            (&[Applied, StoppedByPreviousDiscount][..], DiscountCodeState::MatchesCart),
            (&[StoppedByGroupBestDeal, WithoutEffect], DiscountCodeState::MatchesCart),
            (&[StoppedByProductDiscounts], DiscountCodeState::MatchesCart),
            (&[StoppedByGroupBestDeal], DiscountCodeState::ApplicationStoppedByGroupBestDeal),
            (
                &[StoppedByGroupBestDeal, StoppedByPreviousDiscount, StoppedByGroupBestDeal],
                DiscountCodeState::ApplicationStoppedByPreviousDiscount,
            ),
        ] {
            assert_eq!(DiscountCodeState::from_outcomes(outcomes.iter().copied()), state, "{outcomes:?}");
        }
    }
}
