//! Variant Projection: a side of a Variant with fields of its Product, for a caller.
//!
//! Source: reference type `VariantProjection`; operations "Query VariantProjections", "… in Store".
//! Conversations: `tests/api/variants/`.

use crate::price::{admit_price_parameters, standalone_price_for};
use crate::product_projection::{
    filter_attributes, has_in_store, keep_languages, languages_asked_for, store_with,
};
use crate::product_tailoring::{shown_side, tailor_product, tailor_variant, tailoring_of};
use crate::sides::{CURRENT, STAGED};
use kontor_engine::document::{get, list, must_integer, must_text, text};
use kontor_engine::{Behaviour, Document, Rules, ViewOptions};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The fields of the Product; tailored texts come from the tailoring.
const OF_PRODUCT: [&str; 5] = ["name", "slug", "description", "categories", "categoryOrderHints"];
const TEXTS: [&str; 3] = ["name", "slug", "description"];

pub(crate) struct VariantProjection;

impl Behaviour for VariantProjection {
    fn resource(&self) -> &'static str {
        "VariantProjection"
    }

    fn validate_view_options(&self, view_options: &ViewOptions) -> ApiResult<()> {
        admit_price_parameters(view_options)
    }

    fn always_splices(&self) -> bool {
        true
    }

    fn is_visible(
        &self,
        document: &Document,
        view_options: &ViewOptions,
        rules: &Rules<'_>,
    ) -> ApiResult<bool> {
        let Some(key) = view_options.store.as_deref() else { return Ok(true) };
        let product = must_text(document, &["product", "id"])?;
        has_in_store(&*store_with(key, rules)?, product, text(document, &["sku"]), rules)
    }

    fn splice(
        &self,
        document: &mut Document,
        view_options: &ViewOptions,
        rules: &Rules<'_>,
    ) -> ApiResult<()> {
        let product_id = must_text(document, &["product", "id"])?.to_owned();
        let Some(product) = rules.peek_type("product", &product_id)? else {
            return Err(ApiError::resource_not_found(&format!("ID '{product_id}'")));
        };
        let side = if view_options.staged { STAGED } else { CURRENT };
        let data = get(&product, &["masterData", side]).and_then(Value::as_object);
        let data =
            data.ok_or_else(|| ApiError::bug("a projection of a Variant without the side that it shows"))?;
        document.insert("staged", json!(view_options.staged));
        for name in OF_PRODUCT {
            document.extend(data.get(name).map(|value| (name, value.clone())));
        }
        let own_id = document.get("id").cloned();
        let is_default = get(data, &["defaultVariant", "id"]).is_some_and(|id| Some(id) == own_id.as_ref());
        document.insert("default", json!(is_default));
        let mut of_product = Document::new();
        of_product.insert("attributes", Value::Array(list(data, &["attributes"]).to_vec()));
        let languages = languages_asked_for(view_options);
        let mut languages: Vec<&str> = languages.iter().map(String::as_str).collect();
        let store = match view_options.store.as_deref() {
            Some(key) => Some(store_with(key, rules)?),
            None => None,
        };
        if let Some(store) = &store {
            if !has_in_store(store, &product_id, text(document, &["sku"]), rules)? {
                return Err(ApiError::resource_not_found("this, in this Store"));
            }
            let is_published = get(&product, &["masterData", "published"]) == Some(&json!(true));
            let key = must_text(store, &["key"])?;
            let tailoring = tailoring_of(&product_id, key, rules)?;
            if let Some(side) =
                tailoring.as_deref().and_then(|it| shown_side(it, is_published, view_options.staged))
            {
                let id = must_integer(document, &["variantId"])?;
                tailor_variant(document, id, side);
                tailor_product(&mut of_product, side, &[]);
                // Texts alone: the Attributes of the Product are apart still.
                let attributes = document.shift_remove("attributes");
                let mut texts = side.clone();
                texts.shift_remove("attributes");
                tailor_product(document, &texts, &TEXTS);
                document.extend(attributes.map(|own| ("attributes".to_owned(), own)));
            }
            if languages.is_empty() {
                languages = list(store, &["languages"]).iter().filter_map(Value::as_str).collect();
            }
        }
        merge_attributes(document, &of_product);
        if let Some(price) = standalone_price_for(document, view_options, rules)? {
            document.insert("price", price);
        }
        filter_attributes(document, view_options);
        keep_languages(document, &languages);
        Ok(())
    }
}

/// Merges the Attributes of the Product before those of the Variant.
fn merge_attributes(document: &mut Document, of_product: &Document) {
    let own = list(document, &["attributes"]);
    let all = list(of_product, &["attributes"]).iter().chain(own).cloned().collect();
    document.insert("attributes", Value::Array(all));
}
