//! Imports Standalone Prices (reference: StandalonePriceImport). Their scope is immutable.

use crate::difference::Difference;
use crate::outcome::ImportResult;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    for field in ["sku", "country", "customerGroup", "channel"] {
        if !difference.is_same(field) {
            difference.refuse(field);
        }
    }
    difference.keep(&[("value", "changeValue", "value"), ("active", "changeActive", "active")]);
    difference.validity();
    difference.set_lists(&[("tiers", "setPriceTiers", "tiers")]);
    difference.set(&[("discounted", "setDiscountedPrice", "discounted")]);
    difference.custom();
    Ok(())
}
