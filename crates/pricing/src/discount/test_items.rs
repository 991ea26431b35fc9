//! Items for unit tests of discounts.

use crate::item::{Item, ItemPrice, ItemTax, UnitPrice};
use crate::priced::PricedItem;
use crate::{CentAmount, Currency, Money, RoundingMode};

/// Returns items with these quantities and unit prices in cents.
pub(super) fn items(of: &[(i64, i64)]) -> Vec<PricedItem> {
    let item = |(quantity, cents): &(i64, i64)| {
        let money = Money::Cent { currency: Currency::EUR, cents: CentAmount(*cents) };
        let price = ItemPrice::Platform(UnitPrice::new(money));
        let item = Item { quantity: *quantity, price, tax: ItemTax::Single(None) };
        PricedItem::new(&item, RoundingMode::HalfEven, true).unwrap()
    };
    of.iter().map(item).collect()
}
