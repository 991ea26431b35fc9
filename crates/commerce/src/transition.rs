//! Transitions from one State to the next, for all resources with a workflow.
//!
//! Source: document A, "States and transitions"; reference types `State` and the `transitionState` actions.

use crate::kinds;
use kontor_engine::document::{fields, get, list, must_enum, must_field, must_get, set, text, text_or_log};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::StateTypeEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

/// `transitionState` of a resource with its State in `state`; emits a Message with `state`, `oldState` and `force`.
pub(crate) fn transition_state(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    expected_type: StateTypeEnum,
    message: &str,
) -> ApiResult<()> {
    let next = must_get(arguments, &["state"])?.clone();
    let force = arguments.get("force") == Some(&json!(true));
    let old = context.document.get("state").cloned();
    next_state(old.as_ref(), &next, expected_type, force, context.rules)?;
    set(context.document, &["state"], Some(next.clone()));
    let message_fields = fields([("state", Some(next)), ("oldState", old), ("force", Some(json!(force)))]);
    context.emit(message, message_fields)
}

/// Returns the first State of a new resource: any State of the type, as workflows restrict only later transitions.
pub(crate) fn first_state(
    state: &Value,
    expected_type: StateTypeEnum,
    rules: &Rules<'_>,
) -> ApiResult<Arc<Document>> {
    let state =
        state_of(state, rules)?.ok_or_else(|| ApiError::bug("a State that was looked up and is gone"))?;
    transition(None, &state, expected_type, true)?;
    Ok(state)
}

/// Returns the State after a transition from the `current` one, if the workflow (or `force`) allows it. A deleted
/// current State counts as none.
pub(crate) fn next_state(
    current: Option<&Value>,
    next: &Value,
    expected_type: StateTypeEnum,
    force: bool,
    rules: &Rules<'_>,
) -> ApiResult<Arc<Document>> {
    let current = current.map(|current| state_of(current, rules)).transpose()?.flatten();
    let next =
        state_of(next, rules)?.ok_or_else(|| ApiError::bug("a State that was looked up and is gone"))?;
    transition(current.as_deref(), &next, expected_type, force)?;
    Ok(next)
}

/// Checks that a resource may change from its current State, if it has one, to `target`.
///
/// `expected_type` is the type of States of the resource, e.g. `ReviewState`. A target of another type is always
/// `InvalidOperation`. So is a transition that the workflow does not have, unless `force`d:
/// - without a current State the target must be an initial one;
/// - absent `transitions` allow all States of the type, a list those in it, an empty list none.
fn transition(
    current: Option<&Document>,
    target: &Document,
    expected_type: StateTypeEnum,
    force: bool,
) -> ApiResult<()> {
    let name = name(target);
    let target_type: StateTypeEnum = must_enum(target, &["type"])?;
    if target_type != expected_type {
        return Err(ApiError::invalid_operation(format!(
            "The State {name} cannot be used here: its type is '{target_type}', expected '{expected_type}'."
        )));
    }
    if force {
        return Ok(());
    }
    let Some(current) = current else {
        return if get(target, &["initial"]) == Some(&Value::Bool(true)) {
            Ok(())
        } else {
            Err(ApiError::invalid_operation(format!(
                "The State {name} cannot be the first one: it is not an initial State."
            )))
        };
    };
    let id = text(target, &["id"]);
    let allowed = list(current, &["transitions"]);
    if !current.contains_key("transitions") || allowed.iter().any(|next| next["id"].as_str() == id) {
        return Ok(());
    }
    let from = self::name(current);
    Err(ApiError::invalid_operation(if allowed.is_empty() {
        format!("The State {from} is final, so there is no transition to the State {name}.")
    } else {
        format!("There is no transition from the State {from} to the State {name}.")
    }))
}

/// Returns the State of a reference `{typeId, id}`, if it exists. It must be unchanged when the change is written.
fn state_of(reference: &Value, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    let id = must_field(reference, "id")?;
    let found = rules.find(kinds::STATE, id)?;
    Ok(found)
}

fn name(document: &Document) -> String {
    match text(document, &["key"]) {
        Some(key) => format!("with key '{key}'"),
        None => format!("with identifier '{}'", text_or_log(document, &["id"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;

    fn review_state(id: &str, transitions: Option<&[&str]>) -> Document {
        let mut document = Document::new();
        document.insert("id", json!(id));
        document.insert("key", json!(id));
        document.insert("type", json!("ReviewState"));
        document.insert("initial", json!(id == "new"));
        if let Some(transitions) = transitions {
            let next: Vec<Value> =
                transitions.iter().map(|id| json!({"typeId": "state", "id": id})).collect();
            document.insert("transitions", json!(next));
        }
        document
    }

    fn try_transition(from: Option<&Document>, to: &str, force: bool) -> Result<(), String> {
        transition(from, &review_state(to, None), StateTypeEnum::ReviewState, force).map_err(|error| {
            assert_eq!(error.code(), Code::InvalidOperation);
            error.message().to_owned()
        })
    }

    #[test]
    fn without_transitions_each_state_of_the_type_may_follow() {
        let current = review_state("new", None);
        assert_eq!(try_transition(Some(&current), "approved", false), Ok(()));
        assert_eq!(try_transition(Some(&current), "rejected", false), Ok(()));
    }

    #[test]
    fn a_list_of_transitions_must_have_the_target() {
        let current = review_state("new", Some(&["checked", "approved"]));
        assert_eq!(try_transition(Some(&current), "approved", false), Ok(()));
        assert_eq!(
            try_transition(Some(&current), "rejected", false),
            Err("There is no transition from the State with key 'new' to the State with key 'rejected'."
                .into())
        );
    }

    #[test]
    fn an_empty_list_is_the_end() {
        let current = review_state("new", Some(&[]));
        assert_eq!(
            try_transition(Some(&current), "approved", false),
            Err("The State with key 'new' is final, so there is no transition to the State with key 'approved'."
                .into())
        );
    }

    #[test]
    fn the_first_state_is_an_initial_one() {
        assert_eq!(try_transition(None, "new", false), Ok(()));
        assert_eq!(
            try_transition(None, "approved", false),
            Err("The State with key 'approved' cannot be the first one: it is not an initial State.".into())
        );
    }

    #[test]
    fn force_leaves_the_workflow_and_never_the_type() {
        let current = review_state("new", Some(&[]));
        assert_eq!(try_transition(Some(&current), "approved", true), Ok(()));
        assert_eq!(try_transition(None, "approved", true), Ok(()));
        for force in [false, true] {
            let error =
                transition(None, &review_state("new", None), StateTypeEnum::OrderState, force).unwrap_err();
            assert_eq!(error.code(), Code::InvalidOperation);
            assert_eq!(
                error.message(),
                "The State with key 'new' cannot be used here: its type is 'ReviewState', expected 'OrderState'."
            );
        }
    }
}
