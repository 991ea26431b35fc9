//! The definition of a discount: its value, its target, and its stacking mode.
//!
//! Source: reference types `CartDiscountValue…`, `CartDiscountTarget` and its kinds, `PatternComponent`,
//! `StackingMode`.

use crate::cent_amount::CentAmount;
use crate::money::Money;
use crate::reduction::Permyriad;
use kontor_enums::{DiscountApplicationMode, SelectionMode, StackingMode};

/// A Cart Discount or a Direct Discount whose conditions the Cart fulfils.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discount {
    /// The effect of the discount.
    pub effect: DiscountEffect,
    /// Whether later discounts still apply.
    pub stacking_mode: StackingMode,
    /// Its Discount Group, as any number. Of the discounts with the same number, the one with the greatest reduction
    /// applies, at the position of the first of them.
    pub group: Option<usize>,
    /// The kind of discount.
    pub origin: DiscountOrigin,
}

impl Discount {
    /// Whether the comparison with Product Discounts includes it, where only the better kind applies.
    pub(crate) fn is_compared(&self) -> bool {
        match self.origin {
            DiscountOrigin::CartDiscount => true,
            DiscountOrigin::DirectDiscount { is_compared } => is_compared,
        }
    }
}

/// The kind of resource that defines a discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountOrigin {
    /// A Cart Discount, with a Discount Code or without.
    CartDiscount,
    /// A Direct Discount of the Cart. No Cart Discount stops it.
    DirectDiscount {
        /// Whether it is compared with Product Discounts, together with the Cart Discounts; otherwise it reduces the
        /// prices that the better kind of discounts leaves (`participateInBestDealSelection`).
        is_compared: bool,
    },
}

/// The effect of a discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscountEffect {
    /// Reduces prices.
    Reduce {
        /// The amount of the reduction.
        value: DiscountValue,
        /// The part of the Cart that is reduced.
        target: DiscountTarget,
    },
    /// Adds a gift line item (`giftLineItem`). The caller adds it to the Cart as
    /// [`ItemPrice::Gift`](crate::cart::ItemPrice::Gift) when the outcome is
    /// [`Applied`](super::DiscountOutcome::Applied).
    Gift {
        /// The value of the gift, for comparisons with other discounts of its group.
        value: CentAmount,
    },
}

impl DiscountEffect {
    /// Whether it changes the prices of line items that exist without it.
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

/// The value of a discount, in the currency of the Cart. The caller leaves out a discount without an amount in this
/// currency, as it has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountValue {
    /// A share of each unit.
    Relative {
        /// The share.
        permyriad: Permyriad,
        /// Used for patterns only.
        mode: DiscountApplicationMode,
    },
    /// An amount.
    Absolute {
        /// Not below zero.
        amount: CentAmount,
        /// How it is distributed over the units.
        mode: DiscountApplicationMode,
    },
    /// The part of the price above a fixed price.
    Fixed {
        /// The price, not below zero: of each unit, or of all units of an application of a pattern.
        price: Money,
        /// Used for patterns only.
        mode: DiscountApplicationMode,
    },
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

/// Discounts some of a number of units, e.g. one of three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiBuy {
    /// The items that the predicate matches.
    pub matches: Vec<usize>,
    /// The number of units for one application, at least 1.
    pub trigger_quantity: i64,
    /// The number of discounted units among them.
    pub discounted_quantity: i64,
    /// The maximum number of applications.
    pub max_occurrence: Option<i64>,
    /// Which units it discounts.
    pub selection_mode: SelectionMode,
}

/// Required units (triggers), and the units that are discounted if those exist (targets). No unit counts twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Units that one application requires but does not reduce.
    pub trigger_pattern: Vec<PatternComponent>,
    /// Units that one application reduces.
    pub target_pattern: Vec<PatternComponent>,
    /// The maximum number of applications.
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
    /// The minimum number of units.
    pub min_count: i64,
    /// The maximum number of units; `None`: all.
    pub max_count: Option<i64>,
    /// The number of units that a target reserves first, which are not discounted.
    pub exclude_count: i64,
}
