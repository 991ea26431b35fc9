//! Imports product variants: whole (reference: ProductVariantImport), or some of their Attributes
//! (ProductVariantPatch).

use super::sides::{self, action, list};
use super::{ResourceImport, asset, find_documents, version};
use crate::difference::is_same_value;
use crate::draft;
use crate::outcome::{ImportFailure, ImportResult};
use crate::references::{self, References};
use crate::typed_value;
use kontor_engine::{Address, Document, Shop, document};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value, json};

/// A stored product variant.
#[derive(Debug, Clone)]
pub(super) struct StoredVariant {
    pub(super) staged: Value,
    /// Its current (published) state; `None` if it is not published.
    current: Option<Value>,
    pub(super) is_master: bool,
}

/// The product variants of a Product.
pub(super) struct StoredVariants(pub(super) Vec<StoredVariant>);

impl StoredVariants {
    pub(super) fn from_product(product: &Document) -> Self {
        let current = sides::variants(product, "current");
        let variants =
            sides::variants(product, "staged").into_iter().enumerate().map(|(position, staged)| {
                StoredVariant {
                    current: current.iter().find(|one| one["id"] == staged["id"]).cloned(),
                    staged,
                    is_master: position == 0,
                }
            });
        Self(variants.collect())
    }

    /// Returns the existing variant of an imported one.
    pub(super) fn find_sent(&self, sent: &Value) -> Option<StoredVariant> {
        self.by_key(sent["key"].as_str()?)
    }

    /// Returns the variant with a key.
    pub(super) fn by_key(&self, key: &str) -> Option<StoredVariant> {
        self.0.iter().find(|one| one.staged["key"] == key).cloned()
    }

    /// Returns the empty master variant of a Product that was created without variants.
    pub(super) fn blank_master(&self) -> Option<StoredVariant> {
        let is_blank =
            |one: &&StoredVariant| ["key", "sku"].iter().all(|field| one.staged.get(*field).is_none());
        self.0.first().filter(is_blank).cloned()
    }
}

/// Imports a product variant. `waiting` is the Product that waits for it.
pub(super) async fn import_product_variant(
    import: ResourceImport<'_>,
    waiting: Option<&Document>,
) -> ImportResult<i64> {
    let is_master = import.flag("isMasterVariant").unwrap_or(false);
    let staged = import.flag("staged").unwrap_or(true);
    let mut sent = import.draft.clone();
    for field in ["isMasterVariant", "staged", "product"] {
        sent.shift_remove(field);
    }
    let sent = Value::Object(sent);
    let key = import.text(&["product", "key"])?;
    let Some(product) = references::find_by_key(import.shop, "product", key)? else {
        let Some(waiting) = waiting.filter(|_| is_master) else {
            return Err(ImportFailure::waiting_for("product", key));
        };
        let mut draft = waiting.clone();
        draft.insert("masterVariant", sent);
        let created = import.create("product", draft).await;
        let created = created.map_err(|stopped| without_definition(import.shop, waiting, stopped));
        return created.map(|created| version(&created));
    };
    let variants = StoredVariants::from_product(&product);
    let known = variants.find_sent(&sent).or_else(|| variants.blank_master().filter(|_| is_master));
    let mut actions = Vec::new();
    match known {
        Some(known) => {
            actions.extend(differ(&known, &sent, staged, &import.references));
            if is_master && !known.is_master {
                let id = &known.staged["id"];
                actions.push(json!({"action": "changeMasterVariant", "variantId": id, "staged": staged}));
            }
        }
        None if is_master => {
            let message = "Adding a new variant as master variant is not allowed.";
            return Err(ImportFailure::Failed(
                json!({"code": "NewMasterVariantAdditionNotAllowed", "message": message}),
            ));
        }
        None => {
            let also = Map::from_iter([("staged".to_owned(), json!(staged))]);
            actions.push(action("addVariant", &also, sent));
        }
    }
    let updated = import.update("product", &product, actions).await;
    let updated = updated.map_err(|stopped| without_definition(import.shop, &product, stopped));
    updated.map(|after| version(&after))
}

/// An Attribute without a definition makes the operation wait for the Product Type (reference: `attributes`
/// of ProductVariantImport).
fn without_definition(shop: &Shop, product: &Document, stopped: ImportFailure) -> ImportFailure {
    match stopped {
        ImportFailure::Refused(error) if error.code() == Code::AttributeNameDoesNotExist => {
            match type_key(shop, product) {
                Ok(Some(key)) => ImportFailure::waiting_for("product-type", &key),
                Ok(None) => ImportFailure::Refused(error),
                Err(stopped) => stopped,
            }
        }
        stopped => stopped,
    }
}

/// Returns the key of the Product Type of a Product; `None` if it has none.
fn type_key(shop: &Shop, product: &Document) -> ImportResult<Option<String>> {
    if let Some(key) = document::text(product, &["productType", "key"]) {
        return Ok(Some(key.to_owned()));
    }
    let id = document::must_text(product, &["productType", "id"])?;
    let Some(stored) = shop.get(references::kind_of_type_id(shop, "product-type")?, &Address::Id(id))? else {
        return Ok(None);
    };
    let product_type = document::read_stored(&stored)?;
    Ok(document::text(&product_type, &["key"]).map(str::to_owned))
}

/// Checks that either all or none of the patches of a request name their Products (reference: `product` of
/// ProductVariantPatch).
pub(super) fn check_patches(patches: &[Value]) -> ApiResult<()> {
    let names_product = |patch: &Value| patch.get("product").is_some_and(|product| !product.is_null());
    let mut others = patches.iter().enumerate().skip(1);
    let first = patches.first().is_some_and(names_product);
    match others.find(|(_, patch)| names_product(patch) != first) {
        None => Ok(()),
        Some((index, patch)) => {
            let product = patch.get("product").unwrap_or(&Value::Null);
            let expected = "Expected it in all patches of a request, or in none.";
            let error = ApiError::invalid_field("product", product, expected, None);
            Err(error.with_field("resourceIndex", json!(index)))
        }
    }
}

/// Checks that Attributes of a patch have a type, and values of that type; `null` removes one.
pub(super) fn check_patch(fields: &Document) -> ApiResult<()> {
    for (name, value) in fields.get("attributes").and_then(Value::as_object).into_iter().flatten() {
        if value.is_null() {
            continue;
        }
        let Some((type_name, value)) = references::typed(value) else {
            let expected = "Expected an object with type and value, or null.";
            return Err(ApiError::invalid_field(&format!("attributes.{name}"), value, expected, None));
        };
        typed_value::check(type_name, value).map_err(|expected| {
            let expected = format!("Expected {expected} for the type {type_name}.");
            ApiError::invalid_field(&format!("attributes.{name}.value"), value, &expected, None)
        })?;
    }
    Ok(())
}

/// Sets and removes Attributes of a Product Variant.
pub(super) async fn import_patch(import: ResourceImport<'_>) -> ImportResult<i64> {
    let key = import.text(&["productVariant", "key"])?;
    let named = document::text(import.sent, &["product", "key"]);
    let (product, variant) = find_product_and_variant(import.shop, named, key)?;
    let staged = import.flag("staged").unwrap_or(true);
    let also = Map::from_iter([
        ("variantId".to_owned(), variant.staged["id"].clone()),
        ("staged".to_owned(), json!(staged)),
    ]);
    let mut actions = Vec::new();
    for (name, value) in import.sent.get("attributes").and_then(Value::as_object).into_iter().flatten() {
        let fields = match value {
            Value::Null => json!({"name": name}),
            value => json!({"name": name, "value": draft::convert_typed_value(value, &import.references)}),
        };
        actions.push(action("setAttribute", &also, fields));
    }
    let updated = import.update("product", &product, actions).await;
    updated.map(|after| version(&after)).map_err(|stopped| match stopped {
        // The error for removing a required Attribute (reference: ProductVariantPatch).
        ImportFailure::Refused(error) if error.code() == Code::RequiredField => {
            ApiError::invalid_operation(error.message()).into()
        }
        stopped => stopped,
    })
}

/// Returns the Product that has a product variant, and that variant: the Product with the key `product`, or else the
/// only one with such a variant.
pub(super) fn find_product_and_variant(
    shop: &Shop,
    product: Option<&str>,
    key: &str,
) -> ImportResult<(Document, StoredVariant)> {
    let product = match product {
        Some(product) => references::find_by_key(shop, "product", product)?,
        None => of_variant(shop, key)?,
    };
    let missing = || ImportFailure::waiting_for("product-variant", key);
    let product = product.ok_or_else(missing)?;
    let variant = StoredVariants::from_product(&product).by_key(key).ok_or_else(missing)?;
    Ok((product, variant))
}

fn of_variant(shop: &Shop, key: &str) -> ApiResult<Option<Document>> {
    let text = Value::from(key);
    let predicate =
        format!("masterData(staged(masterVariant(key={text}))) or masterData(staged(variants(key={text})))");
    Ok(find_documents(shop, "product", predicate, 1)?.pop())
}

/// Returns the actions that bring a product variant to the imported state, without its Prices.
pub(super) fn differ(
    before: &StoredVariant,
    sent: &Value,
    staged: bool,
    references: &References,
) -> Vec<Value> {
    let also = Map::from_iter([
        ("variantId".to_owned(), before.staged["id"].clone()),
        ("staged".to_owned(), json!(staged)),
    ]);
    // If both sides should change, the side that differs is compared.
    let lags = |field: &str| {
        let value = |of: &Value| of.get(field).cloned().unwrap_or_default();
        let differs = |side: &Value| !is_same_value(&value(side), &value(sent), references);
        before.current.as_ref().filter(|current| !staged && differs(current)).unwrap_or(&before.staged)
    };
    let mut actions = Vec::new();
    for (field, name) in [("key", "setProductVariantKey"), ("sku", "setSku")] {
        if lags(field).get(field) != sent.get(field) {
            let value = sent.get(field).map_or_else(|| json!({}), |value| json!({field: value}));
            actions.push(action(name, &also, value));
        }
    }
    let of = |field: &str| (lags(field).get(field).cloned(), sent.get(field));
    let (old, new) = of("images");
    actions.extend(sides::images(&also, old.as_ref(), new));
    let (old, new) = of("attributes");
    actions.extend(sides::attributes("setAttribute", &also, old.as_ref(), new, references));
    let (old, new) = of("assets");
    actions.extend(asset::actions(old.as_ref(), new, &also, references));
    actions
}

/// Returns the actions for imported Prices of a product variant. Omitted ones are removed.
pub(super) fn prices(
    before: &StoredVariant,
    sent: &Value,
    staged: bool,
    references: &References,
) -> Vec<Value> {
    let (old, new) = (list(before.staged.get("prices")), list(sent.get("prices")));
    let mut actions = Vec::new();
    for price in old.iter().filter(|old| !new.iter().any(|new| new["key"] == old["key"])) {
        actions.push(json!({"action": "removePrice", "priceId": price["id"], "staged": staged}));
    }
    for price in &new {
        actions.extend(self::price(before, price, staged, references));
    }
    actions
}

/// Returns the action that brings a Price of a product variant to the imported state; `None` if it is equal.
pub(super) fn price(
    variant: &StoredVariant,
    sent: &Value,
    staged: bool,
    references: &References,
) -> Option<Value> {
    let on = |side: &Value| list(side.get("prices")).into_iter().find(|price| price["key"] == sent["key"]);
    let Some(old) = on(&variant.staged) else {
        let id = &variant.staged["id"];
        return Some(json!({"action": "addPrice", "variantId": id, "price": sent, "staged": staged}));
    };
    let is_same = |side: &Value| on(side).is_some_and(|old| is_same_value(&old, sent, references));
    let is_done = is_same(&variant.staged) && (staged || variant.current.as_ref().is_none_or(is_same));
    (!is_done)
        .then(|| json!({"action": "changePrice", "priceId": old["id"], "price": sent, "staged": staged}))
}
