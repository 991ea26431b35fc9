//! Gifts: line items that are added and removed with their discount.
//!
//! Source: reference types `LineItemMode`, `Cart` (`refusedGifts`), `CartDiscountValueGiftLineItem` (a gift
//! may be unpublished). A gift that cannot be sold to the buyer, because no Price fits or the Store lacks it,
//! is not added.

use super::items::{self, LINES, in_model_order};
use super::{line_items, prices, states};
use crate::cart_discount::Gift;
use crate::cart_discount_epoch::CART_DISCOUNT;
use crate::purchasable_variant::PurchasableVariant;
use kontor_engine::conversion;
use kontor_engine::document::{get, list, reference, set};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::LineItemMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Discounts whose gifts were removed.
const REFUSED: &str = "refusedGifts";

/// A gift in a Cart.
pub(super) struct GiftLine {
    /// Its index among the line items; `None` if it is new.
    pub(super) index: Option<usize>,
    /// The Line Item.
    pub(super) line: Value,
}

/// Removes the gifts from a Cart: which discounts match does not depend on their gifts.
pub(super) fn take_out(cart: &mut Document) -> ApiResult<Vec<GiftLine>> {
    let lines = LINES.all_mut(cart)?;
    if !lines.iter().any(is_gift) {
        return Ok(Vec::new());
    }
    let (mut gifts, mut others) = (Vec::new(), Vec::new());
    for (index, line) in std::mem::take(lines).into_iter().enumerate() {
        if is_gift(&line) {
            gifts.push(GiftLine { index: Some(index), line });
        } else {
            others.push(line);
        }
    }
    *lines = others;
    Ok(gifts)
}

/// Inserts existing gifts at their old places, and new ones at the end.
pub(super) fn put_back(cart: &mut Document, gifts: Vec<GiftLine>) -> ApiResult<()> {
    let lines = LINES.all_mut(cart)?;
    let (mut old, new): (Vec<_>, Vec<_>) = gifts.into_iter().partition(|gift| gift.index.is_some());
    old.sort_by_key(|gift| gift.index);
    for GiftLine { index, line } in old {
        lines.insert(index.unwrap_or(lines.len()).min(lines.len()), line);
    }
    lines.extend(new.into_iter().map(|gift| gift.line));
    Ok(())
}

fn is_gift(line: &Value) -> bool {
    line.as_object().is_some_and(items::is_gift)
}

/// Returns the reference to the discount that added a gift line item.
pub(super) fn gift_discount(line: &Value) -> Option<&Value> {
    line.pointer("/discountedPricePerQuantity/0/discountedPrice/includedDiscounts/0/discount")
}

/// Whether a gift of a discount was removed before.
pub(super) fn is_refused(cart: &Document, discount: &Value) -> bool {
    list(cart, &[REFUSED]).contains(discount)
}

/// Creates the line item of a gift; `None` if it cannot be sold.
pub(super) fn create_gift_line(
    gift: &Gift,
    cart: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Option<GiftLine>> {
    let Some(sold) = PurchasableVariant::from_gift(&gift.product, gift.variant, rules)? else {
        return Ok(None);
    };
    match try_begin(gift, &sold, cart, rules) {
        Ok(line) => Ok(Some(GiftLine { index: None, line: Value::Object(line) })),
        Err(refused) if refused.status() < 500 => Ok(None),
        Err(broken) => Err(broken),
    }
}

fn try_begin(
    gift: &Gift,
    sold: &PurchasableVariant,
    cart: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let shapes = rules.model.object_by_name("LineItemDraft").zip(rules.model.object_by_name(LINES.shape));
    let (draft, shape) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let mut sent = Document::new();
    sent.insert("productId", json!(gift.product));
    sent.insert("variantId", json!(gift.variant));
    sent.insert("quantity", json!(1));
    let channel = |id: &Option<String>| id.as_ref().map(|id| reference("channel", id));
    set(&mut sent, &["supplyChannel"], channel(&gift.supply_channel));
    set(&mut sent, &["distributionChannel"], channel(&gift.distribution_channel));
    let item = conversion::convert_object(draft, shape, sent.clone(), LINES.field, rules)?;
    let state = states::initial_state(rules)?;
    let mut line = line_items::complete_line_item(sold, item, &sent, cart, &state, LINES.field, rules)?;
    line.insert("lineItemMode", json!(LineItemMode::GiftLineItem));
    let price = prices::price_for(&line, sold, cart, rules)?;
    line.insert("price", Value::Object(price));
    in_model_order(LINES.shape, line, rules)
}

/// Changes the quantity of a gift: 0 refuses the gift permanently.
///
/// 400 `InvalidOperation`: any other quantity, or a gift of a Direct Discount, which stays as long as the discount.
pub(super) fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    quantity: i64,
) -> ApiResult<()> {
    let refuse = |what: &str| Err(ApiError::invalid_operation(format!("{}: {what}", context.place)));
    if quantity != 0 {
        return refuse("there is one of a gift, which can only be removed.");
    }
    let index = LINES.index(context, arguments)?;
    let gift = LINES.all_mut(context.document)?.remove(index);
    let Some(discount) = gift_discount(&gift) else { return Ok(()) };
    if discount["typeId"] != CART_DISCOUNT {
        return Err(ApiError::invalid_operation(format!(
            "{}: the gift of a Direct Discount goes with the Direct Discount.",
            context.place
        )));
    }
    let mut refused = list(context.document, &[REFUSED]).to_vec();
    if !refused.contains(discount) {
        refused.push(discount.clone());
    }
    set(context.document, &[REFUSED], Some(Value::Array(refused)));
    Ok(())
}

/// The id of a Line Item.
pub(super) fn id(line: &Value) -> Option<&str> {
    line.as_object().and_then(|line| get(line, &["id"])).and_then(Value::as_str)
}
