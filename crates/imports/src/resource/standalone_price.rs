//! Imports Standalone Prices (reference: StandalonePriceImport). Their scope is immutable.

use crate::difference::Difference;
use crate::outcome::ImportResult;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    for field in ["sku", "country", "customerGroup", "channel"] {
        if !difference.is_same(field) {
            difference.refuse(field);
        }
    }
    difference
        .compare_optional_fields(&[("value", "changeValue", "value"), ("active", "changeActive", "active")]);
    difference.compare_validity();
    difference.compare_lists(&[("tiers", "setPriceTiers", "tiers")]);
    difference.compare_fields(&[("discounted", "setDiscountedPrice", "discounted")]);
    difference.compare_custom_fields();
    Ok(())
}
