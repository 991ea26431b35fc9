//! The Variants of a Product with the requested Attributes, and the stock of each.
//!
//! Source: reference types `VariantAttributes…`, traits `variantAttributeFiltering`,
//! `supplyChannelFiltering`.

use super::{assortment, locales, store, store_with};
use crate::attribute::definition;
use crate::catalog_model::finds_resources;
use crate::product::availability_of;
use crate::published_variants::VARIANT;
use crate::sides::{CURRENT, STAGED};
use crate::variant::PRODUCT_ID;
use kontor_engine::document::{list, must_text, text};
use kontor_engine::{Document, Rules, ViewOptions};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The fields of the availability in the response.
const STOCK: [&str; 3] = ["isOnStock", "restockableInDays", "availableQuantity"];

pub(super) fn project_attributes(
    product: &Document,
    view_options: &ViewOptions,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let names = admitted_names(view_options, rules)?;
    let id = must_text(product, &["id"])?;
    let store = match view_options.store.as_deref() {
        Some(key) => Some(store_with(key, rules)?),
        None => None,
    };
    let languages = locales::asked_for(view_options);
    let mut languages: Vec<&str> = languages.iter().map(String::as_str).collect();
    if let (true, Some(store)) = (languages.is_empty(), &store) {
        languages = store::texts(store, "languages");
    }
    let type_id = must_text(product, &["productType", "id"])?;
    let product_type = rules.peek_type("product-type", type_id)?.unwrap_or_default();
    let chosen = match &store {
        Some(store) => assortment::chosen_in(store, id, rules)?,
        None => None,
    };
    let parts = RequestedParts {
        names,
        languages,
        channels: view_options.parameters("filter[supplyChannels]").collect(),
    };
    let mut variants = Vec::new();
    for found in rules.peek_by_value(VARIANT, PRODUCT_ID, id)? {
        let variant = &found.document;
        let Some(side) = side_of(variant, view_options.staged) else { continue };
        let sku = text(side, &["sku"]);
        if chosen.as_ref().is_some_and(|chosen| !chosen.iter().any(|chosen| chosen.contains(sku))) {
            continue;
        }
        let number = variant.get("variantId").and_then(Value::as_i64);
        variants.push((number, parts.of_variant(variant, side, rules)?));
    }
    variants.sort_by_key(|(number, _)| *number);
    let mut shown = Document::new();
    shown.insert("productId", json!(id));
    shown.extend(product.get("key").map(|key| ("productKey".to_owned(), key.clone())));
    shown.insert("attributes", parts.described(&product_type));
    shown.insert("variants", variants.into_iter().map(|(_, variant)| variant).collect());
    Ok(shown)
}

/// Returns the requested Attributes: at least one, in a Project with Variant resources.
fn admitted_names<'a>(view_options: &'a ViewOptions, rules: &Rules<'_>) -> ApiResult<Vec<&'a str>> {
    if !finds_resources(rules) {
        return Err(ApiError::invalid_operation(
            "Variant Attributes are for Projects with the productCatalogModel 'InMigration' or 'Modular'.",
        ));
    }
    let names: Vec<&str> = view_options.parameters("filter[attributes]").collect();
    if names.is_empty() {
        return Err(ApiError::invalid_input(
            "Malformed parameter: filter[attributes]: at least one name is required.",
        ));
    }
    Ok(names)
}

/// Returns the visible side of a Variant; `None` if it does not have the side.
fn side_of(variant: &Document, is_staged: bool) -> Option<&Document> {
    let is_published = variant.get("published") == Some(&json!(true));
    let side = match is_staged {
        true => variant.get(STAGED).or_else(|| variant.get(CURRENT)),
        false => variant.get(CURRENT).filter(|_| is_published),
    };
    side.and_then(Value::as_object)
}

/// The requested parts of each Variant.
struct RequestedParts<'a> {
    names: Vec<&'a str>,
    languages: Vec<&'a str>,
    channels: Vec<&'a str>,
}

impl RequestedParts<'_> {
    fn of_variant(&self, variant: &Document, side: &Document, rules: &Rules<'_>) -> ApiResult<Value> {
        let sku = text(side, &["sku"]);
        let mut shown = Document::new();
        shown.extend(variant.get("id").map(|id| ("id".to_owned(), id.clone())));
        shown.extend(sku.map(|sku| ("sku".to_owned(), json!(sku))));
        shown.extend(variant.get("key").map(|key| ("key".to_owned(), key.clone())));
        if let Some(stock) = stock_of(sku, &self.channels, rules)? {
            shown.insert("availability", stock);
        }
        let asked_for = |attribute: &&Value| self.names.iter().any(|name| attribute["name"] == *name);
        let attributes = list(side, &["attributes"]).iter().filter(asked_for).cloned().collect();
        let mut attributes = Value::Array(attributes);
        locales::keep_in_value(&mut attributes, &self.languages);
        shown.insert("attributes", attributes);
        Ok(Value::Object(shown))
    }

    /// Returns the definitions of the Attributes from the Product Type.
    fn described(&self, product_type: &Document) -> Value {
        let found = self.names.iter().filter_map(|name| definition(product_type, name));
        let of_variants = found.filter(|found| found["level"] == AttributeLevelEnum::Variant.as_str());
        of_variants
            .map(|found| {
                let mut label = found["label"].clone();
                locales::keep_in_value(&mut label, &self.languages);
                json!({"name": found["name"], "label": label, "type": found["type"]["name"]})
            })
            .collect()
    }
}

/// Returns the stock of a SKU: in total, and in the requested Channels.
fn stock_of(sku: Option<&str>, channels: &[&str], rules: &Rules<'_>) -> ApiResult<Option<Value>> {
    let Some(sku) = sku else { return Ok(None) };
    let Some(Value::Object(all)) = availability_of(sku, rules)? else { return Ok(None) };
    let part = |whole: &Document| -> Document {
        STOCK.iter().filter_map(|name| Some(((*name).to_owned(), whole.get(*name)?.clone()))).collect()
    };
    let mut stock = part(&all);
    if !channels.is_empty() {
        let of_channels: Document = channels
            .iter()
            .filter_map(|id| Some(((*id).to_owned(), all.get("channels")?.get(*id)?.as_object()?)))
            .map(|(id, channel)| (id, Value::Object(part(channel))))
            .collect();
        stock.insert("channels", Value::Object(of_channels));
    }
    Ok(Some(Value::Object(stock)))
}
