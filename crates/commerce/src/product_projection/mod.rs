//! Product Projection: one side of a Product for a caller, with the selected price, languages, Attributes,
//! and the prices, stock and tailored texts of a Store.
//!
//! The model declares the side (`@projection`). Everything here changes a response, never the stored
//! document.
//!
//! Source: reference traits `priceSelecting`, `localeProjecting`, `storeProjectingTailoring`,
//! `attributeFiltering`; public documentation, Product Projections, "Projection dimensions". Conversations:
//! `tests/api/product-projections/`.

mod assortment;
mod attributes;
mod locales;
mod store;
mod variant_attributes;

pub(crate) use assortment::contains_variant as has_in_store;
pub(crate) use attributes::filter as filter_attributes;
pub(crate) use locales::{asked_for as languages_asked_for, retain_locales as keep_languages};

use crate::price::{admit_price_parameters, has_standalone_prices, select_prices};
use crate::product_tailoring::{is_published, shown_side, tailor_product, tailor_variant, tailoring_of};
use crate::variant_list::variants_mut;
use kontor_engine::document::{must_integer, must_text};
use kontor_engine::{Behaviour, Document, Rules, ViewOptions};
use kontor_errors::{ApiError, ApiResult};

pub(crate) struct ProductProjection;

impl Behaviour for ProductProjection {
    fn resource(&self) -> &'static str {
        "ProductProjection"
    }

    fn validate_view_options(&self, view_options: &ViewOptions) -> ApiResult<()> {
        admit_price_parameters(view_options)
    }

    fn render_view(
        &self,
        _view: &str,
        product: &Document,
        view_options: &ViewOptions,
        rules: &Rules<'_>,
    ) -> ApiResult<Document> {
        variant_attributes::project_attributes(product, view_options, rules)
    }

    fn splice(
        &self,
        document: &mut Document,
        view_options: &ViewOptions,
        rules: &Rules<'_>,
    ) -> ApiResult<()> {
        let store = match view_options.store.as_deref().or(view_options.parameter("storeProjection")) {
            Some(key) => Some(store_with(key, rules)?),
            None => None,
        };
        if let Some(store) = &store {
            // With a Store in the path, the path restricts the variants, not this parameter.
            if view_options.store.is_some() {
                assortment::retain_assortment(document, store, rules)?;
            }
            tailor(document, store, view_options.staged, rules)?;
            store::retain_store_content(document, store);
        }
        let is_standalone = has_standalone_prices(document);
        // Document B: results of Product Search have embedded prices only. The older search selects by the price mode.
        if !is_standalone || !view_options.found || view_options.found_by_parameters {
            select_prices(variants_mut(document), is_standalone, view_options, rules)?;
        }
        attributes::filter(document, view_options);
        // Requested languages take precedence over those of the Store.
        let languages = locales::asked_for(view_options);
        let mut languages: Vec<&str> = languages.iter().map(String::as_str).collect();
        if let (true, Some(store)) = (languages.is_empty(), &store) {
            languages = store::texts(store, "languages");
        }
        locales::retain_locales(document, &languages);
        Ok(())
    }
}

/// The Store with a key.
pub(crate) fn store_with(key: &str, rules: &Rules<'_>) -> ApiResult<std::sync::Arc<Document>> {
    let Some(kind) = rules.model.store_kind() else {
        return Err(ApiError::bug("the model has no kind of Stores"));
    };
    rules.peek_key(kind, key)?.ok_or_else(|| {
        let type_id = &rules.model.kind(kind).type_id;
        ApiError::referenced_resource_not_found(type_id, None, Some(key))
    })
}

/// Replaces fields of the Product by the tailored ones of the Store.
fn tailor(document: &mut Document, store: &Document, staged: bool, rules: &Rules<'_>) -> ApiResult<()> {
    let product = must_text(document, &["id"])?;
    let store = must_text(store, &["key"])?;
    let Some(tailoring) = tailoring_of(product, store, rules)? else { return Ok(()) };
    let Some(side) = shown_side(&tailoring, is_published(document), staged) else { return Ok(()) };
    tailor_product(document, side, &locales::TEXTS);
    for variant in variants_mut(document) {
        let id = must_integer(variant, &["id"])?;
        tailor_variant(variant, id, side);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
