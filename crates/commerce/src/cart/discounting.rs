//! Converts the discounts of a Cart into the types of `kontor-pricing`, and their results into fields of the
//! Cart. Start at [`DiscountInput`].
//!
//! Source: reference types `DiscountedLineItemPriceForQuantity`, `DiscountedLineItemPrice`,
//! `DiscountOnTotalPrice`, `FreezeStrategy`.

use super::view::{CartView, DiscountedUnitsView, cents};
use super::write_back::{CartEdits, EditTarget};
use crate::price::{money_document, money_in};
use kontor_engine::Document;
use kontor_engine::document::{enum_at, get, list, must_get};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_pricing::cart::{
    CalculatedItem, Calculation, Cart, ChosenDiscountType, DiscountCombinationMode, DiscountedLineItemPrice,
    Item, ItemPrice,
};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountOrigin, DiscountOutcome, DiscountTarget,
    DiscountValue, StackingMode,
};
use kontor_pricing::{CentAmount, Currency, Money};

/// The Project's settings for discounts of Carts.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiscountSettings {
    /// How they combine with Product Discounts.
    mode: DiscountCombinationMode,
    /// Whether discounts on the total price leave external taxes unchanged.
    keeps_external_tax: bool,
}

impl DiscountSettings {
    /// Reads the settings of a Project.
    pub(super) fn from_project(project: &Document) -> ApiResult<Self> {
        let mode = enum_at(project, &["discounts", "discountCombinationMode"])?;
        let mode = mode.unwrap_or(DiscountCombinationMode::Stacking);
        let keeps = get(project, &["carts", "totalPriceDiscountDoesNotReduceExternalTax"]);
        Ok(Self { mode, keeps_external_tax: keeps == Some(&Value::Bool(true)) })
    }
}

/// The discounts that apply in a calculation.
pub(super) struct DiscountInput {
    /// In the order of application.
    pub(super) discounts: Vec<Discount>,
    /// The reference to each of them, as the Cart stores it.
    pub(super) references: Vec<Value>,
    /// The settings of the Project.
    settings: DiscountSettings,
    /// The indexes of gifts among the line items, each with the index of its discount.
    pub(super) gifts: Vec<(usize, usize)>,
    /// Whether the prices of items and shipping do not change.
    pub(super) is_frozen: bool,
}

/// The outcomes of discounts.
pub(super) struct DiscountResults {
    /// In the order of the discounts.
    pub(super) each: Vec<DiscountOutcome>,
    /// The kind of discounts that applies, if only one of them does.
    pub(super) discount_type: Option<ChosenDiscountType>,
}

impl DiscountInput {
    /// Returns an input without discounts.
    pub(super) fn without_discounts(settings: DiscountSettings) -> Self {
        Self { discounts: Vec::new(), references: Vec::new(), settings, gifts: Vec::new(), is_frozen: false }
    }

    /// Returns all discounts that were applied before, whatever discounts exist now: for a hard-frozen Cart.
    pub(super) fn from_frozen_cart(cart: &Document, settings: DiscountSettings) -> ApiResult<Self> {
        let settings = DiscountSettings { mode: DiscountCombinationMode::Stacking, ..settings };
        let mut frozen = Self { is_frozen: true, ..Self::without_discounts(settings) };
        for portion in list(cart, &["discountOnTotalPrice", "includedDiscounts"]) {
            let Some(portion) = portion.as_object() else { continue };
            let amount = money_in(portion, "discountedAmount")?.cents();
            let mode = DiscountApplicationMode::ProportionateDistribution;
            frozen.discounts.push(Discount {
                effect: DiscountEffect::Reduce {
                    value: DiscountValue::Absolute { amount, mode },
                    target: DiscountTarget::TotalPrice,
                },
                stacking_mode: StackingMode::Stacking,
                group: None,
                origin: DiscountOrigin::CartDiscount,
            });
            frozen.references.push(must_get(portion, &["discount"])?.clone());
        }
        Ok(frozen)
    }

    /// Adds the discounts to the input of the calculation.
    pub(super) fn add_to_calculation(&self, view: &CartView<'_>, cart: &mut Cart<'_>) -> ApiResult<()> {
        cart.discounts = self.discounts.clone();
        cart.discount_combination_mode = self.settings.mode;
        cart.discount_on_total_price_keeps_external_tax = self.settings.keeps_external_tax;
        for (line, by) in &self.gifts {
            if let Some(Item { price: ItemPrice::Gift { discount, .. }, .. }) = cart.line_items.get_mut(*line)
            {
                *discount = Some(*by);
            }
        }
        if self.is_frozen {
            let lines = view.line_items.iter().map(|line| line.total_price.as_ref());
            let custom = view.custom_line_items.iter().map(|item| item.total_price.as_ref());
            let items = cart.line_items.iter_mut().chain(&mut cart.custom_line_items);
            for (item, total) in items.zip(lines.chain(custom)) {
                if let Some(total) = total {
                    let price = item.price.value_for(item.quantity);
                    item.price = ItemPrice::ExternalTotal { price, total: cents(total)? };
                }
            }
        }
        Ok(())
    }

    /// Adds the edits by which the Cart shows the discounts.
    pub(super) fn add_edits(
        &self,
        edits: &mut CartEdits,
        view: &CartView<'_>,
        calculation: &Calculation<'_>,
    ) -> ApiResult<()> {
        if !self.is_frozen {
            let lines = view.line_items.iter().map(|line| &line.discounted_price_per_quantity);
            let custom = view.custom_line_items.iter().map(|item| &item.discounted_price_per_quantity);
            let lines = lines.zip(&calculation.line_items).enumerate();
            let custom = custom.zip(&calculation.custom_line_items).enumerate();
            let holders = lines.map(|(index, both)| (EditTarget::LineItem(index), both));
            let holders =
                holders.chain(custom.map(|(index, both)| (EditTarget::CustomLineItem(index), both)));
            for (holder, (before, item)) in holders {
                if !self.is_shown(before, item)? {
                    let value = Some(self.price_per_quantity(item));
                    edits.value(holder, "discountedPricePerQuantity", value);
                }
            }
        }
        let on_total = self.on_total_price(calculation, edits.currency());
        if view.discount_on_total_price.is_some() || on_total.is_some() {
            edits.value(EditTarget::Cart, "discountOnTotalPrice", on_total);
        }
        Ok(())
    }

    /// Whether the item already shows the calculated prices of its units.
    fn is_shown(&self, shown: &[DiscountedUnitsView<'_>], item: &CalculatedItem<'_>) -> ApiResult<bool> {
        let groups = &item.discounted_price_per_quantity;
        if shown.len() != groups.len() {
            return Ok(false);
        }
        for (shown, group) in shown.iter().zip(groups) {
            let (price, calculated) = (&shown.discounted_price, &group.discounted_price);
            let is_same = shown.quantity == group.quantity
                && price.value.money()? == calculated.value
                && price.included_discounts.len() == calculated.included_discounts.len();
            if !is_same {
                return Ok(false);
            }
            for (shown, portion) in price.included_discounts.iter().zip(&calculated.included_discounts) {
                // An id belongs to one discount, whatever its kind.
                let id = self.references.get(portion.discount).and_then(|reference| reference["id"].as_str());
                if id != Some(shown.discount.id)
                    || shown.discounted_amount.money()? != portion.discounted_amount
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn price_per_quantity(&self, item: &CalculatedItem<'_>) -> Value {
        let groups = item.discounted_price_per_quantity.iter();
        let shown = groups.map(|group| {
            json!({
                "quantity": group.quantity,
                "discountedPrice": self.discounted_price(&group.discounted_price),
            })
        });
        Value::Array(shown.collect())
    }

    /// Returns the discounted price of a unit or of a shipping entry as JSON.
    pub(super) fn discounted_price(&self, price: &DiscountedLineItemPrice) -> Value {
        let portions = price.included_discounts.iter();
        let portions = portions.map(|portion| self.portion(portion.discount, portion.discounted_amount));
        json!({"value": amount(price.value), "includedDiscounts": portions.collect::<Vec<_>>()})
    }

    fn on_total_price(&self, calculation: &Calculation<'_>, currency: Currency) -> Option<Value> {
        let off = calculation.discount_on_total_price.as_ref()?;
        let money = |cents: CentAmount| Money::Cent { currency, cents };
        let portions = off.included_discounts.iter();
        let portions =
            portions.map(|portion| self.portion(portion.discount, money(portion.discounted_amount)));
        let mut shown = Document::new();
        shown.insert("discountedAmount", amount(money(off.discounted_amount)));
        shown.insert("includedDiscounts", Value::Array(portions.collect()));
        if let Some(taxes) = off.discounted_taxes {
            shown.insert("discountedNetAmount", amount(money(taxes.net)));
            shown.insert("discountedGrossAmount", amount(money(taxes.gross)));
        }
        Some(Value::Object(shown))
    }

    fn portion(&self, discount: usize, taken: Money) -> Value {
        json!({"discount": self.references.get(discount), "discountedAmount": amount(taken)})
    }
}

fn amount(money: Money) -> Value {
    Value::Object(money_document(money))
}
