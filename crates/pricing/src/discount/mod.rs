//! What Cart Discounts and Direct Discounts take off a Cart.
//!
//! Who calculates says which discounts are meant: those whose conditions the Cart fulfils, in the sequence in which they
//! apply, each with the items that its predicates match. What they take is worked out here:
//!
//! 1. Discounts on items, one after the other, each from what the ones before it left (`items.rs`, `multi_buy.rs`,
//!    `pattern.rs`). Of a Discount Group the one applies that takes most.
//! 2. Discounts on shipping, from what shipping costs after the first step (`shipping.rs`).
//! 3. Discounts on the total price, from what the steps before left (`total_price.rs`).
//!
//! One that stops ends all three for those after it. Each says what became of it ([`DiscountOutcome`]).
//!
//! Source: reference types `CartDiscount`, `DirectDiscount`, `DiscountGroup`, `DiscountApplicationMode`, and what the
//! platform was recorded to calculate.

mod apply;
mod definition;
mod items;
mod multi_buy;
mod outcome;
mod pattern;
mod pattern_takes;
mod shipping;
mod sort_order;
mod spread;
mod take;
mod total_price;
#[cfg(test)]
mod trial_items;

pub(crate) use apply::{Applied, Discounted, apply};
pub use definition::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountTarget, DiscountValue, MultiBuy, Pattern,
    PatternComponent, SelectionMode, StackingMode,
};
pub use outcome::{DiscountCodeState, DiscountOutcome};
pub(crate) use shipping::DiscountedShipping;
pub use sort_order::SortOrder;
