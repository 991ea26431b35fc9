//! Tailored Attributes, validated against the Product Type of the Product.

use super::sides::{CURRENT, STAGED, on_each_side};
use super::tailored_variant_edits::{
    find_tailored_variant, get_or_create_variant, identified_variant_id, variant_ids,
};
use crate::attribute::{check_tailored, tailored_value, update_attributes};
use crate::product::type_of;
use crate::product_lookup::product_of;
use crate::product_type::changes_of;
use crate::variant_content::put_attribute;
use kontor_engine::document::{list, must_text};
use kontor_engine::{ActionContext, DerivationSources, DeriveOutcome, Document, Rules};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// Returns the stored form of tailored Attributes of the Product.
pub(super) fn stored_attributes(
    given: &[Value],
    product: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Value>> {
    check_tailored(&*type_of(product, rules)?, given, AttributeLevelEnum::Product, place, rules)
}

/// Returns the stored form of tailored Attributes of a variant.
pub(super) fn stored_attributes_of_variant(
    given: &[Value],
    product: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Value>> {
    check_tailored(&*type_of(product, rules)?, given, AttributeLevelEnum::Variant, place, rules)
}

/// Updates the tailored Attributes of both sides after a change of the Product Type.
pub(super) fn follow_type(
    tailoring: &mut Document,
    sources: &dyn DerivationSources,
) -> ApiResult<DeriveOutcome> {
    let product = must_text(tailoring, &["product", "id"])?;
    let Some(product) = sources.document("product", product)? else { return Ok(DeriveOutcome::Keep) };
    let id = must_text(&product, &["productType", "id"])?;
    let Some(product_type) = sources.document("product-type", id)? else { return Ok(DeriveOutcome::Keep) };
    let changes = changes_of(id, sources)?;
    let bring_up_to_date = |holder: &mut Document| {
        if let Some(Value::Array(attributes)) = holder.get_mut("attributes") {
            update_attributes(attributes, &product_type, &changes);
            if attributes.is_empty() {
                holder.shift_remove("attributes");
            }
        }
    };
    for side in [CURRENT, STAGED] {
        let Some(Value::Object(data)) = tailoring.get_mut(side) else { continue };
        bring_up_to_date(data);
        let variants = data.get_mut("variants").and_then(Value::as_array_mut);
        variants.into_iter().flatten().filter_map(Value::as_object_mut).for_each(bring_up_to_date);
    }
    let differs = tailoring.get(CURRENT) != tailoring.get(STAGED);
    tailoring.insert("hasStagedChanges", json!(differs));
    Ok(DeriveOutcome::Keep)
}

/// `setAttribute`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let (name, value) = sent(context, arguments, AttributeLevelEnum::Variant)?;
    on_each_side(context, arguments, |data| in_variant(data, id, &name, value.as_ref()))?;
    Ok(())
}

/// `setAttributeInAllVariants`: of the Product, whether or not they are tailored yet.
pub(super) fn set_in_all(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (name, value) = sent(context, arguments, AttributeLevelEnum::Variant)?;
    let ids = variant_ids(&*product_of(context.document, context.rules)?, context.rules)?;
    on_each_side(context, arguments, |data| {
        let mut changed = false;
        for id in &ids {
            changed |= in_variant(data, *id, &name, value.as_ref())?;
        }
        Ok(changed)
    })?;
    Ok(())
}

/// `setProductAttribute`.
pub(super) fn set_of_product(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (name, value) = sent(context, arguments, AttributeLevelEnum::Product)?;
    on_each_side(context, arguments, |data| set_or_remove(data, &name, value.as_ref()))?;
    Ok(())
}

/// Sets or removes an Attribute of a variant. Setting one creates the tailored variant if needed; removing one does
/// not.
fn in_variant(data: &mut Document, id: i64, name: &str, value: Option<&Value>) -> ApiResult<bool> {
    match (value, find_tailored_variant(data, id)?) {
        (_, Some(variant)) => set_or_remove(variant, name, value),
        (Some(_), None) => set_or_remove(get_or_create_variant(data, id)?, name, value),
        (None, None) => Ok(false),
    }
}

/// Returns the name of the Attribute and its stored value; `None` removes it.
fn sent(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
    level: AttributeLevelEnum,
) -> ApiResult<(String, Option<Value>)> {
    let name = must_text(arguments, &["name"])?;
    let given = arguments.get("value").filter(|value| !value.is_null()).cloned();
    let product_type = type_of(&*product_of(context.document, context.rules)?, context.rules)?;
    let place = format!("{}.value", context.place);
    let stored = tailored_value(&product_type, name, given, level, &place, context.rules)?;
    Ok((name.to_owned(), stored))
}

/// Sets or removes an Attribute in the list of its holder; an empty list is removed.
fn set_or_remove(holder: &mut Document, name: &str, value: Option<&Value>) -> ApiResult<bool> {
    let changed = put_attribute(holder, name, value)?;
    if list(holder, &["attributes"]).is_empty() {
        holder.shift_remove("attributes");
    }
    Ok(changed)
}
