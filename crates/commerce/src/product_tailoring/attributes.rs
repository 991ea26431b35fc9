//! Tailored Attributes: as the Product Type of the Product says.

use super::product_of;
use super::sides::on_each_side;
use super::variants::{identified, ids, present, tailored};
use crate::attribute::{Level, check_tailored, tailored_value};
use crate::variant_content::put_attribute;
use kontor_engine::document::{list, text};
use kontor_engine::{Acting, Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;
use std::sync::Arc;

/// The Product Type of a Product. It must be the same when the change is written.
fn type_of(product: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id = text(product, &["productType", "id"]).unwrap_or_default();
    let kind = rules.model.kind_by_type_id("product-type").ok_or_else(ApiError::internal)?;
    let found = rules.find(kind, id)?;
    rules.require_unchanged(kind, id);
    found.ok_or_else(|| ApiError::referenced_resource_not_found("product-type", Some(id), None))
}

/// Attributes of the Product as they are stored.
pub(super) fn admitted(
    given: &[Value],
    product: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Value>> {
    check_tailored(&*type_of(product, rules)?, given, Level::Product, place, rules)
}

/// Attributes of a variant as they are stored.
pub(super) fn admitted_of_variant(
    given: &[Value],
    product: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Value>> {
    check_tailored(&*type_of(product, rules)?, given, Level::Variant, place, rules)
}

/// `setAttribute`.
pub(super) fn set(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified(acting, arguments)?;
    let (name, value) = sent(acting, arguments, Level::Variant)?;
    on_each_side(acting, arguments, |data| in_variant(data, id, &name, value.as_ref()))?;
    Ok(())
}

/// `setAttributeInAllVariants`: of the Product, whether or not they are tailored yet.
pub(super) fn set_in_all(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (name, value) = sent(acting, arguments, Level::Variant)?;
    let ids = ids(&*product_of(acting.document, acting.rules)?, acting.rules)?;
    on_each_side(acting, arguments, |data| {
        let mut changed = false;
        for id in &ids {
            changed |= in_variant(data, *id, &name, value.as_ref())?;
        }
        Ok(changed)
    })?;
    Ok(())
}

/// `setProductAttribute`.
pub(super) fn set_of_product(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (name, value) = sent(acting, arguments, Level::Product)?;
    on_each_side(acting, arguments, |data| put(data, &name, value.as_ref()))?;
    Ok(())
}

/// A variant becomes a tailored one by an Attribute; removing one makes none.
fn in_variant(data: &mut Document, id: i64, name: &str, value: Option<&Value>) -> ApiResult<bool> {
    match (value, present(data, id)?) {
        (_, Some(variant)) => put(variant, name, value),
        (Some(_), None) => put(tailored(data, id)?, name, value),
        (None, None) => Ok(false),
    }
}

/// The name of the Attribute, and the value as it is stored; `None` removes it.
fn sent(acting: &Acting<'_, '_>, arguments: &Document, level: Level) -> ApiResult<(String, Option<Value>)> {
    let name = text(arguments, &["name"]).unwrap_or_default();
    let given = arguments.get("value").filter(|value| !value.is_null()).cloned();
    let product_type = type_of(&*product_of(acting.document, acting.rules)?, acting.rules)?;
    let place = format!("{}.value", acting.place);
    let stored = tailored_value(&product_type, name, given, level, &place, acting.rules)?;
    Ok((name.to_owned(), stored))
}

/// Puts an Attribute into the list of what has it, or removes it; an empty list is none.
fn put(holder: &mut Document, name: &str, value: Option<&Value>) -> ApiResult<bool> {
    let changed = put_attribute(holder, name, value)?;
    if list(holder, &["attributes"]).is_empty() {
        holder.shift_remove("attributes");
    }
    Ok(changed)
}
