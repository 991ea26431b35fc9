//! The Discount Codes of a Cart and their states. Start at [`add`].
//!
//! Source: reference types `CartAddDiscountCodeAction`, `CartRemoveDiscountCodeAction`, `DiscountCodeInfo`,
//! `DiscountCodeState`, `DiscountCodeNonApplicableError`.

use super::reprice_flags;
use crate::cart_discount::{CompiledCartDiscount, discount_of_code};
use crate::discount_predicate::CARTS;
use crate::kinds;
use crate::price::validity_of;
use crate::recurrence::is_of_recurring_order;
use kontor_engine::document::{enum_in, list, must_field, must_text, reference, set, text, text_or_log};
use kontor_engine::{ActionContext, Document, Effects, PrefetchPlan, Rules};
use kontor_enums::DiscountCodeState;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_query::dialect::DialectPredicate;
use std::sync::Arc;

/// The `typeId` of Discount Codes.
const DISCOUNT_CODE: &str = "discount-code";
/// The field with the Discount Codes of a Cart.
pub(super) const CODES: &str = "discountCodes";
/// The counter of a code: the number of Orders that it was applied to.
const APPLICATIONS: &str = "applications";

/// A Discount Code of a Cart.
pub(super) struct EvaluatedCode {
    pub(super) id: String,
    pub(super) eligibility: CodeEligibility,
}

/// The state of a Discount Code before the calculation.
pub(super) enum CodeEligibility {
    /// The code does not apply; the reason is its state.
    Ineligible(DiscountCodeState),
    /// The discounts of the code.
    Eligible(Vec<Arc<CompiledCartDiscount>>),
}

/// Prefetches the codes of a draft or an action.
pub(super) fn plan_prefetch(sent: &Document, prefetch: &mut PrefetchPlan<'_>) {
    let of_draft = list(sent, &[CODES]).iter().filter_map(Value::as_str);
    for code in of_draft.chain(text(sent, &["code"])) {
        prefetch.add_unique(DISCOUNT_CODE, "code", code);
    }
}

/// `addDiscountCode`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    add_code(context.document, must_text(arguments, &["code"])?, context.place, context.rules)
}

/// `removeDiscountCode`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut codes = list(context.document, &[CODES]).to_vec();
    codes.retain(|code| Some(&code["discountCode"]) != arguments.get("discountCode"));
    set(context.document, &[CODES], Some(Value::Array(codes)));
    Ok(())
}

/// Adds the codes of a draft.
pub(super) fn add_codes_of_draft(cart: &mut Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let codes = list(draft, &[CODES]);
    if !codes.is_empty() {
        // At this point the field still contains the codes of the draft.
        cart.shift_remove(CODES);
    }
    for (index, code) in codes.iter().enumerate() {
        let code = code.as_str().ok_or_else(|| ApiError::bug("a Discount Code that is no text"))?;
        add_code(cart, code, &format!("{CODES}[{index}]"), rules)?;
    }
    Ok(())
}

fn add_code(cart: &mut Document, code: &str, place: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(found) = rules.find_unique(DISCOUNT_CODE, "code", code)? else {
        let message = format!("The discountCode '{code}' cannot be applied to the cart.");
        return Err(ApiError::new(Code::DiscountCodeNonApplicable, message)
            .with_field("discountCode", json!(code))
            .with_field("reason", json!("DoesNotExist"))
            .with_location(place));
    };
    let mut codes = list(cart, &[CODES]).to_vec();
    let discount_code = reference(DISCOUNT_CODE, &found.id);
    if codes.iter().any(|info| info["discountCode"] == discount_code) {
        return Ok(());
    }
    admit(&found.document, cart, rules).map_err(|refused| refused.with_location(place))?;
    let kind = rules.model.object_by_name("Cart").map(|object| rules.model.object(object));
    let most = kind.and_then(|kind| kind.field(CODES)).and_then(|field| field.limits.items_max);
    if let Some(most) = most.filter(|most| codes.len() >= *most) {
        return Err(ApiError::invalid_operation(format!(
            "{place}: a Cart holds at most {most} Discount Codes."
        )));
    }
    // The settlement of the Cart determines the real state.
    codes.push(json!({"discountCode": discount_code, "state": DiscountCodeState::DoesNotMatchCart}));
    set(cart, &[CODES], Some(Value::Array(codes)));
    Ok(())
}

/// 400 `DiscountCodeNonApplicable`: it is not valid now, or none of its Cart Discounts is active, valid and of the
/// Store.
fn admit(code: &Document, cart: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    admit_time(code, rules)?;
    let can_count = |discount: &Arc<CompiledCartDiscount>| {
        discount.is_active() && discount.is_valid(rules.now) && discount.is_for(cart)
    };
    match discounts_of(code, rules)?.iter().any(can_count) {
        true => Ok(()),
        false => Err(why_not(code, cart, rules)?),
    }
}

/// 400 `DiscountCodeNonApplicable`: its message names each Cart Discount of the code that does not apply to the Cart,
/// and the reason. If a Cart Discount has expired or is not valid yet, the error contains its time range.
fn why_not(code: &Document, cart: &Document, rules: &Rules<'_>) -> ApiResult<ApiError> {
    let find = |type_id: &str, id: &str| rules.peek_type(type_id, id);
    let (mut refused, mut whys) = (non_applicable(code), Vec::new());
    if code.get("isActive") == Some(&json!(false)) {
        whys.push("It is not active.".to_owned());
    }
    for discount in discounts_of(code, rules)? {
        let why = if !discount.is_active() {
            "is not active"
        } else if !discount.is_valid(rules.now) {
            if let Some(stored) = rules.peek_type("cart-discount", &discount.id)? {
                refused = refused
                    .with_field("reason", json!("TimeRangeNonApplicable"))
                    .with_field("validFrom", stored.get("validFrom").cloned())
                    .with_field("validUntil", stored.get("validUntil").cloned())
                    .with_field("validityCheckTime", json!(rules.time()));
            }
            "is not valid at this time"
        } else if !discount.is_for(cart) {
            "belongs to other Stores"
        } else if !discount.matches_cart(cart, &find)? {
            "does not match the Cart"
        } else {
            continue;
        };
        whys.push(format!("The Cart Discount '{}' {why}.", discount.id));
    }
    let message = [vec![refused.message().to_owned()], whys].concat().join(" ");
    Ok(refused.with_message(message))
}

/// 400 `DiscountCodeNonApplicable`: it is not valid now.
fn admit_time(code: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if validity_of(code)?.contains(rules.now) {
        return Ok(());
    }
    Err(non_applicable(code)
        .with_field("reason", json!("TimeRangeNonApplicable"))
        .with_field("validFrom", code.get("validFrom").cloned())
        .with_field("validUntil", code.get("validUntil").cloned())
        .with_field("validityCheckTime", json!(rules.time())))
}

fn non_applicable(code: &Document) -> ApiError {
    let id = text_or_log(code, &["id"]);
    let message = format!("The discountCode {id} cannot be applied to the cart.");
    ApiError::new(Code::DiscountCodeNonApplicable, message)
        .with_field("discountCode", code.get("code").cloned())
        .with_field("discountCodeId", json!(id))
}

fn discounts_of(code: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Arc<CompiledCartDiscount>>> {
    let mut discounts = Vec::new();
    for discount in list(code, &["cartDiscounts"]) {
        discounts.extend(discount_of_code(must_field(discount, "id")?, rules)?);
    }
    Ok(discounts)
}

/// A Discount Code of a Cart, before it is evaluated.
pub(super) struct ParsedDiscountCode {
    id: String,
    code: Arc<Document>,
    /// It was counted before.
    is_counted: bool,
    /// `Some(None)`: its predicate is no longer valid.
    predicate: Option<Option<DialectPredicate>>,
    discounts: Vec<Arc<CompiledCartDiscount>>,
}

/// Returns the Discount Codes of a Cart, without deleted ones.
pub(super) fn read(cart: &Document, rules: &Rules<'_>) -> ApiResult<Vec<ParsedDiscountCode>> {
    let mut codes = Vec::new();
    for info in list(cart, &[CODES]) {
        let id = must_field(&info["discountCode"], "id")?;
        let Some(code) = rules.find(kinds::DISCOUNT_CODE, id)? else { continue };
        let predicate = text(&code, &["cartPredicate"]);
        codes.push(ParsedDiscountCode {
            id: id.to_owned(),
            // In an edited Order the code was counted when it was ordered.
            is_counted: cart.contains_key("orderState")
                && info["state"] == DiscountCodeState::MatchesCart.as_str(),
            predicate: predicate.map(|predicate| CARTS.read(predicate, rules.model).ok()),
            discounts: discounts_of(&code, rules)?,
            code,
        });
    }
    Ok(codes)
}

impl ParsedDiscountCode {
    /// Whether its predicate, or one of its discounts, refers to one of these fields.
    pub(super) fn refers_to(&self, names: &[&str]) -> bool {
        self.predicate.iter().flatten().any(|rule| rule.contains_any_field(names))
            || self.discounts.iter().any(|discount| discount.refers_to(names))
    }

    /// Evaluates the code for a Cart without discounts.
    pub(super) fn evaluate(self, cart: &Document, rules: &Rules<'_>) -> ApiResult<EvaluatedCode> {
        Ok(EvaluatedCode { id: self.id.clone(), eligibility: self.eligibility(cart, rules)? })
    }

    /// Checks the states in the order of the reference: active, valid, used up, matching.
    fn eligibility(self, cart: &Document, rules: &Rules<'_>) -> ApiResult<CodeEligibility> {
        let Self { code, is_counted, predicate, mut discounts, .. } = self;
        discounts.retain(|discount| discount.is_active());
        if code.get("isActive") != Some(&json!(true)) || discounts.is_empty() {
            return Ok(CodeEligibility::Ineligible(DiscountCodeState::NotActive));
        }
        discounts.retain(|discount| discount.is_valid(rules.now));
        if !validity_of(&code)?.contains(rules.now) || discounts.is_empty() {
            return Ok(CodeEligibility::Ineligible(DiscountCodeState::NotValid));
        }
        if !is_counted && is_used_up(&code, cart, rules)? {
            return Ok(CodeEligibility::Ineligible(DiscountCodeState::MaxApplicationReached));
        }
        let find = |type_id: &str, id: &str| rules.peek_type(type_id, id);
        if let Some(rule) = predicate {
            // An invalid predicate matches no Cart.
            if !rule.map_or(Ok(false), |rule| rule.matches(cart, &find))? {
                return Ok(CodeEligibility::Ineligible(DiscountCodeState::DoesNotMatchCart));
            }
        }
        let mut brought = Vec::new();
        for discount in discounts {
            if discount.is_for(cart) && discount.matches_cart(cart, &find)? {
                brought.push(discount);
            }
        }
        Ok(if brought.is_empty() {
            CodeEligibility::Ineligible(DiscountCodeState::DoesNotMatchCart)
        } else {
            CodeEligibility::Eligible(brought)
        })
    }
}

/// Returns whether a code has reached its limit of applications, in total or for the customer of the Cart.
fn is_used_up(code: &Document, cart: &Document, rules: &Rules<'_>) -> ApiResult<bool> {
    if is_of_recurring_order(cart) {
        // Reference type `DiscountCode`: these Orders are not limited.
        return Ok(false);
    }
    let id = must_text(code, &["id"])?;
    for CodeUseCounter { name, uses_max } in use_counters(code, cart) {
        if let Some(most) = uses_max
            && (most <= 0 || rules.counter_value(DISCOUNT_CODE, id, &name)? >= most)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A counter of a Discount Code.
struct CodeUseCounter {
    /// The name of the counter.
    name: String,
    /// The maximum number of uses.
    uses_max: Option<i64>,
}

/// Returns the counters of a code: in total, and for the customer of a Cart. Uses without a customer count
/// only in total (reference type `DiscountCode`, `maxApplicationsPerCustomer`).
fn use_counters(code: &Document, cart: &Document) -> Vec<CodeUseCounter> {
    let most = |name: &str| code.get(name).and_then(Value::as_i64);
    let by_all = CodeUseCounter { name: APPLICATIONS.to_owned(), uses_max: most("maxApplications") };
    let by_customer = text(cart, &["customerId"]).map(|customer| CodeUseCounter {
        name: format!("{APPLICATIONS} of {customer}"),
        uses_max: most("maxApplicationsPerCustomer"),
    });
    [Some(by_all), by_customer].into_iter().flatten().collect()
}

/// Increases the usage counters of the codes of a Cart that is ordered.
///
/// 400 `DiscountCodeNonApplicable`: a code that it had `before` is not applied, or no longer in the Cart.
pub(super) fn count_code_uses(
    before: &Document,
    cart: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    for info in list(before, &[CODES]) {
        let id = must_field(&info["discountCode"], "id")?;
        let now = list(cart, &[CODES]).iter().find(|now| now["discountCode"] == info["discountCode"]);
        let state = now.map_or(Ok(None), |now| enum_in(now, "state"))?;
        let Some(code) = rules.peek_type(DISCOUNT_CODE, id)? else {
            let gone = Document::from_iter([("id".to_owned(), json!(id))]);
            return Err(non_applicable(&gone).with_field("reason", json!("DoesNotExist")));
        };
        match state {
            Some(DiscountCodeState::MatchesCart) => {
                for CodeUseCounter { name, uses_max } in use_counters(&code, cart) {
                    effects.count(DISCOUNT_CODE, id, &name, uses_max);
                }
            }
            // It is not applied, and does no harm.
            Some(DiscountCodeState::ApplicationStoppedByGroupBestDeal) => {}
            Some(
                DiscountCodeState::NotActive
                | DiscountCodeState::NotValid
                | DiscountCodeState::DoesNotMatchCart
                | DiscountCodeState::MaxApplicationReached
                | DiscountCodeState::ApplicationStoppedByPreviousDiscount,
            )
            | None => {
                admit_time(&code, rules)?;
                return Err(why_not(&code, cart, rules)?);
            }
        }
    }
    Ok(())
}

/// Increases the usage counters of the codes that an edit added to an Order.
pub(crate) fn count_added(
    before: &Document,
    order: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    for info in
        list(order, &[CODES]).iter().filter(|info| info["state"] == DiscountCodeState::MatchesCart.as_str())
    {
        let id = must_field(&info["discountCode"], "id")?;
        if list(before, &[CODES]).contains(info) {
            continue;
        }
        if let Some(code) = rules.peek_type(DISCOUNT_CODE, id)? {
            for CodeUseCounter { name, uses_max } in use_counters(&code, order) {
                effects.count(DISCOUNT_CODE, id, &name, uses_max);
            }
        }
    }
    Ok(())
}

/// Whether a new Cart may be created with a Discount Code in this state.
fn is_kept_in_new_cart(state: DiscountCodeState) -> bool {
    match state {
        DiscountCodeState::MatchesCart
        | DiscountCodeState::DoesNotMatchCart
        | DiscountCodeState::ApplicationStoppedByGroupBestDeal => true,
        DiscountCodeState::NotActive
        | DiscountCodeState::NotValid
        | DiscountCodeState::MaxApplicationReached
        | DiscountCodeState::ApplicationStoppedByPreviousDiscount => false,
    }
}

/// Writes the states of the Discount Codes, by their ids.
///
/// 400 `DiscountCodeNonApplicable`: one of a new Cart that cannot be applied to it whatever it contains (the tests of an official
/// SDK create Carts with codes that do not match yet); `InvalidOperation`: one that would change what a frozen Cart costs.
pub(super) fn write_code_states(
    before: Option<&Document>,
    cart: &mut Document,
    states: &[(String, DiscountCodeState)],
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let info = |(id, state): &(String, DiscountCodeState)| json!({"discountCode": reference(DISCOUNT_CODE, id), "state": state});
    let infos: Vec<Value> = states.iter().map(info).collect();
    for (id, state) in states {
        match before {
            None if !is_kept_in_new_cart(*state) => {
                let gone = || ApiError::referenced_resource_not_found(DISCOUNT_CODE, Some(id), None);
                let code = rules.peek_type(DISCOUNT_CODE, id)?.ok_or_else(gone)?;
                admit_time(&code, rules)?;
                return Err(why_not(&code, cart, rules)?);
            }
            Some(before)
                if is_new_in_frozen(id, before, cart) && *state != DiscountCodeState::DoesNotMatchCart =>
            {
                return Err(ApiError::invalid_operation(format!(
                    "The Discount Code '{id}' would change what the Cart costs, which is frozen."
                )));
            }
            _ => {}
        }
    }
    if list(cart, &[CODES]) != infos {
        set(cart, &[CODES], Some(Value::Array(infos)));
    }
    Ok(())
}

fn is_new_in_frozen(id: &str, before: &Document, cart: &Document) -> bool {
    let is_frozen = reprice_flags::is_frozen(before) && reprice_flags::is_frozen(cart);
    is_frozen && list(before, &[CODES]).iter().all(|info| info["discountCode"]["id"] != id)
}
