//! Product Search: the index fields and entries of Products.
//!
//! Source: Document B, "Product Search". Conversations: `tests/api/product-search/`.

mod affected_products;
mod assortment;
mod entry;
mod fields;
mod prices;
mod projection_fields;
mod projections;
#[cfg(test)]
mod tests;

pub(super) use projections::ProjectionSearch;

use super::digest::digest;
use super::languages::indexed_languages;
use crate::product::HIGHEST as VARIANTS_OF;
use kontor_engine::{Document, IndexContent, Rules, Searchable};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_search::{SearchEntry, SearchableFields};
use std::sync::Arc;

/// The version of the conversion into entries; increase it with every change of the result.
const CODE_VERSION: u32 = 5;

/// Products as Product Search finds them.
pub(super) struct ProductSearch;

impl Searchable for ProductSearch {
    fn name(&self) -> &'static str {
        "products"
    }

    fn setting(&self) -> &'static str {
        "productsSearch"
    }

    fn kind(&self) -> &'static str {
        "product"
    }

    fn ignored_paths(&self) -> &'static [&'static str] {
        &["masterData", "staged"]
    }

    fn sources(&self) -> &'static [&'static str] {
        &[
            "standalone-price",
            "inventory-entry",
            "product-selection-assignment",
            "store",
            "category",
            "product-type",
            "variant",
            VARIANTS_OF,
        ]
    }

    fn shapes(&self) -> &'static [&'static str] {
        &["product-type"]
    }

    fn deactivation(&self) -> Value {
        json!({"action": "changeProductSearchIndexingEnabled", "enabled": false, "mode": "ProductsSearch"})
    }

    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn SearchableFields>> {
        Ok(Arc::new(fields::ProductFields::load(rules)?))
    }

    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64> {
        // Attributes are not included: entries record theirs, and only those of a changed Product Type are rebuilt.
        let languages = indexed_languages(rules.project);
        let languages = languages.iter().map(|language| language.to_string());
        Ok(digest(std::iter::once(CODE_VERSION.to_string()).chain(languages)))
    }

    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<SearchEntry>> {
        entry::entry(document, rules)
    }

    fn affected_entries(
        &self,
        kind: &str,
        id: &str,
        rules: &Rules<'_>,
        content: &dyn IndexContent,
    ) -> ApiResult<Vec<String>> {
        affected_products::affected_products(kind, id, rules, content)
    }
}
