//! Finds the variant that an action addresses, and applies the change to it on each side.

use super::sides::{data, data_mut, sides_of_action};
use crate::variant_list::{variants, variants_mut};
use kontor_engine::document::integer_or_log;
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// The `id` of a variant.
pub(super) fn id_of(variant: &Document) -> i64 {
    integer_or_log(variant, &["id"])
}

/// The variant with an id.
pub(super) fn find(data: &Document, id: i64) -> Option<&Document> {
    variants(data).find(|variant| id_of(variant) == id)
}

/// As [`find`], to be changed.
pub(super) fn find_mut(data: &mut Document, id: i64) -> Option<&mut Document> {
    variants_mut(data).find(|variant| id_of(variant) == id)
}

/// The id of the variant that the arguments identify, by id or by SKU. It is on one of the sides that the action
/// is about.
pub(super) fn identified_variant_id(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<i64> {
    let by_id = ["variantId", "id"].into_iter().find(|name| arguments.contains_key(*name));
    let wanted = match (by_id, arguments.get("sku")) {
        (Some(name), _) => ("id", &arguments[name]),
        (None, Some(sku)) => ("sku", sku),
        (None, None) => {
            return Err(ApiError::invalid_json(format!(
                "{}: the id of a variant or its sku is required",
                context.place
            )));
        }
    };
    let mut all =
        sides_of_action(arguments).iter().filter_map(|side| data(context.document, side)).flat_map(variants);
    let found = all.find(|variant| variant.get(wanted.0) == Some(wanted.1));
    found.map(id_of).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{}: the Product has no variant with {} {}.",
            context.place, wanted.0, wanted.1
        ))
    })
}

/// Applies a change to a variant on each addressed side that has the variant. `change` returns whether it changed
/// something, or `None` if its target does not exist; at least one side must have the target.
pub(super) fn edit_each_side(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    id: i64,
    what: impl FnOnce() -> String,
    mut change: impl FnMut(&mut Document) -> ApiResult<Option<bool>>,
) -> ApiResult<bool> {
    let mut found = None;
    for side in sides_of_action(arguments) {
        if let Some(variant) = find_mut(data_mut(context.document, side)?, id)
            && let Some(changed) = change(variant)?
        {
            found = Some(found.unwrap_or(false) | changed);
        }
    }
    found.ok_or_else(|| {
        ApiError::invalid_operation(format!("{}: the variant with id {id} has no {}.", context.place, what()))
    })
}

/// Like [`on_each`], for changes without a further target within the variant.
pub(super) fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    let id = identified_variant_id(context, arguments)?;
    edit_each_side(context, arguments, id, String::new, |variant| change(variant).map(Some))
}

/// Returns a list of a variant; creates it if it is missing.
pub(super) fn list_mut<'d>(variant: &'d mut Document, name: &str) -> ApiResult<&'d mut Vec<Value>> {
    let list = variant.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut().ok_or_else(|| ApiError::bug("something of a variant that is no list"))
}
