//! Looks up the Product that a document refers to in `product`, e.g. of a Variant or a Product Tailoring.

use crate::kinds;
use kontor_engine::document::must_text;
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use std::sync::Arc;

/// The `typeId` of Products.
const TYPE_ID: &str = "product";

/// Returns the Product that a document refers to in its field `product`. It must be unchanged when the change is
/// written.
pub(crate) fn product_of(document: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id = must_text(document, &["product", "id"])?;
    let found = rules.find(kinds::PRODUCT, id)?;
    found.ok_or_else(|| ApiError::referenced_resource_not_found(TYPE_ID, Some(id), None))
}
