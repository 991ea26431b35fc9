//! Publication: copies the staged side to the current one, or back.
//!
//! Source: reference types `ProductPublishAction`, `ProductPublishScope`, `ProductUnpublishAction`,
//! `ProductRevertStagedChangesAction`. The description of the scope says that prices alone can be published
//! "only if the Product is already published".

use super::images;
use super::sides::{CURRENT, STAGED, data, data_mut};
use super::variant_edits::{find, id_of};
use crate::published_variants::none_published_of;
use crate::variant_list::{variants, variants_mut};
use kontor_engine::document::{get, must_text, set, without_nulls};
use kontor_engine::{ActionContext, Document};
use kontor_enums::ProductPublishScope;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const PUBLISHED: [&str; 2] = ["masterData", "published"];

/// `publish`.
pub(super) fn publish(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let scope = arguments.get("scope").cloned().unwrap_or_else(|| json!(ProductPublishScope::All));
    let was_published = get(context.document, &PUBLISHED) == Some(&Value::Bool(true));
    let urls = images::image_urls(context.document);
    let changed = if scope == ProductPublishScope::Prices.as_str() {
        if !was_published {
            return Err(ApiError::invalid_operation(format!(
                "{}: the prices of a Product that is not published cannot be published.",
                context.place
            )));
        }
        publish_prices(context.document)?
    } else {
        let staged = data(context.document, STAGED)
            .cloned()
            .ok_or_else(|| ApiError::bug("a Product without a staged side"))?;
        let current = data_mut(context.document, CURRENT)?;
        let changed = *current != staged;
        *current = staged;
        set(context.document, &PUBLISHED, Some(json!(true)));
        changed || !was_published
    };
    if !changed {
        return Ok(());
    }
    let gone = images::removed_image_urls(&urls, context.document);
    context.effects.mark_changed();
    context.emit("ProductPublished", without_nulls(json!({"removedImageUrls": gone, "scope": scope})))
}

/// Copies the prices of variants that are on both sides.
fn publish_prices(product: &mut Document) -> ApiResult<bool> {
    let staged = data(product, STAGED).ok_or_else(|| ApiError::bug("a Product without a staged side"))?;
    let mut changed = false;
    let current = data(product, CURRENT).ok_or_else(|| ApiError::bug("a Product without a current side"))?;
    let mut new = Vec::new();
    for variant in variants(current) {
        let prices = find(staged, id_of(variant)).map(|staged| staged.get("prices").cloned());
        changed |= prices.as_ref().is_some_and(|prices| prices.as_ref() != variant.get("prices"));
        new.push(prices);
    }
    for (variant, prices) in variants_mut(data_mut(product, CURRENT)?).zip(new) {
        if let Some(prices) = prices {
            set(variant, &["prices"], prices);
        }
    }
    Ok(changed)
}

/// `unpublish`: the current side stays as it is.
pub(super) fn unpublish(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    if get(context.document, &PUBLISHED) != Some(&Value::Bool(true)) {
        return Ok(());
    }
    let id = must_text(context.document, &["id"])?;
    context.rules.require(none_published_of(id));
    set(context.document, &PUBLISHED, Some(json!(false)));
    context.effects.mark_changed();
    context.emit("ProductUnpublished", Document::new())
}

/// `revertStagedChanges`.
pub(super) fn revert(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    let urls = images::image_urls(context.document);
    let current = data(context.document, CURRENT)
        .cloned()
        .ok_or_else(|| ApiError::bug("a Product without a current side"))?;
    let staged = data_mut(context.document, STAGED)?;
    if *staged == current {
        return Ok(());
    }
    *staged = current;
    let gone = images::removed_image_urls(&urls, context.document);
    context.emit("ProductRevertedStagedChanges", without_nulls(json!({"removedImageUrls": gone})))
}
