//! Creates the entry of a Product: one of its sides, with its variants and their prices. Start at [`entry`].

use super::IndexedVariants;
use super::assortment::Assortment;
use super::fields::{
    OF_PRODUCT, OF_VARIANT, attributes_of_field, open_stores_field, order_hint, standard_field, stock_field,
};
use super::prices::{self, PriceSource};
use super::projection_fields::{RESTOCKABLE, is_stock_figure, stock_figure};
use crate::catalog_model::has_embedded_variants;
use crate::product_selection::AssignedVariants;
use crate::published_variants::VARIANT;
use crate::search::attribute::{known_type, put_attribute, searchable_attributes};
use crate::search::languages::indexed_languages;
use crate::search::node::{add_value, field_in_language, parse_time_ms, put_localized, remove_duplicates};
use crate::variant::{PRODUCT_ID, as_product_variant};
use kontor_engine::document::{get, list, must_text, text};
use kontor_engine::{Document, Rules};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::ApiResult;
use kontor_json::{Value as Json, json};
use kontor_search::limits::ATTRIBUTES_MAX;
use kontor_search::{EntryNode, FieldLevel, SearchEntry, SearchValue};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The entry; `None` of a Product that is not published.
pub(super) fn entry(
    product: &Document,
    variants: IndexedVariants,
    rules: &Rules<'_>,
) -> ApiResult<Option<SearchEntry>> {
    if get(product, &["masterData", "published"]) != Some(&Json::Bool(true)) {
        return Ok(None);
    }
    entry_of_side(product, "current", false, variants, rules)
}

/// The entry of a side of a Product, `current` or `staged`, published or not; `embedded_alone`: without Standalone
/// Prices.
pub(super) fn entry_of_side(
    product: &Document,
    side: &str,
    embedded_alone: bool,
    variants: IndexedVariants,
    rules: &Rules<'_>,
) -> ApiResult<Option<SearchEntry>> {
    let current = get(product, &["masterData", side]).and_then(Json::as_object);
    let (Some(current), Some(id)) = (current, text(product, &["id"])) else { return Ok(None) };
    let product_type = match text(product, &["productType", "id"]) {
        Some(id) => rules.peek_type("product-type", id)?,
        None => None,
    };
    let making = EntryBuilder {
        product,
        current,
        is_staged: side == "staged",
        embedded_alone,
        variants,
        languages: indexed_languages(rules.project),
        product_type: product_type.as_deref(),
        assortment: Assortment::for_product(id, rules)?,
        rules,
    };
    let mut root = making.root()?;
    root.children = making.variants()?;
    Ok(Some(SearchEntry { id: id.to_owned(), root }))
}

struct EntryBuilder<'a, 'r> {
    product: &'a Document,
    current: &'a Document,
    is_staged: bool,
    embedded_alone: bool,
    variants: IndexedVariants,
    languages: Vec<Arc<str>>,
    product_type: Option<&'a Document>,
    assortment: Assortment,
    rules: &'a Rules<'r>,
}

impl EntryBuilder<'_, '_> {
    fn root(&self) -> ApiResult<EntryNode> {
        let (product, current) = (self.product, self.current);
        let mut root = EntryNode::default();
        for (name, path) in [
            ("id", &["id"][..]),
            ("key", &["key"]),
            ("productType", &["productType", "id"]),
            ("taxCategory", &["taxCategory", "id"]),
            ("state", &["state", "id"]),
        ] {
            keyword(&mut root, name, text(product, path));
        }
        for name in ["createdAt", "lastModifiedAt"] {
            value(&mut root, name, text(product, &[name]).and_then(parse_time_ms).map(SearchValue::Time));
        }
        for (name, of) in [
            ("reviewRatingStatistics.averageRating", "averageRating"),
            ("reviewRatingStatistics.highestRating", "highestRating"),
            ("reviewRatingStatistics.lowestRating", "lowestRating"),
        ] {
            let rating = get(product, &["reviewRatingStatistics", of]).and_then(Json::as_f64);
            value(&mut root, name, rating.map(SearchValue::Double));
        }
        let count = get(product, &["reviewRatingStatistics", "count"]).and_then(Json::as_i64);
        value(&mut root, "reviewRatingStatistics.count", count.map(SearchValue::Long));
        for name in ["name", "slug", "description"] {
            if let (Some(field), Some(Json::Object(texts))) = (standard_field(name), current.get(name)) {
                put_localized(&mut root, field, texts, &self.languages, |_| true);
            }
        }
        self.put_search_keywords(&mut root);
        self.put_categories(&mut root)?;
        for (name, has) in
            [("stores", &self.assortment.stores), ("productSelections", &self.assortment.selections)]
        {
            for id in has.keys() {
                keyword(&mut root, name, Some(id));
            }
        }
        for store in &self.assortment.open {
            for word in [store.id().to_owned(), store.line()] {
                add_value(&mut root, &open_stores_field(), SearchValue::Text(word));
            }
        }
        if let Some(product_type) = self.product_type {
            add_value(&mut root, &attributes_of_field(), SearchValue::Text(known_type(product_type)?));
        }
        self.put_attributes(&mut root, current, AttributeLevelEnum::Product);
        remove_duplicates(&mut root);
        Ok(root)
    }

    fn put_search_keywords(&self, root: &mut EntryNode) {
        let Some(field) = standard_field("searchKeywords") else { return };
        for language in &self.languages {
            for keyword in list(self.current, &["searchKeywords", &**language]) {
                if let Some(text) = keyword["text"].as_str() {
                    add_value(root, &field_in_language(field, language), SearchValue::Text(text.to_owned()));
                }
            }
        }
    }

    fn put_categories(&self, root: &mut EntryNode) -> ApiResult<()> {
        let mut with_ancestors = BTreeSet::new();
        for category in list(self.current, &["categories"]) {
            let Some(id) = category["id"].as_str() else { continue };
            keyword(root, "categories", Some(id));
            with_ancestors.insert(id.to_owned());
            if let Some(category) = self.rules.peek_type("category", id)? {
                let ancestors = list(&category, &["ancestors"]).iter();
                with_ancestors.extend(ancestors.filter_map(|one| one["id"].as_str()).map(str::to_owned));
            }
        }
        for id in &with_ancestors {
            keyword(root, "categoriesSubTree", Some(id));
        }
        let hints = self.current.get("categoryOrderHints").and_then(Json::as_object);
        for (id, hint) in hints.into_iter().flatten() {
            if let Some(hint) = hint.as_str() {
                add_value(root, &order_hint(id), SearchValue::Text(hint.to_owned()));
            }
        }
        Ok(())
    }

    fn variants(&self) -> ApiResult<Vec<EntryNode>> {
        let master = self.current.get("masterVariant").into_iter();
        let embedded: Vec<&Document> =
            master.chain(list(self.current, &["variants"])).filter_map(Json::as_object).collect();
        let is_alone = self.variants == IndexedVariants::Resources;
        if is_alone || embedded.is_empty() || !has_embedded_variants(self.rules) {
            let resources = self.resources()?;
            // A Product that was not migrated is found by the variants that it still has.
            if is_alone || embedded.is_empty() || !resources.is_empty() {
                let source = self.source_of_resources(resources.len());
                return resources.into_iter().map(|variant| self.resource(variant, source)).collect();
            }
        }
        let source = self.source(embedded.len());
        embedded.into_iter().map(|variant| self.variant(variant, source)).collect()
    }

    fn source(&self, variants: usize) -> PriceSource {
        if self.embedded_alone {
            PriceSource::Selectable
        } else {
            PriceSource::for_product(self.product, variants)
        }
    }

    /// Variants that are resources have Standalone Prices only.
    fn source_of_resources(&self, variants: usize) -> PriceSource {
        if self.embedded_alone { PriceSource::Selectable } else { PriceSource::for_resources(variants) }
    }

    /// Adds a Variant resource. Its stock is joined here, with the ids that later show which entry a change
    /// of the InventoryEntry affects.
    fn resource(&self, mut variant: Document, source: PriceSource) -> ApiResult<EntryNode> {
        let stock = match text(&variant, &["sku"]) {
            Some(sku) => crate::product::availability_of(sku, self.rules)?,
            None => None,
        };
        let Some(stock) = stock else { return self.variant(&variant, source) };
        let channels = stock["channels"].as_object().into_iter().flat_map(|channels| channels.values());
        let entries: Vec<String> = std::iter::once(&stock)
            .chain(channels)
            .filter_map(|counted| counted["id"].as_str().map(str::to_owned))
            .collect();
        variant.insert("availability", stock);
        let mut node = self.variant(&variant, source)?;
        for entry in entries {
            add_value(&mut node, &stock_field(), SearchValue::Text(entry));
        }
        Ok(node)
    }

    /// Returns the Variants (resources of their own); for the current side those that are published.
    fn resources(&self) -> ApiResult<Vec<Document>> {
        let id = must_text(self.product, &["id"])?;
        let found = self.rules.peek_by_value(VARIANT, PRODUCT_ID, id)?;
        let is_shown = |variant: &Document| self.is_staged || variant.get("published") == Some(&json!(true));
        let shown = found.iter().map(|found| &*found.document).filter(|variant| is_shown(variant));
        let mut shown: Vec<Document> =
            shown.map(|variant| as_product_variant(variant, self.is_staged)).collect();
        shown.sort_by_key(|variant| variant.get("id").and_then(Json::as_i64));
        Ok(shown)
    }

    fn variant(&self, variant: &Document, source: PriceSource) -> ApiResult<EntryNode> {
        let (id, sku) = (variant.get("id").and_then(Json::as_i64), text(variant, &["sku"]));
        let mut node = EntryNode { label: json!({"id": id, "sku": sku}).to_string(), ..EntryNode::default() };
        value(&mut node, "variants.id", id.map(|id| SearchValue::Text(id.to_string())));
        keyword(&mut node, "variants.sku", sku);
        keyword(&mut node, "variants.key", text(variant, &["key"]));
        let availability = |name: &str| get(variant, &["availability", name]);
        let is_on_stock = availability("isOnStock").and_then(Json::as_bool);
        value(&mut node, "variants.availability.isOnStock", is_on_stock.map(SearchValue::Boolean));
        let quantity = availability("availableQuantity").and_then(Json::as_i64);
        value(&mut node, "variants.availability.availableQuantity", quantity.map(SearchValue::Long));
        if let Some(days) = availability("restockableInDays").and_then(Json::as_i64) {
            add_value(&mut node, &stock_figure("", RESTOCKABLE), SearchValue::Long(days));
        }
        let channels = availability("channels").and_then(Json::as_object);
        for (channel, stock) in channels.into_iter().flatten() {
            for (name, figure) in stock.as_object().into_iter().flatten() {
                let figure =
                    figure.as_bool().map(SearchValue::Boolean).or(figure.as_i64().map(SearchValue::Long));
                if let (Some(figure), true) = (figure, is_stock_figure(name)) {
                    add_value(&mut node, &stock_figure(&format!("channels.{channel}."), name), figure);
                }
            }
            keyword(&mut node, "variants.availability.hasInventoryEntryForChannel", Some(channel));
            if stock["isOnStock"] == json!(true) {
                keyword(&mut node, "variants.availability.isOnStockForChannel", Some(channel));
            }
        }
        put_those_with(&mut node, "variants.stores", &self.assortment.stores, sku);
        put_those_with(&mut node, "variants.productSelections", &self.assortment.selections, sku);
        self.put_attributes(&mut node, variant, AttributeLevelEnum::Variant);
        remove_duplicates(&mut node);
        node.children = prices::price_nodes(variant, source, self.rules)?;
        Ok(node)
    }

    /// Puts the Attributes of a side, or of a variant of it, into a node: the first ones in the order of the Product
    /// Type, up to the limit. Document B, "Limits".
    fn put_attributes(&self, node: &mut EntryNode, holder: &Document, level: AttributeLevelEnum) {
        let Some(product_type) = self.product_type else { return };
        let (prefix, place) = match level {
            AttributeLevelEnum::Product => (OF_PRODUCT, FieldLevel::Root),
            AttributeLevelEnum::Variant => (OF_VARIANT, FieldLevel::Child),
        };
        let has: HashMap<&str, &Json> = list(holder, &["attributes"])
            .iter()
            .filter_map(|attribute| Some((attribute["name"].as_str()?, &attribute["value"])))
            .collect();
        let put = searchable_attributes(product_type, level)
            .filter_map(|(name, kind)| Some((name, kind, has.get(name)?)));
        for (name, kind, value) in put.take(ATTRIBUTES_MAX) {
            put_attribute(node, kind, (prefix, name, place), value, &self.languages);
        }
    }
}

/// Adds the ids of the Product Selections or Stores that contain a variant with a SKU.
fn put_those_with(
    node: &mut EntryNode,
    name: &str,
    all: &BTreeMap<String, Vec<AssignedVariants>>,
    sku: Option<&str>,
) {
    for (id, chosen) in all {
        if chosen.iter().any(|chosen| chosen.contains(sku)) {
            keyword(node, name, Some(id));
        }
    }
}

fn keyword(node: &mut EntryNode, name: &str, text: Option<&str>) {
    value(node, name, text.map(|text| SearchValue::Text(text.to_owned())));
}

fn value(node: &mut EntryNode, name: &str, value: Option<SearchValue>) {
    if let (Some(field), Some(value)) = (standard_field(name), value) {
        add_value(node, field, value);
    }
}
