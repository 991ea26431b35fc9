//! Carts.

use super::Area;

pub(super) const AREA: Area = Area {
    hidden: &[("Mutation", "cartMerge")],
    finders: &[("Cart", "ofCustomer", "customerActiveCart"), ("Cart", "myActiveCart", "activeCart")],
    ..Area::NONE
};
