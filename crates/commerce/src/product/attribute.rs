//! Attributes of a Product and of its variants, validated against its Product Type. Start at [`check_attributes`].
//!
//! Source: reference types `ProductSetAttributeAction`, `ProductSetAttributeInAllVariantsAction`,
//! `ProductSetProductAttributeAction`.

use super::sides::{BOTH, compare, data_mut, on_each_side, sides_of_action};
use super::variant_edits::change;
use crate::attribute::{check, check_constraint, check_constraints, update_attributes, value};
use crate::kinds;
use crate::product_type::changes_of;
use crate::variant_content::put_attribute;
use crate::variant_list::{variants, variants_mut};
use kontor_engine::document::{list, must_text};
use kontor_engine::{ActionContext, DerivationSources, DeriveOutcome, Document, Rules};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::sync::Arc;

/// Returns the Product Type of a Product. It must be unchanged when the change is written.
pub(crate) fn type_of(product: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id = must_text(product, &["productType", "id"])?;
    let found = rules.find(kinds::PRODUCT_TYPE, id)?;
    found.ok_or_else(|| ApiError::referenced_resource_not_found("product-type", Some(id), None))
}

/// Checks the Attributes of a new Product, and converts them into their stored form.
pub(super) fn admit_all(product: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let product_type = type_of(product, rules)?;
    let data = data_mut(product, super::sides::STAGED)?;
    let attributes =
        check(&product_type, list(data, &["attributes"]), AttributeLevelEnum::Product, "attributes", rules)?;
    data.insert("attributes", Value::Array(attributes));
    for (index, variant) in variants_mut(data).enumerate() {
        let place = match index.checked_sub(1) {
            None => "masterVariant.attributes".to_owned(),
            Some(index) => format!("variants[{index}].attributes"),
        };
        admit_in(&product_type, variant, &place, rules)?;
    }
    Ok(())
}

/// Checks the Attributes of a variant that is about to be added.
pub(super) fn check_attributes(
    product: &Document,
    variant: &mut Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    admit_in(&*type_of(product, rules)?, variant, &format!("{place}.attributes"), rules)
}

fn admit_in(
    product_type: &Document,
    variant: &mut Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let attributes =
        check(product_type, list(variant, &["attributes"]), AttributeLevelEnum::Variant, place, rules)?;
    variant.insert("attributes", Value::Array(attributes));
    Ok(())
}

/// Updates the Attributes of both sides after a change of the Product Type.
pub(super) fn follow_type(
    product: &mut Document,
    sources: &dyn DerivationSources,
) -> ApiResult<DeriveOutcome> {
    let id = must_text(product, &["productType", "id"])?;
    let Some(product_type) = sources.document("product-type", id)? else { return Ok(DeriveOutcome::Keep) };
    let changes = changes_of(id, sources)?;
    let bring_up_to_date = |holder: &mut Document| {
        if let Some(Value::Array(attributes)) = holder.get_mut("attributes") {
            update_attributes(attributes, &product_type, &changes);
        }
    };
    for side in BOTH {
        let data = data_mut(product, side)?;
        bring_up_to_date(data);
        variants_mut(data).for_each(bring_up_to_date);
    }
    compare(product);
    Ok(DeriveOutcome::Keep)
}

/// `setAttribute`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (name, value) = sent(context, arguments, AttributeLevelEnum::Variant)?;
    let is_changed = change(context, arguments, |variant| put_attribute(variant, &name, value.as_ref()))?;
    if value.is_none() && !is_changed && !context.caller.is_import() {
        return Err(nothing_to_remove(context.place, &name));
    }
    admit_values(context, arguments, &name)
}

/// Checks the values of one Attribute on the sides that an action changes.
fn admit_values(context: &ActionContext<'_, '_>, arguments: &Document, name: &str) -> ApiResult<()> {
    admit_sides(context, arguments, |product_type, variants| check_constraint(product_type, name, variants))
}

/// Checks all Attributes on the sides to which an action has added a variant.
pub(super) fn admit_added(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_sides(context, arguments, check_constraints)
}

/// Checks the variants of each side that an action changes. Constraints hold after each action of a request, not only
/// after the last one. An import is one change, without actions of the client.
fn admit_sides(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
    check: impl Fn(&Document, &[&Document]) -> ApiResult<()>,
) -> ApiResult<()> {
    if context.caller.is_import() {
        return Ok(());
    }
    let product_type = type_of(context.document, context.rules)?;
    for side in sides_of_action(arguments) {
        let Some(data) = super::sides::data(context.document, side) else { continue };
        let all: Vec<&Document> = variants(data).collect();
        check(&product_type, &all)?;
    }
    Ok(())
}

/// `setAttributeInAllVariants`.
pub(super) fn set_in_all(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    super::modular::admit_classic(context)?;
    let (name, value) = sent(context, arguments, AttributeLevelEnum::Variant)?;
    let is_changed = on_each_side(context, arguments, |data| {
        let mut changed = false;
        for variant in variants_mut(data) {
            changed |= put_attribute(variant, &name, value.as_ref())?;
        }
        Ok(changed)
    })?;
    if value.is_none() && !is_changed && !context.caller.is_import() {
        return Err(nothing_to_remove(context.place, &name));
    }
    admit_values(context, arguments, &name)
}

/// 400 `InvalidOperation`: an action without `value` removes an Attribute, and there is none (reported of the
/// platform).
fn nothing_to_remove(place: &str, name: &str) -> ApiError {
    ApiError::invalid_operation(format!(
        "{place}: the Attribute '{name}' has no value that could be removed."
    ))
}

/// `setProductAttribute`.
pub(super) fn set_of_product(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (name, value) = sent(context, arguments, AttributeLevelEnum::Product)?;
    let is_changed = on_each_side(context, arguments, |data| put_attribute(data, &name, value.as_ref()))?;
    if value.is_none() && !is_changed && !context.caller.is_import() {
        return Err(nothing_to_remove(context.place, &name));
    }
    Ok(())
}

/// Returns the name of the Attribute and its stored value; `None` removes it.
fn sent(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
    level: AttributeLevelEnum,
) -> ApiResult<(String, Option<Value>)> {
    let name = must_text(arguments, &["name"])?;
    let given = arguments.get("value").filter(|value| !value.is_null()).cloned();
    let product_type = type_of(context.document, context.rules)?;
    let place = format!("{}.value", context.place);
    let stored = value(&product_type, name, given, level, &place, context.rules)?;
    Ok((name.to_owned(), stored))
}

/// Both sides are checked against the constraints where their variants differ from before.
pub(super) fn admit_constraints(
    before: Option<&Document>,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let mut admitted = None;
    for side in BOTH {
        let Some(data) = super::sides::data(after, side) else { continue };
        let old = before.and_then(|before| super::sides::data(before, side));
        let attributes = |data| variants(data).map(|variant| variant.get("attributes"));
        // A side equal to a validated side needs no check.
        if old.is_some_and(|old| attributes(old).eq(attributes(data))) || admitted == Some(data) {
            continue;
        }
        admitted = Some(data);
        let all: Vec<&Document> = variants(data).collect();
        check_constraints(&*type_of(after, rules)?, &all)?;
    }
    Ok(())
}
