//! Variant: a product variant as a resource of its own, for Projects with the catalog model `Modular`. The
//! staged side is stored only if it differs from the current one. Start at [`Variant`].
//!
//! Source: reference types `Variant`, `VariantData`, `VariantDraft`, `Variant…Action`, `Variant…Message`,
//! `ProjectSetProductCatalogModelAction`; public page on Variants for the number of them. Conversations:
//! `tests/api/variants/`.

mod constraints;
mod content;
mod numbering;
mod publication;
mod variant_lookup;

pub(crate) use variant_lookup::{
    default_of, find_by_number, find_by_number_in, find_by_sku, number, require_there, variants_of_product,
};

use crate::attribute::{AttributeRenames, check, update_attributes};
use crate::inventory_entry::{INVENTORY, counts_stock};
use crate::product_lookup::product_of;
use crate::product_type::changes_of;
use crate::published_variants::{PUBLISHED_OF, VARIANT};
use crate::sides::{BOTH, CURRENT, STAGED};
use crate::variant_content::{self, admit_images};
use kontor_engine::document::{get, is_empty, list, must_get, must_text, object_or_empty, text};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, Dependents, Derivation, DerivationSources, DeriveOutcome,
    Document, Effects, IndexValue, Precondition, PrefetchPlan, RefusalReason, Rules, UniqueKey,
};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The indexed path of the Product.
pub(crate) const PRODUCT_ID: &str = "product.id";
/// The unique key of SKUs, of both sides.
const SKU: &str = "sku";
/// The indexed value of a Variant's number within its Product.
const NUMBERED: &str = "numbered";
/// The indexed paths of SKUs.
pub(crate) const SKU_PATHS: [&str; 2] = ["current.sku", "staged.sku"];
/// Lists that each side has.
const LISTS: [&str; 3] = ["images", "attributes", "assets"];

pub(crate) struct Variant;

impl Behaviour for Variant {
    fn resource(&self) -> &'static str {
        "Variant"
    }

    fn names_need_values(&self) -> bool {
        true
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addAsset", content::add_asset),
            ("addExternalImage", content::add_image),
            ("changeAssetName", |context, arguments| {
                content::change(context, arguments, variant_content::change_asset_name)
            }),
            ("changeAssetOrder", |context, arguments| {
                content::change(context, arguments, variant_content::change_asset_order)
            }),
            ("moveImageToPosition", |context, arguments| {
                content::change(context, arguments, variant_content::move_image_to_position)
            }),
            ("publish", publication::publish),
            ("removeAsset", |context, arguments| {
                content::change(context, arguments, variant_content::remove_asset)
            }),
            ("removeImage", |context, arguments| {
                content::change(context, arguments, variant_content::remove_image)
            }),
            ("removeStagedChanges", publication::remove_staged_changes),
            ("setAssetCustomField", |context, arguments| {
                content::change(context, arguments, variant_content::set_asset_custom_field)
            }),
            ("setAssetCustomType", |context, arguments| {
                content::change(context, arguments, variant_content::set_asset_custom_type)
            }),
            ("setAssetDescription", |context, arguments| {
                content::change(context, arguments, variant_content::set_asset_description)
            }),
            ("setAssetKey", |context, arguments| {
                content::change(context, arguments, variant_content::set_asset_key)
            }),
            ("setAssetSources", |context, arguments| {
                content::change(context, arguments, variant_content::set_asset_sources)
            }),
            ("setAssetTags", |context, arguments| {
                content::change(context, arguments, variant_content::set_asset_tags)
            }),
            ("setAssets", content::set_assets),
            ("setAttribute", content::set_attribute),
            ("setAttributes", content::set_attributes),
            ("setImageLabel", |context, arguments| {
                content::change(context, arguments, variant_content::set_image_label)
            }),
            ("setImages", content::set_images),
            ("setSku", content::set_sku),
            ("unpublish", publication::unpublish),
        ]
    }

    fn prefetch_for_stored(&self, before: &Document, prefetch: &mut PrefetchPlan<'_>) {
        if let Some(product) = text(before, &["product", "id"]) {
            prefetch.id("product", product);
        }
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        let product = product_of(after, rules)?;
        if after.get("published") == Some(&json!(true)) {
            publication::admit_product(&product, "publish")?;
        }
        let current = after.entry(CURRENT).or_insert_with(|| json!({}));
        let current =
            current.as_object_mut().ok_or_else(|| ApiError::bug("a side of a Variant that is no object"))?;
        if current.get("sku").is_some_and(is_empty) {
            current.shift_remove("sku");
        }
        for name in LISTS {
            current.entry(name).or_insert_with(|| json!([]));
        }
        let product_type = crate::product::type_of(&product, rules)?;
        let attributes = check(
            &product_type,
            list(current, &["attributes"]),
            AttributeLevelEnum::Variant,
            "attributes",
            rules,
        )?;
        current.insert("attributes", Value::Array(attributes));
        let number = numbering::next(&product, rules, effects)?;
        after.insert("variantId", json!(number));
        Ok(())
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if after.get("key").is_some_and(is_empty) {
            after.shift_remove("key");
        }
        if after.get(STAGED) == after.get(CURRENT) {
            after.shift_remove(STAGED);
        }
        for side in BOTH {
            if let Some(Value::Object(data)) = after.get(side)
                && before.is_none_or(|before| before.get(side) != after.get(side))
            {
                crate::asset::admit_assets(list(data, &["assets"]), &format!("{side}.assets"))?;
                admit_images(list(data, &["images"]), &format!("{side}.images"))?;
            }
        }
        if let Some(before) = before {
            keep_counted(before, after, rules);
        }
        constraints::check_constraints(before, after, rules)
    }

    fn before_delete(&self, variant: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        crate::product::tell_of_variants(&*product_of(variant, rules)?, rules, effects)
    }

    fn delete_response_fields(&self, variant: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
        let product = product_of(variant, rules)?;
        let is_default =
            |side| get(&product, &["masterData", side, "defaultVariant", "id"]) == variant.get("id");
        let mut said = Document::new();
        if BOTH.into_iter().any(is_default) {
            let message = "The Variant was the default Variant of its Product, which has none any more.";
            said.insert("warnings", json!([{"code": "DefaultVariantDeleted", "message": message}]));
        }
        Ok(said)
    }

    fn unique_keys(&self, variant: &Document) -> Vec<UniqueKey> {
        skus(variant).into_iter().map(|sku| UniqueKey::new(SKU, sku)).collect()
    }

    fn index_rows(&self, variant: &Document, rules: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        let mut rows = constraints::rows(variant, rules)?;
        let product = must_text(variant, &["product", "id"])?;
        rows.extend(
            number(variant).map(|number| {
                (NUMBERED.to_owned(), variant_lookup::number_index_value(product, number).into())
            }),
        );
        if variant.get("published") == Some(&json!(true)) {
            rows.push((PUBLISHED_OF.to_owned(), product.into()));
        }
        Ok(rows)
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Duplicate { path: SKU, value, holder } => Some(
                ApiError::duplicate_field(SKU, json!(value))
                    .with_field("conflictingResource", json!({"typeId": VARIANT, "id": holder})),
            ),
            RefusalReason::Precondition(Precondition::IndexedAtMost { path, .. }) if path == PRODUCT_ID => {
                Some(numbering::too_many())
            }
            RefusalReason::Precondition(precondition) => counts_stock(precondition),
            _ => None,
        }
    }

    fn message_fields(&self, message: &str, variant: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        let mut fields = Document::new();
        fields.insert("product", must_get(variant, &["product"])?.clone());
        if message == "VariantCreated" {
            fields.extend(object_or_empty(variant, &[CURRENT]));
            fields.insert("publish", must_get(variant, &["published"])?.clone());
        }
        Ok(fields)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[Derivation {
            name: "attributes-of-product-type",
            source: "ProductType",
            // A Variant does not name the type of its Product.
            dependents: Dependents::All { when: &["attributes"], at: &[], epoch: None },
            derive: follow_definitions,
        }];
        ALL
    }
}

/// The SKUs of both sides, each once.
fn skus(variant: &Document) -> Vec<&str> {
    let mut skus: Vec<&str> = BOTH.iter().filter_map(|side| text(variant, &[side, "sku"])).collect();
    skus.dedup();
    skus
}

/// [`skus`], for derivations.
pub(crate) fn skus_of(variant: &Document) -> Vec<String> {
    skus(variant).into_iter().map(str::to_owned).collect()
}

/// Returns a side of a Variant in the form of a Product's variant. Without a staged side, it is the current
/// one.
pub(crate) fn as_product_variant(variant: &Document, is_staged: bool) -> Document {
    let side = variant.get(STAGED).filter(|_| is_staged).or_else(|| variant.get(CURRENT));
    let mut data = Document::new();
    data.extend(variant.get("variantId").map(|id| ("id".to_owned(), id.clone())));
    data.extend(variant.get("key").map(|key| ("key".to_owned(), key.clone())));
    data.extend(side.and_then(Value::as_object).cloned().into_iter().flatten());
    data
}

/// Requires that no InventoryEntry has a SKU that is removed.
fn keep_counted(before: &Document, after: &Document, rules: &Rules<'_>) {
    let left = skus(after);
    for gone in skus(before).into_iter().filter(|sku| !left.contains(sku)) {
        rules.require(Precondition::NotReferenced {
            kind: INVENTORY.into(),
            path: "sku".into(),
            value: gone.into(),
        });
    }
}

/// Updates the Attributes of both sides after a change of the Product Type.
fn follow_definitions(variant: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let product = must_text(variant, &["product", "id"])?;
    let Some(product) = sources.document("product", product)? else { return Ok(DeriveOutcome::Keep) };
    let id = must_text(&product, &["productType", "id"])?;
    let Some(product_type) = sources.document("product-type", id)? else { return Ok(DeriveOutcome::Keep) };
    let changes: AttributeRenames = changes_of(id, sources)?;
    for side in BOTH {
        if let Some(Value::Array(attributes)) =
            variant.get_mut(side).and_then(|data| data.get_mut("attributes"))
        {
            update_attributes(attributes, &product_type, &changes);
        }
    }
    if variant.get(STAGED) == variant.get(CURRENT) {
        variant.shift_remove(STAGED);
    }
    Ok(DeriveOutcome::Keep)
}

/// Applies a change to each existing side that the action addresses; a missing staged side is created as a copy of the
/// current one. Returns true if something changed.
fn on_each_side(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    let is_staged = crate::sides::is_staged(arguments);
    if is_staged && !context.document.contains_key(STAGED) {
        let current = must_get(context.document, &[CURRENT])?.clone();
        context.document.insert(STAGED, current);
    }
    let mut changed = false;
    for side in crate::sides::sides_of_action(arguments) {
        if let Some(Value::Object(data)) = context.document.get_mut(*side) {
            changed |= change(data)?;
        }
    }
    Ok(changed)
}
