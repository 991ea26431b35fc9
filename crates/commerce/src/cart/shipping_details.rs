//! The distribution of an item of a Cart over shipping addresses.
//!
//! Source: reference types `CartSetLineItemShippingDetailsAction`,
//! `CartApplyDeltaToLineItemShippingDetailsTargetsAction`.

use super::items::{self, CartItemKind};
use crate::item_shipping_details::{DETAILS, admit_item, count, normalize_targets, set_targets, target_key};
use kontor_engine::document::list;
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::collections::HashMap;

/// Reads the shipping details sent with a new item.
pub(super) fn read_sent_details(item: &mut Document, place: &str) -> ApiResult<()> {
    if let Some(Value::Object(sent)) = item.shift_remove(DETAILS) {
        set_targets(item, normalize_targets(list(&sent, &["targets"]), place)?);
    }
    Ok(())
}

/// `setLineItemShippingDetails` and its like.
pub(super) fn set(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &CartItemKind,
) -> ApiResult<()> {
    let targets = match arguments.get(DETAILS) {
        Some(Value::Object(sent)) => Some(normalize_targets(list(sent, &["targets"]), context.place)?),
        _ => None,
    };
    let item = of.identified_item(context, arguments)?;
    match targets {
        Some(targets) => set_targets(item, targets),
        None => {
            item.shift_remove(DETAILS);
        }
    }
    admit_item(of.shape, item)
}

/// `applyDeltaToLineItemShippingDetailsTargets` and its like.
pub(super) fn apply_delta(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &CartItemKind,
) -> ApiResult<()> {
    let place = context.place;
    let item = of.identified_item(context, arguments)?;
    add(item, list(arguments, &["targetsDelta"]), place)
}

/// Adds the targets of an item that is alike.
pub(super) fn merge(item: &mut Document, other: &Document, of: &CartItemKind, place: &str) -> ApiResult<()> {
    if !other.contains_key(DETAILS) {
        return Ok(());
    }
    add(item, list(other, &[DETAILS, "targets"]), place)?;
    admit_item(of.shape, item)
}

/// Subtracts targets, as far as they exist.
pub(super) fn take_away(item: &mut Document, details: &Document) {
    let mut left = list(item, &[DETAILS, "targets"]).to_vec();
    let gone = list(details, &["targets"]).iter();
    let gone: HashMap<_, i64> = gone.map(|gone| (target_key(gone), count(gone))).collect();
    for target in &mut left {
        if let Some(gone) = gone.get(&target_key(target)).copied() {
            target["quantity"] = json!(count(target).saturating_sub(gone).max(0));
        }
    }
    left.retain(|target| count(target) > 0);
    set_targets(item, left);
}

/// Adds up the quantities for each address; a negative sum is `InvalidOperation`.
fn add(item: &mut Document, more: &[Value], place: &str) -> ApiResult<()> {
    if more.is_empty() {
        return Ok(());
    }
    let held = list(item, &[DETAILS, "targets"]);
    let mut all = held.to_vec();
    let mut places: HashMap<_, usize> =
        held.iter().enumerate().map(|(index, target)| (target_key(target), index)).collect();
    for target in more {
        let index = *places.entry(target_key(target)).or_insert(all.len());
        match all.get_mut(index) {
            Some(other) => {
                other["quantity"] = json!(items::add_quantities(count(other), count(target), place)?)
            }
            None => all.push(target.clone()),
        }
    }
    let all = normalize_targets(&all, place)?;
    set_targets(item, all);
    Ok(())
}
