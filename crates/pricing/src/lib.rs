//! What things cost: amounts, how they are rounded and split; prices, whom they are for, and which one is chosen; what
//! discounts take off, and what taxes add.
//!
//! Everything is typed, at the door as well as inside. Who has documents reads them into these types once
//! (`kontor-commerce` does) and writes the results back.
//!
//! **Invariant:** no JSON, no storage, no clock, no chance. What cannot be calculated is the documented error
//! `MoneyOverflow`, and nothing else fails here. Sums that must agree are asserted where they are made.

#![forbid(unsafe_code)]

pub mod cart;
mod cent_amount;
pub mod discount;
mod item;
mod money;
mod price;
mod priced;
mod reduction;
mod scope;
mod select;
mod split;
mod tax;

pub use cent_amount::{CentAmount, Rounding};
pub use kontor_currency::Currency;
pub use money::{HighPrecisionMoney, Imprecise, Money, fraction_digits};
pub use price::{DiscountedPrice, Price, PriceTier};
pub use reduction::{Permyriad, Reduction};
pub use scope::{Conflict, PriceScope, Validity, conflict};
pub use select::{PriceSelection, is_taken_before, recurrence_prices, select_price};
pub use tax::{SubRate, TaxCalculationMode, TaxPortion, TaxRate, Taxed, merged_portions};
