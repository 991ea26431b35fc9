//! The product variant of a line item: found among published ones, and copied into the line item. Start at
//! [`PurchasableVariant::from_draft`].
//!
//! Source: reference types `LineItemDraft` (`productId`, `variantId`, `sku`; Attributes of the Product and of
//! the Variant together), `LineItem` (`variant` as it was, `productSlug` as it is), `CartAddLineItemAction`
//! (the variant must be in the Store); public documentation, "Line Items" of Carts (languages and prices of
//! the Store).

mod slugs;

pub(crate) use self::slugs::{follow_slugs, has_another_slug};

use crate::catalog_model::finds_resources;
use crate::price::has_standalone_prices;
use crate::product::variant_on;
use crate::product_projection::{has_in_store, keep_languages};
use crate::product_tailoring::{shown_side, tailor_product, tailor_variant, tailoring_of};
use crate::published_variants::VARIANT;
use crate::variant::{as_product_variant, default_of, find_by_number, find_by_sku};
use kontor_engine::document::{get, integer_or_log, list, must_text, text};
use kontor_engine::{Document, PrefetchPlan, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

/// The Line Items of a Cart.
const LINE_ITEMS: &str = "lineItems";
/// The `typeId` of Products.
const PRODUCT: &str = "product";
/// The fields of a Variant that a line item copies.
const KEPT: [&str; 7] = ["id", "sku", "key", "prices", "images", "attributes", "assets"];
/// The fields of a Product that a line item copies, tailored for the Store.
const TEXTS: [&str; 2] = ["name", "slug"];

/// Adds the Product of the Variant that a draft names to the prefetch plan.
pub(crate) fn plan_prefetch(sent: &Document, prefetch: &mut PrefetchPlan<'_>) {
    match (text(sent, &["sku"]), text(sent, &["productId"])) {
        (Some(sku), _) => prefetch.add_unique(PRODUCT, "sku", sku),
        (None, Some(id)) => prefetch.id(PRODUCT, id),
        (None, None) => {}
    }
}

/// A Product Variant that can be bought.
pub(crate) struct PurchasableVariant {
    product: Arc<Document>,
    /// In the form of embedded variants.
    variant: Document,
    /// Whether it is a resource of its own, which has Standalone Prices only.
    is_resource: bool,
}

impl PurchasableVariant {
    /// Finds the variant that a draft identifies by `sku`, or by `productId` and `variantId`.
    ///
    /// 400 `InvalidOperation`: it identifies none, or one that is not published; `ReferencedResourceNotFound`: the
    /// Product does not exist.
    pub(crate) fn from_draft(sent: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<Self> {
        let number = sent.get("variantId").and_then(Value::as_i64);
        let found = match (text(sent, &["sku"]), text(sent, &["productId"])) {
            (Some(sku), product) => {
                let found = Self::with_sku(sku, rules)?.ok_or_else(|| {
                    let message = format!("No published product with an sku '{sku}' exists.");
                    ApiError::invalid_operation(message).with_location(place)
                })?;
                let is_meant = product.is_none_or(|id| text(&found.product, &["id"]) == Some(id));
                (is_meant && number.is_none_or(|number| found.number() == number)).then_some(found)
            }
            (None, Some(id)) => Self::of_product(id, number, place, rules)?,
            (None, None) => {
                return Err(ApiError::invalid_operation(format!(
                    "{place}: a Product Variant is named by 'sku', or by 'productId' and 'variantId'."
                )));
            }
        };
        found.ok_or_else(|| {
            ApiError::invalid_operation(format!("{place}: the Product has no such published Variant."))
        })
    }

    /// Returns how a draft identifies a variant that a Shopping List stores: by its SKU, if the catalog model has it under
    /// another number than the model that the list is from.
    pub(crate) fn identifiers_of_stored(item: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
        let fields = ["productId", "variantId"];
        let stored = fields.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone())));
        let number = item.get("variantId").and_then(Value::as_i64);
        let product = rules.peek_type(PRODUCT, must_text(item, &["productId"])?)?;
        if let (Some(product), true) = (product, number.is_some())
            && Self::find_in_model(Arc::clone(&product), number, rules)?.is_none()
            && let Some(found) = Self::find_in_other_model(product, number, rules)?
            && let Some(sku) = text(&found.variant, &["sku"])
        {
            return Ok(Document::from_iter([("sku".to_owned(), json!(sku))]));
        }
        Ok(stored.collect())
    }

    /// Returns the current variant of a line item; `None` if it is no longer sold.
    pub(crate) fn from_line_item(line: &Document, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        let id = must_text(line, &["productId"])?;
        match rules.peek_type(PRODUCT, id)? {
            Some(product) if is_published(&product) => Self::find_in_either_model(
                product,
                get(line, &["variant", "id"]).and_then(Value::as_i64),
                rules,
            ),
            _ => Ok(None),
        }
    }

    /// Like [`Self::from_line_item`], but the Product may be unpublished: an item in a Cart stays, and can be ordered
    /// (reference type `ProductUnpublishAction`). `None` if the variant no longer exists.
    pub(crate) fn kept_in_line(line: &Document, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        match rules.peek_type(PRODUCT, must_text(line, &["productId"])?)? {
            Some(product) => Self::find_in_either_model(
                product,
                get(line, &["variant", "id"]).and_then(Value::as_i64),
                rules,
            ),
            None => Ok(None),
        }
    }

    /// Whether a published Variant has an SKU.
    pub(crate) fn is_there(sku: &str, rules: &Rules<'_>) -> ApiResult<bool> {
        Ok(Self::with_sku(sku, rules)?.is_some())
    }

    fn with_sku(sku: &str, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        let has_it = |variant: &Document| text(variant, &["sku"]) == Some(sku);
        if !finds_resources(rules) {
            let Some(found) = rules.peek_unique(PRODUCT, "sku", sku)? else { return Ok(None) };
            return Ok(Some(found.document)
                .filter(|product| is_published(product))
                .and_then(|product| Self::embedded(product, has_it)));
        }
        let Some(resource) = find_by_sku(sku, rules)?.filter(|resource| is_current(resource)) else {
            return Ok(None);
        };
        let product = rules.peek_type(PRODUCT, must_text(&resource, &["product", "id"])?)?;
        let variant = as_product_variant(&resource, false);
        let product = product.filter(|product| is_published(product) && has_it(&variant));
        Ok(product.map(|product| Self { product, variant, is_resource: true }))
    }

    /// Returns the gift of a discount, which may be unpublished (reference type
    /// `CartDiscountValueGiftLineItemDraft`); `None` if it does not exist.
    pub(crate) fn from_gift(id: &str, number: i64, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        let product = rules.peek_type(PRODUCT, id)?;
        product.map_or(Ok(None), |product| Self::find_in_either_model(product, Some(number), rules))
    }

    /// Returns the variant that an imported Order names by `productId` and `variantId`, or by `sku`, if its
    /// Product is not published (any more); otherwise `None`.
    pub(crate) fn from_imported_item(sent: &Document, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        let (number, sku) = (sent.get("variantId").and_then(Value::as_i64), text(sent, &["sku"]));
        let product = match (text(sent, &["productId"]), sku) {
            (Some(id), _) => rules.peek_type(PRODUCT, id)?,
            (None, Some(sku)) => rules.peek_unique(PRODUCT, "sku", sku)?.map(|found| found.document),
            (None, None) => None,
        };
        let Some(product) = product.filter(|product| !is_published(product)) else { return Ok(None) };
        let is_meant = |variant: &Document| {
            number.is_none_or(|number| variant.get("id").and_then(Value::as_i64) == Some(number))
                && sku.is_none_or(|sku| text(variant, &["sku"]) == Some(sku))
        };
        Ok(Self::embedded(product, is_meant))
    }

    fn of_product(id: &str, number: Option<i64>, place: &str, rules: &Rules<'_>) -> ApiResult<Option<Self>> {
        let product = rules.peek_type(PRODUCT, id)?;
        let product =
            product.ok_or_else(|| ApiError::referenced_resource_not_found(PRODUCT, Some(id), None))?;
        if !is_published(&product) {
            return Err(ApiError::invalid_operation(format!(
                "{place}: the Product with ID '{id}' is not published."
            )));
        }
        Self::find_in_model(product, number, rules)
    }

    /// Returns the Variant with a number, or the default one of the Product, where the catalog model has it.
    fn find_in_model(
        product: Arc<Document>,
        number: Option<i64>,
        rules: &Rules<'_>,
    ) -> ApiResult<Option<Self>> {
        if finds_resources(rules) {
            Self::resource_of(product, number, rules)
        } else {
            Ok(Self::embedded_with(product, number))
        }
    }

    /// Like [`Self::within`], for a stored number: one of another catalog model is found too, so that items outlive a
    /// migration. Numbers differ, since both kinds of variants are numbered by the same counter of the Product.
    fn find_in_either_model(
        product: Arc<Document>,
        number: Option<i64>,
        rules: &Rules<'_>,
    ) -> ApiResult<Option<Self>> {
        match Self::find_in_model(Arc::clone(&product), number, rules)? {
            Some(found) => Ok(Some(found)),
            None => Self::find_in_other_model(product, number, rules),
        }
    }

    /// Like [`Self::within`], for the catalog model that the Project does not have.
    fn find_in_other_model(
        product: Arc<Document>,
        number: Option<i64>,
        rules: &Rules<'_>,
    ) -> ApiResult<Option<Self>> {
        if finds_resources(rules) {
            Ok(Self::embedded_with(product, number))
        } else {
            Self::resource_of(product, number, rules)
        }
    }

    fn embedded_with(product: Arc<Document>, number: Option<i64>) -> Option<Self> {
        Self::embedded(product, |variant| {
            number.is_none_or(|number| variant.get("id").and_then(Value::as_i64) == Some(number))
        })
    }

    fn embedded(product: Arc<Document>, is_meant: impl Fn(&Document) -> bool) -> Option<Self> {
        let variant = variant_on(&product, false, is_meant).map(|(_, variant)| variant.clone());
        variant.map(|variant| Self { product, variant, is_resource: false })
    }

    fn resource_of(
        product: Arc<Document>,
        number: Option<i64>,
        rules: &Rules<'_>,
    ) -> ApiResult<Option<Self>> {
        let resource = match number {
            Some(number) => find_by_number(must_text(&product, &["id"])?, number, rules)?,
            None => default_of(&product, rules)?,
        };
        let resource = resource.filter(|resource| is_current(resource));
        Ok(resource.map(|resource| Self {
            product,
            variant: as_product_variant(&resource, false),
            is_resource: true,
        }))
    }

    /// The Variant.
    pub(crate) fn variant(&self) -> &Document {
        &self.variant
    }

    /// `variantId`.
    pub(crate) fn number(&self) -> i64 {
        integer_or_log(&self.variant, &["id"])
    }

    /// The id of the Product.
    pub(crate) fn product_id(&self) -> ApiResult<&str> {
        must_text(&self.product, &["id"])
    }

    /// Whether its prices are Standalone Prices.
    pub(crate) fn has_standalone_prices(&self) -> bool {
        self.is_resource || has_standalone_prices(&self.product)
    }

    /// 400 `InvalidInput`: the Store does not offer it.
    pub(crate) fn admit_in(&self, store: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<()> {
        let (id, sku) = (self.product_id()?, text(&self.variant, &["sku"]));
        if has_in_store(store, id, sku, rules)? {
            return Ok(());
        }
        let key = must_text(store, &["key"])?;
        Err(ApiError::invalid_input(format!(
            "{place}: the Variant {} of the Product '{id}' is not available in the Store '{key}'.",
            self.number()
        )))
    }

    /// Copies the fields of Product and variant into a line item, with the tailored texts and languages of the Store
    /// with this key, and the prices of its distribution Channels.
    pub(crate) fn copy_fields_to(
        &self,
        line: &mut Document,
        store: Option<&str>,
        rules: &Rules<'_>,
    ) -> ApiResult<()> {
        let id = self.product_id()?;
        let data = get(&self.product, &["masterData", "current"]).and_then(Value::as_object);
        let data = data.ok_or_else(|| ApiError::bug("a published Product without a current side"))?;
        let mut texts: Document =
            TEXTS.iter().filter_map(|name| Some(((*name).to_owned(), data.get(*name)?.clone()))).collect();
        let mut variant: Document = KEPT
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), self.variant.get(*name)?.clone())))
            .collect();
        with_attributes_of_product(&mut variant, list(data, &["attributes"]));
        if let Some(store) = store
            && let Some(tailoring) = tailoring_of(id, store, rules)?
            && let Some(side) = shown_side(&tailoring, true, false)
        {
            tailor_product(&mut texts, side, &TEXTS);
            tailor_variant(&mut variant, self.number(), side);
        }
        self.keep_saved_attributes(&mut variant, rules)?;
        if let Some(key) = store
            && let Some(kind) = rules.model.store_kind()
            && let Some(store) = rules.peek_key(kind, key)?
        {
            keep_prices(&mut variant, &store);
            let languages = texts_of(&store, "languages");
            keep_languages(&mut variant, &languages);
            keep_in_languages(&mut texts, &languages, &texts_of(rules.project, "languages"));
        }
        line.insert("productId", json!(id));
        set_or_remove(line, "productKey", self.product.get("key").cloned());
        set_or_remove(line, "name", texts.shift_remove("name"));
        set_or_remove(line, "productSlug", texts.shift_remove("slug"));
        set_or_remove(line, "productType", self.product.get("productType").cloned());
        line.insert("variant", Value::Object(variant));
        Ok(())
    }

    /// Removes the Attributes that line items do not copy.
    fn keep_saved_attributes(&self, variant: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
        let Some(id) = text(&self.product, &["productType", "id"]) else { return Ok(()) };
        let Some(product_type) = rules.peek_type("product-type", id)? else { return Ok(()) };
        let unsaved = unsaved_attributes(&product_type);
        if let Some(Value::Array(attributes)) = variant.get_mut("attributes").filter(|_| !unsaved.is_empty())
        {
            attributes
                .retain(|attribute| attribute["name"].as_str().is_none_or(|name| !unsaved.contains(&name)));
        }
        Ok(())
    }
}

/// Returns the names of Attributes that line items do not copy (reference type `AttributeDefinition`,
/// `savedToLineItem`).
fn unsaved_attributes(product_type: &Document) -> Vec<&str> {
    let definitions = list(product_type, &["attributes"]).iter();
    let unsaved = definitions.filter(|definition| definition.get("savedToLineItem") == Some(&json!(false)));
    unsaved.filter_map(|definition| definition["name"].as_str()).collect()
}

fn set_or_remove(line: &mut Document, name: &str, value: Option<Value>) {
    match value {
        Some(value) => line.insert(name, value),
        None => line.shift_remove(name),
    };
}

/// If a Store has distribution Channels, keeps only their prices and those without a Channel.
fn keep_prices(variant: &mut Document, store: &Document) {
    let channels: Vec<&Value> =
        list(store, &["distributionChannels"]).iter().map(|channel| &channel["id"]).collect();
    if channels.is_empty() {
        return;
    }
    if let Some(Value::Array(prices)) = variant.get_mut("prices") {
        prices.retain(|price| price.get("channel").is_none_or(|channel| channels.contains(&&channel["id"])));
    }
}

fn texts_of<'d>(document: &'d Document, name: &str) -> Vec<&'d str> {
    list(document, &[name]).iter().filter_map(Value::as_str).collect()
}

/// Keeps texts in these languages; a text without any of them keeps the first available one of `others`.
fn keep_in_languages(texts: &mut Document, languages: &[&str], others: &[&str]) {
    for text in texts.values_mut().filter_map(Value::as_object_mut).filter(|_| !languages.is_empty()) {
        if languages.iter().any(|language| text.contains_key(*language)) {
            text.retain(|language, _| languages.contains(&language.as_str()));
        } else if let Some(other) = others.iter().find(|other| text.contains_key(**other)) {
            text.retain(|language, _| language.as_str() == *other);
        }
    }
}

fn with_attributes_of_product(variant: &mut Document, of_product: &[Value]) {
    if of_product.is_empty() {
        return;
    }
    let own = list(variant, &["attributes"]);
    let is_own = |attribute: &&Value| own.iter().any(|own| own["name"] == attribute["name"]);
    let all = of_product.iter().filter(|attribute| !is_own(attribute)).chain(own).cloned().collect();
    variant.insert("attributes", Value::Array(all));
}

fn is_published(product: &Document) -> bool {
    get(product, &["masterData", "published"]) == Some(&Value::Bool(true))
}

fn is_current(resource: &Document) -> bool {
    debug_assert!(VARIANT == "variant" && resource.contains_key("product"), "a Variant");
    resource.get("published") == Some(&Value::Bool(true))
}
