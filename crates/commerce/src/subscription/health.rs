//! The health endpoint of a Subscription, for monitoring: 200, 400 or 503 by the state of its deliveries.
//!
//! Source: operation "Get Health Status of Subscription by ID": 200, 400 and 503, without a token. Bodies are ours.

use super::SUBSCRIPTION;
use kontor_engine::document::{enum_at, must_text};
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_enums::SubscriptionHealthStatus;
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
    let status = enum_at(context.document, &["status"])?.unwrap_or(SubscriptionHealthStatus::Healthy);
    match status {
        SubscriptionHealthStatus::Healthy => Ok(EndpointReply::Value(json!({"status": status}))),
        SubscriptionHealthStatus::TemporaryError => Err(ApiError::new(Code::OverCapacity, status.as_str())),
        SubscriptionHealthStatus::ConfigurationError
        | SubscriptionHealthStatus::ConfigurationErrorDeliveryStopped
        | SubscriptionHealthStatus::ManuallySuspended => Err(ApiError::invalid_operation(status.as_str())),
    }
}
