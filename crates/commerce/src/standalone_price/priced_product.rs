//! Finds the product variant of a Standalone Price: the one with its SKU, in a Product or as a resource of its own.

use crate::kinds;
use crate::product::{SKU_PATHS, variant_on};
use crate::published_variants::VARIANT;
use crate::variant::{SKU_PATHS as VARIANT_SKU_PATHS, as_product_variant};
use kontor_engine::document::{get, must_text};
use kontor_engine::{DerivationSources, Document, Precondition, Rules};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::sync::Arc;

/// The unique key of the SKUs of Products and Variants.
pub(super) const SKU: &str = "sku";

/// A Product with the SKU of a price.
pub(super) struct PricedProduct {
    product: Arc<Document>,
    /// The Variant, if it is a resource of its own.
    variant: Option<Arc<Document>>,
}

impl PricedProduct {
    /// Looks up the variant for a derivation.
    pub(super) fn find(sku: &str, sources: &dyn DerivationSources) -> ApiResult<Option<Self>> {
        if let Some(product) = sources.unique("product", SKU, sku)? {
            return Ok(Some(Self { product: Arc::new(product), variant: None }));
        }
        let Some(variant) = sources.unique(VARIANT, SKU, sku)? else { return Ok(None) };
        let product = sources.document("product", must_text(&variant, &["product", "id"])?)?;
        Ok(product.map(|product| Self { product, variant: Some(Arc::new(variant)) }))
    }

    /// Looks up the variant for a change of a price: it must be unchanged, or still missing, when the price is written.
    pub(super) fn now(price: &Document, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        let sku = must_text(price, &["sku"])?;
        if let Some(found) = rules.find_unique("product", SKU, sku)? {
            return Ok(Some(Self { product: found.document, variant: None }));
        }
        require_sku_absent("product", &SKU_PATHS, sku, rules);
        let Some(found) = rules.find_unique(VARIANT, SKU, sku)? else {
            require_sku_absent(VARIANT, &VARIANT_SKU_PATHS, sku, rules);
            return Ok(None);
        };
        let id = must_text(&found.document, &["product", "id"])?;
        let product = rules.find(kinds::PRODUCT, id)?;
        Ok(product.map(|product| Self { product, variant: Some(found.document) }))
    }

    /// Returns the Product, its current data, and the variant of a price in the form of embedded variants.
    pub(super) fn on_current(&self, price: &Document) -> Option<(&Document, &Document, Document)> {
        let product = &*self.product;
        let has_sku = |variant: &Document| variant.get("sku") == price.get("sku");
        match &self.variant {
            None => {
                let (data, variant) = variant_on(product, false, has_sku)?;
                Some((product, data, variant.clone()))
            }
            Some(variant) => {
                let data = get(product, &["masterData", "current"]).and_then(Value::as_object)?;
                Some((product, data, Some(as_product_variant(variant, false)).filter(has_sku)?))
            }
        }
    }

    /// Whether the Product, and the Variant if there is one, are published.
    pub(super) fn is_published(&self) -> bool {
        let published = Some(&json!(true));
        get(&self.product, &["masterData", "published"]) == published
            && self.variant.as_ref().is_none_or(|variant| variant.get("published") == published)
    }
}

/// The Product that has the SKU of a price, as it must be when the price is written.
pub(super) fn product_of(price: &Document, rules: &Rules<'_>) -> ApiResult<Option<Document>> {
    Ok(PricedProduct::now(price, rules)?.map(|sold| Document::clone(&sold.product)))
}

/// Requires that no document with the SKU is created before the price is written.
fn require_sku_absent(kind: &str, paths: &[&str], sku: &str, rules: &Rules<'_>) {
    for path in paths {
        rules.require(Precondition::IndexedAtMost {
            kind: kind.to_owned(),
            path: (*path).to_owned(),
            value: sku.into(),
            limit: 0,
        });
    }
}
