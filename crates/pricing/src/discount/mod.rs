//! Calculates the reductions by Cart Discounts and Direct Discounts.
//!
//! The caller passes the discounts whose conditions the Cart fulfils, in the order of application, each with
//! the items that its predicates match. This module calculates the amounts:
//!
//! 1. Discounts on items, one after the other, each based on the prices left by the ones before (`items.rs`,
//!    `multi_buy.rs`, `pattern.rs`). Of a Discount Group, only the discount with the greatest reduction
//!    applies.
//! 2. Discounts on shipping, based on the shipping price after the first step (`shipping.rs`).
//! 3. Discounts on the total price, based on the prices left by the steps before (`total_price.rs`).
//!
//! A discount that stops others ends all three steps for the Cart Discounts after it. Each discount has a
//! [`DiscountOutcome`].
//!
//! Source: reference types `CartDiscount`, `DirectDiscount`, `DiscountGroup`, `DiscountApplicationMode`, and
//! recorded responses of the platform.

mod definition;
mod discount_application;
mod even_split;
mod items;
mod multi_buy;
mod outcome;
mod pattern;
mod pattern_takes;
mod shipping;
mod sort_order;
mod take;
#[cfg(test)]
mod test_items;
mod total_price;

pub use definition::{
    Discount, DiscountEffect, DiscountOrigin, DiscountTarget, DiscountValue, MultiBuy, Pattern,
    PatternComponent,
};
pub(crate) use discount_application::{DiscountablePrices, DiscountedPrices, apply};
pub use kontor_enums::{DiscountApplicationMode, SelectionMode, StackingMode};
pub use outcome::{DiscountOutcome, code_state};
pub(crate) use shipping::DiscountedShipping;
pub use sort_order::SortOrder;
