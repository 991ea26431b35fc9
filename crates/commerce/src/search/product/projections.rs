//! Product Projection Search, the older search: indexes both sides of Products, with its own field names.
//!
//! Entries are those of Product Search, plus all words of a Product in one field and the scopes of its prices. One
//! setting of the Project turns the index of both sides on and off.
//!
//! Conversations: `tests/api/product-projection-search/`.

use super::fields::OF_PRODUCT;
use super::projection_fields::{ProjectionFields, is_standard_field, suggestion_field, text_field};
use super::{IndexedVariants, ProductSearch, affected_products, entry};
use crate::search::languages::indexed_languages;
use crate::search::node::{add_value, remove_duplicates};
use kontor_engine::document::{get, list};
use kontor_engine::{Document, IndexContent, Rules, Searchable};
use kontor_enums::ProductSearchIndexingMode;
use kontor_errors::ApiResult;
use kontor_json::{Value as Json, json};
use kontor_search::suggestions;
use kontor_search::{EntryNode, FieldKind, NodeValue, SearchEntry, SearchValue, SearchableFields};
use std::collections::HashSet;
use std::sync::Arc;

/// The version of the conversion into entries; increase it with every change of the result.
const CODE_VERSION: u64 = 4;

/// Product Projections of one side as the older search finds them.
pub(in crate::search) struct ProjectionSearch {
    name: &'static str,
    side: &'static str,
}

impl ProjectionSearch {
    /// The published side.
    pub(in crate::search) const CURRENT: Self = Self { name: "product-projections", side: "current" };
    /// The staged side.
    pub(in crate::search) const STAGED: Self = Self { name: "product-projections-staged", side: "staged" };
}

impl Searchable for ProjectionSearch {
    fn name(&self) -> &'static str {
        self.name
    }

    fn setting(&self) -> &'static str {
        "products"
    }

    fn kind(&self) -> &'static str {
        ProductSearch::USUAL.kind()
    }

    fn ignored_paths(&self) -> &'static [&'static str] {
        if self.side == "current" { ProductSearch::USUAL.ignored_paths() } else { &["masterData", "current"] }
    }

    fn sources(&self) -> &'static [&'static str] {
        ProductSearch::USUAL.sources()
    }

    fn shapes(&self) -> &'static [&'static str] {
        ProductSearch::USUAL.shapes()
    }

    fn deactivation(&self) -> Json {
        json!({"action": "changeProductSearchIndexingEnabled", "enabled": false, "mode": ProductSearchIndexingMode::ProductProjectionsSearch})
    }

    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn SearchableFields>> {
        Ok(Arc::new(ProjectionFields::load(rules)?))
    }

    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64> {
        Ok(ProductSearch::USUAL.generation(rules)?.wrapping_add(CODE_VERSION))
    }

    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<SearchEntry>> {
        let is_published = get(document, &["masterData", "published"]) == Some(&Json::Bool(true));
        if self.side == "current" && !is_published {
            return Ok(None);
        }
        // "Will only consider Embedded Prices" (public documentation, Product Projection Search).
        let Some(mut entry) =
            entry::entry_of_side(document, self.side, true, IndexedVariants::OfModel, rules)?
        else {
            return Ok(None);
        };
        put_texts(&mut entry.root);
        for language in indexed_languages(rules.project) {
            let keywords = list(document, &["masterData", self.side, "searchKeywords", &*language]);
            put_suggestions(&mut entry.root, keywords, &language);
        }
        remove_duplicates(&mut entry.root);
        Ok(Some(entry))
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

/// Puts all words of a Product and its variants, each text once; Attributes of the Product itself are not supported.
fn put_texts(root: &mut EntryNode) {
    let mut known = HashSet::new();
    let mut texts = Vec::new();
    for node in std::iter::once(&*root).chain(&root.children) {
        for NodeValue { field, value } in &node.values {
            let is_text = field.kind == FieldKind::Text
                || is_standard_field(field, "variants.sku")
                || is_standard_field(field, "key");
            let SearchValue::Text(text) = value else { continue };
            if field.name.starts_with(OF_PRODUCT) {
                continue;
            }
            if is_text && known.insert((field.language.clone(), text.clone())) {
                texts.push(NodeValue { field: text_field(field.language.clone()), value: value.clone() });
            }
        }
    }
    root.values.extend(texts);
}

/// Puts the completed words of search keywords: the whole text, the words between spaces, or the given ones.
fn put_suggestions(root: &mut EntryNode, keywords: &[Json], language: &Arc<str>) {
    let field = suggestion_field(Some(Arc::clone(language)));
    for keyword in keywords {
        let Some(text) = keyword["text"].as_str() else { continue };
        let tokenizer = &keyword["suggestTokenizer"];
        let words: Vec<&str> = match tokenizer["type"].as_str() {
            Some("whitespace") => text.split_whitespace().collect(),
            Some("custom") => {
                tokenizer["inputs"].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
            }
            _ => vec![text],
        };
        for word in words {
            add_value(root, &field, SearchValue::Text(suggestions::value(word, text)));
        }
    }
}
