//! `transitionState`: the workflow of a Product.
//!
//! Source: reference types `ProductTransitionStateAction`, `ProductStateTransitionMessage`.

use crate::transition::{state_of, transition};
use kontor_engine::{Acting, Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use serde_json::json;

/// The type of State that Products have.
const STATE_TYPE: &str = "ProductState";

/// Checks the State of a new Product: any of the type, as workflows are for what comes after.
pub(super) fn admit_first(product: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(state) = product.get("state") else { return Ok(()) };
    let state = state_of(state, rules)?.ok_or_else(ApiError::internal)?;
    transition(None, &state, STATE_TYPE, true)
}

pub(super) fn transition_state(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    // The reference calls it optional and says nothing of what is to happen without it.
    let Some(new) = arguments.get("state").cloned() else {
        return Err(ApiError::required_field(&format!("{}.state", acting.place)));
    };
    let force = arguments.get("force").cloned().unwrap_or(json!(false));
    let old = acting.document.get("state").cloned();
    // A State that was deleted leaves the Product as if it had none.
    let current = old.as_ref().map(|old| state_of(old, acting.rules)).transpose()?.flatten();
    let target = state_of(&new, acting.rules)?.ok_or_else(ApiError::internal)?;
    transition(current.as_deref(), &target, STATE_TYPE, force == json!(true))?;
    if old.as_ref() == Some(&new) {
        return Ok(());
    }
    let mut fields = Document::new();
    fields.insert("state".into(), new.clone());
    fields.insert("force".into(), force);
    acting.emit("ProductStateTransition", fields)?;
    acting.document.insert("state".into(), new);
    Ok(())
}
