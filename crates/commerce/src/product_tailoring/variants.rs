//! Tailored variants. Each has the id of a variant of the Product, or the number of a Variant that is a resource.

use super::sides::{CURRENT, STAGED, data_mut, on_each_side, sides};
use super::{attributes, tell};
use crate::asset::admit_assets;
use crate::product_of::product_of;
use crate::variant;
use crate::variant_content::admit_images;
use kontor_engine::document::{get, list, must_text, text};
use kontor_engine::{Acting, Document, Rules, conversion};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// The variants of a side of a Product, the master variant first.
fn of_side<'d>(product: &'d Document, side: &str) -> impl Iterator<Item = &'d Value> {
    let master = get(product, &["masterData", side, "masterVariant"]);
    master.into_iter().chain(list(product, &["masterData", side, "variants"]))
}

/// The ids of all variants of a Product, within it or resources of their own.
pub(super) fn ids(product: &Document, rules: &Rules<'_>) -> ApiResult<Vec<i64>> {
    let mut ids: Vec<i64> = [STAGED, CURRENT]
        .iter()
        .flat_map(|side| of_side(product, side))
        .filter_map(|variant| variant["id"].as_i64())
        .collect();
    if ids.is_empty() {
        let resources = variant::of_product(must_text(product, &["id"])?, rules)?;
        return Ok(resources.iter().filter_map(|resource| variant::number(resource)).collect());
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The id of the Product's variant that is meant by id or by SKU; it must be there.
fn meant(product: &Document, given: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<i64> {
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
    let found = [STAGED, CURRENT]
        .iter()
        .flat_map(|side| of_side(product, side))
        .find(|variant| variant[field] == *wanted)
        .and_then(|variant| variant["id"].as_i64());
    let found = match found {
        Some(id) => Some(id),
        None => of_resource(product, wanted, rules)?,
    };
    found.ok_or_else(|| {
        ApiError::invalid_operation(format!("{place}: the Product has no variant with {field} {wanted}."))
    })
}

/// The number of the Variant, a resource of its own, that a number or a SKU means. It must be there when the change is
/// written.
fn of_resource(product: &Document, wanted: &Value, rules: &Rules<'_>) -> ApiResult<Option<i64>> {
    let id = must_text(product, &["id"])?;
    let found = match (wanted.as_i64(), wanted.as_str()) {
        (Some(number), _) => variant::with_number(id, number, rules)?,
        (None, Some(sku)) => variant::with_sku(sku, rules)?,
        (None, None) => None,
    };
    let found = found.filter(|found| text(found, &["product", "id"]) == Some(id));
    Ok(found.and_then(|found| {
        variant::require_there(&found, rules);
        variant::number(&found)
    }))
}

/// The id of the variant that the arguments of an action mean.
pub(super) fn identified(acting: &Acting<'_, '_>, arguments: &Document) -> ApiResult<i64> {
    meant(&*product_of(acting.document, acting.rules)?, arguments, acting.place, acting.rules)
}

/// The tailored variants of a draft.
pub(super) fn of_draft(draft: &Document, product: &Document, rules: &Rules<'_>) -> ApiResult<Value> {
    let mut variants: Vec<Value> = Vec::new();
    for (index, given) in list(draft, &["variants"]).iter().enumerate() {
        let place = format!("variants[{index}]");
        let Value::Object(given) = given else {
            return Err(ApiError::bug("a tailored variant that is no object"));
        };
        let variant = made(given, "ProductVariantTailoringDraft", product, &place, rules)?;
        if variants.iter().any(|other| other["id"] == variant["id"]) {
            return Err(ApiError::duplicate_field("variants.id", variant["id"].clone()));
        }
        variants.push(Value::Object(variant));
    }
    Ok(Value::Array(variants))
}

/// A tailored variant from what was sent.
fn made(
    given: &Document,
    sent_as: &str,
    product: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let id = meant(product, given, place, rules)?;
    let shapes =
        rules.model.object_by_name(sent_as).zip(rules.model.object_by_name("ProductVariantTailoring"));
    let (input, output) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let mut variant = conversion::object(input, output, given.clone(), place, rules)?;
    variant.shift_insert(0, "id".into(), json!(id));
    admit_assets(list(&variant, &["assets"]), &format!("{place}.assets"))?;
    admit_images(list(&variant, &["images"]), &format!("{place}.images"))?;
    if let Some(attributes) = variant.get("attributes").and_then(Value::as_array) {
        let checked =
            attributes::admitted_of_variant(attributes, product, &format!("{place}.attributes"), rules)?;
        variant.insert("attributes".into(), Value::Array(checked));
    }
    Ok(variant)
}

/// The tailored variants of a side, to be changed.
fn all(data: &mut Document) -> ApiResult<&mut Vec<Value>> {
    data.entry("variants")
        .or_insert_with(|| json!([]))
        .as_array_mut()
        .ok_or_else(|| ApiError::bug("tailored variants that are no list"))
}

/// The tailored variant with an id, made where there is none yet.
pub(super) fn tailored(data: &mut Document, id: i64) -> ApiResult<&mut Document> {
    let variants = all(data)?;
    let at = match variants.iter().position(|variant| variant["id"] == id) {
        Some(at) => at,
        None => {
            variants.push(json!({"id": id}));
            variants.len() - 1
        }
    };
    variants[at].as_object_mut().ok_or_else(|| ApiError::bug("a tailored variant that is no object"))
}

/// The tailored variant with an id, where there is one.
pub(super) fn present(data: &mut Document, id: i64) -> ApiResult<Option<&mut Document>> {
    let found = all(data)?.iter_mut().find(|variant| variant["id"] == id);
    Ok(found.and_then(Value::as_object_mut))
}

/// Does a change in the tailored variant on each side that the action is about and that has it. `None` says that
/// what is looked for is not there; on one side it must be.
pub(super) fn on_each(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    what: impl FnOnce() -> String,
    mut change: impl FnMut(&mut Document) -> ApiResult<Option<bool>>,
) -> ApiResult<()> {
    let id = identified(acting, arguments)?;
    let mut found = false;
    for side in sides(arguments) {
        if let Some(variant) = present(data_mut(acting.document, side)?, id)? {
            found |= change(variant)?.is_some();
        }
    }
    if found {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{}: the tailored variant with id {id} has no {}.",
        acting.place,
        what()
    )))
}

/// `addVariant`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let product = product_of(acting.document, acting.rules)?;
    let sent_as = acting.rules.model.object(acting.action.arguments).name.clone();
    let variant = made(arguments, &sent_as, &product, acting.place, acting.rules)?;
    let id = variant["id"].as_i64().unwrap_or_default();
    let place = acting.place;
    on_each_side(acting, arguments, |data| {
        if present(data, id)?.is_some() {
            return Err(ApiError::invalid_operation(format!(
                "{place}: the variant with id {id} is tailored already."
            )));
        }
        all(data)?.push(Value::Object(variant.clone()));
        Ok(true)
    })?;
    let told =
        [("variantId".to_owned(), Some(json!(id))), ("variant".to_owned(), Some(Value::Object(variant)))];
    tell(acting, "ProductVariantTailoringAdded", told)
}

/// `removeVariant`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified(acting, arguments)?;
    let mut removed = None;
    on_each_side(acting, arguments, |data| {
        let variants = all(data)?;
        let at = variants.iter().position(|variant| variant["id"] == id);
        removed = removed.take().or(at.map(|at| variants.remove(at)));
        Ok(at.is_some())
    })?;
    let Some(variant) = removed else {
        return Err(ApiError::invalid_operation(format!(
            "{}: the variant with id {id} is not tailored.",
            acting.place
        )));
    };
    let told = [("variantId".to_owned(), Some(json!(id))), ("variant".to_owned(), Some(variant))];
    tell(acting, "ProductVariantTailoringRemoved", told)
}
