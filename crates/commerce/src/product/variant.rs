//! Variants: the master variant and the others, identified by an `id` that counts up and is never reused. Start at
//! [`add`].
//!
//! Source: reference types `ProductVariant`, `ProductAddVariantAction`, `ProductRemoveVariantAction`,
//! `ProductChangeMasterVariantAction`, `ProductSetSkuAction`, `ProductSetProductVariantKeyAction`.

use super::images;
use super::sides::{BOTH, CURRENT, STAGED, data, data_mut, is_staged, set_or_remove, sides_of_action};
use super::variant_edits::{change, find, find_mut, id_of, identified_variant_id, list_mut};
use crate::variant_list::variants;
use kontor_engine::document::{is_empty, must_integer, must_text, text, without_nulls};
use kontor_engine::{
    ActionContext, Document, Effects, FoundDocument, IndexValue, Precondition, Put, Rules, conversion,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

/// The kind of the hidden document with the highest variant id of a Product, written when that variant is removed. No
/// API returns it.
pub(crate) const HIGHEST: &str = "product-variant-id";
/// Lists that a variant always has.
const LISTS: [&str; 4] = ["prices", "attributes", "images", "assets"];

/// Sets the id of a converted variant, and the lists that it lacks. An empty SKU or key is dropped.
pub(super) fn complete(variant: &mut Document, id: i64) {
    variant.shift_insert(0, "id", json!(id));
    for name in ["sku", "key"] {
        if variant.get(name).is_some_and(is_empty) {
            variant.shift_remove(name);
        }
    }
    for name in LISTS {
        variant.entry(name).or_insert_with(|| json!([]));
    }
}

/// `addVariant`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    super::modular::admit_classic(context)?;
    if arguments.get("isMasterVariant") == Some(&Value::Bool(true)) {
        return Err(ApiError::new(
            Code::NewMasterVariantAdditionNotAllowed,
            format!(
                "{}: a new variant cannot be the master variant. Change the master variant, or create the variant \
                 and make it the master variant then.",
                context.place
            ),
        ));
    }
    let rules = context.rules;
    let shape = rules
        .model
        .object_by_name("ProductVariant")
        .ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let given = arguments.clone();
    let mut variant =
        conversion::convert_object(context.action.arguments, shape, given, context.place, rules)?;
    // The version check of the Product also protects its hidden document.
    let kept = rules.peek_hidden(HIGHEST, must_text(context.document, &["id"])?)?;
    complete(&mut variant, highest(context.document, kept) + 1);
    super::attribute::check_attributes(context.document, &mut variant, context.place, rules)?;
    for side in sides_of_action(arguments) {
        list_mut(data_mut(context.document, side)?, "variants")?.push(Value::Object(variant.clone()));
    }
    super::attribute::admit_added(context, arguments)?;
    context.emit(
        "ProductVariantAdded",
        without_nulls(json!({"variant": variant, "staged": is_staged(arguments)})),
    )
}

/// `removeVariant`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let before = images::image_urls(context.document);
    let mut removed = None;
    for side in sides_of_action(arguments) {
        let data = data_mut(context.document, side)?;
        if data.get("masterVariant").and_then(|master| master["id"].as_i64()) == Some(id) {
            return Err(ApiError::invalid_operation(format!(
                "{}: the master variant cannot be removed.",
                context.place
            )));
        }
        let others = list_mut(data, "variants")?;
        if let Some(index) = others.iter().position(|other| other["id"].as_i64() == Some(id)) {
            let variant = others.remove(index);
            removed.get_or_insert(variant);
        }
    }
    let gone = images::removed_image_urls(&before, context.document);
    context.emit(
        "ProductVariantDeleted",
        without_nulls(json!({"variant": removed, "removedImageUrls": gone, "staged": is_staged(arguments)})),
    )
}

/// `changeMasterVariant`: the two change places.
pub(super) fn change_master(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    for side in sides_of_action(arguments) {
        let data = data_mut(context.document, side)?;
        let Some(mut master) = data.get_mut("masterVariant").map(Value::take) else { continue };
        if let Some(other) =
            list_mut(data, "variants")?.iter_mut().find(|other| other["id"].as_i64() == Some(id))
        {
            std::mem::swap(&mut master, other);
        }
        data.insert("masterVariant", master);
    }
    Ok(())
}

/// `setSku`: refused for a SKU that an InventoryEntry has.
pub(super) fn set_sku(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut named = Document::new();
    for name in ["variantId", "staged"] {
        named.extend(arguments.get(name).map(|value| (name, value.clone())));
    }
    let new = arguments.get("sku");
    let rules = context.rules;
    change(context, &named, |variant| {
        if let Some(old) = text(variant, &["sku"])
            && new.and_then(Value::as_str) != Some(old)
        {
            rules.require(Precondition::NotReferenced {
                kind: super::INVENTORY.into(),
                path: "sku".into(),
                value: IndexValue::Text(old.to_owned()),
            });
        }
        Ok(set_or_remove(variant, "sku", new))
    })?;
    Ok(())
}

/// `setSKU`, as it was before there were two sides: changes both.
pub(super) fn set_sku_on_both_sides(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let mut arguments = arguments.clone();
    arguments.insert("staged", json!(false));
    set_sku(context, &arguments)
}

/// `setProductVariantKey`.
pub(super) fn set_key(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    change(context, arguments, |variant| Ok(set_or_remove(variant, "key", arguments.get("key"))))?;
    Ok(())
}

/// `revertStagedVariantChanges`: copies the variant from the current side to the staged one, at its place there.
pub(super) fn revert(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = must_integer(arguments, &["variantId"])?;
    let Some(current) = data(context.document, CURRENT).and_then(|data| find(data, id)).cloned() else {
        return Err(ApiError::invalid_operation(format!(
            "{}: the current side has no variant with id {id}.",
            context.place
        )));
    };
    let staged = data_mut(context.document, STAGED)?;
    match find_mut(staged, id) {
        Some(variant) => *variant = current,
        None => list_mut(staged, "variants")?.push(Value::Object(current)),
    }
    Ok(())
}

/// Returns the SKUs that variants of the current side no longer have, each with the new SKU of its variant.
pub(super) fn changed_skus(before: &Document, after: &Document) -> Vec<(String, Option<String>)> {
    let (Some(old), Some(new)) = (data(before, CURRENT), data(after, CURRENT)) else { return Vec::new() };
    let changed = variants(old).filter_map(|variant| {
        let sku = text(variant, &["sku"])?;
        let now = find(new, id_of(variant)).and_then(|variant| text(variant, &["sku"]));
        (now != Some(sku)).then(|| (sku.to_owned(), now.map(str::to_owned)))
    });
    changed.collect()
}

/// Returns the highest variant id that the Product has or had, given the hidden document with ids of removed
/// variants.
fn highest(product: &Document, kept: Option<FoundDocument>) -> i64 {
    let kept = kept.and_then(|found| found.document.get("id")?.as_i64());
    highest_there(product).max(kept.unwrap_or(0))
}

fn highest_there(product: &Document) -> i64 {
    BOTH.iter().filter_map(|side| data(product, side)).flat_map(variants).map(id_of).max().unwrap_or(0)
}

/// Returns the id of the next Variant resource. A precondition ensures that no other change takes it before
/// this one is written.
pub(crate) fn take_variant_id(
    product: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<i64> {
    let id = must_text(product, &["id"])?;
    let next = highest(product, rules.hidden_document(HIGHEST, id)?) + 1;
    write_highest(id, next, effects);
    Ok(next)
}

/// Writes the hidden document of a Product after a change of its Variants (resources of their own), so that documents
/// and search entries that follow from them are updated.
pub(crate) fn tell_of_variants(
    product: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let id = must_text(product, &["id"])?;
    write_highest(id, highest(product, rules.hidden_document(HIGHEST, id)?), effects);
    Ok(())
}

fn write_highest(product: &str, highest: i64, effects: &mut Effects) {
    effects.put_hidden(Put {
        kind: HIGHEST.into(),
        id: product.to_owned(),
        version: 1,
        body: json!({"id": highest}).to_string().into(),
        ..Put::default()
    });
}

/// Stores the highest variant id if no variant has it any more.
pub(super) fn keep_highest(before: &Document, after: &Document, effects: &mut Effects) -> ApiResult<()> {
    let highest = highest_there(before);
    if highest > highest_there(after) {
        write_highest(must_text(after, &["id"])?, highest, effects);
    }
    Ok(())
}

/// Deletes the highest id together with the Product.
pub(super) fn forget_highest(product: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    effects.forget_hidden(HIGHEST, must_text(product, &["id"])?, rules)
}
