//! Resources of Checkout for payment pages: Applications, Payment Integrations, Transactions.
//!
//! Source: the Checkout API of the reference. Conversations: `tests/api/checkout/`.

mod application;
mod transaction;

pub(crate) use application::Application;
pub(crate) use transaction::CheckoutTransaction;
