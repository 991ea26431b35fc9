//! Change types of Categories, Products, and Product Selections.

use super::shared_rows::{
    ASSETS, CHANGE_LOCALIZED_NAME, KEY, SET_LOCALIZED_DESCRIPTION, STATE, STORES, copied, identifier,
};
use crate::compare::{elements, object};
use crate::diff::{ChangeCollector, ObjectChange, items};
use crate::diff::{ChangeName, change};
use crate::list_index::{IndexedList, missing_in};
use crate::recording_rule::{CUSTOM, ElementRule, FieldRow, custom, element_list, list, rust, silent, value};
use kontor_engine::Document;
use kontor_json::{Value, json};

pub(super) const CATEGORY: &[FieldRow] = &[
    KEY,
    CHANGE_LOCALIZED_NAME,
    value("slug", change("changeSlug")),
    SET_LOCALIZED_DESCRIPTION,
    value("parent", change("changeParent")),
    list("ancestors", change("setAncestors")),
    value("orderHint", change("changeOrderHint")),
    value("externalId", change("setExternalId")),
    value("metaTitle", change("setMetaTitle")),
    value("metaDescription", change("setMetaDescription")),
    value("metaKeywords", change("setMetaKeywords")),
    element_list("assets", &ASSETS),
    STORES,
    CUSTOM,
];

pub(super) const PRODUCT: &[FieldRow] = &[
    KEY,
    value("taxCategory", change("setTaxCategory")),
    STATE,
    value("priceMode", change("setPriceMode")),
    value("reviewRatingStatistics", change("changeReviewRatingStatistics")),
    value("lastVariantId", change("changeLastVariantId")),
    rust("masterData", MASTER_DATA, master_data),
    silent("productType"),
];

const MASTER_DATA: &[ChangeName] = &[
    change("publish"),
    change("unpublish"),
    change("revertStagedChanges"),
    change("revertStagedVariantChanges"),
    change("addVariant"),
    change("removeVariant"),
    change("changeMasterVariant"),
    change("setCategoryOrderHint"),
    change("changeName"),
    change("setDescription"),
    change("changeSlug"),
    change("setMetaTitle"),
    change("setMetaDescription"),
    change("setMetaKeywords"),
    change("setSearchKeywords"),
    change("addToCategory"),
    change("removeFromCategory"),
    change("setProductAttribute"),
    change("setSku"),
    change("setProductVariantKey"),
    change("setPrices"),
    change("addPrice"),
    change("removePrice"),
    change("changePrice"),
    change("setPriceKey"),
    change("setDiscountedPrice"),
    change("setProductPriceCustomType"),
    change("setProductPriceCustomField"),
    change("setAttribute"),
    change("addExternalImage"),
    change("removeImage"),
    change("moveImageToPosition"),
    change("setImageLabel"),
    change("setVariantAvailability"),
    change("addAsset"),
    change("removeAsset"),
    change("changeAssetOrder"),
    change("changeAssetName"),
    change("setAssetKey"),
    change("setAssetDescription"),
    change("setAssetTags"),
    change("setAssetSources"),
    change("setAssetCustomType"),
    change("setAssetCustomField"),
];

/// Records both sides of a Product's data, and whether it is published.
fn master_data(object_change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let Some(catalog) = object_change.objects("masterData") else { return };
    let is_published = |data: &Document| data.get("published") == Some(&Value::Bool(true));
    let (was, is) = (is_published(catalog.before), is_published(catalog.after));
    if is && (!was || catalog.differ("current")) {
        changes.record(change("publish"), None, None);
    } else if was && !is {
        changes.record(change("unpublish"), None, None);
    }
    for action in ["revertStagedChanges", "revertStagedVariantChanges"] {
        if changes.has_action(action) {
            changes.record(change(action), None, None);
        }
    }
    for side in ["current", "staged"] {
        let Some(data) = catalog.objects(side).filter(|_| catalog.differ(side)) else { continue };
        changes.with_context(vec![("catalogData", json!(side))], |changes| {
            object(PRODUCT_DATA, &data, changes);
            variants(&data, changes);
        });
    }
}

const PRODUCT_DATA: &[FieldRow] = &[
    CHANGE_LOCALIZED_NAME,
    SET_LOCALIZED_DESCRIPTION,
    value("slug", change("changeSlug")),
    element_list("categories", &CATEGORIES),
    rust("categoryOrderHints", &[], order_hints),
    value("metaTitle", change("setMetaTitle")),
    value("metaDescription", change("setMetaDescription")),
    value("metaKeywords", change("setMetaKeywords")),
    value("searchKeywords", change("setSearchKeywords")),
    element_list("attributes", &PRODUCT_ATTRIBUTES),
];

const CATEGORIES: ElementRule = ElementRule {
    added: Some(change("addToCategory")),
    removed: Some(change("removeFromCategory")),
    element_field: Some("category"),
    ..ElementRule::NOTHING
};

const PRODUCT_ATTRIBUTES: ElementRule = ElementRule {
    by: &["name"],
    added: Some(change("setProductAttribute")),
    removed: Some(change("setProductAttribute")),
    changed: Some(change("setProductAttribute")),
    ..ElementRule::NOTHING
};

fn order_hints(object_change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = object_change.values("categoryOrderHints");
    let fields = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
    let (old, new) = (fields(before), fields(after));
    let hints = ObjectChange { before: &old, after: &new };
    for id in hints.names().filter(|id| hints.differ(id)) {
        changes.record_with(change("setCategoryOrderHint"), before, after, [("categoryId", json!(id))]);
    }
}

/// Records the changes of the master variant and the other variants, matched by id.
fn variants(data: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let all = |data: &'_ Document| -> Vec<Value> {
        let master = data.get("masterVariant").into_iter();
        master.chain(items(data.get("variants"))).filter(|one| one.is_object()).cloned().collect()
    };
    let (old, new) = (all(data.before), all(data.after));
    let (in_old, in_new) = (IndexedList::new(&old, &["id"]), IndexedList::new(&new, &["id"]));
    for (_, one) in old.iter().enumerate().filter(|(at, one)| in_new.position(one, *at).is_none()) {
        changes.record(change("removeVariant"), Some(&variant_identifiers(one)), None);
    }
    for (at, one) in new.iter().enumerate() {
        match in_old.find_element(one, at).and_then(Value::as_object).zip(one.as_object()) {
            None => changes.record(change("addVariant"), None, Some(&variant_identifiers(one))),
            Some((before, after)) if before != after => {
                let sides = ObjectChange { before, after };
                let variant = json!(identifier(after));
                changes.with_context(vec![("variant", variant)], |changes| object(VARIANT, &sides, changes));
            }
            Some(_) => {}
        }
    }
    if let (Some(before), Some(after)) = (data.before.get("masterVariant"), data.after.get("masterVariant"))
        && before.get("id") != after.get("id")
    {
        changes.record(
            change("changeMasterVariant"),
            Some(&variant_identifiers(before)),
            Some(&variant_identifiers(after)),
        );
    }
}

/// Returns the recorded fields of an added or removed variant.
fn variant_identifiers(variant: &Value) -> Value {
    let fields = ["id", "sku", "key"].into_iter();
    Value::Object(fields.filter_map(|name| Some((name.to_owned(), variant.get(name)?.clone()))).collect())
}

const VARIANT: &[FieldRow] = &[
    value("sku", change("setSku")),
    value("key", change("setProductVariantKey")),
    rust("prices", &[], prices),
    element_list("attributes", &ATTRIBUTES),
    rust("images", &[], images),
    element_list("assets", &ASSETS),
    value("availability", change("setVariantAvailability")),
];

const ATTRIBUTES: ElementRule = ElementRule {
    by: &["name"],
    added: Some(change("setAttribute")),
    removed: Some(change("setAttribute")),
    changed: Some(change("setAttribute")),
    ..ElementRule::NOTHING
};

/// Records the prices of a variant. The platform no longer records `addPrice` and `removePrice`.
fn prices(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("prices");
    elements(&PRICES, before, after, changes);
}

const PRICES: ElementRule = ElementRule {
    listed: Some(change("setPrices")),
    changed: Some(change("changePrice")),
    about: |price| vec![("priceId", copied(price, "id"))],
    rows: &[
        value("key", change("setPriceKey")),
        rust("discounted", &[], discounted),
        custom("custom", change("setProductPriceCustomType"), change("setProductPriceCustomField")),
    ],
    ..ElementRule::NOTHING
};

fn discounted(object_change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = object_change.values("discounted");
    let price = Value::Object(object_change.after.clone());
    changes.record_with(change("setDiscountedPrice"), before, after, [("price", price)]);
}

/// Records added, removed and moved images, and changed labels.
fn images(object_change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = object_change.values("images");
    let (old, new) = object_change.lists("images");
    let urls = |list: &[Value]| -> Vec<Value> { list.iter().map(|image| json!(image.get("url"))).collect() };
    let (old_urls, new_urls) = (urls(old), urls(new));
    let comes = !missing_in(&new_urls, &old_urls).is_empty();
    let goes = !missing_in(&old_urls, &new_urls).is_empty();
    if comes {
        changes.record(change("addExternalImage"), before, after);
    }
    if goes {
        changes.record(change("removeImage"), before, after);
    }
    if !comes && !goes && old_urls != new_urls {
        changes.record(change("moveImageToPosition"), before, after);
    }
    let known = IndexedList::new(old, &["url"]);
    for (at, image) in new.iter().enumerate() {
        let was = known.find_element(image, at);
        if let Some(was) = was.filter(|was| was.get("label") != image.get("label")) {
            changes.record(change("setImageLabel"), Some(was), Some(image));
        }
    }
}

pub(super) const PRODUCT_SELECTION: &[FieldRow] = &[
    KEY,
    CHANGE_LOCALIZED_NAME,
    value("productCount", change("setProductCount")),
    silent("type"),
    silent("mode"),
    CUSTOM,
];

/// The changes of the Products in a Product Selection, which are separate documents.
pub(super) const PRODUCTS_OF_SELECTION: &[ChangeName] = &[
    change("addProduct"),
    change("excludeProduct"),
    change("removeProduct"),
    change("setVariantSelection"),
    change("setVariantExclusion"),
];

/// Records the changes of a Product Selection's Products from its Messages.
pub(super) fn products_of_selection(message: &str, fields: &Document, changes: &mut ChangeCollector<'_>) {
    let [add, exclude, remove, selection, exclusion] = PRODUCTS_OF_SELECTION else { return };
    let product = copied(fields, "product");
    let field = |name: &str| copied(fields, name);
    match message {
        "ProductSelectionProductAdded" => {
            changes.record_with(
                *add,
                None,
                Some(&product),
                [("variantSelection", field("variantSelection"))],
            );
        }
        "ProductSelectionProductExcluded" => {
            changes.record_with(
                *exclude,
                None,
                Some(&product),
                [("variantExclusion", field("variantExclusion"))],
            );
        }
        "ProductSelectionProductRemoved" => changes.record(*remove, Some(&product), None),
        "ProductSelectionVariantSelectionChanged" => {
            let values = (fields.get("oldVariantSelection"), fields.get("newVariantSelection"));
            changes.record_with(*selection, values.0, values.1, [("product", product)]);
        }
        "ProductSelectionVariantExclusionChanged" => {
            let values = (fields.get("oldVariantExclusion"), fields.get("newVariantExclusion"));
            changes.record_with(*exclusion, values.0, values.1, [("product", product)]);
        }
        _ => {}
    }
}
