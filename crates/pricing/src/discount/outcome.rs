//! The outcome of a discount, and the resulting state of its Discount Code.
//!
//! Source: reference type `DiscountCodeState`.

use kontor_enums::DiscountCodeState;

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

/// Returns the state of a Discount Code from the outcomes of its discounts. The code is active and valid and matches the
/// Cart, and at least one of its Cart Discounts does so too; the other states are determined before the calculation.
pub fn code_state(outcomes: impl IntoIterator<Item = DiscountOutcome>) -> DiscountCodeState {
    let mut state = None;
    for outcome in outcomes {
        match outcome {
            DiscountOutcome::StoppedByPreviousDiscount => {
                state = Some(DiscountCodeState::ApplicationStoppedByPreviousDiscount);
            }
            DiscountOutcome::StoppedByGroupBestDeal => {
                state = state.or(Some(DiscountCodeState::ApplicationStoppedByGroupBestDeal));
            }
            DiscountOutcome::Applied
            | DiscountOutcome::WithoutEffect
            | DiscountOutcome::StoppedByProductDiscounts => return DiscountCodeState::MatchesCart,
        }
    }
    state.unwrap_or(DiscountCodeState::MatchesCart)
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
            assert_eq!(code_state(outcomes.iter().copied()), state, "{outcomes:?}");
        }
    }
}
