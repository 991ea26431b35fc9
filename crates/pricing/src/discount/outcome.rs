//! What became of a discount, and what that means for the Discount Code that brought it.
//!
//! Source: reference type `DiscountCodeState`.

/// What became of a discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountOutcome {
    /// It applies: it is shown where it took something, or found nothing to take.
    Applied,
    /// There is nothing that it could apply to.
    WithoutEffect,
    /// One before it stops.
    StoppedByPreviousDiscount,
    /// Another one of its group takes more.
    StoppedByGroupBestDeal,
    /// It is on Line Items, and Product Discounts are the better deal for them.
    StoppedByProductDiscounts,
}

/// What a Discount Code shows that is active and valid, and that the Cart matches, with at least one discount of which
/// the same is true. The other states are known before anything is calculated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountCodeState {
    /// Its discounts count.
    MatchesCart,
    /// All that it brings comes after a discount that stops.
    ApplicationStoppedByPreviousDiscount,
    /// All that it brings is in groups where another discount takes more.
    ApplicationStoppedByGroupBestDeal,
}

impl DiscountCodeState {
    /// The state of a Discount Code by what became of the discounts that it brought.
    pub fn of(outcomes: impl IntoIterator<Item = DiscountOutcome>) -> Self {
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
            assert_eq!(DiscountCodeState::of(outcomes.iter().copied()), state, "{outcomes:?}");
        }
    }
}
