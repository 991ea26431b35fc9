//! Prices in documents: read into the types of `kontor-pricing`, checked, shown to who asks.
//!
//! What things cost is worked out there. Here are its door (the views) and what speaks of JSON: fields of errors, and
//! what an answer shows.

mod check;
mod money;
mod shown;
mod view;

pub(crate) use check::{check_price, check_prices, same_currency, with_periods, with_scope};
pub(crate) use money::{complete_money, money_document, read_money, rounding};
pub(crate) use shown::{
    admit_price_parameters, has_standalone_prices, select_prices, selected_price, standalone_price_for,
};
pub(crate) use view::{MoneyView, money_in, price_of, validity, validity_of};
