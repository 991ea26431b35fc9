//! The endpoint that applies an Order Edit: the Order and the Order Edit change in one commit, and only once.
//!
//! Source: reference, "Apply OrderEdit"; types `OrderEditApply`, `OrderEditApplied`.

use super::preview::{admit_version, order_of, staged_of};
use super::{RESULT, is_applied};
use crate::kinds;
use kontor_engine::document::{must_integer, must_text};
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// `POST /orders/edits/{id}/apply`.
pub(super) const APPLY: EndpointHandler = EndpointHandler { find, act: apply_order_edit };

fn find(body: &Document, _rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let version = body.get("editVersion").and_then(Value::as_i64);
    Ok(EndpointTarget { id: must_text(body, &["id"])?.to_owned(), version, ..EndpointTarget::default() })
}

fn apply_order_edit(context: &mut EndpointContext<'_, '_>, body: &Document) -> ApiResult<EndpointReply> {
    if is_applied(context.document) {
        return Err(ApiError::invalid_operation("The Order Edit is applied already."));
    }
    let rules = context.rules;
    let order = order_of(context.document, rules)?;
    admit_version(must_integer(body, &["resourceVersion"])?, &order)?;
    let (staged, applied) = staged_of(context.document, &order, rules, context.effects)?;
    context.effects.change_staged(kinds::ORDER, staged);
    context.document.insert(RESULT, applied);
    Ok(EndpointReply::Document)
}
