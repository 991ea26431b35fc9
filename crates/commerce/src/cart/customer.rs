//! The owner of a Cart: a Customer, an anonymous session, or none.
//!
//! Source: reference types `CartDraft` (`customerId`, `customerGroup`), `CartSetCustomerIdAction`,
//! `CartSetCustomerGroupAction`, `CartSetAnonymousIdAction`.

use super::{active, reprice_flags};
use crate::kinds;
use kontor_engine::document::{get, list, must_text, set, text};
use kontor_engine::{ActionContext, Document, Effects, Precondition, PrefetchPlan, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

const CUSTOMER: &str = "customer";
const ID: &str = "customerId";
const GROUP: &str = "customerGroup";

/// Adds the Customer of a draft, or of an action, to the prefetch plan.
pub(super) fn plan_prefetch(sent: &Document, prefetch: &mut PrefetchPlan<'_>) {
    if let Some(id) = text(sent, &[ID]) {
        prefetch.id(CUSTOMER, id);
    }
}

/// `setCustomerId`.
pub(super) fn set_id(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let cart = &mut *context.document;
    match text(arguments, &[ID]) {
        Some(id) => {
            admit_named(id, context.rules)?;
            cart.insert(ID, json!(id));
            cart.shift_remove("anonymousId");
            admit_store(cart, context.rules)?;
            take_group(cart, context.rules)?;
        }
        None => {
            cart.shift_remove(ID);
            cart.shift_remove(GROUP);
        }
    }
    reprice_flags::choose_prices(cart)
}

/// Copies the Customer Group of a Cart's Customer into the Cart. The Customer must exist.
pub(super) fn take_group(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(id) = text(cart, &[ID]) else { return Ok(()) };
    let customer = with_id(id, rules)?;
    let group = customer.get(GROUP).cloned();
    set(cart, &[GROUP], group);
    Ok(())
}

/// Checks that a Cart with a Customer belongs to a Store of that Customer.
///
/// 400 `InvalidOperation`.
pub(super) fn admit_store(cart: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    match text(cart, &[ID]) {
        Some(id) => admit_store_of(&*with_id(id, rules)?, cart),
        None => Ok(()),
    }
}

/// Checks that a Cart may be that of a Customer, who may be new: a Customer who belongs to Stores has Carts of these Stores only
/// (recorded of the platform). Carts of Business Units are free.
///
/// 400 `InvalidOperation`.
pub(super) fn admit_store_of(customer: &Document, cart: &Document) -> ApiResult<()> {
    let store = text(cart, &["store", "key"]);
    let keys: Vec<&str> =
        list(customer, &["stores"]).iter().filter_map(|store| store["key"].as_str()).collect();
    let is_free = keys.is_empty() || cart.contains_key("businessUnit");
    if is_free || store.is_some_and(|store| keys.contains(&store)) {
        return Ok(());
    }
    let found = store.map_or_else(|| "no Store".to_owned(), |store| format!("the Store '{store}'"));
    Err(ApiError::invalid_operation(format!(
        "store: the Customer '{}' belongs to the Stores {}, the Cart to {found}; expected one of these Stores.",
        must_text(customer, &["id"])?,
        keys.join(", ")
    )))
}

/// Assigns a Cart to a Customer, who may be new.
pub(super) fn assign_customer(cart: &mut Document, customer: &Document) {
    cart.extend(customer.get("id").map(|id| (ID.to_owned(), id.clone())));
    cart.shift_remove("anonymousId");
    set(cart, &[GROUP], customer.get(GROUP).cloned());
}

/// Sets the current Customer Group of a Customer in the Customer's active Cart, and selects its prices again (reference
/// type `CustomerSetCustomerGroupAction`). A locked Cart is not changed.
pub(crate) fn follow_group(customer: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let Some(active) = active::active_cart_of_customer(must_text(customer, &["id"])?, rules)? else {
        return Ok(());
    };
    if active.document.contains_key("lock") {
        return Ok(());
    }
    let mut cart = Document::clone(&active.document);
    set(&mut cart, &[GROUP], customer.get(GROUP).cloned());
    reprice_flags::choose_prices(&mut cart)?;
    effects.change(kinds::CART, cart);
    Ok(())
}

/// Refuses a Customer in a draft or an action that does not exist for the caller.
///
/// 400 `ReferencedResourceNotFound`.
pub(super) fn admit_named(id: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let missing = || ApiError::referenced_resource_not_found(CUSTOMER, Some(id), None);
    rules.peek_named(CUSTOMER, id)?.map(drop).ok_or_else(missing)
}

/// Returns the Customer with an id. It must still exist when the change is written.
pub(super) fn with_id(id: &str, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let customer = rules.peek_type(CUSTOMER, id)?;
    let customer =
        customer.ok_or_else(|| ApiError::referenced_resource_not_found(CUSTOMER, Some(id), None))?;
    rules.require(Precondition::Exists { kind: CUSTOMER.into(), id: id.to_owned() });
    Ok(customer)
}

/// `setCustomerGroup`.
pub(super) fn set_group(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if context.document.contains_key(ID) {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Cart has a Customer, and the Customer Group of that Customer.",
            context.place
        )));
    }
    set(context.document, &[GROUP], arguments.get(GROUP).cloned());
    reprice_flags::choose_prices(context.document)
}

/// `setAnonymousId`.
pub(super) fn set_anonymous_id(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if context.document.contains_key(ID) {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Cart is already associated with a customer.",
            context.place
        )));
    }
    set(context.document, &["anonymousId"], arguments.get("anonymousId").cloned());
    Ok(())
}

/// Returns the ids of all Customer Groups of the buyer: that of the Cart, and those of its Customer and of its Business
/// Unit (reference type `BusinessUnit`, `customerGroupAssignments`).
pub(super) fn customer_group_ids(cart: &Document, rules: &Rules<'_>) -> ApiResult<Vec<String>> {
    let own = get(cart, &[GROUP, "id"]).and_then(Value::as_str).map(str::to_owned);
    let mut groups: Vec<String> = own.into_iter().collect();
    let customer = match text(cart, &[ID]) {
        Some(id) => rules.peek_type(CUSTOMER, id)?,
        None => None,
    };
    let unit = match text(cart, &["businessUnit", "key"]) {
        Some(key) => rules.peek_key(kinds::BUSINESS_UNIT, key)?,
        None => None,
    };
    let assignments =
        customer.iter().chain(&unit).flat_map(|buyer| list(buyer.as_ref(), &["customerGroupAssignments"]));
    for group in assignments.filter_map(|assignment| assignment[GROUP]["id"].as_str()) {
        if groups.iter().all(|own| own != group) {
            groups.push(group.to_owned());
        }
    }
    Ok(groups)
}
