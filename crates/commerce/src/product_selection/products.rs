//! The actions that add Products to a ProductSelection, exclude them, and remove them.

use super::assignment;
use kontor_engine::document::{fields, has_enum, must_text};
use kontor_engine::{ActionContext, Document};
use kontor_enums::ProductSelectionMode;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

const SELECTION: &str = "variantSelection";
const EXCLUSION: &str = "variantExclusion";

/// `addProduct`: of the mode Individual.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    assign(context, arguments, SELECTION, "ProductSelectionProductAdded")
}

/// `excludeProduct`: of the mode IndividualExclusion.
pub(super) fn exclude(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    assign(context, arguments, EXCLUSION, "ProductSelectionProductExcluded")
}

/// Assigns a Product. A repeated assignment with the same Variants changes nothing, with others it is an error.
fn assign(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    field: &str,
    message: &str,
) -> ApiResult<()> {
    admit_mode(context, field)?;
    let (selection, product) = selection_and_product_ids(context, arguments)?;
    let chosen = arguments.get(field);
    if let Some(present) = assignment::find(&selection, &product, context)? {
        if present.get(field) == chosen {
            return Ok(());
        }
        return Err(present_with_others(&product, present.get(field)));
    }
    assignment::write_assignment(&selection, &product, None, (field, chosen), context)?;
    count(context, 1);
    let mut fields = product_message_fields(arguments);
    if let Some(chosen) = chosen {
        fields.insert(field, chosen.clone());
    }
    context.emit(message, fields)
}

/// `removeProduct`: changes nothing if the Product is not assigned.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (selection, product) = selection_and_product_ids(context, arguments)?;
    if assignment::find(&selection, &product, context)?.is_none() {
        return Ok(());
    }
    assignment::delete(&selection, &product, context)?;
    count(context, -1);
    context.emit("ProductSelectionProductRemoved", product_message_fields(arguments))
}

/// `setVariantSelection`: of a Product that was added.
pub(super) fn set_variant_selection(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    set(context, arguments, SELECTION, "ProductSelectionVariantSelectionChanged")
}

/// `setVariantExclusion`: of a Product that was excluded.
pub(super) fn set_variant_exclusion(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    set(context, arguments, EXCLUSION, "ProductSelectionVariantExclusionChanged")
}

fn set(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    field: &str,
    message: &str,
) -> ApiResult<()> {
    admit_mode(context, field)?;
    let (selection, product) = selection_and_product_ids(context, arguments)?;
    let present = assignment::find(&selection, &product, context)?
        .ok_or_else(|| not_assigned(context.document, &product))?;
    let (old, new) = (present.get(field), arguments.get(field));
    if old == new {
        return Ok(());
    }
    assignment::write_assignment(&selection, &product, Some(&present), (field, new), context)?;
    let mut fields = product_message_fields(arguments);
    for (prefix, value) in [("old", old), ("new", new)] {
        if let Some(value) = value {
            fields.insert(format!("{prefix}V{}", &field[1..]), value.clone());
        }
    }
    context.emit(message, fields)
}

/// Variants are selected in one mode and excluded in the other.
fn admit_mode(context: &ActionContext<'_, '_>, field: &str) -> ApiResult<()> {
    let mode = must_text(context.document, &["mode"])?;
    let needed = if field == SELECTION {
        ProductSelectionMode::Individual.as_str()
    } else {
        ProductSelectionMode::IndividualExclusion.as_str()
    };
    if mode == needed {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{}: '{}' needs a Product Selection of the mode {needed}; this one has the mode {mode}.",
        context.place, context.action.name
    )))
}

/// Ids of the selection and the Product.
fn selection_and_product_ids(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<(String, String)> {
    let id = |document: &Document, path: &[&str]| must_text(document, path).map(str::to_owned);
    Ok((id(context.document, &["id"])?, id(arguments, &["product", "id"])?))
}

fn product_message_fields(arguments: &Document) -> Document {
    fields([("product", arguments.get("product").cloned())])
}

fn count(context: &mut ActionContext<'_, '_>, change: i64) {
    let count = context.document.get("productCount").and_then(Value::as_i64).unwrap_or(0);
    context.document.insert("productCount", json!(count + change));
}

fn product_reference(id: &str) -> Value {
    json!({"typeId": "product", "id": id})
}

/// Returns the error. It describes an exclusion, or all Variants, as a variant selection, which is the type of its
/// field.
fn present_with_others(product: &str, existing: Option<&Value>) -> ApiError {
    let mut selection = json!({"type": "includeAllExcept", "skus": []});
    if let (Some(fields), Some(existing)) = (selection.as_object_mut(), existing.and_then(Value::as_object)) {
        fields.extend(existing.clone());
    }
    ApiError::new(
        Code::ProductPresentWithDifferentVariantSelection,
        format!("Product is already present with the following different {selection}."),
    )
    .with_field("product", product_reference(product))
    .with_field("existingVariantSelection", selection)
}

fn not_assigned(selection: &Document, product: &str) -> ApiError {
    let message = if has_enum(selection, &["mode"], ProductSelectionMode::Individual) {
        "A Product Variant Selection can only be set for a Product that has previously been added to the Product \
         Selection."
    } else {
        "A Variant Exclusion can only be set for a Product that has previously been added to the Product Selection \
         of type Individual Exclusion."
    };
    ApiError::new(Code::ProductAssignmentMissing, message).with_field("product", product_reference(product))
}
