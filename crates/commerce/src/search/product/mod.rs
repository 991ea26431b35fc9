//! Product Search: what Products can be searched by.
//!
//! Source: Document B, "Product Search". Conversations: `tests/api/product-search/`.

mod assortment;
mod concerned;
mod entry;
mod fields;
mod prices;
mod projection_fields;
mod projections;
#[cfg(test)]
mod tests;

pub(super) use projections::ProjectionSearch;

use super::attribute::searchable;
use super::languages::languages;
use crate::product::HIGHEST as VARIANTS_OF;
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, Holdings, Rules, Searchable};
use kontor_errors::ApiResult;
use kontor_search::{Entry, Fields};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Rises when the code that makes entries changes what they hold.
const CODE_VERSION: u32 = 3;

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

    fn sources(&self) -> &'static [&'static str] {
        &[
            "standalone-price",
            "inventory-entry",
            "product-selection-assignment",
            "store",
            "category",
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

    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn Fields>> {
        Ok(Arc::new(fields::ProductFields::of(rules)?))
    }

    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64> {
        let mut hash = Sha256::new();
        let mut tell = |line: &str| hash.update([line.as_bytes(), b"\n"].concat());
        tell(&CODE_VERSION.to_string());
        for language in languages(rules.project) {
            tell(&language);
        }
        let mut product_types: Vec<Arc<Document>> = rules.peek_all("product-type")?.to_vec();
        product_types.sort_by(|one, other| text(one, &["id"]).cmp(&text(other, &["id"])));
        for product_type in &product_types {
            for level in ["Product", "Variant"] {
                for (name, kind) in searchable(product_type, level) {
                    let id = must_text(product_type, &["id"])?;
                    tell(&format!("{id} {level} {name} {:?}", kind.field_type()));
                }
            }
        }
        let digest = hash.finalize();
        Ok(digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<Entry>> {
        entry::entry(document, rules)
    }

    fn concerned(
        &self,
        kind: &str,
        id: &str,
        rules: &Rules<'_>,
        held: &dyn Holdings,
    ) -> ApiResult<Vec<String>> {
        concerned::concerned(kind, id, rules, held)
    }
}
