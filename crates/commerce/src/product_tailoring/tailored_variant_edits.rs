//! Finds the variant that an action addresses, and applies the change to its tailored data on each side.

use super::sides::{CURRENT, STAGED, data_mut, sides_of_action};
use crate::catalog_model::finds_resources;
use crate::product_lookup::product_of;
use crate::variant;
use kontor_engine::document::{get, list, must_text, text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The variants of a side of a Product, the master variant first.
fn of_side<'d>(product: &'d Document, side: &str) -> impl Iterator<Item = &'d Value> {
    let master = get(product, &["masterData", side, "masterVariant"]);
    master.into_iter().chain(list(product, &["masterData", side, "variants"]))
}

/// Returns the ids of all variants of a Product, embedded or resources of their own.
pub(super) fn variant_ids(product: &Document, rules: &Rules<'_>) -> ApiResult<Vec<i64>> {
    if finds_resources(rules) {
        let resources = variant::variants_of_product(must_text(product, &["id"])?, rules)?;
        return Ok(resources.iter().filter_map(|resource| variant::number(resource)).collect());
    }
    let mut ids: Vec<i64> = [STAGED, CURRENT]
        .iter()
        .flat_map(|side| of_side(product, side))
        .filter_map(|variant| variant["id"].as_i64())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Returns the id of the Product's variant identified by id or SKU; it must exist.
pub(super) fn named_variant_id(
    product: &Document,
    given: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<i64> {
    let by_id = ["variantId", "id"].into_iter().find_map(|name| given.get(name));
    let (field, wanted) = match (by_id, given.get("sku")) {
        (Some(id), _) => ("id", id),
        (None, Some(sku)) => ("sku", sku),
        (None, None) => {
            return Err(ApiError::invalid_json(format!(
                "{place}: the id of a variant or its sku is required"
            )));
        }
    };
    let found = if finds_resources(rules) {
        of_resource(product, wanted, rules)?
    } else {
        let mut embedded = [STAGED, CURRENT].iter().flat_map(|side| of_side(product, side));
        embedded.find(|variant| variant[field] == *wanted).and_then(|variant| variant["id"].as_i64())
    };
    found.ok_or_else(|| {
        ApiError::invalid_operation(format!("{place}: the Product has no variant with {field} {wanted}."))
    })
}

/// Returns the number of the Variant (a resource of its own) with this number or SKU. It must exist when the change is
/// written.
fn of_resource(product: &Document, wanted: &Value, rules: &Rules<'_>) -> ApiResult<Option<i64>> {
    let id = must_text(product, &["id"])?;
    let found = match (wanted.as_i64(), wanted.as_str()) {
        (Some(number), _) => variant::find_by_number(id, number, rules)?,
        (None, Some(sku)) => variant::find_by_sku(sku, rules)?,
        (None, None) => None,
    };
    let found = found.filter(|found| text(found, &["product", "id"]) == Some(id));
    Ok(found.and_then(|found| {
        variant::require_there(&found, rules);
        variant::number(&found)
    }))
}

/// The id of the variant that the arguments of an action mean.
pub(super) fn identified_variant_id(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<i64> {
    named_variant_id(&*product_of(context.document, context.rules)?, arguments, context.place, context.rules)
}

/// The tailored variants of a side, to be changed.
pub(super) fn tailored_variants_mut(data: &mut Document) -> ApiResult<&mut Vec<Value>> {
    data.entry("variants")
        .or_insert_with(|| json!([]))
        .as_array_mut()
        .ok_or_else(|| ApiError::bug("tailored variants that are no list"))
}

/// Returns the tailored variant with an id; creates it if it is missing.
pub(super) fn get_or_create_variant(data: &mut Document, id: i64) -> ApiResult<&mut Document> {
    let variants = tailored_variants_mut(data)?;
    let at = match variants.iter().position(|variant| variant["id"] == id) {
        Some(at) => at,
        None => {
            variants.push(json!({"id": id}));
            variants.len() - 1
        }
    };
    variants[at].as_object_mut().ok_or_else(|| ApiError::bug("a tailored variant that is no object"))
}

/// Returns the tailored variant with an id; `None` if it does not exist.
pub(super) fn find_tailored_variant(data: &mut Document, id: i64) -> ApiResult<Option<&mut Document>> {
    let found = tailored_variants_mut(data)?.iter_mut().find(|variant| variant["id"] == id);
    Ok(found.and_then(Value::as_object_mut))
}

/// Changes the tailored variant on each side that the action addresses and that has it. The change returns
/// `None` if its target is missing; one side must have it.
pub(super) fn edit_each_side(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    what: impl FnOnce() -> String,
    mut change: impl FnMut(&mut Document) -> ApiResult<Option<bool>>,
) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let mut found = false;
    for side in sides_of_action(arguments) {
        if let Some(variant) = find_tailored_variant(data_mut(context.document, side)?, id)? {
            found |= change(variant)?.is_some();
        }
    }
    if found {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{}: the tailored variant with id {id} has no {}.",
        context.place,
        what()
    )))
}
