//! Looks up the parent of a Business Unit.

use crate::kinds;
use kontor_engine::document::text;
use kontor_engine::{Document, Rules};
use kontor_errors::ApiResult;
use std::sync::Arc;

/// The key of the unit above.
pub(super) fn parent_key(unit: &Document) -> Option<&str> {
    text(unit, &["parentUnit", "key"])
}

/// Returns the parent unit. It must be unchanged when the change is written.
pub(super) fn parent(unit: &Document, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    let Some(key) = parent_key(unit) else { return Ok(None) };
    let kind = kinds::BUSINESS_UNIT;
    rules.find_key(kind, key)
}
