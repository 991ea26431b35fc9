//! The States of the units of an item, and the actions that move units from one State to another.
//!
//! Source: reference types `OrderTransitionLineItemStateAction`, `OrderImportLineItemStateAction` and their like of
//! Custom Line Items, `ItemState`.

use super::{identifying_argument, invalid_operation, list_of, stored};
use crate::transition::{first_state, next_state};
use kontor_engine::document::{fields, integer_field_or_log, list, must_get, must_integer};
use kontor_engine::{ActionContext, Document};
use kontor_enums::StateTypeEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The fields of one of the two kinds of items.
pub(super) struct ItemStateFields {
    pub(super) field: &'static str,
    /// The arguments that identify one by `id` and by `key`.
    identifiers: (&'static str, &'static str),
    message_type: &'static str,
}

pub(super) const LINES: ItemStateFields = ItemStateFields {
    field: "lineItems",
    identifiers: ("lineItemId", "lineItemKey"),
    message_type: "LineItemStateTransition",
};
pub(super) const CUSTOM: ItemStateFields = ItemStateFields {
    field: "customLineItems",
    identifiers: ("customLineItemId", "customLineItemKey"),
    message_type: "CustomLineItemStateTransition",
};

/// The type of the States that items may have.
pub(super) const STATE: StateTypeEnum = StateTypeEnum::LineItemState;

/// `importLineItemState`: replaces the States of all units; the workflow is not checked.
///
/// 400 `InvalidOperation`: a State of another type (document A, `StateTypeEnum`).
pub(super) fn import(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &ItemStateFields,
) -> ApiResult<()> {
    let place = index(context, arguments, of)?;
    let mut states = Vec::new();
    for (index, sent) in list(arguments, &["state"]).iter().enumerate() {
        let at = format!("{}.state[{index}]", context.place);
        let state = stored(sent, "ItemStateDraft", "ItemState", &at, context)?;
        first_state(&state["state"], STATE, context.rules)?;
        states.push(state);
    }
    let item = &mut list_of(context.document, of.field)?[place];
    let (sent, there) = (states.iter().map(quantity).fold(0, i64::saturating_add), quantity(item));
    if sent != there {
        return Err(invalid_operation(
            context,
            &format!("the States hold {sent} units, and the item has {there}."),
        ));
    }
    list_of(context.document, of.field)?[place]["state"] = Value::Array(states);
    Ok(())
}

/// `transitionLineItemState`: moves some units from one State to another.
pub(super) fn transition(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &ItemStateFields,
) -> ApiResult<()> {
    let place = index(context, arguments, of)?;
    let given = |name: &str| must_get(arguments, &[name]).cloned();
    let (from, to) = (given("fromState")?, given("toState")?);
    let moved = must_integer(arguments, &["quantity"])?;
    next_state(Some(&from), &to, STATE, false, context.rules)?;
    let item = &mut list_of(context.document, of.field)?[place];
    let Some(Value::Array(mut states)) = item.get("state").cloned() else {
        return Err(ApiError::bug("an item without States"));
    };
    let there = states.iter().find(|state| state["state"]["id"] == from["id"]).map_or(0, quantity);
    if there < moved {
        return Err(invalid_operation(
            context,
            &format!("{there} units are in the State {}, not {moved}.", from["id"]),
        ));
    }
    add(&mut states, &to, moved);
    add(&mut states, &from, -moved);
    states.retain(|state| quantity(state) > 0);
    let item = &mut list_of(context.document, of.field)?[place];
    item["state"] = Value::Array(states);
    let (id, key) = of.identifiers;
    let now = context.rules.time();
    let item = &list_of(context.document, of.field)?[place];
    let message_fields = fields([
        (id, item.get("id").cloned()),
        (key, item.get("key").cloned()),
        ("transitionDate", arguments.get("actualTransitionDate").cloned().or_else(|| Some(json!(now)))),
        ("quantity", Some(json!(moved))),
        ("fromState", Some(from)),
        ("toState", Some(to)),
    ]);
    context.emit(of.message_type, message_fields)
}

/// Adds units to a State.
fn add(states: &mut Vec<Value>, state: &Value, units: i64) {
    match states.iter_mut().find(|other| other["state"]["id"] == state["id"]) {
        Some(there) => there["quantity"] = json!(quantity(there).saturating_add(units)),
        None => states.push(json!({"quantity": units, "state": state})),
    }
}

fn quantity(of: &Value) -> i64 {
    integer_field_or_log(of, "quantity")
}

/// The place of the item that the arguments identify.
pub(super) fn index(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &ItemStateFields,
) -> ApiResult<usize> {
    let (field, wanted) = identifying_argument(arguments, of.identifiers, context.place)?;
    let found = list_of(context.document, of.field)?.iter().position(|item| item[field] == *wanted);
    found.ok_or_else(|| {
        invalid_operation(context, &format!("{} has no element with {field} {wanted}.", of.field))
    })
}
