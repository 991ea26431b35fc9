//! Product Tailoring: a Store's version of a Product, with two sides like the Product's own data. Start at
//! [`ProductTailoring`].
//!
//! Source: reference types `ProductTailoring`, `ProductTailoringDraft`, `ProductTailoring…Action`,
//! `ProductTailoring…Message`, `ProductVariantTailoring`.

mod assets;
mod attributes;
mod images;
mod sides;
mod tailored_variant_edits;
mod tailoring_overlay;
mod variants;

pub(crate) use tailoring_overlay::{
    is_published, shown_side, tailor_product, tailor_variant, tailoring_in, tailoring_of,
};

use crate::product_lookup::product_of;
use crate::variant_content;
use kontor_engine::document::{must_get, must_text, object_or_empty, own_id, text_or_log};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, ChangeFilter, Dependents, Derivation, DerivationSources,
    DeriveOutcome, Document, Effects, Hop, PART_SEPARATOR, RefusalReason, Rules, UniqueKey,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use sides::{CURRENT, STAGED, TEXTS, data_mut, on_each_side, set_or_remove};

/// The unique key of Product and Store.
const PRODUCT_IN_STORE: &str = "product";

pub(crate) struct ProductTailoring;

impl Behaviour for ProductTailoring {
    fn resource(&self) -> &'static str {
        "ProductTailoring"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("setKey", set_key),
            ("publish", publish),
            ("unpublish", unpublish),
            ("setName", |context, arguments| set_told(context, arguments, "name", "ProductTailoringNameSet")),
            ("setDescription", |context, arguments| {
                set_told(context, arguments, "description", "ProductTailoringDescriptionSet")
            }),
            ("setSlug", |context, arguments| set_told(context, arguments, "slug", "ProductTailoringSlugSet")),
            ("setMetaTitle", |context, arguments| set(context, arguments, &["metaTitle"])),
            ("setMetaDescription", |context, arguments| set(context, arguments, &["metaDescription"])),
            ("setMetaKeywords", |context, arguments| set(context, arguments, &["metaKeywords"])),
            ("setMetaAttributes", |context, arguments| {
                set(context, arguments, &["metaTitle", "metaDescription", "metaKeywords"])
            }),
            ("addVariant", variants::add),
            ("removeVariant", variants::remove),
            ("addExternalImage", images::add),
            ("setImages", images::set),
            ("moveImageToPosition", |context, arguments| {
                assets::change_content(context, arguments, variant_content::move_image_to_position)
            }),
            ("removeImage", |context, arguments| {
                assets::change_content(context, arguments, variant_content::remove_image)
            }),
            ("setImageLabel", |context, arguments| {
                assets::change_content(context, arguments, variant_content::set_image_label)
            }),
            ("addAsset", assets::add),
            ("removeAsset", |context, arguments| {
                assets::change_content(context, arguments, variant_content::remove_asset)
            }),
            ("changeAssetOrder", |context, arguments| {
                assets::change_content(context, arguments, variant_content::change_asset_order)
            }),
            ("changeAssetName", |context, arguments| {
                assets::change_content(context, arguments, variant_content::change_asset_name)
            }),
            ("setAssetDescription", |context, arguments| {
                assets::change_content(context, arguments, variant_content::set_asset_description)
            }),
            ("setAssetKey", |context, arguments| {
                assets::change_content(context, arguments, variant_content::set_asset_key)
            }),
            ("setAssetTags", |context, arguments| {
                assets::change_content(context, arguments, variant_content::set_asset_tags)
            }),
            ("setAssetSources", |context, arguments| {
                assets::change_content(context, arguments, variant_content::set_asset_sources)
            }),
            ("setAssetCustomType", |context, arguments| {
                assets::change_content(context, arguments, variant_content::set_asset_custom_type)
            }),
            ("setAssetCustomField", |context, arguments| {
                assets::change_content(context, arguments, variant_content::set_asset_custom_field)
            }),
            ("setAttribute", attributes::set),
            ("setAttributeInAllVariants", attributes::set_in_all),
            ("setProductAttribute", attributes::set_of_product),
        ]
    }

    /// The data of the draft is staged, and also published if the draft requests it.
    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if !after.contains_key("store") {
            return Err(ApiError::invalid_json("store: a value is required"));
        }
        let product = product_of(after, rules)?;
        let mut staged = Document::new();
        for name in TEXTS {
            set_or_remove(&mut staged, name, draft.get(name));
        }
        staged.insert("variants", variants::tailored_variants_of_draft(draft, &product, rules)?);
        if let Some(attributes) = draft.get("attributes").and_then(Value::as_array) {
            let attributes = attributes::stored_attributes(attributes, &product, "attributes", rules)?;
            staged.insert("attributes", Value::Array(attributes));
        }
        let published = draft.get("publish") == Some(&json!(true));
        let current = if published { json!(staged) } else { json!({"variants": []}) };
        after.insert("published", json!(published));
        after.insert(CURRENT, current);
        after.insert(STAGED, Value::Object(staged));
        Ok(())
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let differs = after.get(CURRENT) != after.get(STAGED);
        after.insert("hasStagedChanges", json!(differs));
        Ok(())
    }

    fn unique_keys(&self, tailoring: &Document) -> Vec<UniqueKey> {
        let store = text_or_log(tailoring, &["store", "key"]);
        let product = text_or_log(tailoring, &["product", "id"]);
        vec![UniqueKey::new(PRODUCT_IN_STORE, in_store(store, product))]
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        let RefusalReason::Duplicate { path: PRODUCT_IN_STORE, value, .. } = refused else { return None };
        let (_, product) = value.split_once('\u{0}')?;
        Some(ApiError::duplicate_field(PRODUCT_IN_STORE, json!({"typeId": "product", "id": product})))
    }

    /// Each message has the key of the Product; the first one also has the initial data of the tailoring.
    fn message_fields(&self, message: &str, tailoring: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
        let mut fields = match message {
            "ProductTailoringCreated" => object_or_empty(tailoring, &[STAGED]),
            _ => Document::new(),
        };
        let product = must_text(tailoring, &["product", "id"])?;
        if let Some(key) =
            rules.peek_type("product", product)?.and_then(|product| product.get("key").cloned())
        {
            fields.insert("productKey", key);
        }
        Ok(fields)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[
            Derivation {
                name: "end-of-product",
                source: "Product",
                dependents: Dependents::ReferringAt {
                    path: "product.id",
                    when: ChangeFilter::Fields(&["id"]),
                },
                derive: go_with_product,
            },
            Derivation {
                name: "attributes-of-product-type",
                source: "ProductType",
                dependents: Dependents::Through {
                    hops: &[Hop { kind: "Product", at: "productType.id" }],
                    values: own_id,
                    path: "product.id",
                    when: ChangeFilter::Fields(&["attributes"]),
                },
                derive: attributes::follow_type,
            },
            Derivation {
                name: "end-of-store",
                source: "Store",
                dependents: Dependents::Sharing { value: &["key"], paths: &["store.key"], when: &["id"] },
                derive: go_with_store,
            },
        ];
        ALL
    }
}

/// Returns the value of the unique key. Errors show the last part as the duplicate value.
fn in_store(store: &str, product: &str) -> String {
    format!("{store}{PART_SEPARATOR}{product}")
}

fn go_with_product(tailoring: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let id = must_text(tailoring, &["product", "id"])?;
    Ok(if sources.document("product", id)?.is_none() { DeriveOutcome::Delete } else { DeriveOutcome::Keep })
}

fn go_with_store(tailoring: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let key = must_text(tailoring, &["store", "key"])?;
    Ok(if sources.has_key("store", key)? { DeriveOutcome::Keep } else { DeriveOutcome::Delete })
}

/// Emits a message with the values of both sides and further fields; missing values stay missing.
fn emit_message(
    context: &mut ActionContext<'_, '_>,
    message: &str,
    more: impl IntoIterator<Item = (String, Option<Value>)>,
) -> ApiResult<()> {
    let about = ["store", "product"].map(|name| (name.to_owned(), context.document.get(name).cloned()));
    let fields = about.into_iter().chain(more).filter_map(|(name, value)| Some((name, value?))).collect();
    context.emit(message, fields)
}

/// `setKey`.
fn set_key(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = context.document.get("key").cloned();
    let new = arguments.get("key").cloned();
    if !set_or_remove(context.document, "key", new.as_ref()) {
        return Ok(());
    }
    emit_message(context, "ProductTailoringKeySet", [("key".to_owned(), new), ("oldKey".to_owned(), old)])
}

/// `publish`.
fn publish(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    let staged = must_get(context.document, &[STAGED])?.clone();
    if context.document.get("published") == Some(&json!(true))
        && context.document.get(CURRENT) == Some(&staged)
    {
        return Ok(());
    }
    context.document.insert(CURRENT, staged);
    context.document.insert("published", json!(true));
    emit_message(context, "ProductTailoringPublished", [])
}

/// `unpublish`: the current side stays as it is.
fn unpublish(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    if context.document.get("published") != Some(&json!(true)) {
        return Ok(());
    }
    context.document.insert("published", json!(false));
    emit_message(context, "ProductTailoringUnpublished", [])
}

/// Sets fields that have the names of arguments; absent removes.
fn set(context: &mut ActionContext<'_, '_>, arguments: &Document, names: &[&str]) -> ApiResult<()> {
    on_each_side(context, arguments, |data| {
        let mut changed = false;
        for name in names {
            changed |= set_or_remove(data, name, arguments.get(*name));
        }
        Ok(changed)
    })?;
    Ok(())
}

/// Like [`set`], with a message.
fn set_told(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    name: &str,
    message: &str,
) -> ApiResult<()> {
    let old = data_mut(context.document, STAGED)?.get(name).cloned();
    if !on_each_side(context, arguments, |data| Ok(set_or_remove(data, name, arguments.get(name))))? {
        return Ok(());
    }
    let (first, rest) = name.split_at(1);
    let old_name = format!("old{}{rest}", first.to_ascii_uppercase());
    emit_message(context, message, [(name.to_owned(), arguments.get(name).cloned()), (old_name, old)])
}
