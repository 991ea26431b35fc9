//! When something is expected to arrive.
//!
//! Source: reference type `EstimatedDelivery`.

use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// The times that were sent, where any were. Those of a Cart, of an Order, and of what is staged for one.
///
/// 400 `InvalidInput`: it ends before it begins.
pub(crate) fn estimated_delivery<'d>(sent: &'d Document, place: &str) -> ApiResult<Option<&'d Value>> {
    let Some(times) = sent.get("estimatedDelivery").filter(|times| !times.is_null()) else { return Ok(None) };
    let time = |name: &str| times[name].as_str().and_then(|time| time.parse::<jiff::Timestamp>().ok());
    match (time("from"), time("until")) {
        (Some(from), Some(until)) if until < from => Err(ApiError::invalid_input(format!(
            "{place}.estimatedDelivery: it was to be until {until}, expected {from} or later, from when it is."
        ))),
        _ => Ok(Some(times)),
    }
}
