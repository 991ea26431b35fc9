//! What a Cart costs: prices, discounts, shipping, taxes and totals, calculated once and in one order.
//!
//! Who has a Cart reads it into [`Cart`] once, lets [`calculate`] work, and writes the [`Calculation`] back:
//!
//! ```
//! use kontor_pricing::cart::{Cart, Item, ItemPrice, ItemTax, UnitPrice, calculate};
//! use kontor_pricing::{CentAmount, Currency, Money};
//!
//! let price = Money::Cent { currency: Currency::EUR, cents: CentAmount(1250) };
//! let line_item = Item {
//!     quantity: 3,
//!     price: ItemPrice::Platform(UnitPrice::of(price)),
//!     tax: ItemTax::Whole(None),
//! };
//! let cart = Cart { line_items: vec![line_item], ..Cart::empty(Currency::EUR) };
//! let calculation = calculate(&cart)?;
//! assert_eq!(calculation.line_items[0].total_price, CentAmount(3750));
//! assert_eq!(calculation.total_price, CentAmount(3750));
//! # Ok::<(), kontor_errors::ApiError>(())
//! ```
//!
//! Nothing has an id here: results stand in the sequence of what was given (the first of `line_items` is that of the first
//! Line Item). Line Items and Custom Line Items are both an [`Item`], as what they cost differs by their
//! [`ItemPrice`] alone. Everything is in the currency of the Cart: amounts are `CentAmount`s without one.
//!
//! | of the Cart | goes in as |
//! |---|---|
//! | `priceMode` `Platform` with its Price and tiers, `ExternalPrice`, `ExternalTotal`; `lineItemMode` `GiftLineItem`; `money` of a Custom Line Item | [`ItemPrice`] |
//! | `taxRate`, or what `setLineItemTaxAmount` gave | [`ItemTax::Whole`] |
//! | `perMethodTaxRate` with the quantities of `shippingDetails`, in `shippingMode` `Multiple` | [`ItemTax::PerMethod`] |
//! | `shippingInfo`, or the one of each of `shipping` | [`Shipping`] |
//! | what `setCartTotalTax` gave | [`TotalTax`] |
//! | the Direct Discounts, or the Cart Discounts that the Cart matches, with the items that their targets match | [`Discount`](crate::discount::Discount)s, which results name by their index |
//! | the Project's `discountCombinationMode` | [`DiscountCombinationMode`] |
//!
//! Source of the rules: the reference types named at each, and what the platform was recorded to calculate
//! (`tests/recorded/`), which each function says.

mod calculate;
mod price_function;
mod shipping;
mod taxes;
mod totals;

pub use crate::item::{Item, ItemPrice, ItemTax, MethodTax, Tax, UnitPrice};
pub use crate::priced::{
    DiscountedLineItemPortion, DiscountedLineItemPrice, DiscountedLineItemPriceForQuantity,
};
pub use calculate::{
    CalculatedItem, CalculatedShipping, Calculation, Cart, DiscountCombinationMode, DiscountType, calculate,
};
pub use price_function::{PriceFunction, Unreadable};
pub use shipping::{
    ScorePrice, Shipping, ShippingPrice, ShippingRate, ShippingRateInput, ShippingRatePriceTier,
};
pub use taxes::{MethodTaxedPrice, TaxMode, TaxSettings, TaxedPrice};
pub use totals::{DiscountOnTotalPrice, DiscountedTotalPricePortion, TotalTax};
