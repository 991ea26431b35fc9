//! Converts a Cart into the input of `kontor-pricing`, and the result into edits of the Cart. Start at
//! [`calculate_edits`].

use super::discounting::{DiscountInput, DiscountResults};
use super::view::{
    CartView, CustomLineItemView, LineItemView, MethodTaxRateView, MethodTaxedPriceView, RateInputView,
    ShippingDetailsView, ShippingInfoView, TaxedView, cents,
};
use super::write_back::{CartEdits, EditTarget};
use crate::stored_taxes::TaxRateView;
use kontor_enums::{CustomLineItemPriceMode, LineItemMode, LineItemPriceMode, ShippingMode};
use kontor_errors::{ApiError, ApiResult};
use kontor_pricing::TaxPortion;
use kontor_pricing::cart::{
    Cart, Item, ItemPrice, ItemTax, MethodTax, Shipping, ShippingPrice, ShippingRateInput, Tax, TaxMode,
    TaxSettings, TotalTax, UnitPrice, calculate,
};
use std::collections::HashMap;

/// Calculates a Cart with discounts; returns the edits of the Cart and the outcomes of the discounts.
pub(super) fn calculate_edits(
    view: &CartView<'_>,
    discounting: &DiscountInput,
) -> ApiResult<(CartEdits, DiscountResults)> {
    let mut cart = read(view, discounting.is_frozen)?;
    discounting.add_to_calculation(view, &mut cart)?;
    let mut calculation = calculate(&cart)?;
    if cart.taxes.mode == TaxMode::External
        && view.shipping_mode == ShippingMode::Single
        && view.shipping_address.is_none()
    {
        // Reference type `Cart`, `taxedPrice`: in this Tax Mode, too, there must be a shipping address.
        (calculation.taxed_price, calculation.taxed_shipping_price) = (None, None);
    }
    let mut edits = CartEdits::new(cart.currency);
    for (index, (view, item)) in view.line_items.iter().zip(&calculation.line_items).enumerate() {
        let holder = EditTarget::LineItem(index);
        edits.edit_item(holder, view.total_price.as_ref(), view.taxed_price.as_ref(), item)?;
        edits.method_portions(holder, &view.taxed_price_portions, item)?;
    }
    for (index, (view, item)) in view.custom_line_items.iter().zip(&calculation.custom_line_items).enumerate()
    {
        let holder = EditTarget::CustomLineItem(index);
        edits.edit_item(holder, view.total_price.as_ref(), view.taxed_price.as_ref(), item)?;
        edits.method_portions(holder, &view.taxed_price_portions, item)?;
    }
    for ((holder, info, _), shipping) in shipped(view).zip(&calculation.shipping) {
        if !discounting.is_frozen {
            let discounted = shipping.discounted_price.as_ref();
            let discounted = discounted.map(|discounted| discounting.discounted_price(discounted));
            edits.shipping_price(holder, info, shipping.price, discounted)?;
        }
        edits.shipping_taxes(holder, info, shipping)?;
    }
    edits.edit_totals(view, &calculation)?;
    discounting.add_edits(&mut edits, view, &calculation)?;
    Ok((
        edits,
        DiscountResults {
            each: calculation.discount_outcomes,
            discount_type: calculation.chosen_discount_type,
        },
    ))
}

/// Returns the shipping entries of a Cart, each with its holder and the input for the selection of a tier.
fn shipped<'v, 'd>(
    view: &'v CartView<'d>,
) -> impl Iterator<Item = (EditTarget, &'v ShippingInfoView<'d>, Option<ShippingRateInput<'d>>)> {
    let is_multiple = view.shipping_mode == ShippingMode::Multiple;
    let one = view.shipping_info.iter().filter(move |_| !is_multiple);
    let several = view.shipping.iter().enumerate().filter(move |_| is_multiple);
    let one = one.map(|info| (EditTarget::ShippingInfo, info, input(view.shipping_rate_input.as_ref())));
    one.chain(several.filter_map(|(index, way)| {
        let info = way.shipping_info.as_ref()?;
        Some((EditTarget::Shipping(index), info, input(way.shipping_rate_input.as_ref())))
    }))
}

fn input<'d>(view: Option<&RateInputView<'d>>) -> Option<ShippingRateInput<'d>> {
    view.and_then(RateInputView::input)
}

fn shipping_of<'d>(
    info: &ShippingInfoView<'d>,
    input: Option<ShippingRateInput<'d>>,
    mode: TaxMode,
    is_frozen: bool,
) -> ApiResult<Shipping<'d>> {
    let charged = info.discounted_price.as_ref().map(|discounted| &discounted.value);
    let price = match (charged.or(info.price.as_ref()), is_frozen) {
        (Some(charged), true) => ShippingPrice::Fixed(cents(charged)?),
        _ => ShippingPrice::Rate { rate: info.shipping_rate.rate()?, input },
    };
    Ok(Shipping { price, tax: tax_of(mode, info.tax_rate.as_ref(), info.taxed_price.as_ref())? })
}

/// Reads the Cart. In a frozen Cart, the charged shipping price replaces the calculated one.
fn read<'d>(view: &CartView<'d>, is_frozen: bool) -> ApiResult<Cart<'d>> {
    let mode = view.tax_mode;
    let is_multiple = view.shipping_mode == ShippingMode::Multiple;
    let total_tax = match (&view.taxed_price, mode) {
        (Some(taxed), TaxMode::ExternalAmount) => Some(total_tax(taxed)?),
        _ => None,
    };
    let line_item = |line: &LineItemView<'d>| {
        let tax = ItemTaxInput {
            mode,
            rate: line.tax_rate.as_ref(),
            taxed: line.taxed_price.as_ref(),
            by_method: &line.per_method_tax_rate,
            taxed_by_method: &line.taxed_price_portions,
            details: line.shipping_details.as_ref(),
        };
        let tax = if is_multiple { tax.per_method()? } else { tax.whole_item_tax()? };
        Ok(Item { quantity: line.quantity, price: price_of_line(line)?, tax })
    };
    let custom_line_item = |item: &CustomLineItemView<'d>| {
        let tax = ItemTaxInput {
            mode,
            rate: item.tax_rate.as_ref(),
            taxed: item.taxed_price.as_ref(),
            by_method: &item.per_method_tax_rate,
            taxed_by_method: &item.taxed_price_portions,
            details: item.shipping_details.as_ref(),
        };
        let tax = if is_multiple { tax.per_method()? } else { tax.whole_item_tax()? };
        let is_discountable = item.price_mode == CustomLineItemPriceMode::Standard;
        let price = ItemPrice::Custom { money: item.money.money()?, is_discountable };
        Ok(Item { quantity: item.quantity, price, tax })
    };
    Ok(Cart {
        price_rounding_mode: view.price_rounding_mode,
        taxes: TaxSettings {
            mode,
            calculation_mode: view.tax_calculation_mode,
            rounding_mode: view.tax_rounding_mode,
        },
        line_items: view.line_items.iter().map(line_item).collect::<ApiResult<_>>()?,
        custom_line_items: view.custom_line_items.iter().map(custom_line_item).collect::<ApiResult<_>>()?,
        shipping: shipped(view)
            .map(|(_, info, input)| shipping_of(info, input, mode, is_frozen))
            .collect::<ApiResult<_>>()?,
        total_tax,
        ..Cart::empty(view.total_price.money()?.currency())
    })
}

fn price_of_line(line: &LineItemView<'_>) -> ApiResult<ItemPrice> {
    let value = line.price.value.money()?;
    let unit = |line: &LineItemView<'_>| -> ApiResult<UnitPrice> {
        let discounted = line.price.discounted.as_ref();
        let discounted = discounted.map(|discounted| discounted.value.money()).transpose()?;
        Ok(UnitPrice { discounted, ..UnitPrice::new(value) })
    };
    Ok(match (line.line_item_mode, line.price_mode, &line.total_price) {
        (LineItemMode::GiftLineItem, ..) => ItemPrice::Gift { price: unit(line)?, discount: None },
        (LineItemMode::Standard, LineItemPriceMode::Platform, _) => ItemPrice::Platform(unit(line)?),
        (LineItemMode::Standard, LineItemPriceMode::ExternalPrice, _) => ItemPrice::ExternalPrice(value),
        (LineItemMode::Standard, LineItemPriceMode::ExternalTotal, Some(total)) => {
            ItemPrice::ExternalTotal { price: value, total: cents(total)? }
        }
        (LineItemMode::Standard, LineItemPriceMode::ExternalTotal, None) => {
            return Err(ApiError::bug("a Line Item in the mode ExternalTotal has no total"));
        }
    })
}

fn total_tax<'d>(taxed: &TaxedView<'d>) -> ApiResult<TotalTax<'d>> {
    let mut portions = Vec::with_capacity(taxed.tax_portions.len());
    for portion in &taxed.tax_portions {
        portions.push(TaxPortion {
            rate: portion.rate()?,
            name: portion.name,
            amount: cents(&portion.amount)?,
        });
    }
    Ok(TotalTax { gross: cents(&taxed.total_gross)?, portions })
}

/// The tax information of an item.
struct ItemTaxInput<'v, 'd> {
    mode: TaxMode,
    rate: Option<&'v TaxRateView<'d>>,
    taxed: Option<&'v TaxedView<'d>>,
    by_method: &'v [MethodTaxRateView<'d>],
    taxed_by_method: &'v [MethodTaxedPriceView<'d>],
    details: Option<&'v ShippingDetailsView<'d>>,
}

impl<'d> ItemTaxInput<'_, 'd> {
    fn whole_item_tax(&self) -> ApiResult<ItemTax<'d>> {
        Ok(ItemTax::Single(tax_of(self.mode, self.rate, self.taxed)?))
    }

    /// Returns one tax for each shipping method that units of the item use.
    fn per_method(&self) -> ApiResult<ItemTax<'d>> {
        let mut methods: Vec<MethodTax<'d>> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let rates: HashMap<&str, _> =
            self.by_method.iter().map(|method| (method.shipping_method_key, method)).collect();
        let taxed: HashMap<&str, _> =
            self.taxed_by_method.iter().map(|method| (method.shipping_method_key, method)).collect();
        for target in self.details.iter().flat_map(|details| &details.targets) {
            let Some(key) = target.shipping_method_key else { continue };
            if let Some(method) = places.get(key).and_then(|place| methods.get_mut(*place)) {
                method.quantity = method.quantity.saturating_add(target.quantity);
                continue;
            }
            let rate = rates.get(key).and_then(|method| method.tax_rate.as_ref());
            let taxed = taxed.get(key).and_then(|method| method.taxed_price.as_ref());
            let tax = tax_of(self.mode, rate, taxed)?;
            places.insert(key, methods.len());
            methods.push(MethodTax { shipping_method_key: key, quantity: target.quantity, tax });
        }
        Ok(ItemTax::PerMethod(methods))
    }
}

/// A rate, or in Tax Mode `ExternalAmount` the gross amount that was set.
pub(super) fn tax_of<'d>(
    mode: TaxMode,
    rate: Option<&TaxRateView<'d>>,
    taxed: Option<&TaxedView<'d>>,
) -> ApiResult<Option<Tax<'d>>> {
    Ok(match (mode, rate, taxed) {
        (TaxMode::ExternalAmount, Some(rate), Some(taxed)) => {
            Some(Tax::Amount { gross: cents(&taxed.total_gross)?, rate: rate.rate()? })
        }
        (TaxMode::ExternalAmount, _, _) | (_, None, _) => None,
        (_, Some(rate), _) => Some(Tax::Rate(rate.rate()?)),
    })
}
