//! Product: a current and a staged side, variants with prices, images, Assets and Attributes, and
//! publication. Start at [`Product`], which names the handler of each update action.
//!
//! Source: reference types `Product`, `ProductCatalogData`, `ProductData`, `ProductVariant`, `ProductDraft`
//! and the `Product…Action` and `Product…Message` types. Conversations: `tests/api/products/`.

mod assets;
mod attribute;
mod availability;
mod categories;
mod discounts;
mod images;
mod modular;
mod prices;
mod projection;
mod publication;
mod side_checks;
mod sides;
#[cfg(test)]
mod tests;
mod variant;
mod variant_edits;
mod workflow;

pub(crate) use attribute::type_of;
pub(crate) use availability::availability_of_sku as availability_of;
pub(crate) use discounts::may_match_otherwise;
pub(crate) use projection::projection;
pub use side_checks::VARIANTS_MAX;
pub(crate) use variant::{HIGHEST, take_variant_id, tell_of_variants};

use crate::catalog_model::has_embedded_variants;
use crate::discounted_price::EPOCH;
use crate::inventory_entry::{INVENTORY, counts_stock};
use crate::price::{admit_price_parameters, has_standalone_prices, select_prices};
use crate::product_selection::{admit_unselected, follow_skus};
use crate::published_variants::is_published_of;
use crate::review_statistics::derive_statistics;
use crate::variant_content as content;
use crate::variant_list::{variants, variants_mut};
use kontor_engine::document::{get, is_empty, must_text, text, without_duplicates, without_nulls};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, ChangeFilter, Dependents, Derivation, DerivationSources,
    DeriveOutcome, Document, Effects, PrefetchPlan, RefusalReason, Rules, UniqueKey, ViewOptions,
};
use kontor_enums::ProductPriceModeEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use sides::{BOTH, CURRENT, STAGED, change, data, data_mut, set};
use std::collections::BTreeSet;

/// The `typeId` of Products.
const PRODUCT: &str = "product";
/// The indexed paths of SKUs.
pub(crate) const SKU_PATHS: [&str; 4] = [
    "masterData.staged.masterVariant.sku",
    "masterData.staged.variants.sku",
    "masterData.current.masterVariant.sku",
    "masterData.current.variants.sku",
];
/// The calculated unique keys; a locale follows the second one.
const SKU: &str = "sku";
const SLUG: &str = "slug.";

/// The update actions that the model cannot do by a verb.
const ACTIONS: &[(&str, ActionHandler)] = &[
    ("addAsset", assets::add),
    ("addExternalImage", images::add),
    ("addPrice", prices::add),
    ("addToCategory", categories::add),
    ("addVariant", variant::add),
    ("changeAssetName", |context, sent| assets::edit(context, sent, content::change_asset_name)),
    ("changeAssetOrder", |context, sent| assets::edit(context, sent, content::change_asset_order)),
    ("changeMasterVariant", variant::change_master),
    ("changeName", |context, arguments| change(context, arguments, "name").map(|_| ())),
    ("changePrice", prices::change_price),
    ("changeSlug", sides::change_slug),
    ("moveImageToPosition", |context, sent| assets::edit(context, sent, content::move_image_to_position)),
    ("publish", publication::publish),
    ("removeAsset", |context, sent| assets::edit(context, sent, content::remove_asset)),
    ("removeFromCategory", categories::remove),
    ("removeImage", |context, sent| assets::edit(context, sent, content::remove_image)),
    ("removePrice", prices::remove),
    ("removeVariant", variant::remove),
    ("revertStagedChanges", publication::revert),
    ("revertStagedVariantChanges", variant::revert),
    ("setAssetCustomField", |context, sent| assets::edit(context, sent, content::set_asset_custom_field)),
    ("setAssetCustomType", |context, sent| assets::edit(context, sent, content::set_asset_custom_type)),
    ("setAssetDescription", |context, sent| assets::edit(context, sent, content::set_asset_description)),
    ("setAssetKey", |context, sent| assets::edit(context, sent, content::set_asset_key)),
    ("setAssetSources", |context, sent| assets::edit(context, sent, content::set_asset_sources)),
    ("setAssetTags", |context, sent| assets::edit(context, sent, content::set_asset_tags)),
    ("setAttribute", attribute::set),
    ("setAttributeInAllVariants", attribute::set_in_all),
    ("setCategoryOrderHint", categories::set_order_hint),
    ("setDefaultVariant", modular::set_default_variant),
    ("setDescription", |context, arguments| set(context, arguments, "description")),
    ("setDiscountedPrice", prices::set_discounted),
    ("setImageLabel", |context, sent| assets::edit(context, sent, content::set_image_label)),
    ("setMetaDescription", |context, arguments| set(context, arguments, "metaDescription")),
    ("setMetaKeywords", |context, arguments| set(context, arguments, "metaKeywords")),
    ("setMetaTitle", |context, arguments| set(context, arguments, "metaTitle")),
    ("setPriceKey", prices::set_key),
    ("setPriceMode", set_price_mode),
    ("setPrices", prices::set),
    ("setProductAttribute", attribute::set_of_product),
    ("setProductPriceCustomField", prices::set_custom_field),
    ("setProductPriceCustomType", prices::set_custom_type),
    ("setProductVariantKey", variant::set_key),
    ("setSKU", variant::set_sku_on_both_sides),
    ("setSearchKeywords", sides::set_search_keywords),
    ("setSku", variant::set_sku),
    ("transitionState", workflow::transition_state),
    ("unpublish", publication::unpublish),
];

pub(crate) struct Product;

impl Behaviour for Product {
    fn resource(&self) -> &'static str {
        "Product"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        ACTIONS
    }

    fn prefetch(&self, prefetch_plan: &mut PrefetchPlan<'_>) {
        prefetch_plan.id(EPOCH, EPOCH);
    }

    /// A new Product has the same data on both sides.
    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        modular::admit_draft(draft, rules)?;
        let is_modular = !has_embedded_variants(rules);
        if is_modular {
            after.insert("priceMode", json!(ProductPriceModeEnum::Standalone));
        }
        let staged = data_mut(after, STAGED)?;
        if let Some(Value::Array(categories)) = staged.get_mut("categories") {
            *categories = without_duplicates(std::mem::take(categories));
        }
        if !is_modular {
            staged.entry("masterVariant").or_insert_with(|| json!({}));
        }
        staged.entry("categoryOrderHints").or_insert_with(|| json!({}));
        staged.entry("searchKeywords").or_insert_with(|| json!({}));
        for (id, variant) in (1..).zip(variants_mut(staged)) {
            variant::complete(variant, id);
        }
        attribute::admit_all(after, rules)?;
        workflow::admit_first(after, rules)?;
        let staged =
            data(after, STAGED).cloned().ok_or_else(|| ApiError::bug("a Product without a staged side"))?;
        let published = get(after, &["masterData", "published"]).cloned().unwrap_or(json!(false));
        after.insert(
            "masterData",
            json!({"published": published, CURRENT: staged.clone(), STAGED: staged, "hasStagedChanges": false}),
        );
        Ok(())
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        if after.get("key").is_some_and(is_empty) {
            after.shift_remove("key");
        }
        side_checks::check_sides(before, after)?;
        attribute::admit_constraints(before, after, rules)?;
        if let Some(before) = before {
            variant::keep_highest(before, after, effects)?;
            let id = must_text(after, &["id"])?;
            follow_skus(id, &variant::changed_skus(before, after), rules, effects)?;
        }
        availability::set_availability_of_new_skus(before, after, rules)?;
        discounts::settle(before, after, rules)?;
        sides::compare(after);
        Ok(())
    }

    fn before_delete(&self, product: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        if is_published(product) {
            return Err(ApiError::invalid_operation(
                "A Product that is published cannot be deleted; unpublish it first.",
            ));
        }
        admit_unselected(product, rules)?;
        variant::forget_highest(product, rules, effects)
    }

    /// SKUs and slugs, of both sides. A slug is unique in its locale.
    fn unique_keys(&self, product: &Document) -> Vec<UniqueKey> {
        let slugs = BOTH.iter().filter_map(|side| data(product, side)?.get("slug")?.as_object()).flatten();
        // Most slugs are the same on both sides.
        let slugs: BTreeSet<(&str, &str)> =
            slugs.filter_map(|(locale, slug)| Some((locale.as_str(), slug.as_str()?))).collect();
        let mut keys: Vec<UniqueKey> =
            slugs.into_iter().map(|(locale, slug)| UniqueKey::new(format!("{SLUG}{locale}"), slug)).collect();
        keys.extend(skus(product).into_iter().map(|sku| UniqueKey::new(SKU, sku)));
        keys
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Duplicate { path, value, holder } if path == SKU || path.starts_with(SLUG) => {
                Some(
                    ApiError::duplicate_field(path, json!(value))
                        .with_field("conflictingResource", json!({"typeId": PRODUCT, "id": holder})),
                )
            }
            RefusalReason::Precondition(precondition) if is_published_of(precondition) => {
                Some(ApiError::invalid_operation(
                    "The Product has Variants that are published; unpublish them first.",
                ))
            }
            RefusalReason::Precondition(precondition) => counts_stock(precondition),
            _ => None,
        }
    }

    /// The slug of the current side (reference type `UserProvidedIdentifiers`).
    fn provided_identifiers(&self, product: &Document) -> Document {
        let slug = data(product, CURRENT).and_then(|data| data.get("slug")).cloned();
        without_nulls(json!({"slug": slug}))
    }

    fn message_fields(&self, message: &str, product: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(match message {
            "ProductCreated" => without_nulls(json!({"productProjection": projection(product, true)})),
            "ProductPublished" => without_nulls(json!({"productProjection": projection(product, false)})),
            // Without `currentProjection`: a deleted Product is not published.
            "ProductDeleted" => without_nulls(json!({"removedImageUrls": images::image_urls(product)})),
            _ => Document::new(),
        })
    }

    fn validate_view_options(&self, view_options: &ViewOptions) -> ApiResult<()> {
        admit_price_parameters(view_options)
    }

    /// Adds the selected price of the caller to the variants of both sides.
    fn splice(
        &self,
        document: &mut Document,
        view_options: &ViewOptions,
        rules: &Rules<'_>,
    ) -> ApiResult<()> {
        let is_standalone = has_standalone_prices(document);
        for side in BOTH {
            select_prices(variants_mut(data_mut(document, side)?), is_standalone, view_options, rules)?;
        }
        Ok(())
    }

    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        discounts::discount_messages(before, after)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[
            availability::FOLLOW_INVENTORY,
            Derivation {
                name: "reviews",
                source: "Review",
                // Includes the old and the new target of a Review.
                dependents: Dependents::ReferredAt {
                    path: &["target", "id"],
                    when: &["target", "rating", "includedInStatistics"],
                },
                derive: follow_reviews,
            },
            Derivation {
                name: "attributes-of-product-type",
                source: "ProductType",
                dependents: Dependents::ReferringAt {
                    path: "productType.id",
                    when: ChangeFilter::Fields(&["attributes"]),
                },
                derive: attribute::follow_type,
            },
            follow_end_of_category("end-of-current-categories", CURRENT_CATEGORIES),
            follow_end_of_category("end-of-staged-categories", STAGED_CATEGORIES),
            modular::follow_end_of_variant("end-of-current-default-variant", CURRENT_DEFAULT_VARIANT),
            modular::follow_end_of_variant("end-of-staged-default-variant", STAGED_DEFAULT_VARIANT),
            discounts::PRICES_FOLLOW_DISCOUNTS,
            discounts::follow_category("discounts-by-current-categories", CURRENT_CATEGORIES),
            discounts::follow_category("discounts-by-staged-categories", STAGED_CATEGORIES),
            discounts::follow_category_above("discounts-by-current-categories-above", CURRENT_CATEGORIES),
            discounts::follow_category_above("discounts-by-staged-categories-above", STAGED_CATEGORIES),
        ];
        ALL
    }
}

fn is_published(product: &Document) -> bool {
    get(product, &["masterData", "published"]) == Some(&Value::Bool(true))
}

const CURRENT_CATEGORIES: &str = "masterData.current.categories.id";
const STAGED_CATEGORIES: &str = "masterData.staged.categories.id";
const CURRENT_DEFAULT_VARIANT: &str = "masterData.current.defaultVariant.id";
const STAGED_DEFAULT_VARIANT: &str = "masterData.staged.defaultVariant.id";

/// A Category that is gone leaves its Products.
const fn follow_end_of_category(name: &'static str, path: &'static str) -> Derivation {
    Derivation {
        name,
        source: "Category",
        // An id never changes; it is gone with the document.
        dependents: Dependents::ReferringAt { path, when: ChangeFilter::Fields(&["id"]) },
        derive: categories::leave_those_gone,
    }
}

/// The first variant of a side that `is_meant`, with the data of that side.
pub(crate) fn variant_on(
    product: &Document,
    is_staged: bool,
    is_meant: impl Fn(&Document) -> bool,
) -> Option<(&Document, &Document)> {
    let data = data(product, if is_staged { STAGED } else { CURRENT })?;
    let variant = variants(data).find(|variant| is_meant(variant))?;
    Some((data, variant))
}

/// The SKUs of both sides, each once.
pub(crate) fn skus(product: &Document) -> Vec<&str> {
    let data = BOTH.iter().filter_map(|side| data(product, side));
    let mut skus: Vec<&str> = data.flat_map(variants).filter_map(|variant| text(variant, &["sku"])).collect();
    // The current side mostly has the same SKUs: comparing all pairs would be slow.
    skus.sort_unstable();
    skus.dedup();
    skus
}

fn follow_reviews(product: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    derive_statistics(PRODUCT, product, sources)
}

/// `setPriceMode`.
fn set_price_mode(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    modular::admit_classic(context)?;
    let mode = arguments.get("priceMode").cloned().unwrap_or_else(|| json!(ProductPriceModeEnum::Embedded));
    if context.document.get("priceMode") == Some(&mode) {
        return Ok(());
    }
    context.document.insert("priceMode", mode.clone());
    context.emit("ProductPriceModeSet", without_nulls(json!({"to": mode})))
}
