//! Price calculation: amounts with rounding and splitting, price selection, discounts, taxes, and whole
//! Carts. Start at [`cart::calculate`].
//!
//! Everything is typed, in the interface as well as inside. A caller converts documents into these types once
//! (`kontor-commerce` does) and writes the results back.
//!
//! **Invariant:** no JSON, no storage, no clock, no randomness. An amount that cannot be calculated is the
//! documented error `MoneyOverflow`, and there is no other error. Sums that must be equal are asserted where
//! they are made.

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

pub use cent_amount::CentAmount;
pub use kontor_currency::Currency;
pub use kontor_enums::{RoundingMode, TaxCalculationMode, TaxRoundingTarget};
pub use money::{HighPrecisionMoney, Money, PrecisionError, fraction_digits};
pub use price::{DiscountedPrice, Price, PriceTier};
pub use reduction::{Permyriad, Reduction};
pub use scope::{PriceScope, ScopeConflict, Validity, find_conflict};
pub use select::{PriceSelection, is_taken_before, recurrence_prices, select_price};
pub use tax::{NetAndGross, SubRate, TaxPortion, TaxRate, merged_portions};
