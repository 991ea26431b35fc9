//! Finds the Products whose entries a change of another resource affects.

use super::assortment::{ListedProducts, OpenStore, listed_products};
use super::fields::{ATTRIBUTES_OF, OPEN_STORES, STOCK};
use crate::product::HIGHEST as VARIANTS_OF;
use crate::product_selection::product_of_assignment;
use crate::published_variants::VARIANT;
use crate::search::attribute::known_type;
use kontor_engine::document::{must_text, own_id, text};
use kontor_engine::{IndexContent, Rules};
use kontor_errors::ApiResult;
use std::collections::BTreeSet;

/// The unique key of the SKUs of Products and Variants.
const SKU: &str = "sku";

/// The ids of the Products, as things were before and as they are now.
pub(super) fn affected_products(
    kind: &str,
    id: &str,
    rules: &Rules<'_>,
    content: &dyn IndexContent,
) -> ApiResult<Vec<String>> {
    match kind {
        "standalone-price" => {
            let mut ids = content.ids_with("variants.prices.id", id)?;
            if let Some(price) = rules.peek_type(kind, id)? {
                ids.extend(with_sku(must_text(&price, &["sku"])?, rules)?);
            }
            ids.sort_unstable();
            ids.dedup();
            Ok(ids)
        }
        // Products contain their variants' stock and change themselves; Variant resources do not contain it.
        "inventory-entry" => match rules.peek_type(kind, id)? {
            Some(entry) => of_variant_with_sku(must_text(&entry, &["sku"])?, rules),
            None => content.ids_with(STOCK, id),
        },
        "product-selection-assignment" => {
            Ok(product_of_assignment(id).map(str::to_owned).into_iter().collect())
        }
        // A Product that enters or leaves a Category changes itself; the entry takes only the ancestors from
        // the Category.
        "category" => content.ids_with("categories", id),
        "product-type" => of_product_type(id, rules, content),
        "variant" => {
            let variant = rules.peek_type(kind, id)?;
            Ok(variant
                .and_then(|variant| text(&variant, &["product", "id"]).map(str::to_owned))
                .into_iter()
                .collect())
        }
        // This hidden document is written when a Variant is deleted, since the Variant itself then names no Product.
        VARIANTS_OF => Ok(vec![id.to_owned()]),
        "store" => of_store(id, rules, content),
        _ => Ok(Vec::new()),
    }
}

/// Returns the Product with a SKU, in itself or in one of its Variants.
fn with_sku(sku: &str, rules: &Rules<'_>) -> ApiResult<Vec<String>> {
    let mut ids = of_variant_with_sku(sku, rules)?;
    if let Some(found) = rules.peek_unique("product", SKU, sku)? {
        ids.extend(own_id(&found.document));
    }
    Ok(ids)
}

fn of_variant_with_sku(sku: &str, rules: &Rules<'_>) -> ApiResult<Vec<String>> {
    let variant = rules.peek_unique(VARIANT, SKU, sku)?;
    let product = variant.and_then(|found| text(&found.document, &["product", "id"]).map(str::to_owned));
    Ok(product.into_iter().collect())
}

/// Returns Products of a Product Type whose entries were made with different Attributes than it has now.
fn of_product_type(id: &str, rules: &Rules<'_>, content: &dyn IndexContent) -> ApiResult<Vec<String>> {
    let Some(product_type) = rules.peek_type("product-type", id)? else { return Ok(Vec::new()) };
    let as_it_is: BTreeSet<String> =
        content.ids_with(ATTRIBUTES_OF, &known_type(&product_type)?)?.into_iter().collect();
    let mut of_type = content.ids_with("productType", id)?;
    of_type.retain(|product| !as_it_is.contains(product));
    Ok(of_type)
}

/// Returns the Products affected by a change of a Store: for a Store with nearly all Products, those whose entries have
/// an older version of it; for others, those that are added or removed.
fn of_store(id: &str, rules: &Rules<'_>, content: &dyn IndexContent) -> ApiResult<Vec<String>> {
    let Some(store) = rules.peek_type("store", id)? else { return content.ids_with("stores", id) };
    let Some(ListedProducts { products, is_whole }) = listed_products(&store, rules)? else {
        return content.ids_without(OPEN_STORES, &OpenStore::from_store(&store).line());
    };
    let held_now: BTreeSet<String> = content.ids_with("stores", id)?.into_iter().collect();
    let mut concerned: BTreeSet<String> = if is_whole {
        held_now.symmetric_difference(&products).cloned().collect()
    } else {
        held_now.union(&products).cloned().collect()
    };
    // It may have had all Products until now, and some with a part of their variants.
    concerned.extend(content.ids_with(OPEN_STORES, id)?);
    Ok(concerned.into_iter().collect())
}
