//! Replaces the Product's own data by tailored data for a Store.
//!
//! Source: reference types `ProductTailoring` (`published`), `ProductTailoringData`,
//! `ProductVariantTailoring`; the parameter `staged` of the trait `projectionSelectingTailoring`. The public
//! page on Product Tailoring says that each locale is tailored individually: a tailored text keeps the other
//! languages of the Product.

use super::PRODUCT_IN_STORE;
use super::sides::{CURRENT, STAGED, TEXTS};
use kontor_engine::document::list;
use kontor_engine::{DerivationSources, Document, Rules};
use kontor_errors::ApiResult;
use kontor_json::Value;
use std::sync::Arc;

/// Returns the tailoring of a Product in a Store; `None` if there is none.
pub(crate) fn tailoring_of(
    product: &str,
    store: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Arc<Document>>> {
    let found = rules.peek_unique("product-tailoring", PRODUCT_IN_STORE, &super::in_store(store, product))?;
    Ok(found.map(|found| found.document))
}

/// As [`tailoring_of`], for a derivation.
pub(crate) fn tailoring_in(
    product: &str,
    store: &str,
    sources: &dyn DerivationSources,
) -> ApiResult<Option<Document>> {
    sources.unique("product-tailoring", PRODUCT_IN_STORE, &super::in_store(store, product))
}

/// Returns the visible side of a tailoring: the current one of a published tailoring; with `staged` the
/// staged one, unless neither the tailoring nor the Product is published.
pub(crate) fn shown_side(
    tailoring: &Document,
    is_product_published: bool,
    staged: bool,
) -> Option<&Document> {
    let side = match staged {
        false if is_published(tailoring) => CURRENT,
        true if is_published(tailoring) || is_product_published => STAGED,
        _ => return None,
    };
    tailoring.get(side)?.as_object()
}

/// Replaces texts and Attributes of the Product by tailored ones.
pub(crate) fn tailor_product(shown: &mut Document, side: &Document, texts: &[&str]) {
    for name in TEXTS.into_iter().filter(|name| texts.contains(name)) {
        let Some(Value::Object(tailored)) = side.get(name) else { continue };
        match shown.get_mut(name) {
            Some(Value::Object(own)) => {
                own.extend(tailored.iter().map(|(locale, text)| (locale.clone(), text.clone())));
            }
            _ => _ = shown.insert(name, Value::Object(tailored.clone())),
        }
    }
    lay_over(shown, list(side, &["attributes"]));
}

/// Replaces images, Assets and Attributes of the variant with this id by tailored ones.
pub(crate) fn tailor_variant(shown: &mut Document, id: i64, side: &Document) {
    let tailored = list(side, &["variants"]).iter().find(|variant| variant["id"] == id);
    let Some(tailored) = tailored.and_then(Value::as_object) else { return };
    for name in ["images", "assets"] {
        if let Some(instead) = tailored.get(name) {
            shown.insert(name, instead.clone());
        }
    }
    lay_over(shown, list(tailored, &["attributes"]));
}

/// Replaces Attributes by the tailored ones with the same name, and adds further tailored ones.
fn lay_over(holder: &mut Document, tailored: &[Value]) {
    if tailored.is_empty() {
        return;
    }
    let attributes = holder.entry("attributes").or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(attributes) = attributes else { return };
    for attribute in tailored {
        match attributes.iter_mut().find(|own| own["name"] == attribute["name"]) {
            Some(own) => own["value"] = attribute["value"].clone(),
            None => attributes.push(attribute.clone()),
        }
    }
}

/// Whether a tailoring or a Product Projection has `published: true`.
pub(crate) fn is_published(document: &Document) -> bool {
    document.get("published") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::object;
    use kontor_json::json;

    fn tailoring(published: bool) -> Document {
        object(
            json!({"published": published, "current": {"name": {"en": "Settee"}}, "staged": {"name": {"en": "Divan"}}}),
        )
    }

    #[test]
    fn the_visible_side_depends_on_publication() {
        let shown = |published, product, staged| {
            let tailoring = tailoring(published);
            shown_side(&tailoring, product, staged).map(|side| side["name"]["en"].clone())
        };
        assert_eq!(shown(true, true, false), Some(json!("Settee")));
        assert_eq!(shown(false, true, false), None);
        assert_eq!(shown(true, false, true), Some(json!("Divan")));
        assert_eq!(shown(false, true, true), Some(json!("Divan")));
        assert_eq!(shown(false, false, true), None);
    }

    #[test]
    fn untailored_fields_stay() {
        let mut product = object(json!({"name": {"en": "Sofa", "de": "Sofa"}, "slug": {"en": "sofa"},
            "attributes": [{"name": "care", "value": "dry"}, {"name": "age", "value": 1}]}));
        let side = object(json!({"name": {"en": "Settee"}, "description": {"en": "Soft"},
            "attributes": [{"name": "care", "value": "wet"}, {"name": "new", "value": 2}],
            "variants": [{"id": 2, "images": [], "attributes": [{"name": "size", "value": 3}]}]}));
        tailor_product(&mut product, &side, &TEXTS);
        assert_eq!(
            Value::Object(product),
            json!({"name": {"en": "Settee", "de": "Sofa"}, "slug": {"en": "sofa"}, "description": {"en": "Soft"},
                "attributes": [{"name": "care", "value": "wet"}, {"name": "age", "value": 1}, {"name": "new", "value": 2}]})
        );
        let own = json!({"images": [{"url": "a"}], "assets": [{"id": "b"}], "attributes": []});
        let seen = |id| {
            let mut variant = object(own.clone());
            tailor_variant(&mut variant, id, &side);
            Value::Object(variant)
        };
        assert_eq!(seen(1), own);
        assert_eq!(
            seen(2),
            json!({"images": [], "assets": [{"id": "b"}], "attributes": [{"name": "size", "value": 3}]})
        );
    }
}
