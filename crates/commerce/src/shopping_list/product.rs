//! The Product of a line item: resolved when the item is added, then kept up to date. Start at [`update_items`].
//!
//! Source: reference type `ShoppingListLineItem` (`name`, `published` and `deactivatedAt` follow the
//! Product).

use super::{LINE_ITEMS, items};
use crate::catalog_model::finds_resources;
use crate::kinds;
use crate::product::variant_on;
use crate::published_variants::{PUBLISHED_OF, VARIANT};
use crate::sides::BOTH;
use crate::variant::{self, PRODUCT_ID};
use crate::variant_list::variants;
use kontor_engine::document::{get, must_get, must_text, text};
use kontor_engine::{DerivationSources, DeriveOutcome, Document, Rules, format_time};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

/// The `typeId` of Products.
const PRODUCT: &str = "product";

/// Sets the product variant of an item, and the fields copied from it. `sent` has `sku`, or `productId` and
/// `variantId`. The Product must be unchanged when the change is written.
///
/// 400 `RequiredField`: neither is sent; `ReferencedResourceNotFound`: the Product does not exist; `InvalidOperation`:
/// the variant does not exist.
pub(super) fn set_product_variant(
    item: &mut Document,
    sent: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let (sku, given) = (text(sent, &["sku"]), text(sent, &["productId"]));
    let product = match (sku, given) {
        (Some(sku), _) => with_sku(sku, place, rules)?,
        (None, Some(id)) => with_id(id, rules)?,
        (None, None) => return Err(ApiError::required_field(&format!("{place}.productId"))),
    };
    let id = must_text(&product, &["id"])?;
    if let Some(other) = given.filter(|given| *given != id) {
        return Err(ApiError::invalid_operation(format!(
            "{place}: the Product '{other}' has no Variant with the SKU '{}'.",
            sku.unwrap_or("")
        )));
    }
    let wanted = sent.get("variantId").and_then(Value::as_i64);
    if sku.is_some() || wanted.is_some() {
        let found = if finds_resources(rules) {
            of_resource(id, sku, wanted, rules)?
        } else {
            let embedded = variant(&product, |variant| {
                sku.is_none_or(|sku| text(variant, &["sku"]) == Some(sku))
                    && wanted.is_none_or(|wanted| variant.get("id").and_then(Value::as_i64) == Some(wanted))
            });
            embedded.and_then(|variant| variant.get("id")?.as_i64())
        };
        let found = found.ok_or_else(|| {
            ApiError::invalid_operation(format!("{place}: the Product '{id}' has no such Variant."))
        })?;
        item.insert("variantId", json!(found));
    }
    item.insert("productId", json!(id));
    show(item, &product)?;
    Ok(())
}

/// Returns the number of the Variant resource of a Product that matches all identifiers. It must exist when
/// the change is written.
fn of_resource(
    product: &str,
    sku: Option<&str>,
    wanted: Option<i64>,
    rules: &Rules<'_>,
) -> ApiResult<Option<i64>> {
    let found = match (sku, wanted) {
        (Some(sku), _) => variant::find_by_sku(sku, rules)?,
        (None, Some(wanted)) => variant::find_by_number(product, wanted, rules)?,
        (None, None) => None,
    };
    let is_meant = |found: &Document| {
        text(found, &["product", "id"]) == Some(product)
            && wanted.is_none_or(|wanted| variant::number(found) == Some(wanted))
    };
    Ok(found.filter(|found| is_meant(found)).and_then(|found| {
        variant::require_there(&found, rules);
        variant::number(&found)
    }))
}

fn with_sku(sku: &str, place: &str, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id_at = |document: &Document, path: &[&str]| text(document, path).map(str::to_owned);
    let id = if finds_resources(rules) {
        variant::find_by_sku(sku, rules)?.and_then(|found| id_at(&found, &["product", "id"]))
    } else {
        rules.peek_unique(PRODUCT, "sku", sku)?.and_then(|found| id_at(&found.document, &["id"]))
    };
    let id = id.ok_or_else(|| {
        ApiError::invalid_operation(format!("No published product with an sku '{sku}' exists."))
            .with_location(place)
    })?;
    with_id(&id, rules)
}

fn with_id(id: &str, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let found = rules.find(kinds::PRODUCT, id)?;
    // The derivation that updates the item later relies on this state of the Product.
    found.ok_or_else(|| ApiError::referenced_resource_not_found(PRODUCT, Some(id), None))
}

/// Returns the matching variant within a Product: of the published data, or else of the staged data.
pub(super) fn variant(product: &Document, is_meant: impl Fn(&Document) -> bool) -> Option<&Document> {
    let current = variant_on(product, false, &is_meant);
    current.or_else(|| variant_on(product, true, &is_meant)).map(|(_, variant)| variant)
}

/// Copies the Product's fields into an item.
fn show(item: &mut Document, product: &Document) -> ApiResult<()> {
    let name = get(product, &["masterData", "current", "name"]).cloned().unwrap_or_else(|| json!({}));
    item.insert("name", name);
    item.insert("productType", must_get(product, &["productType"])?.clone());
    item.insert("published", json!(is_published(product)));
    Ok(())
}

fn is_published(product: &Document) -> bool {
    get(product, &["masterData", "published"]) == Some(&Value::Bool(true))
}

/// Whether the change of a Product changes the fields that items show, or its set of variants. Items do not show its
/// stock and its prices, which change often.
pub(super) fn is_shown_otherwise(before: &Document, after: &Document) -> bool {
    let name = |product| get(product, &["masterData", "current", "name"]);
    is_published(before) != is_published(after)
        || before.get("productType") != after.get("productType")
        || name(before) != name(after)
        || BOTH.iter().any(|side| numbers(before, side) != numbers(after, side))
}

/// The numbers of the variants on one side of a Product.
fn numbers<'p>(product: &'p Document, side: &str) -> Vec<Option<&'p Value>> {
    let data = get(product, &["masterData", side]).and_then(Value::as_object);
    data.into_iter().flat_map(variants).map(|variant| variant.get("id")).collect()
}

/// Updates the items of a list from their Products.
pub(super) fn update_items(
    shopping_list: &mut Document,
    sources: &dyn DerivationSources,
) -> ApiResult<DeriveOutcome> {
    let now = format_time(sources.now());
    for item in items(shopping_list, LINE_ITEMS)? {
        let Value::Object(item) = item else { continue };
        let id = must_text(item, &["productId"])?;
        let product = sources.document(PRODUCT, id)?;
        let there = match &product {
            Some(product) => VariantPresence::find(item, product, sources)?,
            None => VariantPresence::default(),
        };
        follow_one(item, product.as_deref(), there, &now)?;
    }
    Ok(DeriveOutcome::Keep)
}

/// The sides on which the variant of an item exists.
#[derive(Debug, Default, Clone, Copy)]
struct VariantPresence {
    /// On some side.
    exists: bool,
    /// Published, whether or not the Product is.
    is_current: bool,
}

impl VariantPresence {
    fn find(item: &Document, product: &Document, sources: &dyn DerivationSources) -> ApiResult<Self> {
        let wanted = item.get("variantId").and_then(Value::as_i64);
        let is_meant = |variant: &Document| {
            wanted.is_none_or(|wanted| variant.get("id").and_then(Value::as_i64) == Some(wanted))
        };
        if variant(product, is_meant).is_some() {
            return Ok(Self { exists: true, is_current: variant_on(product, false, is_meant).is_some() });
        }
        let id = must_text(product, &["id"])?;
        let Some(wanted) = wanted else {
            let count = |path: &str| sources.count(VARIANT, path, id);
            return Ok(Self { exists: count(PRODUCT_ID)? > 0, is_current: count(PUBLISHED_OF)? > 0 });
        };
        let resource = variant::find_by_number_in(id, wanted, sources)?;
        let is_current = resource.as_ref().is_some_and(|it| it.get("published") == Some(&Value::Bool(true)));
        Ok(Self { exists: resource.is_some(), is_current })
    }
}

fn follow_one(
    item: &mut Document,
    product: Option<&Document>,
    there: VariantPresence,
    now: &str,
) -> ApiResult<()> {
    let was_published = item.get("published") == Some(&Value::Bool(true));
    match product {
        Some(product) => show(item, product)?,
        None => {
            item.insert("published", json!(false));
        }
    }
    if there.is_current && product.is_some_and(is_published) {
        item.shift_remove("deactivatedAt");
    } else if !item.contains_key("deactivatedAt") && (was_published || !there.exists) {
        item.insert("deactivatedAt", json!(now));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::document::set;
    use kontor_errors::Code;

    fn boots(published: bool) -> Value {
        let side = json!({
            "name": {"en": "Boots"}, "slug": {"en": "boots"},
            "masterVariant": {"id": 1, "sku": "boots-42"}, "variants": [{"id": 2, "sku": "boots-43"}],
        });
        json!({
            "id": "boots", "productType": {"typeId": "product-type", "id": "shoes"},
            "masterData": {"published": published, "current": side, "staged": side},
        })
    }

    #[test]
    fn stock_and_prices_do_not_show() {
        let before = object(boots(true));
        let after = |path: &[&str], value: Value| {
            let mut after = before.clone();
            set(&mut after, path, Some(value));
            is_shown_otherwise(&before, &after)
        };
        let current = |field: &'static str| ["masterData", "current", field];
        let variant = |id: i64, field: &str| json!({"id": id, "sku": "boots-42", field: [1]});
        assert!(!after(&current("masterVariant"), variant(1, "availability")));
        assert!(!after(&current("masterVariant"), variant(1, "prices")));
        assert!(after(&current("masterVariant"), variant(7, "prices")));
        assert!(after(&["masterData", "staged", "variants"], json!([])));
        assert!(after(&current("name"), json!({"en": "Clogs"})));
        assert!(after(&["masterData", "published"], json!(false)));
    }

    fn identified(sent: Value) -> ApiResult<Value> {
        let shop = TestShop::new().with_document("product", boots(true));
        let mut item = Document::new();
        shop.rules(|rules| set_product_variant(&mut item, &object(sent), "actions[0]", rules))?;
        Ok(Value::Object(item))
    }

    #[test]
    fn a_variant_is_found_by_sku_or_by_product_and_id() {
        let shows = |more: Value| {
            let mut item = object(json!({
                "productId": "boots", "name": {"en": "Boots"}, "published": true,
                "productType": {"typeId": "product-type", "id": "shoes"},
            }));
            item.extend(object(more));
            Value::Object(item)
        };
        assert_eq!(identified(json!({"sku": "boots-43"})).unwrap(), shows(json!({"variantId": 2})));
        assert_eq!(
            identified(json!({"productId": "boots", "variantId": 1})).unwrap(),
            shows(json!({"variantId": 1}))
        );
        assert_eq!(identified(json!({"productId": "boots"})).unwrap(), shows(json!({})));
        for (sent, code) in [
            (json!({}), Code::RequiredField),
            (json!({"sku": "boots-99"}), Code::InvalidOperation),
            (json!({"productId": "none"}), Code::ReferencedResourceNotFound),
            (json!({"productId": "boots", "variantId": 3}), Code::InvalidOperation),
            (json!({"productId": "other", "sku": "boots-42"}), Code::InvalidOperation),
        ] {
            assert_eq!(identified(sent.clone()).unwrap_err().code(), code, "{sent}");
        }
    }

    #[test]
    fn an_item_that_cannot_be_ordered_any_more_says_since_when() {
        let update_item = |item: &mut Document, product: Option<Value>, now: &str| {
            let shop = TestShop::new();
            let product = product.map(object);
            let there = product.as_ref().map(|product| VariantPresence::find(item, product, &shop).unwrap());
            follow_one(item, product.as_ref(), there.unwrap_or_default(), now).unwrap();
        };
        let mut item = object(json!({"productId": "boots", "variantId": 2, "published": true}));
        update_item(&mut item, Some(boots(false)), "monday");
        assert_eq!((&item["published"], &item["deactivatedAt"]), (&json!(false), &json!("monday")));
        update_item(&mut item, None, "tuesday");
        assert_eq!(item["deactivatedAt"], "monday");
        update_item(&mut item, Some(boots(true)), "friday");
        assert_eq!(item["published"], true);
        assert!(!item.contains_key("deactivatedAt"));

        // A Product that was never published has not been deactivated.
        let mut item = object(json!({"productId": "boots", "published": false}));
        update_item(&mut item, Some(boots(false)), "monday");
        assert!(!item.contains_key("deactivatedAt"));

        let mut item = object(json!({"productId": "boots", "variantId": 3, "published": true}));
        update_item(&mut item, Some(boots(true)), "monday");
        assert_eq!(item["deactivatedAt"], "monday", "the variant is gone");
    }
}
