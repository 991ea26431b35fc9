//! Validates each side of a changed Product.
//!
//! Source: reference types `ProductVariant`, `ProductData`, `Image`, `DuplicateVariantValuesError`; public
//! page on limits.

use super::categories::admit_hints;
use super::sides::{BOTH, data};
use super::variant_edits::{find, id_of};
use crate::asset::admit_assets;
use crate::price::check_prices;
use crate::variant_content::admit_images;
use crate::variant_list::variants;
use kontor_engine::Document;
use kontor_engine::document::{list, text};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::Location;
use std::collections::HashSet;

/// The maximum number of variants of a Product, not counting the master variant.
pub const VARIANTS_MAX: usize = 100;
/// Most prices of one variant.
const PRICES_MAX: usize = 100;

/// Checks the sides that are not as they were before.
pub(super) fn check_sides(before: Option<&Document>, after: &Document) -> ApiResult<()> {
    let sides = BOTH.map(|side| (before.and_then(|before| data(before, side)), data(after, side)));
    for (place, (old, new)) in sides.iter().enumerate() {
        // An unchanged side, or one equal to a validated side, needs no check.
        if old == new || sides[..place].contains(&(*old, *new)) {
            continue;
        }
        if let Some(new) = new {
            admit_side(*old, new)?;
        }
    }
    Ok(())
}

fn admit_side(old: Option<&Document>, new: &Document) -> ApiResult<()> {
    let others = list(new, &["variants"]).len();
    if others > VARIANTS_MAX {
        return Err(ApiError::invalid_operation(format!(
            "A Product has at most {VARIANTS_MAX} variants in addition to the master variant, found {others}."
        )));
    }
    admit_hints(new)?;
    for field in ["sku", "key"] {
        let mut seen = HashSet::new();
        if let Some(twice) =
            variants(new).filter_map(|variant| variant.get(field)).find(|value| !seen.insert(*value))
        {
            return Err(ApiError::duplicate_field(field, twice.clone()));
        }
    }
    admit_values(new)?;
    for (index, variant) in variants(new).enumerate() {
        let before = old.and_then(|old| find(old, id_of(variant)));
        let changed = |name: &str| before.is_none_or(|before| before.get(name) != variant.get(name));
        let others = Location::Text("variants");
        let place = match index.checked_sub(1) {
            None => Location::Text("masterVariant"),
            Some(index) => Location::Element(&others, index),
        };
        let at = |name| Location::Member(&place, name);
        if changed("prices") {
            let prices = list(variant, &["prices"]);
            if prices.len() > PRICES_MAX {
                return Err(ApiError::invalid_operation(format!(
                    "{}: a variant has at most {PRICES_MAX} prices, found {}.",
                    at("prices"),
                    prices.len()
                )));
            }
            check_prices(prices, &at("prices"))?;
        }
        if changed("images") {
            admit_images(list(variant, &["images"]), &at("images").to_string())?;
        }
        if changed("assets") {
            admit_assets(list(variant, &["assets"]), &at("assets").to_string())?;
        }
    }
    Ok(())
}

/// No two variants are alike in everything. With a SKU or a key they never are.
fn admit_values(data: &Document) -> ApiResult<()> {
    let mut seen = HashSet::new();
    for variant in
        variants(data).filter(|variant| text(variant, &["sku"]).or(text(variant, &["key"])).is_none())
    {
        let prices: Vec<Value> = list(variant, &["prices"])
            .iter()
            .map(|price| {
                let mut price = price.clone();
                if let Some(price) = price.as_object_mut() {
                    price.shift_remove("id");
                }
                price
            })
            .collect();
        let attributes = list(variant, &["attributes"]);
        if !seen.insert(json!([prices, attributes, list(variant, &["images"])]).to_string()) {
            return Err(ApiError::new(
                Code::DuplicateVariantValues,
                "A duplicate combination of the variant values (sku, key, images, prices, attributes) exists.",
            )
            .with_field("variantValues", json!({"prices": prices, "attributes": attributes})));
        }
    }
    Ok(())
}
