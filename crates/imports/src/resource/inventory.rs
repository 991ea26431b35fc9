//! Imports InventoryEntries (reference: InventoryImport). SKU and supply Channel are immutable.

use crate::difference::Difference;
use crate::outcome::ImportResult;

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.fixed(&["sku"]);
    difference.keep(&[("quantityOnStock", "changeQuantity", "quantity")]);
    difference.set(&[
        ("restockableInDays", "setRestockableInDays", "restockableInDays"),
        ("expectedDelivery", "setExpectedDelivery", "expectedDelivery"),
        (
            "reservationExpirationInMinutes",
            "setReservationExpirationInMinutes",
            "reservationExpirationInMinutes",
        ),
        ("supplyChannel", "setSupplyChannel", "supplyChannel"),
    ]);
    difference.custom();
    Ok(())
}
