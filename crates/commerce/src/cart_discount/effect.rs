//! Validates the effect of a Cart Discount: the allowed combinations of value and target, and its predicates.
//!
//! Source: reference types `CartDiscountDraft`, `CartDiscountValue…Draft`, `CartDiscountChangeTargetAction`,
//! `CartDiscountPatternTarget`, `MultiBuyLineItemsTarget`, `CountOnLineItemUnits`.

use crate::discount_predicate::{CARTS, CUSTOM_LINE_ITEMS, LINE_ITEMS};
use kontor_engine::document::{enum_at, get, has_enum, list, must_enum, must_text, text};
use kontor_engine::{Document, Rules};
use kontor_enums::{
    CartDiscountTargetTag, CartDiscountValueTag, DiscountApplicationMode, PatternComponentTag,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_query::dialect::Dialect;

/// Targets of which a Discount Group can choose the best.
const OF_GROUPS: [CartDiscountTargetTag; 5] = [
    CartDiscountTargetTag::LineItems,
    CartDiscountTargetTag::CustomLineItems,
    CartDiscountTargetTag::MultiBuyLineItems,
    CartDiscountTargetTag::MultiBuyCustomLineItems,
    CartDiscountTargetTag::Pattern,
];

/// The default `minCount` of a component.
const MIN_COUNT: i64 = 1;

/// Checks that value, target and group fit together.
pub(super) fn check_effect(discount: &Document) -> ApiResult<()> {
    let value = must_enum(discount, &["value", "type"])?;
    let target = enum_at(discount, &["target", "type"])?;
    match (value, target) {
        (CartDiscountValueTag::GiftLineItem, Some(_)) => {
            return Err(ApiError::invalid_input(
                "target: must not be set where the value is a gift Line Item.",
            ));
        }
        (CartDiscountValueTag::GiftLineItem, None) => {}
        (_, None) => return Err(ApiError::required_field("target")),
        (_, Some(_)) => admit_mode(discount, value)?,
    }
    match target {
        Some(CartDiscountTargetTag::MultiBuyLineItems | CartDiscountTargetTag::MultiBuyCustomLineItems) => {
            admit_multi_buy(discount)?;
        }
        Some(CartDiscountTargetTag::Pattern) => admit_pattern(discount)?,
        Some(
            CartDiscountTargetTag::LineItems
            | CartDiscountTargetTag::CustomLineItems
            | CartDiscountTargetTag::Shipping
            | CartDiscountTargetTag::TotalPrice,
        )
        | None => {}
    }
    if discount.contains_key("discountGroup") && target.is_none_or(|target| !OF_GROUPS.contains(&target)) {
        return Err(ApiError::invalid_input(format!(
            "discountGroup: only Cart Discounts whose target is one of {} can be in a Discount Group.",
            OF_GROUPS.map(CartDiscountTargetTag::as_str).join(", ")
        )));
    }
    Ok(())
}

/// Checks the application mode: a relative value is distributed only in a pattern with triggers.
fn admit_mode(discount: &Document, value: CartDiscountValueTag) -> ApiResult<()> {
    let Some(mode) = enum_at(discount, &["value", "applicationMode"])? else { return Ok(()) };
    let is_distributed = match mode {
        DiscountApplicationMode::ProportionateDistribution | DiscountApplicationMode::EvenDistribution => {
            true
        }
        DiscountApplicationMode::IndividualApplication => false,
    };
    let is_triggered = has_enum(discount, &["target", "type"], CartDiscountTargetTag::Pattern)
        && !list(discount, &["target", "triggerPattern"]).is_empty();
    if value == CartDiscountValueTag::Relative && is_distributed && !is_triggered {
        return Err(ApiError::invalid_operation(format!(
            "value.applicationMode: {mode} requires a target of the type pattern whose triggerPattern is not empty."
        )));
    }
    Ok(())
}

/// Checks a multi-buy target: absolute amounts are not allowed (reference type `CartDiscountValueAbsolute`).
fn admit_multi_buy(discount: &Document) -> ApiResult<()> {
    if has_enum(discount, &["value", "type"], CartDiscountValueTag::Absolute) {
        return Err(ApiError::invalid_input(
            "value: an absolute amount does not go with a target that counts units (multi-buy).",
        ));
    }
    let quantity = |field: &str| get(discount, &["target", field]).and_then(Value::as_i64);
    match (quantity("triggerQuantity"), quantity("discountedQuantity")) {
        (Some(trigger), Some(discounted)) if discounted > trigger => Err(ApiError::invalid_input(format!(
            "target.discountedQuantity: {discounted} is more than the triggerQuantity of {trigger}."
        ))),
        _ => Ok(()),
    }
}

/// Sets the default `minCount` of components (document A: 1).
pub(super) fn complete(discount: &mut Document) {
    let Some(Value::Object(target)) = discount.get_mut("target") else { return };
    for pattern in ["triggerPattern", "targetPattern"] {
        let components = target.get_mut(pattern).and_then(Value::as_array_mut);
        for component in components.into_iter().flatten().filter_map(Value::as_object_mut) {
            component.entry("minCount").or_insert(MIN_COUNT.into());
        }
    }
}

fn admit_pattern(discount: &Document) -> ApiResult<()> {
    if list(discount, &["target", "targetPattern"]).is_empty() {
        return Err(ApiError::invalid_input("target.targetPattern: at least one component is needed."));
    }
    for pattern in ["triggerPattern", "targetPattern"] {
        for (index, component) in list(discount, &["target", pattern]).iter().enumerate() {
            let least = component["minCount"].as_i64().unwrap_or(MIN_COUNT);
            if let Some(most) = component["maxCount"].as_i64().filter(|most| *most < least) {
                return Err(ApiError::invalid_input(format!(
                    "target.{pattern}[{index}].maxCount: {most} is less than the minCount of {least}."
                )));
            }
        }
    }
    Ok(())
}

/// Returns the resources that the predicates name by id: `typeId` and id, each once.
///
/// # Errors 400 `SyntaxError` for an unreadable predicate, `SemanticError` for one with invalid names or types.
pub(super) fn named_resources(discount: &Document, rules: &Rules<'_>) -> ApiResult<Vec<(String, String)>> {
    let of_cart = CARTS.read(must_text(discount, &["cartPredicate"])?, rules.model)?;
    let mut named = of_cart.referenced_documents().to_vec();
    for one in named_in_target(discount, rules)? {
        if !named.contains(&one) {
            named.push(one);
        }
    }
    Ok(named)
}

/// Returns the resources that the predicates of the target name by id, as [`named_resources`].
pub(super) fn named_in_target(discount: &Document, rules: &Rules<'_>) -> ApiResult<Vec<(String, String)>> {
    let mut named: Vec<(String, String)> = Vec::new();
    let mut add = |found: &[(String, String)]| {
        for one in found {
            if !named.contains(one) {
                named.push(one.clone());
            }
        }
    };
    if let Some(predicate) = text(discount, &["target", "predicate"]) {
        let is_custom = must_text(discount, &["target", "type"])?.to_ascii_lowercase().contains("custom");
        add(items(is_custom).read(predicate, rules.model)?.referenced_documents());
    }
    for pattern in ["triggerPattern", "targetPattern"] {
        for component in list(discount, &["target", pattern]) {
            let is_custom = component["type"] == PatternComponentTag::CountOnCustomLineItemUnits.as_str();
            let predicate = component["predicate"].as_str();
            let predicate = predicate.ok_or_else(|| ApiError::bug("a component without a predicate"))?;
            add(items(is_custom).read(predicate, rules.model)?.referenced_documents());
        }
    }
    Ok(named)
}

/// The language of predicates about items of a sort.
fn items(is_custom: bool) -> &'static Dialect {
    if is_custom { &CUSTOM_LINE_ITEMS } else { &LINE_ITEMS }
}
