//! The `typeId`s of Cart Discounts and Discount Groups, and the epoch that changes with each of them.

use kontor_engine::{Effects, Put};

/// The `typeId`s of the kinds.
pub(crate) const CART_DISCOUNT: &str = "cart-discount";
pub(crate) const DISCOUNT_GROUP: &str = "discount-group";
/// A hidden document that is written with every change of a Cart Discount or Discount Group: commits that
/// relied on the earlier discounts are refused.
pub(crate) const EPOCH: &str = "cart-discount-epoch";

/// Starts a new epoch: the discounts of Carts have changed.
pub(crate) fn start_epoch(effects: &mut Effects) {
    effects.put_hidden(Put {
        kind: EPOCH.into(),
        id: EPOCH.into(),
        version: 1,
        body: "{}".into(),
        ..Put::default()
    });
}
