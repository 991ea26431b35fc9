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
use crate::catalog_model::{has_embedded_variants, is_in_migration};
use crate::product::HIGHEST as VARIANTS_OF;
use kontor_engine::{Document, IndexContent, Rules, Searchable};
use kontor_enums::ProductSearchIndexingMode;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_search::{SearchEntry, SearchableFields};
use std::sync::Arc;

/// The version of the conversion into entries; increase it with every change of the result.
const CODE_VERSION: u32 = 5;

/// Products as Product Search finds them.
pub(super) struct ProductSearch {
    name: &'static str,
    variants: IndexedVariants,
}

/// The variants in the entries of Products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexedVariants {
    /// Variants of the catalog model of the Project: in a Project `InMigration` the variants in Products.
    OfModel,
    /// Variants that are resources.
    Resources,
}

impl ProductSearch {
    /// The search of each Project.
    pub(super) const USUAL: Self = Self { name: "products", variants: IndexedVariants::OfModel };
    /// The search that a Project `InMigration` has in addition, to be tested before it becomes `Modular` (release note of
    /// 8 October 2026).
    pub(super) const MODULAR: Self =
        Self { name: "products-modular-catalog", variants: IndexedVariants::Resources };
}

impl Searchable for ProductSearch {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ab_test_id(&self) -> Option<&'static str> {
        (self.variants == IndexedVariants::Resources).then_some("modular-catalog")
    }

    fn is_for(&self, project: &Document) -> bool {
        self.variants == IndexedVariants::OfModel || is_in_migration(project)
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
        json!({"action": "changeProductSearchIndexingEnabled", "enabled": false, "mode": ProductSearchIndexingMode::ProductsSearch})
    }

    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn SearchableFields>> {
        Ok(Arc::new(fields::ProductFields::load(rules)?))
    }

    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64> {
        // Attributes are not included: entries record theirs, and only those of a changed Product Type are rebuilt.
        let languages = indexed_languages(rules.project);
        let languages = languages.iter().map(|language| language.to_string());
        // Projects with variants in Products keep the number that they had before there were others.
        let modular = (!has_embedded_variants(rules)).then(|| "modular".to_owned());
        Ok(digest(std::iter::once(CODE_VERSION.to_string()).chain(languages).chain(modular)))
    }

    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<SearchEntry>> {
        entry::entry(document, self.variants, rules)
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
