//! Validates the expected delivery time.
//!
//! Source: reference type `EstimatedDelivery`.

use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::parse_date_time;

/// Returns the times in a request for a Cart, an Order, or a staged action; `None` if it has none.
///
/// 400 `InvalidInput`: the end is before the begin.
pub(crate) fn estimated_delivery<'d>(sent: &'d Document, place: &str) -> ApiResult<Option<&'d Value>> {
    let Some(times) = sent.get("estimatedDelivery").filter(|times| !times.is_null()) else { return Ok(None) };
    let time = |name: &str| times[name].as_str().and_then(parse_date_time);
    match (time("from"), time("until")) {
        (Some(from), Some(until)) if until < from => Err(ApiError::invalid_input(format!(
            "{place}.estimatedDelivery: it was to be until {until}, expected {from} or later, from when it is."
        ))),
        _ => Ok(Some(times)),
    }
}
