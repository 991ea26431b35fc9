//! `variantId`: counts up within the Product and is never reused.

use super::PRODUCT_ID;
use crate::published_variants::VARIANT;
use kontor_engine::document::must_text;
use kontor_engine::{Document, Effects, Precondition, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::json;

/// Most Variants of a Product (public page on Variants).
const VARIANTS_MAX: u64 = 10_000;

/// Returns the next number. A precondition ensures that no other change takes it before this one is written.
pub(super) fn next(product: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<i64> {
    let id = must_text(product, &["id"])?;
    rules.require(Precondition::IndexedAtMost {
        kind: VARIANT.into(),
        path: PRODUCT_ID.into(),
        value: id.into(),
        limit: VARIANTS_MAX,
    });
    crate::product::take_variant_id(product, rules, effects)
}

pub(super) fn too_many() -> ApiError {
    ApiError::new(Code::MaxResourceLimitExceeded, format!("A Product has at most {VARIANTS_MAX} Variants."))
        .with_field("exceededResource", json!(VARIANT))
}
