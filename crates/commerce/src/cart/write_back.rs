//! Writes the results of a calculation into the Cart. The edits are collected first, as the calculation
//! borrows from the Cart; unchanged fields are not written. Start at [`CartEdits::apply`].

use super::shipping_holders::{INFO, SHIPPING};
use super::view::{CartView, MethodTaxedPriceView, ShippingInfoView, TaxedView, cents};
use super::{CUSTOM_LINE_ITEMS, LINE_ITEMS};
use crate::price::{MoneyView, money_document};
use crate::stored_taxes::taxed_value;
use kontor_engine::Document;
use kontor_engine::document::set;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_pricing::cart::{CalculatedItem, CalculatedShipping, Calculation, TaxedPrice};
use kontor_pricing::{CentAmount, Currency, Money};

/// The object that an edit changes.
#[derive(Debug, Clone, Copy)]
pub(super) enum EditTarget {
    Cart,
    LineItem(usize),
    CustomLineItem(usize),
    ShippingInfo,
    /// The `shippingInfo` of one of several.
    Shipping(usize),
}

/// Fields with their new values.
pub(super) struct CartEdits {
    currency: Currency,
    all: Vec<(EditTarget, &'static str, Option<Value>)>,
}

impl CartEdits {
    /// Returns an empty list of edits, in the currency of the Cart.
    pub(super) fn new(currency: Currency) -> Self {
        Self { currency, all: Vec::new() }
    }

    /// Edits the total and the taxes of an item.
    pub(super) fn edit_item(
        &mut self,
        holder: EditTarget,
        total: Option<&MoneyView<'_>>,
        taxed: Option<&TaxedView<'_>>,
        item: &CalculatedItem<'_>,
    ) -> ApiResult<()> {
        self.money(holder, "totalPrice", total, item.total_price)?;
        self.taxed(holder, "taxedPrice", taxed, item.taxed_price.as_ref())
    }

    /// Edits the price of a shipping entry, and its discounted price.
    pub(super) fn shipping_price(
        &mut self,
        holder: EditTarget,
        before: &ShippingInfoView<'_>,
        price: CentAmount,
        discounted: Option<Value>,
    ) -> ApiResult<()> {
        if before.discounted_price.is_some() || discounted.is_some() {
            self.value(holder, "discountedPrice", discounted);
        }
        self.money(holder, "price", before.price.as_ref(), price)
    }

    /// The taxes of a way in which it is shipped.
    pub(super) fn shipping_taxes(
        &mut self,
        holder: EditTarget,
        before: &ShippingInfoView<'_>,
        shipping: &CalculatedShipping<'_>,
    ) -> ApiResult<()> {
        self.taxed(holder, "taxedPrice", before.taxed_price.as_ref(), shipping.taxed_price.as_ref())
    }

    /// The taxes of an item by shipping method.
    pub(super) fn method_portions(
        &mut self,
        holder: EditTarget,
        before: &[MethodTaxedPriceView<'_>],
        item: &CalculatedItem<'_>,
    ) -> ApiResult<()> {
        let portions = &item.taxed_price_portions;
        let is_same = before.len() == portions.len()
            && before.iter().zip(portions).try_fold(true, |same, (before, portion)| {
                let is_key = before.shipping_method_key == portion.shipping_method_key;
                let taxed = (before.taxed_price.as_ref(), portion.taxed_price.as_ref());
                Ok::<_, ApiError>(same && is_key && is_same_taxed(taxed.0, taxed.1)?)
            })?;
        if is_same {
            return Ok(());
        }
        let mut written = Vec::with_capacity(portions.len());
        for portion in portions {
            let mut method = Document::new();
            method.insert("shippingMethodKey", json!(portion.shipping_method_key));
            if let Some(taxed) = &portion.taxed_price {
                method.insert("taxedPrice", taxed_value(self.currency, taxed)?);
            }
            written.push(Value::Object(method));
        }
        self.all.push((holder, "taxedPricePortions", Some(Value::Array(written))));
        Ok(())
    }

    /// Adds the edits of the Cart's totals.
    pub(super) fn edit_totals(
        &mut self,
        view: &CartView<'_>,
        calculation: &Calculation<'_>,
    ) -> ApiResult<()> {
        let cart = EditTarget::Cart;
        self.money(cart, "totalPrice", Some(&view.total_price), calculation.total_price)?;
        self.taxed(cart, "taxedPrice", view.taxed_price.as_ref(), calculation.taxed_price.as_ref())?;
        self.taxed(
            cart,
            "taxedShippingPrice",
            view.taxed_shipping_price.as_ref(),
            calculation.taxed_shipping_price.as_ref(),
        )?;
        let quantity = calculation.total_line_item_quantity;
        if view.total_line_item_quantity != quantity {
            self.all.push((cart, "totalLineItemQuantity", quantity.map(|quantity| json!(quantity))));
        }
        Ok(())
    }

    /// The currency of the Cart.
    pub(super) fn currency(&self) -> Currency {
        self.currency
    }

    /// Edits a field without comparing it first: writing an equal value changes nothing.
    pub(super) fn value(&mut self, holder: EditTarget, name: &'static str, value: Option<Value>) {
        self.all.push((holder, name, value));
    }

    fn money(
        &mut self,
        holder: EditTarget,
        name: &'static str,
        before: Option<&MoneyView<'_>>,
        after: CentAmount,
    ) -> ApiResult<()> {
        if before.map(cents).transpose()? != Some(after) {
            let money = money_value(self.currency, after);
            self.all.push((holder, name, Some(money)));
        }
        Ok(())
    }

    fn taxed(
        &mut self,
        holder: EditTarget,
        name: &'static str,
        before: Option<&TaxedView<'_>>,
        after: Option<&TaxedPrice<'_>>,
    ) -> ApiResult<()> {
        if !is_same_taxed(before, after)? {
            let taxed = after.map(|after| taxed_value(self.currency, after)).transpose()?;
            self.all.push((holder, name, taxed));
        }
        Ok(())
    }

    /// The names of the fields in which they are, of the Cart or of an item.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|(holder, name, _)| match holder {
            EditTarget::Cart | EditTarget::LineItem(_) | EditTarget::CustomLineItem(_) => name,
            EditTarget::ShippingInfo => INFO,
            EditTarget::Shipping(_) => SHIPPING,
        })
    }

    /// Writes them.
    pub(super) fn apply(self, cart: &mut Document) -> ApiResult<()> {
        for (holder, name, value) in self.all {
            let holder = match holder {
                EditTarget::Cart => &mut *cart,
                EditTarget::LineItem(index) => item(cart, LINE_ITEMS, index)?,
                EditTarget::CustomLineItem(index) => item(cart, CUSTOM_LINE_ITEMS, index)?,
                EditTarget::ShippingInfo => object(cart.get_mut(INFO))?,
                EditTarget::Shipping(index) => object(item(cart, SHIPPING, index)?.get_mut(INFO))?,
            };
            set(holder, &[name], value);
        }
        Ok(())
    }
}

fn money_value(currency: Currency, cents: CentAmount) -> Value {
    Value::Object(money_document(Money::Cent { currency, cents }))
}

fn object(value: Option<&mut Value>) -> ApiResult<&mut Document> {
    let object = value.and_then(Value::as_object_mut);
    object.ok_or_else(|| ApiError::bug("a shippingInfo is gone while its Cart is calculated"))
}

fn item<'d>(cart: &'d mut Document, field: &str, index: usize) -> ApiResult<&'d mut Document> {
    let item = cart.get_mut(field).and_then(|items| items.get_mut(index)).and_then(Value::as_object_mut);
    item.ok_or_else(|| ApiError::bug("an item of a Cart is gone while it is calculated"))
}

fn is_same_taxed(before: Option<&TaxedView<'_>>, after: Option<&TaxedPrice<'_>>) -> ApiResult<bool> {
    let (Some(before), Some(after)) = (before, after) else {
        return Ok(before.is_none() && after.is_none());
    };
    let net = before.total_net.as_ref().map(cents).transpose()?;
    let is_same_total = net == Some(after.total.net) && cents(&before.total_gross)? == after.total.gross;
    if !is_same_total || before.tax_portions.len() != after.portions.len() {
        return Ok(false);
    }
    for (before, after) in before.tax_portions.iter().zip(&after.portions) {
        if before.name != after.name || before.rate()? != after.rate || cents(&before.amount)? != after.amount
        {
            return Ok(false);
        }
    }
    Ok(true)
}
