//! `transitionState`: the workflow of an Order.
//!
//! Source: reference types `OrderTransitionStateAction`, `OrderStateTransitionMessage`; document A, "States and
//! transitions".

use crate::transition::transition_state;
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;

/// `transitionState`.
pub(super) fn transition(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    transition_state(context, arguments, "OrderState", "OrderStateTransition")
}
