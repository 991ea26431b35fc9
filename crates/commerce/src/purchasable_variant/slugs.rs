//! The slugs of Products in Line Items, which follow their Products. Start at [`follow_slugs`].

use super::{LINE_ITEMS, PRODUCT, TEXTS, keep_in_languages, texts_of};
use crate::product_tailoring::{shown_side, tailor_product, tailoring_in};
use kontor_engine::document::{get, must_text, text};
use kontor_engine::{DerivationSources, DeriveOutcome, Document};
use kontor_errors::ApiResult;
use kontor_json::Value;

/// Whether Line Items show another slug of the Product than before. Its stock and its prices, which change often, they
/// do not follow.
pub(crate) fn has_another_slug(before: &Document, after: &Document) -> bool {
    slug_of(before) != slug_of(after)
}

fn slug_of(product: &Document) -> Option<&Value> {
    get(product, &["masterData", "current", "slug"])
}

/// Updates the slugs of line items from their Products; the slug of a deleted Product is removed.
pub(crate) fn follow_slugs(cart: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let store = text(cart, &["store", "key"]).map(str::to_owned);
    let found = match &store {
        Some(key) => sources.unique("store", "key", key)?,
        None => None,
    };
    let languages = found.as_ref().map(|store| texts_of(store, "languages")).unwrap_or_default();
    let Some(Value::Array(lines)) = cart.get_mut(LINE_ITEMS) else { return Ok(DeriveOutcome::Keep) };
    for line in lines.iter_mut().filter_map(Value::as_object_mut) {
        let id = must_text(line, &["productId"])?.to_owned();
        let product = sources.document(PRODUCT, &id)?;
        let slug = product.as_deref().and_then(slug_of);
        let mut texts: Document = slug.map(|slug| ("slug".to_owned(), slug.clone())).into_iter().collect();
        if let (Some(store), false) = (&store, texts.is_empty())
            && let Some(tailoring) = tailoring_in(&id, store, sources)?
            && let Some(side) = shown_side(&tailoring, true, false)
        {
            tailor_product(&mut texts, side, &TEXTS[1..]);
        }
        let own = line.get("productSlug").and_then(Value::as_object);
        let known: Vec<String> = own
            .into_iter()
            .flat_map(|slug| slug.keys().map(|language| language.as_str().to_owned()))
            .collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        keep_in_languages(&mut texts, &languages, &known);
        put_slug(line, texts.shift_remove("slug"));
    }
    Ok(DeriveOutcome::Keep)
}

/// Sets the slug at its place among the fields, so that an unchanged line item has unchanged text.
fn put_slug(line: &mut Document, slug: Option<Value>) {
    match (slug, line.get_mut("productSlug")) {
        (Some(slug), Some(own)) => *own = slug,
        (Some(slug), None) => {
            let at = line.keys().position(|name| name == "productType").unwrap_or(line.len());
            line.shift_insert(at, "productSlug", slug);
        }
        (None, _) => {
            line.shift_remove("productSlug");
        }
    }
}
