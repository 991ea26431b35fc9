//! Resources of Checkout for payment pages: Applications, Payment Integrations, Sessions, Transactions.
//!
//! Source: the Checkout API of the reference. Conversations: `tests/api/checkout/`.

mod application;
mod session;
mod transaction;

pub(crate) use application::Application;
pub(crate) use session::Session;
pub(crate) use transaction::CheckoutTransaction;
