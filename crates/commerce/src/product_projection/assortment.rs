//! The Products and variants of a Store, from its Product Selections.
//!
//! Source: reference type `Store` (`productSelections`); operations "Get ProductProjection in Store"; public
//! documentation, Product Selections: a Store with several active ones has the union of them.

use crate::product_selection::{AssignedVariants, chosen_variants};
use kontor_engine::document::{has_enum, list, must_field, must_text};
use kontor_engine::{Document, Rules};
use kontor_enums::ProductSelectionMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Removes the variants that the Store does not have; 404 if the Store does not have the Product. The master variant
/// stays as long as the Store has the Product. A Product without embedded variants (catalog model `Modular`) exists if
/// the Store has any of its Variants.
pub(super) fn retain_assortment(
    document: &mut Document,
    store: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let id = must_text(document, &["id"])?;
    let Some(chosen) = chosen_in(store, id, rules)? else { return Ok(()) };
    let has = |variant: &Value| chosen.iter().any(|chosen| chosen.contains(variant["sku"].as_str()));
    let mut variants =
        document.get("masterVariant").into_iter().chain(list(document, &["variants"])).peekable();
    let is_there = match variants.peek() {
        Some(_) => variants.any(has),
        None => chosen.iter().any(|chosen| *chosen != AssignedVariants::Nothing),
    };
    if !is_there {
        return Err(ApiError::resource_not_found(&format!("ID '{id}' in this Store")));
    }
    if let Some(Value::Array(variants)) = document.get_mut("variants") {
        variants.retain(has);
    }
    Ok(())
}

/// Whether a Store has the variant of a Product with a SKU.
pub(crate) fn contains_variant(
    store: &Document,
    product: &str,
    sku: Option<&str>,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    let chosen = chosen_in(store, product, rules)?;
    Ok(chosen.is_none_or(|chosen| chosen.iter().any(|chosen| chosen.contains(sku))))
}

/// Returns the part of a Product in the active Product Selections of a Store; `None` if the Store has all
/// Products.
pub(super) fn chosen_in(
    store: &Document,
    product: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Vec<AssignedVariants>>> {
    let settings = list(store, &["productSelections"]);
    let is_active = |setting: &&Value| setting["active"] == true;
    let any_active = settings.iter().any(|setting| is_active(&setting));
    let mut chosen = Vec::new();
    let mut includes = false;
    for setting in settings.iter().filter(|setting| is_active(setting) == any_active) {
        let id = must_field(&setting["productSelection"], "id")?;
        let Some(selection) = rules.peek_type("product-selection", id)? else { continue };
        includes |= has_enum(&selection, &["mode"], ProductSelectionMode::Individual);
        chosen.push(chosen_variants(&selection, product, rules)?);
    }
    Ok(match (any_active, includes) {
        (true, _) => Some(chosen),
        // Inactive selections do not restrict the Store, unless one of them adds Products: then the Store has none.
        (false, true) => Some(Vec::new()),
        (false, false) => None,
    })
}
