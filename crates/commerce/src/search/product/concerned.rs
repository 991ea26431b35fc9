//! Which Products a change of something else concerns.

use super::assortment::{Named, OpenStore, named_by};
use super::fields::OPEN_STORES;
use crate::product::HIGHEST as VARIANTS_OF;
use crate::product_selection::product_of_assignment;
use kontor_engine::document::text;
use kontor_engine::{Holdings, Rules};
use kontor_errors::ApiResult;
use std::collections::BTreeSet;

/// The ids of the Products, as things were before and as they are now.
pub(super) fn concerned(
    kind: &str,
    id: &str,
    rules: &Rules<'_>,
    held: &dyn Holdings,
) -> ApiResult<Vec<String>> {
    match kind {
        "standalone-price" => {
            let mut ids = held.with("variants.prices.id", id)?;
            if let Some(price) = rules.find_type(kind, id)? {
                let sku = text(&price, &["sku"]).unwrap_or_default();
                let product = rules.by_unique_key("product", "sku", sku)?;
                ids.extend(product.and_then(|found| text(&found.document, &["id"]).map(str::to_owned)));
            }
            ids.sort_unstable();
            ids.dedup();
            Ok(ids)
        }
        "product-selection-assignment" => {
            Ok(product_of_assignment(id).map(str::to_owned).into_iter().collect())
        }
        // What is in the Category changes itself when it comes or goes; ancestors are what an entry takes from here.
        "category" => held.with("categories", id),
        "variant" => {
            let variant = rules.find_type(kind, id)?;
            Ok(variant
                .and_then(|variant| text(&variant, &["product", "id"]).map(str::to_owned))
                .into_iter()
                .collect())
        }
        // Written when a Variant goes, which says no more whose it was.
        VARIANTS_OF => Ok(vec![id.to_owned()]),
        "store" => of_store(id, rules, held),
        _ => Ok(Vec::new()),
    }
}

/// Of a Store that has nearly all Products, those that do not know of it as it is; of others, those that come and go.
fn of_store(id: &str, rules: &Rules<'_>, held: &dyn Holdings) -> ApiResult<Vec<String>> {
    let Some(store) = rules.find_type("store", id)? else { return held.with("stores", id) };
    let Some(Named { products, is_whole }) = named_by(&store, rules)? else {
        return held.without(OPEN_STORES, &OpenStore::of(&store).line());
    };
    let held_now: BTreeSet<String> = held.with("stores", id)?.into_iter().collect();
    let mut concerned: BTreeSet<String> = if is_whole {
        held_now.symmetric_difference(&products).cloned().collect()
    } else {
        held_now.union(&products).cloned().collect()
    };
    // It may have had all of them until now, and some with a part of their variants.
    concerned.extend(held.with(OPEN_STORES, id)?);
    Ok(concerned.into_iter().collect())
}
