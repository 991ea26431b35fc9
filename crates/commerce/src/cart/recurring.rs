//! Carts of Recurring Orders.
//!
//! Source: reference types `PriceSelectionMode`, `RecurringOrderSetScheduleAction` (prices for the new
//! schedule), `CartSetLineItemRecurrenceInfoAction` and its companion (a Cart of a Recurring Order refuses
//! them).

use super::items::{CUSTOM, CartItemKind, LINES};
use super::{reprice_flags, settle};
use crate::recurrence::is_of_recurring_order;
use kontor_engine::conversion;
use kontor_engine::document::{has_enum, set};
use kontor_engine::{ActionContext, Document, Effects, Rules};
use kontor_enums::PriceSelectionMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

const INFO: &str = "recurrenceInfo";

/// Updates a Cart for the next Order: taxes, shipping costs and discounts are current; prices are current if the
/// customer chose so.
pub(crate) fn prepare_next_order(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let before = cart.clone();
    if !reprice_flags::is_frozen(cart) {
        let is_dynamic =
            |line: &&mut Document| has_enum(line, &[INFO, "priceSelectionMode"], PriceSelectionMode::Dynamic);
        LINES.each_mut(cart)?.filter(is_dynamic).for_each(reprice_flags::choose_price_of_platform);
    }
    reprice_flags::choose_tax_rates(cart)?;
    // The Order reserves stock, not this Cart.
    settle::settle(Some(&before), cart, rules, &mut Effects::default())
}

/// Assigns all items to another Recurrence Policy, given as a reference. Marks prices for a new selection.
pub(crate) fn reschedule(cart: &mut Document, policy: &Value) -> ApiResult<()> {
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(cart)?.filter(|item| item.contains_key(INFO)) {
            set(item, &[INFO, "recurrencePolicy"], Some(policy.clone()));
        }
    }
    reprice_flags::choose_prices(cart)
}

/// `setLineItemRecurrenceInfo`: marks the price for a new selection, unless the Cart is frozen.
pub(super) fn set_of_line_item(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let is_frozen = reprice_flags::is_frozen(context.document);
    let line = set_info(context, arguments, &LINES)?;
    if !is_frozen {
        reprice_flags::choose_price_of_platform(line);
    }
    Ok(())
}

/// `setCustomLineItemRecurrenceInfo`.
pub(super) fn set_of_custom_line_item(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    set_info(context, arguments, &CUSTOM).map(drop)
}

fn set_info<'d>(
    context: &'d mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &CartItemKind,
) -> ApiResult<&'d mut Document> {
    if is_of_recurring_order(context.document) {
        return Err(ApiError::invalid_operation(format!(
            "{}: how items recur cannot be changed in the Cart of a Recurring Order.",
            context.place
        )));
    }
    let info = match arguments.get(INFO) {
        Some(Value::Object(sent)) => Some(info(sent, of, context)?),
        _ => None,
    };
    let item = of.identified_item(context, arguments)?;
    set(item, &[INFO], info);
    Ok(item)
}

fn info(sent: &Document, of: &CartItemKind, context: &ActionContext<'_, '_>) -> ApiResult<Value> {
    let model = context.rules.model;
    let output = format!("{}RecurrenceInfo", of.shape);
    let shapes = model.object_by_name(&format!("{output}Draft")).zip(model.object_by_name(&output));
    let (input, output) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let place = format!("{}.{INFO}", context.place);
    conversion::convert_object(input, output, sent.clone(), &place, context.rules).map(Value::Object)
}
