//! The definition of a discount: its value, its target, and its stacking mode.
//!
//! Source: reference types `CartDiscountValue…`, `CartDiscountTarget` and its kinds, `PatternComponent`,
//! `StackingMode`.

use crate::cent_amount::CentAmount;
use crate::money::Money;
use crate::reduction::Permyriad;

/// A Cart Discount or a Direct Discount whose conditions the Cart fulfils.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discount {
    /// The effect of the discount.
    pub effect: DiscountEffect,
    /// Whether later discounts still apply.
    pub stacking_mode: StackingMode,
    /// Its Discount Group, by any number: of those with the same number the one applies that takes most, where the first
    /// of them stands.
    pub group: Option<usize>,
}

/// The effect of a discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscountEffect {
    /// Takes something off.
    Reduce {
        /// How much.
        value: DiscountValue,
        /// The part of the Cart that is reduced.
        target: DiscountTarget,
    },
    /// Gives a Line Item (`giftLineItem`). The Cart holds it as one with
    /// [`ItemPrice::Gift`](crate::cart::ItemPrice::Gift) as soon as the outcome is known to be
    /// [`Applied`](super::DiscountOutcome::Applied).
    Give {
        /// The value of the gift, which counts where discounts of a group compete.
        worth: CentAmount,
    },
}

impl DiscountEffect {
    /// Whether it changes what Line Items cost that are there without it.
    pub(crate) fn is_on_line_items(&self) -> bool {
        let Self::Reduce { target, .. } = self else { return false };
        match target {
            DiscountTarget::LineItems(_) | DiscountTarget::MultiBuyLineItems(_) => true,
            DiscountTarget::Pattern(pattern) => {
                let components = pattern.trigger_pattern.iter().chain(&pattern.target_pattern);
                components.into_iter().any(|component| !component.line_items.is_empty())
            }
            DiscountTarget::CustomLineItems(_)
            | DiscountTarget::MultiBuyCustomLineItems(_)
            | DiscountTarget::Shipping
            | DiscountTarget::TotalPrice => false,
        }
    }
}

/// How much a discount takes, in the currency of the Cart. A discount without an amount in it does nothing: it is left
/// out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountValue {
    /// A share of each unit.
    Relative {
        /// The share.
        permyriad: Permyriad,
        /// Counts for patterns alone.
        mode: DiscountApplicationMode,
    },
    /// An amount.
    Absolute {
        /// Not below zero.
        amount: CentAmount,
        /// How it is shared out.
        mode: DiscountApplicationMode,
    },
    /// The part of the price above a fixed price.
    Fixed {
        /// The price, not below zero: of each unit, or of all units of an application of a pattern.
        price: Money,
        /// Counts for patterns alone.
        mode: DiscountApplicationMode,
    },
}

/// How a discount is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountApplicationMode {
    /// In proportion to the prices of the items.
    ProportionateDistribution,
    /// The same for each unit.
    EvenDistribution,
    /// Each unit for itself.
    IndividualApplication,
}

/// The part of the Cart that a discount reduces. Items are given by their index in the Cart, in ascending
/// order; items that allow no discounts may be included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscountTarget {
    /// The Line Items that its predicate matches.
    LineItems(Vec<usize>),
    /// The Custom Line Items that its predicate matches.
    CustomLineItems(Vec<usize>),
    /// Some units of the Line Items that its predicate matches.
    MultiBuyLineItems(MultiBuy),
    /// Some units of the Custom Line Items that its predicate matches.
    MultiBuyCustomLineItems(MultiBuy),
    /// Some units of Line Items and Custom Line Items, where others are there.
    Pattern(Pattern),
    /// The shipping price.
    Shipping,
    /// The total price of the Cart.
    TotalPrice,
}

/// Of so many units some are discounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiBuy {
    /// The items that the predicate matches.
    pub matches: Vec<usize>,
    /// How many units one application needs, at least 1.
    pub trigger_quantity: i64,
    /// How many of them it discounts.
    pub discounted_quantity: i64,
    /// How often it applies at most.
    pub max_occurrence: Option<i64>,
    /// Which units it discounts.
    pub selection_mode: SelectionMode,
}

/// Units that have to be there, and units that are discounted then. No unit counts twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Units that one application requires but does not reduce.
    pub trigger_pattern: Vec<PatternComponent>,
    /// Units that one application reduces.
    pub target_pattern: Vec<PatternComponent>,
    /// How often it applies at most.
    pub max_occurrence: Option<i64>,
    /// Which units it discounts.
    pub selection_mode: SelectionMode,
}

/// Some units that a predicate matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternComponent {
    /// The Line Items that the predicate matches (`CountOnLineItemUnits`).
    pub line_items: Vec<usize>,
    /// The Custom Line Items that the predicate matches (`CountOnCustomLineItemUnits`).
    pub custom_line_items: Vec<usize>,
    /// How many there must be.
    pub min_count: i64,
    /// How many take part at most; all without.
    pub max_count: Option<i64>,
    /// How many are set aside first, in a target.
    pub exclude_count: i64,
}

/// Which units a discount prefers. Where they cost the same, the first ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionMode {
    /// The units with the lowest price.
    Cheapest,
    /// The units with the highest price.
    MostExpensive,
}

/// Whether discounts after this one still apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackingMode {
    /// The next one.
    Stacking,
    /// None, where it applies.
    StopAfterThisDiscount,
}
