//! What things cost: amounts, how they are rounded and split; prices, whom they are for, and which one is chosen.
//!
//! Everything here is pure, and reads prices as they are stored: embedded in a Product Variant or standalone.

mod admit;
mod cent_amount;
mod money;
mod scope;
mod select;

pub use admit::{check_price, check_prices, check_tiers, same_currency, with_periods};
pub use cent_amount::{CentAmount, Rounding};
pub use money::{Money, Precision, complete_money};
pub use scope::{Conflict, PriceScope, Validity, conflict};
pub use select::{
    PriceSelection, current_value, recurrence_prices, scoped_price, select_price, value_for_quantity,
};
