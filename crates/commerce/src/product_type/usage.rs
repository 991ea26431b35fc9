//! Checks whether Products use a value of an enum, by the index rows of their Attributes.
//!
//! Source: reference type `EnumValueIsUsedError`.

use super::NESTED;
use crate::kinds;
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, Precondition, Rules};
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_query::{ConditionValue, any_value_row, pair_row};
use std::collections::BTreeSet;

/// The kinds that have Attributes of a Product Type.
const WITH_ATTRIBUTES: [&str; 2] = ["product", "variant"];

/// The path of a Product's Product Type.
const PRODUCT_TYPE: &str = "productType.id";

/// Whether a Product of the type may have the value with this key. If none has it, none may have it when the change is
/// written. Nested Attributes have no index rows, so the values of a nested type count as used if there are Products of
/// the types that nest it.
pub(super) fn is_used(
    product_type: &Document,
    attribute: &str,
    key: &str,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    let id = must_text(product_type, &["id"])?;
    if is_nested_in_products(id, rules)? {
        return Ok(true);
    }
    let rows = [pair_row(attribute, Some("key"), &ConditionValue::text(key)), any_value_row(attribute)];
    for type_id in WITH_ATTRIBUTES {
        for path in rows_of_attributes(type_id, rules) {
            for row in &rows {
                if is_held(type_id, path, row, rules, &|holder| is_of(holder, id, rules))? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Whether there are Products of a Product Type that nests the one with this id, directly or indirectly.
fn is_nested_in_products(id: &str, rules: &Rules<'_>) -> ApiResult<bool> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![id.to_owned()]);
    while let Some(nested) = left.pop() {
        for path in NESTED {
            let all = rules.peek_by_value("product-type", path, &nested)?;
            // This very change may nest the type in itself.
            rules.require(none_more("product-type", path, &nested, all.len() + 1));
            for nesting in all {
                if !seen.insert(nesting.id.clone()) {
                    continue;
                }
                if has_products(&nesting.id, rules)? {
                    return Ok(true);
                }
                left.push(nesting.id);
            }
        }
    }
    Ok(false)
}

/// Whether there are Products of the Product Type with this id. Reads at most one.
fn has_products(id: &str, rules: &Rules<'_>) -> ApiResult<bool> {
    let has_some = rules.find_another(kinds::PRODUCT, PRODUCT_TYPE, id, None)?.is_some();
    if !has_some {
        rules.require(none_more("product", PRODUCT_TYPE, id, 0));
    }
    Ok(has_some)
}

/// Returns the paths of the index rows of Attributes.
fn rows_of_attributes<'r>(type_id: &str, rules: &'r Rules<'_>) -> BTreeSet<&'r str> {
    let kind: Option<KindId> = rules.model.kind_by_type_id(type_id);
    let pairs = kind.into_iter().flat_map(|kind| rules.behaviours.paired_paths(kind));
    pairs.filter(|pairs| pairs.fields.is_some()).map(|pairs| &*pairs.rows).collect()
}

/// Whether a document that `counts` accepts has a value at a path. If none has it, none may have it when the change is
/// written.
fn is_held(
    type_id: &str,
    path: &str,
    value: &str,
    rules: &Rules<'_>,
    counts: &dyn Fn(&Document) -> bool,
) -> ApiResult<bool> {
    let holders = rules.peek_by_value(type_id, path, value)?;
    if holders.iter().any(|holder| counts(&holder.document)) {
        return Ok(true);
    }
    rules.require(none_more(type_id, path, value, holders.len()));
    Ok(false)
}

fn none_more(type_id: &str, path: &str, value: &str, holders: usize) -> Precondition {
    let (kind, path, value) = (type_id.into(), path.into(), value.into());
    Precondition::IndexedAtMost { kind, path, value, limit: holders as u64 }
}

/// Whether a Product has the type, or a Variant is of such a Product; true if this is not known.
fn is_of(holder: &Document, product_type: &str, rules: &Rules<'_>) -> bool {
    let own = |document: &Document| text(document, &["productType", "id"]).map(|id| id == product_type);
    let of_product = || {
        let product = rules.peek_type("product", text(holder, &["product", "id"])?).ok()??;
        own(&product)
    };
    own(holder).or_else(of_product).unwrap_or(true)
}
