//! A price with all that a predicate may ask about it.
//!
//! Source: public documentation, "Discount predicates", "ProductDiscount predicate field identifiers".

use super::predicate::{Subject, below};
use kontor_engine::document::{get, list, text};
use kontor_engine::{Document, Rules, Sources};
use kontor_errors::ApiResult;
use serde_json::{Value, json};
use std::sync::Arc;

/// Where predicates find what is named by a key, or stands above a Category.
pub(crate) trait LookUp {
    /// A document, if it is there.
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>>;
}

impl LookUp for Rules<'_> {
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        self.find_type(type_id, id)
    }
}

/// [`LookUp`] of a derivation.
pub(crate) struct FromSources<'a>(pub(crate) &'a dyn Sources);

impl LookUp for FromSources<'_> {
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        self.0.document(type_id, id)
    }
}

/// A price with all that a predicate may ask about it.
pub(crate) struct Priced<'a> {
    pub(crate) product: &'a Document,
    /// The side of the Product.
    pub(crate) data: &'a Document,
    pub(crate) variant: &'a Document,
    /// Embedded or standalone.
    pub(crate) price: &'a Document,
    pub(crate) look_up: &'a dyn LookUp,
}

impl Priced<'_> {
    fn key_of(&self, type_id: &str, id: &str) -> ApiResult<Option<Value>> {
        Ok(self.look_up.find(type_id, id)?.and_then(|found| found.get("key").cloned()))
    }

    fn keys_of(&self, type_id: &str, ids: &[String]) -> ApiResult<Option<Value>> {
        let mut keys = Vec::new();
        for id in ids {
            keys.extend(self.key_of(type_id, id)?);
        }
        Ok(Some(Value::Array(keys)))
    }

    fn categories(&self, with_ancestors: bool) -> ApiResult<Vec<String>> {
        let mut ids: Vec<String> = Vec::new();
        let mut add = |id: &str| {
            if !ids.iter().any(|held| held == id) {
                ids.push(id.to_owned());
            }
        };
        for id in list(self.data, &["categories"]).iter().filter_map(|category| category["id"].as_str()) {
            add(id);
            if with_ancestors && let Some(found) = self.look_up.find("category", id)? {
                list(&found, &["ancestors"])
                    .iter()
                    .filter_map(|above| above["id"].as_str())
                    .for_each(&mut add);
            }
        }
        Ok(ids)
    }

    /// The value of an Attribute of the variant, else of the Product, and what is below it.
    fn attribute(&self, path: &str) -> Option<Value> {
        let path: Vec<&str> = path.split('.').collect();
        let (name, rest) = path.split_first()?;
        let all = list(self.variant, &["attributes"]).iter().chain(list(self.data, &["attributes"]));
        let attribute = all.into_iter().find(|attribute| attribute["name"] == *name)?;
        below(&attribute["value"], rest)
    }
}

impl Subject for Priced<'_> {
    fn field(&self, name: &str) -> ApiResult<Option<Value>> {
        let stored = |document: &Document, path: &[&str]| Ok(get(document, path).cloned());
        let key_at = |type_id: &str, document: &Document, field: &str| {
            text(document, &[field, "id"]).map_or(Ok(None), |id| self.key_of(type_id, id))
        };
        match name {
            "product.id" => stored(self.product, &["id"]),
            "product.key" => stored(self.product, &["key"]),
            "productType.id" => stored(self.product, &["productType", "id"]),
            "productType.key" => key_at("product-type", self.product, "productType"),
            "variant.id" | "variantId" => stored(self.variant, &["id"]),
            "variant.key" => stored(self.variant, &["key"]),
            "sku" => stored(self.variant, &["sku"]),
            "categories.id" => Ok(Some(json!(self.categories(false)?))),
            "categories.key" => self.keys_of("category", &self.categories(false)?),
            "categoriesWithAncestors.id" => Ok(Some(json!(self.categories(true)?))),
            "categoriesWithAncestors.key" => self.keys_of("category", &self.categories(true)?),
            "amount" => stored(self.price, &["value"]),
            "centAmount" => stored(self.price, &["value", "centAmount"]),
            "currency" => stored(self.price, &["value", "currencyCode"]),
            "customerGroup.id" => stored(self.price, &["customerGroup", "id"]),
            "customerGroup.key" => key_at("customer-group", self.price, "customerGroup"),
            "channel.id" => stored(self.price, &["channel", "id"]),
            "channel.key" => key_at("channel", self.price, "channel"),
            "country" | "key" | "id" | "validFrom" | "validUntil" => stored(self.price, &[name]),
            _ => match (name.strip_prefix("attributes."), name.strip_prefix("custom.")) {
                (Some(path), _) => Ok(self.attribute(path)),
                (None, Some(path)) => {
                    let path: Vec<&str> = path.split('.').collect();
                    Ok(get(self.price, &["custom", "fields"]).and_then(|fields| below(fields, &path)))
                }
                (None, None) => Ok(None),
            },
        }
    }
}
