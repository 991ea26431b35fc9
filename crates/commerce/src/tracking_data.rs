//! How a Parcel is followed on its way.
//!
//! Source: reference type `TrackingData`.

use kontor_engine::{Document, Rules};
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::Location;

/// Completes what drafts say of a Parcel's way.
pub(crate) fn complete(tracking: &mut Document, _place: &Location<'_>, _rules: &Rules<'_>) -> ApiResult<()> {
    fill_in(tracking);
    Ok(())
}

/// Without another word a Parcel goes to the customer, and does not come back.
pub(crate) fn fill_in(tracking: &mut Document) {
    tracking.entry("isReturn").or_insert(Value::Bool(false));
}
