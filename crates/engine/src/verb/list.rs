//! `@append`, `@remove`, `@arrange`: the verbs of lists.

use super::{argument_place, element, field_at, value_arguments};
use crate::action_context::VerbContext;
use crate::convert;
use crate::document::{self, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Field, ObjectId, Shape};
use std::collections::{HashMap, HashSet};

/// The argument with the index of a new element in the list.
const POSITION: &str = "position";

pub(super) fn append(
    object: ObjectId,
    to: &[String],
    again: bool,
    target: &mut Document,
    stored: &mut Document,
    context: &VerbContext<'_, '_>,
) -> ApiResult<bool> {
    let list = field_at(context.rules, object, to)?;
    let Some((argument, values)) = stored_elements(list, context)? else { return Ok(false) };
    let items = element::list_mut(target, to)?;
    let is_set = !again && !has_own_identity(list, context);
    let mut changed = false;
    let mut at = position(items.len(), context)?;
    // A single value is compared with each element; for many values, a set avoids comparing each with all.
    let mut held = (is_set && values.len() > 1).then(|| items.iter().cloned().collect::<HashSet<Value>>());
    for value in values {
        let is_there = match &mut held {
            Some(held) => !held.insert(value.clone()),
            None => is_set && items.contains(&value),
        };
        if is_there {
            continue;
        }
        stored.insert(&argument.name, value.clone());
        items.insert(at, value);
        at += 1;
        changed = true;
    }
    check_item_count(list, items, context)?;
    Ok(changed)
}

/// Returns the index of new elements: the end of the list, or the argument `position`, which must not be beyond it.
fn position(end: usize, context: &VerbContext<'_, '_>) -> ApiResult<usize> {
    let Some(given) = context.arguments.get(POSITION).and_then(Value::as_i64) else { return Ok(end) };
    usize::try_from(given).ok().filter(|at| *at <= end).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{}.{POSITION}: expected 0 to {end}, found {given}.",
            context.place
        ))
    })
}

pub(super) fn remove(
    object: ObjectId,
    from: &[String],
    by: &[String],
    target: &mut Document,
    stored: &mut Document,
    context: &VerbContext<'_, '_>,
) -> ApiResult<bool> {
    let list = field_at(context.rules, object, from)?;
    if !by.is_empty() {
        let (_, index) = element::find_element(target, object, from, by, context)?;
        element::list_mut(target, from)?.remove(index);
        return Ok(true);
    }
    let Some((argument, values)) = stored_elements(list, context)? else { return Ok(false) };
    let items = element::list_mut(target, from)?;
    let before = items.len();
    items.retain(|item| !values.contains(item));
    let changed = items.len() != before;
    if let Some(value) = values.first() {
        stored.insert(&argument.name, value.clone());
    }
    if items.is_empty() && changed {
        if context.action.refuses_empty {
            return Err(ApiError::invalid_operation(format!(
                "{}: at least one element of {} must stay.",
                context.place,
                from.join(".")
            )));
        }
        if !list.required {
            document::set(target, from, None);
        }
    }
    Ok(changed)
}

pub(super) fn reorder_list(
    path: &[String],
    by: &str,
    target: &mut Document,
    context: &VerbContext<'_, '_>,
) -> ApiResult<bool> {
    let Some(argument) = value_arguments(context).next() else {
        return Err(ApiError::bug("an action of a list has no argument for its element"));
    };
    let wanted = context.arguments.get(&argument.name).and_then(Value::as_array).cloned().unwrap_or_default();
    let items = element::list_mut(target, path)?;
    let refuse = || {
        let present: Vec<&Value> = items.iter().filter_map(|item| item.get(by)).collect();
        ApiError::invalid_operation(format!(
            "{}: expected each {by} of {} once, which are {}.",
            argument_place(context, &argument.name),
            path.join("."),
            json!(present)
        ))
    };
    let places: HashMap<&Value, usize> = wanted.iter().zip(0..).collect();
    let place_of = |item: &Value| item.get(by).and_then(|id| places.get(id)).copied();
    if wanted.len() != items.len() || items.iter().any(|item| place_of(item).is_none()) {
        return Err(refuse());
    }
    let changed = !items.is_sorted_by_key(place_of);
    items.sort_by_key(place_of);
    Ok(changed)
}

/// Returns the argument with the elements, and the elements in stored form.
fn stored_elements<'a>(
    list: &Field,
    context: &'a VerbContext<'_, '_>,
) -> ApiResult<Option<(&'a Field, Vec<Value>)>> {
    let Some(argument) = value_arguments(context).find(|argument| argument.name != POSITION) else {
        return Err(ApiError::bug("an action of a list has no argument for its elements"));
    };
    let Some(given) = context.arguments.get(&argument.name) else { return Ok(None) };
    let place = argument_place(context, &argument.name);
    let values = match (&argument.shape, given) {
        (Shape::List(inner), Value::Array(items)) => items
            .iter()
            .map(|item| convert::convert_element(inner, list, item.clone(), &place, context.rules))
            .collect::<ApiResult<_>>()?,
        (shape, given) => vec![convert::convert_element(shape, list, given.clone(), &place, context.rules)?],
    };
    Ok(Some((argument, values)))
}

/// True if elements have ids of their own, so that equal ones may repeat; all others count once, as in a set.
fn has_own_identity(list: &Field, context: &VerbContext<'_, '_>) -> bool {
    match list.shape.element() {
        Shape::Object(object) => {
            context.rules.model.object(*object).fields.iter().any(|field| field.generated)
        }
        Shape::CustomFields => true,
        _ => false,
    }
}

fn check_item_count(list: &Field, items: &[Value], context: &VerbContext<'_, '_>) -> ApiResult<()> {
    match list.limits.items_max {
        Some(max) if items.len() > max => Err(ApiError::invalid_operation(format!(
            "{}: {} holds at most {max} elements.",
            context.place, list.name
        ))),
        _ => Ok(()),
    }
}
