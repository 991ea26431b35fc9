//! The State of an Order.
//!
//! Source: reference types `OrderTransitionStateAction`, `OrderStateTransitionMessage`; document A, "States and
//! transitions".

use crate::transition::next_state;
use kontor_engine::document::{fields, set};
use kontor_engine::{Acting, Document};
use kontor_errors::ApiResult;
use serde_json::json;

/// `transitionState`.
pub(super) fn transition(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let next = arguments.get("state").cloned().unwrap_or_default();
    let force = arguments.get("force") == Some(&json!(true));
    let old = acting.document.get("state").cloned();
    next_state(old.as_ref(), &next, "OrderState", force, acting.rules)?;
    set(acting.document, &["state"], Some(next.clone()));
    let told = fields([("state", Some(next)), ("oldState", old), ("force", Some(json!(force)))]);
    acting.emit("OrderStateTransition", told)
}
