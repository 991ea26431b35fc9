//! `discounted` of Standalone Prices and of their staged values: from the currently valid Product Discounts,
//! for the product variant with the SKU on the current side of its Product. Start at [`settle`].
//!
//! Source: reference types `StandalonePrice`, `StandalonePriceSetDiscountedPriceAction`,
//! `StandalonePriceDiscountSetMessage`.

use super::priced_product::{PricedProduct, SKU};
use crate::discounted_price::{
    PredicateDocuments, PriceInContext, SourcesLookup, ValidProductDiscounts, follow_discounts,
};
use crate::product::{may_match_otherwise, skus};
use crate::variant::{PRODUCT_ID, skus_of as variant_skus};
use kontor_engine::document::{get, must_text};
use kontor_engine::{
    ChangeFilter, Dependents, Derivation, DerivationSources, DeriveOutcome, Document, Hop, Rules,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Derives all prices again when a Product Discount changes, begins or ends.
pub(super) const FOLLOW_DISCOUNTS: Derivation = follow_discounts(follow);

/// Derives the prices of a Product's SKUs when the Product changes so that other predicates may match.
pub(super) const FOLLOW_PRODUCTS: Derivation = Derivation {
    name: "discounts-by-products",
    source: "Product",
    dependents: Dependents::Holding {
        path: SKU,
        values: product_skus,
        when: ChangeFilter::Differs(may_match_otherwise),
    },
    derive: follow,
};

/// Derives the prices of a Variant's SKU (a resource of its own) when the Variant changes.
pub(super) const FOLLOW_VARIANTS: Derivation = Derivation {
    name: "discounts-by-variants",
    source: "Variant",
    dependents: Dependents::Holding {
        path: SKU,
        values: variant_skus,
        when: ChangeFilter::Fields(&["current", "key", "product"]),
    },
    derive: follow,
};

/// Like [`FOLLOW_VARIANTS`], when the Product of Variants changes.
pub(super) const FOLLOW_PRODUCTS_OF_VARIANTS: Derivation = derive_through(
    "discounts-by-products-of-variants",
    "Product",
    &[VARIANTS_OF_PRODUCT],
    variant_skus,
    ChangeFilter::Differs(may_match_otherwise),
);

/// Derives the prices of Products in a Category that is moved or gets another key: predicates may refer to both.
pub(super) const FOLLOW_CATEGORIES: Derivation = derive_through(
    "discounts-by-categories",
    "Category",
    &[PRODUCTS_IN_CATEGORY],
    product_skus,
    ChangeFilter::Fields(OF_CATEGORY),
);

/// Like [`FOLLOW_CATEGORIES`], for the Variants of such Products.
pub(super) const FOLLOW_CATEGORIES_OF_VARIANTS: Derivation = derive_through(
    "discounts-by-categories-of-variants",
    "Category",
    &[PRODUCTS_IN_CATEGORY, VARIANTS_OF_PRODUCT],
    variant_skus,
    ChangeFilter::Fields(OF_CATEGORY),
);

/// Derives the prices of Products further below a Category that gets another key. If it is moved, its descendants
/// change themselves.
pub(super) const FOLLOW_CATEGORIES_ABOVE: Derivation = derive_through(
    "discounts-by-categories-above",
    "Category",
    &[CATEGORIES_BELOW, PRODUCTS_IN_CATEGORY],
    product_skus,
    ChangeFilter::Fields(&["key"]),
);

/// Like [`FOLLOW_CATEGORIES_ABOVE`], for the Variants of such Products.
pub(super) const FOLLOW_CATEGORIES_ABOVE_VARIANTS: Derivation = derive_through(
    "discounts-by-categories-above-of-variants",
    "Category",
    &[CATEGORIES_BELOW, PRODUCTS_IN_CATEGORY, VARIANTS_OF_PRODUCT],
    variant_skus,
    ChangeFilter::Fields(&["key"]),
);

/// Returns the prices of the SKUs of the documents that the hops lead to.
const fn derive_through(
    name: &'static str,
    source: &'static str,
    hops: &'static [Hop],
    values: fn(&Document) -> Vec<String>,
    when: ChangeFilter,
) -> Derivation {
    let dependents = Dependents::Through { hops, values, path: SKU, when };
    Derivation { name, source, dependents, derive: follow }
}

fn product_skus(product: &Document) -> Vec<String> {
    skus(product).into_iter().map(str::to_owned).collect()
}

const CATEGORIES_BELOW: Hop = Hop { kind: "Category", at: "ancestors.id" };
const PRODUCTS_IN_CATEGORY: Hop = Hop { kind: "Product", at: "masterData.current.categories.id" };
const VARIANTS_OF_PRODUCT: Hop = Hop { kind: "Variant", at: PRODUCT_ID };
const OF_CATEGORY: &[&str] = &["ancestors", "key"];

fn follow(price: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let discounts = ValidProductDiscounts::for_derivation(sources)?;
    if discounts.is_empty() && !has_discounted(price) {
        return Ok(DeriveOutcome::Keep);
    }
    let sku = must_text(price, &["sku"])?;
    let sold = PricedProduct::find(sku, sources)?;
    apply(price, sold.as_ref(), &discounts, &SourcesLookup(sources))?;
    Ok(DeriveOutcome::Keep)
}

fn has_discounted(price: &Document) -> bool {
    price.contains_key("discounted") || get(price, &["staged", "discounted"]).is_some()
}

/// Updates `discounted`, and refuses a sent value that does not belong to an active external discount that matches the
/// price.
pub(super) fn settle(before: Option<&Document>, price: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let discounts = ValidProductDiscounts::now(rules)?;
    if discounts.is_empty() && !has_discounted(price) {
        return Ok(());
    }
    let sold = PricedProduct::now(price, rules)?;
    let held = before.and_then(|before| before.get("discounted"));
    if let Some(sent) = price.get("discounted")
        && held != Some(sent)
        && get(before.unwrap_or(price), &["staged", "discounted"]) != Some(sent)
    {
        let fits = match sold.as_ref().and_then(|sold| sold.on_current(price)) {
            Some((product, data, variant)) => discounts.admits_external(&PriceInContext {
                product,
                data,
                variant: &variant,
                price,
                look_up: rules,
            })?,
            None => false,
        };
        if !fits {
            return Err(ApiError::invalid_operation(format!(
                "The Product Discount with ID '{}' cannot be set on a price: it must be external, active, valid now, \
                 and its predicate must match the price.",
                must_text(price, &["discounted", "discount", "id"])?
            )));
        }
    }
    apply(price, sold.as_ref(), &discounts, rules)
}

/// Checks that the variant of a price is published, as `setDiscountedPrice` requires.
pub(super) fn admit_variant(price: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    match PricedProduct::now(price, rules)? {
        Some(sold) if sold.is_published() && sold.on_current(price).is_some() => Ok(()),
        _ => Err(ApiError::invalid_operation(format!(
            "No published product with an sku '{}' exists.",
            must_text(price, &["sku"])?
        ))),
    }
}

fn apply(
    price: &mut Document,
    sold: Option<&PricedProduct>,
    discounts: &ValidProductDiscounts,
    look_up: &dyn PredicateDocuments,
) -> ApiResult<()> {
    let (mut discounted, mut staged_discounted) = (None, None);
    if let Some((product, data, variant)) = sold.and_then(|sold| sold.on_current(price)) {
        let priced = PriceInContext { product, data, variant: &variant, price, look_up };
        discounted = discounts.discounted_value(&priced)?;
        if let Some(Value::Object(staged)) = price.get("staged") {
            let mut to_come = price.clone();
            to_come.extend(staged.clone());
            if !staged.contains_key("discounted") {
                to_come.shift_remove("discounted");
            }
            let priced = PriceInContext { price: &to_come, ..priced };
            staged_discounted = discounts.discounted_value(&priced)?;
        }
    }
    write_discounted(price, discounted);
    if let Some(Value::Object(staged)) = price.get_mut("staged") {
        write_discounted(staged, staged_discounted);
    }
    Ok(())
}

fn write_discounted(holder: &mut Document, discounted: Option<Value>) {
    match discounted {
        Some(discounted) => holder.insert("discounted", discounted),
        None => holder.shift_remove("discounted"),
    };
}

/// Returns the Message about a price whose `discounted` changed.
pub(super) fn discount_messages(before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
    let discounted = after.get("discounted");
    if before.get("discounted") == discounted {
        return Vec::new();
    }
    let fields = discounted.map(|discounted| ("discounted".to_owned(), discounted.clone()));
    vec![("StandalonePriceDiscountSet", fields.into_iter().collect())]
}
