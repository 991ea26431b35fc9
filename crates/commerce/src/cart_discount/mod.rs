//! Cart Discount: a price reduction for matching Carts. Start at [`CartDiscount`].
//!
//! Source: reference types `CartDiscount`, `CartDiscountDraft`, `CartDiscount…Action`; document A, "Discount
//! Groups and Cart Discounts". Conversations: `tests/api/cart-discounts/`.

mod active;
mod active_limits;
mod code_discounts;
mod compiled_cart_discount;
mod compiled_effect;
mod effect;

pub(crate) use active::ActiveCartDiscounts;
pub(crate) use code_discounts::discount_of_code;
pub(crate) use compiled_cart_discount::CompiledCartDiscount;
pub(crate) use compiled_effect::{CartItems, CompiledEffect, Gift};

use crate::cart_discount_epoch::{DISCOUNT_GROUP, start_epoch};
use crate::discount_value::{admit_time, complete_amounts};
use crate::sold_in_store::admit_channels;
use crate::sort_order;
use kontor_engine::document::{list, must_get, must_text, reference, set, text};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, ChangeFilter, Dependents, Derivation, DerivationSources,
    DeriveOutcome, Document, Effects, IndexValue, Limit, RefusalReason, Rules, UniqueKey,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

/// Fields that determine which Carts are discounted, and by how much.
const DECISIVE: &[&str] = &[
    "value",
    "cartPredicate",
    "target",
    "sortOrder",
    "stores",
    "isActive",
    "validFrom",
    "validUntil",
    "requiresDiscountCode",
    "stackingMode",
    "discountGroup",
    "recurringOrderScope",
];

/// Most Recurrence Policies of a scope (reference type `ApplicableRecurrencePoliciesDraft`).
const POLICIES_MAX: usize = 20;

pub(crate) struct CartDiscount;

impl Behaviour for CartDiscount {
    fn resource(&self) -> &'static str {
        "CartDiscount"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("changeValue", change_value), ("setDiscountGroup", set_discount_group)]
    }

    fn limits(&self) -> &'static [Limit] {
        active_limits::LIMITS
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        if let (None, Some(store)) = (before, &rules.bounds.store) {
            join_store(after, store);
        }
        if let Some(before) = before
            && !only_leaves_stores(before, after)
        {
            admit_stores(before, rules)?;
        }
        take_sort_order(after, rules)?;
        let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
        if !DECISIVE.iter().any(|field| is_new(field)) {
            return Ok(());
        }
        sort_order::check_sort_order(after)?;
        if is_alone(after) {
            sort_order::admit_beside(DISCOUNT_GROUP, after, rules);
        }
        complete_amounts(after)?;
        admit_time(after)?;
        effect::complete(after);
        effect::check_effect(after)?;
        admit_gift(after, rules)?;
        let named = effect::named_resources(after, rules)?;
        let named = named.iter().map(|(type_id, id)| reference(type_id, id)).collect();
        set(after, &["references"], Some(Value::Array(named)));
        admit_scope(after)?;
        active_limits::require_limits(after, rules)?;
        start_epoch(effects);
        Ok(())
    }

    fn before_delete(&self, discount: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        admit_stores(discount, rules)?;
        start_epoch(effects);
        Ok(())
    }

    /// All discounts of a group share the sort order of the group.
    fn unique_keys(&self, discount: &Document) -> Vec<UniqueKey> {
        if is_alone(discount) { sort_order::unique_keys(discount) } else { Vec::new() }
    }

    fn index_rows(&self, discount: &Document, _: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        let mut rows = active_limits::index_rows(discount);
        rows.extend(is_alone(discount).then(|| sort_order::index_row(discount)).flatten());
        Ok(rows)
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        active_limits::limit_error(refused).or_else(|| sort_order::duplicate_sort_order_error(refused))
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[Derivation {
            name: "sortOrder",
            source: "DiscountGroup",
            dependents: Dependents::ReferringAt {
                path: "discountGroup.id",
                when: ChangeFilter::Fields(&["sortOrder"]),
            },
            derive: follow_group,
        }];
        ALL
    }
}

/// The scopes that allow changes of Cart Discounts, of the project or of a Store.
const MANAGE: [&str; 2] = ["manage_orders", "manage_cart_discounts"];

/// "To update a CartDiscount, you must have permissions for all Stores the CartDiscount is associated with" (reference,
/// endpoint "Update CartDiscount in Store by ID"; type `UnauthorizedError`).
fn admit_stores(discount: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let stores = list(discount, &["stores"]).iter().filter_map(|store| store["key"].as_str());
    let missing: Vec<&str> = stores.filter(|store| !rules.allows_in_store(&MANAGE, store)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(ApiError::new(Code::Unauthorized, "Not allowed to edit this CartDiscount.")
        .with_field("storesWithoutPermission", json!(missing)))
}

/// Whether removing Stores is the only change ("Except when removing a Store").
fn only_leaves_stores(before: &Document, after: &Document) -> bool {
    let held = list(before, &["stores"]);
    let rest = |discount: &Document| {
        let mut rest = discount.clone();
        rest.remove("stores");
        rest
    };
    list(after, &["stores"]).iter().all(|store| held.contains(store))
        && before.get("stores") != after.get("stores")
        && rest(before) == rest(after)
}

/// Checks and completes the effect of a Direct Discount in the same way as that of a Cart Discount.
///
/// # Errors
/// Those of `value`, `target` and their predicates.
pub(crate) fn admit_effect(discount: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    complete_amounts(discount)?;
    effect::check_effect(discount)?;
    admit_gift(discount, rules)?;
    effect::named_in_target(discount, rules).map(drop)
}

/// Adds the Store of the path to a Cart Discount created below it (reference, "Create CartDiscount in
/// Store").
fn join_store(discount: &mut Document, key: &str) {
    let mut stores = list(discount, &["stores"]).to_vec();
    if stores.iter().all(|store| store["key"] != key) {
        stores.insert(0, json!({"typeId": "store", "key": key}));
        set(discount, &["stores"], Some(Value::Array(stores)));
    }
}

/// 400 `InvalidOperation`: fewer or more Recurrence Policies than a scope may have (reference type
/// `ApplicableRecurrencePoliciesDraft`).
fn admit_scope(discount: &Document) -> ApiResult<()> {
    let count = list(discount, &["recurringOrderScope", "recurrencePolicies"]).len();
    let is_limited = text(discount, &["recurringOrderScope", "type"]) == Some("ApplicableRecurrencePolicies");
    if !is_limited || (1..=POLICIES_MAX).contains(&count) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "recurringOrderScope.recurrencePolicies: expected 1 to {POLICIES_MAX} Recurrence Policies, found {count}."
    )))
}

/// 400 `MissingRoleOnChannel`: a Channel of a gift without its role (reference type
/// `CartDiscountValueGiftLineItemDraft`).
fn admit_gift(discount: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    match discount.get("value") {
        Some(Value::Object(value)) if text(discount, &["value", "type"]) == Some("giftLineItem") => {
            admit_channels(value, None, "value", rules)
        }
        _ => Ok(()),
    }
}

/// In no group.
fn is_alone(discount: &Document) -> bool {
    !discount.contains_key("discountGroup")
}

/// Copies the sort order of the group; without a group the draft must have one.
fn take_sort_order(discount: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(group) = text(discount, &["discountGroup", "id"]) else {
        return match discount.contains_key("sortOrder") {
            true => Ok(()),
            false => Err(ApiError::required_field("sortOrder")),
        };
    };
    // The reference check requires that the group exists when this is written; a derivation updates the sort order.
    if let Some(group) = rules.peek_type(DISCOUNT_GROUP, group)? {
        let order = must_text(&group, &["sortOrder"])?.to_owned();
        set(discount, &["sortOrder"], Some(order.into()));
    }
    Ok(())
}

/// The group got another sort order.
fn follow_group(discount: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    if let Some(id) = text(discount, &["discountGroup", "id"])
        && let Some(group) = sources.document(DISCOUNT_GROUP, id)?
    {
        let order = must_text(&group, &["sortOrder"])?.to_owned();
        set(discount, &["sortOrder"], Some(order.into()));
    }
    Ok(DeriveOutcome::Keep)
}

/// Everything but a gift, of everything but a gift (reference type `CartDiscountChangeValueAction`).
fn change_value(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let value = must_get(arguments, &["value"])?.clone();
    if value["type"] == "giftLineItem" || text(context.document, &["value", "type"]) == Some("giftLineItem") {
        // Clients compare the words of this message.
        let why = "A value can not change from type 'giftLineItem' to another type, or from another type to \
                   'giftLineItem'.";
        return Err(ApiError::invalid_input(why).with_location(context.place));
    }
    set(context.document, &["value"], Some(value));
    Ok(())
}

/// `setDiscountGroup`: moves a discount into a group, or out of its group with a separate sort order.
fn set_discount_group(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    match (arguments.get("discountGroup"), arguments.get("sortOrder")) {
        (Some(group), _) => set(context.document, &["discountGroup"], Some(group.clone())),
        (None, Some(sort_order)) => {
            context.document.remove("discountGroup");
            set(context.document, &["sortOrder"], Some(sort_order.clone()));
        }
        (None, None) => return Err(ApiError::required_field("sortOrder")),
    }
    Ok(())
}
