//! Calculates prices, discounts, shipping, taxes and totals of a Cart, once and in one order.
//!
//! The caller converts its document into a [`Cart`], calls [`calculate`], and writes the [`Calculation`]
//! back:
//!
//! ```
//! use kontor_pricing::cart::{Cart, Item, ItemPrice, ItemTax, UnitPrice, calculate};
//! use kontor_pricing::{CentAmount, Currency, Money};
//!
//! let price = Money::Cent { currency: Currency::EUR, cents: CentAmount(1250) };
//! let line_item = Item {
//!     quantity: 3,
//!     price: ItemPrice::Platform(UnitPrice::new(price)),
//!     tax: ItemTax::Single(None),
//! };
//! let cart = Cart { line_items: vec![line_item], ..Cart::empty(Currency::EUR) };
//! let calculation = calculate(&cart)?;
//! assert_eq!(calculation.line_items[0].total_price, CentAmount(3750));
//! assert_eq!(calculation.total_price, CentAmount(3750));
//! # Ok::<(), kontor_errors::ApiError>(())
//! ```
//!
//! No type here has an id: results have the order of the input (the first of `line_items` in the result
//! belongs to the first line item). Line items and custom line items are both an [`Item`], since only their
//! [`ItemPrice`] differs. All amounts are in the currency of the Cart: `CentAmount`s without a currency.
//!
//! | field of the Cart | input |
//! |---|---|
//! | `priceMode` `Platform` with its Price and tiers, `ExternalPrice`, `ExternalTotal`; `lineItemMode` `GiftLineItem`; `money` of a custom line item | [`ItemPrice`] |
//! | `taxRate`, or the value of `setLineItemTaxAmount` | [`ItemTax::Single`] |
//! | `perMethodTaxRate` with the quantities of `shippingDetails`, in `shippingMode` `Multiple` | [`ItemTax::PerMethod`] |
//! | `shippingInfo`, or the one of each entry of `shipping` | [`Shipping`] |
//! | the value of `setCartTotalTax` | [`TotalTax`] |
//! | the Direct Discounts, or the matching Cart Discounts, with the items that their targets match | [`Discount`](crate::discount::Discount)s, which results refer to by index |
//! | the Project's `discountCombinationMode` | [`DiscountCombinationMode`] |
//!
//! Source of the rules: the reference types named at each rule, and recorded responses of the platform
//! (`tests/recorded/`).

mod calculate;
mod price_function;
mod shipping;
mod taxes;
mod totals;

pub use crate::item::{Item, ItemPrice, ItemTax, MethodTax, Tax, UnitPrice};
pub use crate::priced::{
    DiscountedLineItemPortion, DiscountedLineItemPrice, DiscountedLineItemPriceForQuantity,
};
pub use calculate::{CalculatedItem, CalculatedShipping, Calculation, Cart, calculate};
pub use kontor_enums::{ChosenDiscountType, DiscountCombinationMode, TaxMode};
pub use price_function::{PriceFunction, PriceFunctionError};
pub use shipping::{
    ScorePrice, Shipping, ShippingPrice, ShippingRate, ShippingRateInput, ShippingRatePriceTier,
};
pub use taxes::{MethodTaxedPrice, TaxSettings, TaxedPrice};
pub use totals::{DiscountOnTotalPrice, DiscountedTotalPricePortion, TotalTax};
