//! Imports InventoryEntries (reference: InventoryImport). SKU and supply Channel are immutable.

use crate::difference::Difference;
use crate::outcome::ImportResult;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.compare_immutable_fields(&["sku"]);
    difference.compare_optional_fields(&[("quantityOnStock", "changeQuantity", "quantity")]);
    difference.compare_fields(&[
        ("restockableInDays", "setRestockableInDays", "restockableInDays"),
        ("expectedDelivery", "setExpectedDelivery", "expectedDelivery"),
        (
            "reservationExpirationInMinutes",
            "setReservationExpirationInMinutes",
            "reservationExpirationInMinutes",
        ),
        ("supplyChannel", "setSupplyChannel", "supplyChannel"),
    ]);
    difference.compare_custom_fields();
    Ok(())
}
