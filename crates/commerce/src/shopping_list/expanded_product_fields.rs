//! Adds fields of the Products to a response where `expand` requests them: they are no references, so the
//! stored list has neither.
//!
//! Source: reference type `ShoppingListLineItem` (`variant`, `productSlug`): with all elements of the list,
//! never with one of them.

use super::product::variant;
use super::{LINE_ITEMS, items};
use crate::catalog_model::finds_resources;
use crate::variant::{as_product_variant, default_of, find_by_number};
use kontor_engine::document::{get, must_text};
use kontor_engine::{Document, Rules, ViewOptions};
use kontor_errors::ApiResult;
use kontor_json::Value;

const VARIANT: &str = "lineItems[*].variant";
const PRODUCT_SLUG: &str = "lineItems[*].productSlug";

/// Adds the requested ones of `variant` and `productSlug` to each line item.
pub(super) fn add_expanded_fields(
    document: &mut Document,
    view_options: &ViewOptions,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let is_asked = |path: &str| {
        view_options.parameters("expand").any(|expand| {
            let rest = expand.trim().strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let (with_variant, with_slug) = (is_asked(VARIANT), is_asked(PRODUCT_SLUG));
    if !with_variant && !with_slug {
        return Ok(());
    }
    for item in items(document, LINE_ITEMS)? {
        let Value::Object(item) = item else { continue };
        let id = must_text(item, &["productId"])?;
        let Some(product) = rules.peek_type("product", id)? else { continue };
        if with_variant {
            let found = find_variant(item, &product, rules)?;
            item.extend(found.map(|found| ("variant".to_owned(), Value::Object(found))));
        }
        if with_slug {
            let slug = get(&product, &["masterData", "current", "slug"]).cloned();
            item.extend(slug.map(|slug| ("productSlug".to_owned(), slug)));
        }
    }
    Ok(())
}

/// Returns the variant of an item; without a variant id, the default one of the Product. One that only another catalog
/// model has is shown too: the item may be older.
fn find_variant(item: &Document, product: &Document, rules: &Rules<'_>) -> ApiResult<Option<Document>> {
    let wanted = item.get("variantId").and_then(Value::as_i64);
    if !finds_resources(rules) {
        return match embedded(wanted, product) {
            Some(found) => Ok(Some(found)),
            None => resource(wanted, product, rules),
        };
    }
    let found = resource(wanted, product, rules)?;
    Ok(found.or_else(|| embedded(wanted, product)))
}

fn embedded(wanted: Option<i64>, product: &Document) -> Option<Document> {
    match wanted {
        Some(wanted) => {
            variant(product, |variant| variant.get("id").and_then(Value::as_i64) == Some(wanted)).cloned()
        }
        None => get(product, &["masterData", "current", "masterVariant"]).and_then(Value::as_object).cloned(),
    }
}

fn resource(wanted: Option<i64>, product: &Document, rules: &Rules<'_>) -> ApiResult<Option<Document>> {
    let resource = match wanted {
        Some(wanted) => find_by_number(must_text(product, &["id"])?, wanted, rules)?,
        None => default_of(product, rules)?,
    };
    Ok(resource.map(|resource| as_product_variant(&resource, false)))
}
