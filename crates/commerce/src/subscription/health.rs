//! The health endpoint of a Subscription, for monitoring: 200, 400 or 503 by the state of its deliveries.
//!
//! Source: operation "Get Health Status of Subscription by ID": 200, 400 and 503, without a token. Bodies are ours.

use super::{HEALTHY, SUBSCRIPTION};
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::json;

pub(super) const HEALTH: EndpointHandler = EndpointHandler { find, act: respond };

fn find(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let id = must_text(input, &["id"])?.to_owned();
    if rules.peek_type(SUBSCRIPTION, &id)?.is_none() {
        return Err(ApiError::resource_not_found(&format!("with ID '{id}'")));
    }
    Ok(EndpointTarget { id, ..EndpointTarget::default() })
}

fn respond(context: &mut EndpointContext<'_, '_>, _input: &Document) -> ApiResult<EndpointReply> {
    let status = text(context.document, &["status"]).unwrap_or(HEALTHY);
    match status {
        HEALTHY => Ok(EndpointReply::Value(json!({"status": status}))),
        "TemporaryError" => Err(ApiError::new(Code::OverCapacity, status)),
        _ => Err(ApiError::invalid_operation(status)),
    }
}
