//! Applies discounts to a Cart. Their predicates are evaluated on the Cart without discounts: prices and tax
//! rates are selected, everything is calculated, gifts are removed; so the effect of one discount never
//! decides whether another matches. Matching discounts enter the calculation with the items that their
//! targets match. Direct Discounts replace the Cart Discounts, or apply after them. Start at [`settle`].
//!
//! Source: reference types `CartDiscount`, `DirectDiscount`, `CartSetDirectDiscountsAction`,
//! `FreezeStrategy`, `DiscountTypeCombination`; public documentation, "Pricing and discounts overview".

use super::discount_codes::{self, CODES, CodeEligibility, EvaluatedCode, ParsedDiscountCode};
use super::discounting::{DiscountInput, DiscountResults, DiscountSettings};
use super::gifts::{self, GiftLine};
use super::items::{self, CUSTOM, LINES};
use super::shipping_holders::{INFO, SHIPPING};
use super::view::CartView;
use super::{calculation, reprice_flags, tax_choice};
use crate::cart_discount::{
    ActiveCartDiscounts, CartItems, CompiledCartDiscount, CompiledEffect, admit_effect,
};
use crate::cart_discount_epoch::CART_DISCOUNT;
use crate::view::read;
use kontor_engine::document::{list, must_get, must_text, reference};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::DiscountCodeState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_pricing::Currency;
use kontor_pricing::cart::{ChosenDiscountType, DiscountCombinationMode};
use kontor_pricing::discount::{Discount, DiscountOrigin, DiscountOutcome, StackingMode, code_state};
use std::sync::Arc;

const DIRECT: &str = "directDiscounts";
/// Whether Direct Discounts replace the Cart Discounts.
const REPLACE: &str = "directDiscountsIgnoreCartDiscounts";
const COMBINATION: &str = "discountTypeCombination";
/// Fields of Carts and line items that the calculation overwrites.
const CALCULATED: &[&str] = &[
    "totalPrice",
    "taxedPrice",
    "taxedShippingPrice",
    "taxedPricePortions",
    "discountedPricePerQuantity",
    "discountOnTotalPrice",
    "totalLineItemQuantity",
    INFO,
    SHIPPING,
];

/// Calculates a Cart with all matching discounts.
pub(super) fn settle(before: Option<&Document>, cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    admit(before, cart, rules)?;
    let settings = DiscountSettings::from_project(rules.project)?;
    if before.is_some_and(reprice_flags::is_hard_frozen) && reprice_flags::is_hard_frozen(cart) {
        return calculate(cart, &DiscountInput::from_frozen_cart(cart, settings)?).map(drop);
    }
    let gifts = gifts::take_out(cart)?;
    let direct = direct(cart, rules)?;
    let contenders =
        DiscountPool::for_cart(cart, direct.is_empty() || !replaces_cart_discounts(cart), rules)?;
    // Predicates read this clone. Parts that discounts leave unchanged are not written again in the Cart
    // itself.
    let mut plain = cart.clone();
    let without = match contenders.refers_to_calculated(&direct, cart, rules) {
        true => Some(calculate(&mut plain, &DiscountInput::without_discounts(settings))?),
        false => None,
    };
    let (counting, codes) = contenders.counting(&plain, rules)?;
    let mut candidates: Vec<DiscountCandidate<'_>> =
        counting.iter().map(|discount| DiscountCandidate::from_cart_discount(discount)).collect();
    candidates.extend(direct.iter().map(DiscountCandidate::of_direct));
    let gifts = collect_gifts(&plain, &mut candidates, gifts, rules)?;
    let outcomes = match candidates.is_empty() {
        true => {
            *cart = plain;
            without.map_or_else(|| calculate(cart, &DiscountInput::without_discounts(settings)), Ok)?
        }
        false => apply(cart, plain, &mut candidates, gifts, settings, rules)?,
    };
    let states: Vec<_> = codes.into_iter().map(|code| state_of(code, &candidates, &outcomes)).collect();
    discount_codes::write_code_states(before, cart, &states, rules)?;
    cart.insert(COMBINATION, combination(outcomes.discount_type));
    Ok(())
}

/// `setDirectDiscountsIgnoreCartDiscounts`. A conflict with Discount Codes is refused when the Cart is settled.
pub(super) fn set_replacement(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    context.document.insert(REPLACE, must_get(arguments, &[REPLACE])?.clone());
    Ok(())
}

/// Whether Cart Discounts do not apply to a Cart with Direct Discounts.
fn replaces_cart_discounts(cart: &Document) -> bool {
    cart.get(REPLACE) != Some(&Value::Bool(false))
}

/// 400 `InvalidOperation`: both Discount Codes and Direct Discounts that replace them, or a change of them in a
/// hard-frozen Cart; or an error of a new Direct Discount's effect.
fn admit(before: Option<&Document>, cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    if replaces_cart_discounts(cart) && !list(cart, &[CODES]).is_empty() && !list(cart, &[DIRECT]).is_empty()
    {
        return Err(ApiError::invalid_operation(
            "The Cart has Discount Codes and Direct Discounts while directDiscountsIgnoreCartDiscounts is true: \
             set it to false, or remove the ones or the others.",
        ));
    }
    let is_new = |name: &str| before.is_none_or(|before| list(before, &[name]) != list(cart, &[name]));
    if before.is_some_and(reprice_flags::is_hard_frozen)
        && reprice_flags::is_hard_frozen(cart)
        && (is_new(CODES) || is_new(DIRECT))
    {
        return Err(ApiError::invalid_operation(
            "Discount Codes and Direct Discounts cannot be changed while the Cart is frozen with the strategy \
             HardFreeze.",
        ));
    }
    if !is_new(DIRECT) {
        return Ok(());
    }
    let Some(Value::Array(all)) = cart.get_mut(DIRECT) else { return Ok(()) };
    for (index, discount) in all.iter_mut().enumerate() {
        let Some(discount) = discount.as_object_mut() else { continue };
        admit_effect(discount, rules)
            .map_err(|refused| refused.with_location(&format!("{DIRECT}[{index}]")))?;
    }
    Ok(())
}

fn calculate(cart: &mut Document, discounting: &DiscountInput) -> ApiResult<DiscountResults> {
    let (edits, outcomes) = calculation::calculate_edits(&read::<CartView<'_>>(cart)?, discounting)?;
    debug_assert!(edits.fields().all(|field| CALCULATED.contains(&field)), "all that is calculated is known");
    edits.apply(cart)?;
    Ok(outcomes)
}

/// A discount that matches a Cart.
struct DiscountCandidate<'d> {
    /// The reference to it in the Cart.
    reference: Value,
    effect: &'d CompiledEffect,
    stacking_mode: StackingMode,
    /// The id of its Discount Group.
    group: Option<&'d str>,
    origin: DiscountOrigin,
}

/// A Direct Discount of a Cart.
struct CompiledDirectDiscount {
    id: String,
    effect: CompiledEffect,
    /// Whether it is compared with Product Discounts.
    is_compared: bool,
}

impl<'d> DiscountCandidate<'d> {
    fn from_cart_discount(discount: &'d CompiledCartDiscount) -> Self {
        Self {
            reference: reference(CART_DISCOUNT, &discount.id),
            effect: &discount.effect,
            stacking_mode: discount.stacking_mode,
            group: discount.group.as_deref(),
            origin: DiscountOrigin::CartDiscount,
        }
    }

    fn of_direct(discount: &'d CompiledDirectDiscount) -> Self {
        Self {
            reference: reference("direct-discount", &discount.id),
            effect: &discount.effect,
            stacking_mode: StackingMode::Stacking,
            group: None,
            origin: DiscountOrigin::DirectDiscount { is_compared: discount.is_compared },
        }
    }
}

/// Returns the Direct Discounts, in their order.
fn direct(cart: &Document, rules: &Rules<'_>) -> ApiResult<Vec<CompiledDirectDiscount>> {
    let mut direct = Vec::new();
    for discount in list(cart, &[DIRECT]).iter().filter_map(Value::as_object) {
        // A discount with an invalid predicate has no effect.
        if let Some(effect) = CompiledEffect::compile(discount, rules.model)? {
            // Earlier releases compared all of them, and stored no flag: prices of their Carts stay.
            let is_compared = discount.get("participateInBestDealSelection") != Some(&Value::Bool(false));
            direct.push(CompiledDirectDiscount {
                id: must_text(discount, &["id"])?.to_owned(),
                effect,
                is_compared,
            });
        }
    }
    Ok(direct)
}

/// The discounts that may match a Cart.
struct DiscountPool {
    active: Arc<ActiveCartDiscounts>,
    codes: Vec<ParsedDiscountCode>,
}

impl DiscountPool {
    /// Returns all discounts for a Cart; none if Direct Discounts replace them.
    fn for_cart(cart: &Document, has_cart_discounts: bool, rules: &Rules<'_>) -> ApiResult<Self> {
        Ok(match has_cart_discounts {
            true => {
                Self { active: ActiveCartDiscounts::now(rules)?, codes: discount_codes::read(cart, rules)? }
            }
            false => Self { active: Arc::default(), codes: Vec::new() },
        })
    }

    /// Whether a predicate refers to fields that the calculation writes, so that the Cart must be calculated before.
    fn refers_to_calculated(
        &self,
        direct: &[CompiledDirectDiscount],
        cart: &Document,
        rules: &Rules<'_>,
    ) -> bool {
        direct.iter().any(|discount| discount.effect.refers_to(CALCULATED))
            || self.active.valid_at(cart, rules.now).any(|discount| discount.refers_to(CALCULATED))
            || self.codes.iter().any(|code| code.refers_to(CALCULATED))
    }

    /// Returns the Cart Discounts that match a Cart, in the order of application, and its Discount Codes.
    fn counting(
        self,
        cart: &Document,
        rules: &Rules<'_>,
    ) -> ApiResult<(Vec<Arc<CompiledCartDiscount>>, Vec<EvaluatedCode>)> {
        let find = |type_id: &str, id: &str| rules.peek_type(type_id, id);
        let mut counting: Vec<Arc<CompiledCartDiscount>> = Vec::new();
        for discount in self.active.valid_at(cart, rules.now) {
            if discount.matches_cart(cart, &find)? {
                counting.push(Arc::clone(discount));
            }
        }
        let codes = self.codes.into_iter().map(|code| code.evaluate(cart, rules));
        let codes = codes.collect::<ApiResult<Vec<_>>>()?;
        for code in &codes {
            let CodeEligibility::Eligible(brought) = &code.eligibility else { continue };
            for discount in brought {
                if counting.iter().all(|known| known.id != discount.id) {
                    counting.push(Arc::clone(discount));
                }
            }
        }
        counting.sort_by(|one, other| one.compare_order(other));
        Ok((counting, codes))
    }
}

/// Applies discounts, and adds and removes their gifts. `plain` is the Cart without discounts; discounts without any
/// effect are left out of `candidates`.
fn apply(
    cart: &mut Document,
    mut plain: Document,
    candidates: &mut Vec<DiscountCandidate<'_>>,
    mut gifts: Vec<(Value, GiftLine)>,
    settings: DiscountSettings,
    rules: &Rules<'_>,
) -> ApiResult<DiscountResults> {
    let ids: Vec<(Option<String>, Value)> =
        gifts.iter().map(|(giver, gift)| (gifts::id(&gift.line).map(str::to_owned), giver.clone())).collect();
    if !gifts.is_empty() {
        gifts::put_back(&mut plain, gifts.drain(..).map(|(_, gift)| gift).collect())?;
        tax_choice::select_tax_rates(&mut plain, rules)?;
        *cart = plain.clone();
    }
    let discounts = discounting(&plain, candidates, &ids, settings, rules)?;
    let outcomes = calculate(cart, &discounts)?;
    let is_applied = |giver: &Value| {
        let index = candidates.iter().position(|candidate| candidate.reference == *giver);
        index.is_some_and(|index| outcomes.each.get(index) == Some(&DiscountOutcome::Applied))
    };
    if ids.iter().all(|(_, giver)| is_applied(giver)) {
        return Ok(outcomes);
    }
    // The discount of a gift is stopped by another one.
    LINES.all_mut(&mut plain)?.retain(|line| {
        let given = ids.iter().find(|(id, _)| id.as_deref() == gifts::id(line));
        given.is_none_or(|(_, giver)| is_applied(giver))
    });
    *cart = plain.clone();
    let discounts = discounting(&plain, candidates, &ids, settings, rules)?;
    calculate(cart, &discounts)
}

/// Returns the gifts of discounts, existing and new ones, each with the reference to its discount. A discount whose
/// gift was refused or cannot be sold is left out.
fn collect_gifts(
    cart: &Document,
    candidates: &mut Vec<DiscountCandidate<'_>>,
    mut old: Vec<GiftLine>,
    rules: &Rules<'_>,
) -> ApiResult<Vec<(Value, GiftLine)>> {
    let mut gifts = Vec::new();
    let mut left = Vec::with_capacity(candidates.len());
    for candidate in candidates.drain(..) {
        let CompiledEffect::Give(gift) = candidate.effect else {
            left.push(candidate);
            continue;
        };
        if gifts::is_refused(cart, &candidate.reference) {
            continue;
        }
        let known =
            old.iter().position(|gift| gifts::gift_discount(&gift.line) == Some(&candidate.reference));
        let given = match known {
            Some(known) => Some(old.swap_remove(known)),
            None => gifts::create_gift_line(gift, cart, rules)?,
        };
        if let Some(given) = given {
            gifts.push((candidate.reference.clone(), given));
            left.push(candidate);
        }
    }
    *candidates = left;
    Ok(gifts)
}

/// Returns the discounts with the items that their targets match. A discount without an amount in the Cart's
/// currency reduces nothing.
fn discounting(
    cart: &Document,
    candidates: &mut Vec<DiscountCandidate<'_>>,
    gifts: &[(Option<String>, Value)],
    settings: DiscountSettings,
    rules: &Rules<'_>,
) -> ApiResult<DiscountInput> {
    let find = |type_id: &str, id: &str| rules.peek_type(type_id, id);
    let code = items::currency(cart)?;
    let objects = |field: &str| list(cart, &[field]).iter().filter_map(Value::as_object).collect();
    let items = CartItems {
        currency: Currency::from_code(code)
            .ok_or_else(|| ApiError::bug("a Cart in a currency that there is not"))?,
        line_items: objects(LINES.field),
        custom_line_items: objects(CUSTOM.field),
        find: &find,
    };
    let mut discounting = DiscountInput::without_discounts(settings);
    let mut groups: Vec<&str> = Vec::new();
    let mut left = Vec::with_capacity(candidates.len());
    for candidate in candidates.drain(..) {
        let Some(effect) = candidate.effect.effect_on(&items)? else { continue };
        let group = candidate.group.map(|group| {
            groups.iter().position(|known| *known == group).unwrap_or_else(|| {
                groups.push(group);
                groups.len() - 1
            })
        });
        let DiscountCandidate { stacking_mode, origin, .. } = candidate;
        discounting.discounts.push(Discount { effect, stacking_mode, group, origin });
        discounting.references.push(candidate.reference.clone());
        left.push(candidate);
    }
    *candidates = left;
    for (index, line) in list(cart, &[LINES.field]).iter().enumerate() {
        let giver = gifts.iter().find(|(id, _)| id.is_some() && id.as_deref() == gifts::id(line));
        let by = giver.and_then(|(_, giver)| discounting.references.iter().position(|known| known == giver));
        discounting.gifts.extend(by.map(|by| (index, by)));
    }
    Ok(discounting)
}

/// Returns the state of a Discount Code, from the outcomes of its Cart Discounts.
fn state_of(
    code: EvaluatedCode,
    candidates: &[DiscountCandidate<'_>],
    outcomes: &DiscountResults,
) -> (String, DiscountCodeState) {
    let brought = match code.eligibility {
        CodeEligibility::Ineligible(state) => return (code.id, state),
        CodeEligibility::Eligible(brought) => brought,
    };
    let of_code = candidates
        .iter()
        .zip(&outcomes.each)
        .filter(|(candidate, _)| brought.iter().any(|discount| candidate.reference["id"] == *discount.id));
    (code.id, code_state(of_code.map(|(_, outcome)| *outcome)))
}

fn combination(chosen: Option<ChosenDiscountType>) -> Value {
    match chosen {
        None => json!({"type": DiscountCombinationMode::Stacking}),
        Some(chosen) => json!({
            "type": DiscountCombinationMode::BestDeal, "chosenDiscountType": chosen,
        }),
    }
}
