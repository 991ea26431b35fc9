//! Actions that publish and unpublish a Variant, or revert its staged changes.

use super::{CURRENT, STAGED};
use crate::product_lookup::product_of;
use kontor_engine::document::get;
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// Only Variants of a published Product can be published (reference type `VariantPublishAction`).
pub(super) fn admit_product(product: &Document, place: &str) -> ApiResult<()> {
    if get(product, &["masterData", "published"]) == Some(&json!(true)) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{place}: the Product of the Variant is not published; publish it first."
    )))
}

/// `publish`.
pub(super) fn publish(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    admit_product(&*product_of(context.document, context.rules)?, context.place)?;
    let staged = context.document.shift_remove(STAGED);
    let was_published = context.document.insert("published", json!(true)) == Some(json!(true));
    let changed = staged.is_some();
    if let Some(staged) = staged {
        context.document.insert(CURRENT, staged);
    }
    if changed || !was_published { context.emit("VariantPublished", Document::new()) } else { Ok(()) }
}

/// `unpublish`: the current side stays stored.
pub(super) fn unpublish(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    if context.document.insert("published", json!(false)) == Some(json!(false)) {
        return Ok(());
    }
    context.emit("VariantUnpublished", Document::new())
}

/// `removeStagedChanges`.
pub(super) fn remove_staged_changes(
    context: &mut ActionContext<'_, '_>,
    _arguments: &Document,
) -> ApiResult<()> {
    match context.document.shift_remove(STAGED) {
        Some(_) => context.emit("VariantStagedChangesRemoved", Document::new()),
        None => Ok(()),
    }
}
