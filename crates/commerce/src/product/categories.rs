//! The Categories of a Product, and its order hint in each.
//!
//! Source: reference types `ProductAddToCategoryAction`, `ProductRemoveFromCategoryAction`,
//! `ProductSetCategoryOrderHintAction`, `CategoryOrderHints`.

use super::sides::{BOTH, STAGED, compare, data, data_mut, is_staged, on_each_side};
use kontor_engine::document::{list, must_field, must_get, must_text, set, without_nulls};
use kontor_engine::{ActionContext, DerivationSources, DeriveOutcome, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// `addToCategory`: without `orderHint` the Product has none in the Category afterwards.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let category = must_get(arguments, &["category"])?.clone();
    let id = must_field(&category, "id")?.to_owned();
    let mut added = false;
    on_each_side(context, arguments, |data| {
        if !is_in(data, &id) {
            match data.entry("categories").or_insert_with(|| json!([])) {
                Value::Array(categories) => categories.push(category.clone()),
                _ => return Err(ApiError::bug("categories that are no list")),
            }
            added = true;
        }
        set_hint(data, &id, arguments.get("orderHint"));
        Ok(true)
    })?;
    if added {
        let fields = json!({"category": category, "staged": is_staged(arguments)});
        context.emit("ProductAddedToCategory", without_nulls(fields))?;
    }
    Ok(())
}

/// `removeFromCategory`: also removes the order hint.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let category = must_get(arguments, &["category"])?.clone();
    let id = must_field(&category, "id")?.to_owned();
    let removed = on_each_side(context, arguments, |data| {
        let was_in = is_in(data, &id);
        leave(data, &id);
        Ok(was_in)
    })?;
    if !removed {
        return Err(ApiError::invalid_operation(format!(
            "{}.category: the Product is not in the Category with identifier '{id}'.",
            context.place
        )));
    }
    let fields = json!({"category": category, "staged": is_staged(arguments)});
    context.emit("ProductRemovedFromCategory", without_nulls(fields))
}

/// `setCategoryOrderHint`: without a hint, an existing one is removed; if there is none, nothing changes.
pub(super) fn set_order_hint(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = must_text(arguments, &["categoryId"])?;
    let is_removed = arguments.get("orderHint").is_none_or(Value::is_null);
    if !is_removed && !data(context.document, STAGED).is_some_and(|data| is_in(data, id)) {
        return Err(ApiError::invalid_operation(format!(
            "{}.categoryId: the Product is not in the Category with identifier '{id}'.",
            context.place
        )));
    }
    on_each_side(context, arguments, |data| {
        if is_in(data, id) {
            set_hint(data, id, arguments.get("orderHint"));
        }
        Ok(true)
    })?;
    Ok(())
}

/// Checks that order hints refer to Categories of the Product (reference type `ProductDraft`).
pub(super) fn admit_hints(data: &Document) -> ApiResult<()> {
    let hints = data.get("categoryOrderHints").and_then(Value::as_object);
    match hints.into_iter().flatten().find(|(id, _)| !is_in(data, id)) {
        Some((id, _)) => Err(ApiError::invalid_operation(format!(
            "categoryOrderHints: the Product is not in the Category with identifier '{id}'."
        ))),
        None => Ok(()),
    }
}

/// Removes the Product from deleted Categories.
pub(super) fn leave_those_gone(
    product: &mut Document,
    sources: &dyn DerivationSources,
) -> ApiResult<DeriveOutcome> {
    for side in BOTH {
        let data = data_mut(product, side)?;
        let ids = list(data, &["categories"]).iter().filter_map(|category| category["id"].as_str());
        let mut gone = Vec::new();
        for id in ids {
            if sources.document("category", id)?.is_none() {
                gone.push(id.to_owned());
            }
        }
        for id in gone {
            leave(data, &id);
        }
    }
    compare(product);
    Ok(DeriveOutcome::Keep)
}

fn leave(data: &mut Document, id: &str) {
    if let Some(Value::Array(categories)) = data.get_mut("categories") {
        categories.retain(|category| category["id"] != id);
    }
    set_hint(data, id, None);
}

fn is_in(data: &Document, id: &str) -> bool {
    list(data, &["categories"]).iter().any(|category| category["id"] == id)
}

fn set_hint(data: &mut Document, id: &str, hint: Option<&Value>) {
    set(data, &["categoryOrderHints", id], hint.cloned());
}
