//! What Cart Discounts and Discount Groups share: their names, and the epoch that ends with each change of one.

use kontor_engine::{Effects, Put};

/// The `typeId`s of the kinds.
pub(crate) const CART_DISCOUNT: &str = "cart-discount";
pub(crate) const DISCOUNT_GROUP: &str = "discount-group";
/// The document, shown by no face, that is written with every change of what Carts are discounted by: what was worked out
/// with the discounts before is refused.
pub(crate) const EPOCH: &str = "cart-discount-epoch";

/// Says that what Carts are discounted by is not what it was.
pub(crate) fn begin(effects: &mut Effects) {
    effects.put_hidden(Put {
        kind: EPOCH.into(),
        id: EPOCH.into(),
        version: 1,
        body: "{}".into(),
        ..Put::default()
    });
}
