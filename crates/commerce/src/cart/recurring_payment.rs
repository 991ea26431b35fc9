//! `recurringPaymentConfiguration` of a Cart: how the Orders of a Recurring Order are paid.
//!
//! Source: GraphQL types `RecurringPaymentConfiguration`, `RecurringPaymentAllocation`, `SetRecurringPaymentStrategy`,
//! `AddRecurringPaymentAllocation`, `RemoveRecurringPaymentAllocation`; release note of 7 October 2026.
//! Conversation: `tests/api/carts/recurring-payment.txt`.

use kontor_engine::conversion;
use kontor_engine::document::{list, must_get, must_text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::collections::HashSet;

const CONFIGURATION: &str = "recurringPaymentConfiguration";
const ALLOCATIONS: &str = "paymentAllocations";
const ID: &str = "id";

/// The sum of all relative allocations, at most.
const PERCENTAGE_MAX: i64 = 100;

/// Checks the allocations after all actions of a request: ids differ, and percentages are between 0 and 100, also
/// together.
pub(super) fn admit(before: Option<&Document>, cart: &Document) -> ApiResult<()> {
    if before.and_then(|before| before.get(CONFIGURATION)) == cart.get(CONFIGURATION) {
        return Ok(());
    }
    let (mut ids, mut percentages) = (HashSet::new(), 0_i64);
    for allocation in list(cart, &[CONFIGURATION, ALLOCATIONS]) {
        if !ids.insert(&allocation[ID]) {
            return Err(ApiError::duplicate_field(ID, allocation[ID].clone()));
        }
        let percentage = allocation["allocation"]["percentage"].as_i64().unwrap_or(0);
        percentages = percentages.saturating_add(percentage);
        if percentage < 0 || percentages > PERCENTAGE_MAX {
            return Err(ApiError::invalid_operation(format!(
                "{CONFIGURATION}.{ALLOCATIONS}: the percentages are {percentage} and altogether {percentages}, \
                 expected 0 to {PERCENTAGE_MAX}."
            )));
        }
    }
    Ok(())
}

/// `setRecurringPaymentStrategy`.
pub(super) fn set_strategy(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let strategy = must_get(arguments, &["paymentStrategy"])?.clone();
    configuration(context)?.insert("paymentStrategy", strategy);
    Ok(())
}

/// `addRecurringPaymentAllocation`.
pub(super) fn add_allocation(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let model = context.rules.model;
    let shapes = model
        .object_by_name("PaymentAllocationDraft")
        .zip(model.object_by_name("RecurringPaymentAllocation"));
    let (draft, stored) = shapes.ok_or_else(|| ApiError::bug("a model without payment allocations"))?;
    let allocation =
        conversion::convert_object(draft, stored, arguments.clone(), context.place, context.rules)?;
    let all = allocations(context)?;
    let id = must_get(&allocation, &[ID])?.clone();
    if all.iter().any(|other| other[ID] == id) {
        return Err(ApiError::duplicate_field(ID, id));
    }
    all.push(Value::Object(allocation));
    Ok(())
}

/// `removeRecurringPaymentAllocation`.
pub(super) fn remove_allocation(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (id, place) = (must_text(arguments, &[ID])?, context.place);
    let all = allocations(context)?;
    let known = all.len();
    all.retain(|allocation| allocation[ID] != id);
    if all.len() == known {
        return Err(ApiError::invalid_operation(format!(
            "{place}: there is no allocation with the id '{id}'."
        )));
    }
    Ok(())
}

fn allocations<'d>(context: &'d mut ActionContext<'_, '_>) -> ApiResult<&'d mut Vec<Value>> {
    let all = configuration(context)?.get_mut(ALLOCATIONS).and_then(Value::as_array_mut);
    all.ok_or_else(|| ApiError::bug("a payment configuration without a list of allocations"))
}

/// 400 `InvalidOperation`: the Cart has none.
fn configuration<'d>(context: &'d mut ActionContext<'_, '_>) -> ApiResult<&'d mut Document> {
    let place = context.place;
    let found = context.document.get_mut(CONFIGURATION).and_then(Value::as_object_mut);
    found.ok_or_else(|| ApiError::invalid_operation(format!("{place}: the Cart has no {CONFIGURATION} yet.")))
}
