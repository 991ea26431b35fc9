//! `transitionState`: the workflow of a Product.
//!
//! Source: reference types `ProductTransitionStateAction`, `ProductStateTransitionMessage`.

use crate::transition::{first_state, next_state};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::StateTypeEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// The type of State that Products have.
const STATE_TYPE: StateTypeEnum = StateTypeEnum::ProductState;

/// Checks the State of a new Product.
pub(super) fn admit_first(product: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(state) = product.get("state") else { return Ok(()) };
    first_state(state, STATE_TYPE, rules).map(|_| ())
}

pub(super) fn transition_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    // The reference marks the field as optional and does not describe its absence.
    let Some(new) = arguments.get("state").cloned() else {
        return Err(ApiError::required_field(&format!("{}.state", context.place)));
    };
    let force = arguments.get("force").cloned().unwrap_or(json!(false));
    let old = context.document.get("state").cloned();
    next_state(old.as_ref(), &new, STATE_TYPE, force == json!(true), context.rules)?;
    if old.as_ref() == Some(&new) {
        return Ok(());
    }
    let mut fields = Document::new();
    fields.insert("state", new.clone());
    fields.insert("force", force);
    context.emit("ProductStateTransition", fields)?;
    context.document.insert("state", new);
    Ok(())
}
