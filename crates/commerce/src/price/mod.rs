//! Prices in documents: converted into the types of `kontor-pricing`, validated, and selected for the caller.
//!
//! `kontor-pricing` calculates. This module has its border (the views) and everything that refers to JSON:
//! fields of errors, and the form of responses.

mod check;
mod money;
mod price_parameters;
mod view;

pub(crate) use check::{check_price, check_prices, same_currency, with_periods, with_scope};
pub(crate) use money::{complete_money, money_document, read_money};
pub(crate) use price_parameters::{
    admit_price_parameters, has_standalone_prices, select_prices, selected_price, standalone_price_for,
};
pub(crate) use view::{MoneyView, money_in, price_of, validity, validity_of};
