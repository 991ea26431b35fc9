//! Sets defaults in the tracking data of a parcel.
//!
//! Source: reference type `TrackingData`.

use kontor_engine::{Document, Rules};
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::Location;

/// Sets the defaults in the tracking data of a draft.
pub(crate) fn complete(tracking: &mut Document, _place: &Location<'_>, _rules: &Rules<'_>) -> ApiResult<()> {
    fill_in(tracking);
    Ok(())
}

/// Sets `isReturn` to false if it is missing: the parcel goes to the customer.
pub(crate) fn fill_in(tracking: &mut Document) {
    tracking.entry("isReturn").or_insert(Value::Bool(false));
}
