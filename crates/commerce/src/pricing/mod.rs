//! What things cost: amounts, how they are rounded and split.

mod cent_amount;
mod money;

pub use cent_amount::{CentAmount, Rounding};
pub use money::{Money, Precision, complete_money};
