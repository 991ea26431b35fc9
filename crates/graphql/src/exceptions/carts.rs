//! Carts.

use super::Area;

pub(super) const AREA: Area = Area {
    finders: &[("Cart", "ofCustomer", "customerActiveCart"), ("Cart", "myActiveCart", "activeCart")],
    ..Area::NONE
};
