//! Tailored variants: each has the id of a variant in the Product, or the number of a Variant (a resource of its own).

use super::sides::on_each_side;
use super::tailored_variant_edits::{
    find_tailored_variant, identified_variant_id, named_variant_id, tailored_variants_mut,
};
use super::{attributes, emit_message};
use crate::asset::admit_assets;
use crate::product_lookup::product_of;
use crate::variant_content::admit_images;
use kontor_engine::document::{list, must_integer};
use kontor_engine::{ActionContext, Document, Rules, conversion};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The tailored variants of a draft.
pub(super) fn tailored_variants_of_draft(
    draft: &Document,
    product: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    let mut variants: Vec<Value> = Vec::new();
    for (index, given) in list(draft, &["variants"]).iter().enumerate() {
        let place = format!("variants[{index}]");
        let Value::Object(given) = given else {
            return Err(ApiError::bug("a tailored variant that is no object"));
        };
        let variant = create_tailored_variant(given, "ProductVariantTailoringDraft", product, &place, rules)?;
        if variants.iter().any(|other| other["id"] == variant["id"]) {
            return Err(ApiError::duplicate_field("variants.id", variant["id"].clone()));
        }
        variants.push(Value::Object(variant));
    }
    Ok(Value::Array(variants))
}

/// Creates a tailored variant from its draft.
fn create_tailored_variant(
    given: &Document,
    sent_as: &str,
    product: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let id = named_variant_id(product, given, place, rules)?;
    let shapes =
        rules.model.object_by_name(sent_as).zip(rules.model.object_by_name("ProductVariantTailoring"));
    let (input, output) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let mut variant = conversion::convert_object(input, output, given.clone(), place, rules)?;
    variant.shift_insert(0, "id", json!(id));
    admit_assets(list(&variant, &["assets"]), &format!("{place}.assets"))?;
    admit_images(list(&variant, &["images"]), &format!("{place}.images"))?;
    if let Some(attributes) = variant.get("attributes").and_then(Value::as_array) {
        let checked = attributes::stored_attributes_of_variant(
            attributes,
            product,
            &format!("{place}.attributes"),
            rules,
        )?;
        variant.insert("attributes", Value::Array(checked));
    }
    Ok(variant)
}

/// `addVariant`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let product = product_of(context.document, context.rules)?;
    let sent_as = context.rules.model.object(context.action.arguments).name.clone();
    let variant = create_tailored_variant(arguments, &sent_as, &product, context.place, context.rules)?;
    let id = must_integer(&variant, &["id"])?;
    let place = context.place;
    on_each_side(context, arguments, |data| {
        if find_tailored_variant(data, id)?.is_some() {
            return Err(ApiError::invalid_operation(format!(
                "{place}: the variant with id {id} is tailored already."
            )));
        }
        tailored_variants_mut(data)?.push(Value::Object(variant.clone()));
        Ok(true)
    })?;
    let message_fields =
        [("variantId".to_owned(), Some(json!(id))), ("variant".to_owned(), Some(Value::Object(variant)))];
    emit_message(context, "ProductVariantTailoringAdded", message_fields)
}

/// `removeVariant`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let mut removed = None;
    on_each_side(context, arguments, |data| {
        let variants = tailored_variants_mut(data)?;
        let at = variants.iter().position(|variant| variant["id"] == id);
        removed = removed.take().or(at.map(|at| variants.remove(at)));
        Ok(at.is_some())
    })?;
    let Some(variant) = removed else {
        return Err(ApiError::invalid_operation(format!(
            "{}: the variant with id {id} is not tailored.",
            context.place
        )));
    };
    let message_fields = [("variantId".to_owned(), Some(json!(id))), ("variant".to_owned(), Some(variant))];
    emit_message(context, "ProductVariantTailoringRemoved", message_fields)
}
