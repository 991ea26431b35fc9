//! Runs update actions, one after the other: those of a request, and stored staged actions.

use crate::action_context::{ActionContext, ActionHandler, VerbContext};
use crate::caller::Caller;
use crate::document::Document;
use crate::effects::Effects;
use crate::failed_action::add_failed_action;
use crate::pending_messages::PendingMessage;
use crate::rules::Rules;
use crate::staged_result::StagedResult;
use crate::{convert, verb};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::{Action, KindId, Verb};

/// The source of update actions.
#[derive(Clone, Copy)]
pub(crate) enum ActionSource<'a> {
    /// A request.
    Request,
    /// Stored staged actions of a document, which belong to this set of the model.
    Staged(&'a kontor_model::StagedActionSet),
}

/// The implementation of an action.
enum ActionImplementation<'a> {
    Verb(&'a Verb),
    Rust(ActionHandler),
}

impl<'a> ActionSource<'a> {
    /// The field of the body or of the document that holds them.
    fn field(self) -> &'static str {
        match self {
            Self::Request => "actions",
            Self::Staged(_) => "stagedActions",
        }
    }

    fn action(
        self,
        kind: KindId,
        name: &str,
        rules: &'a Rules<'_>,
    ) -> ApiResult<(&'a Action, ActionImplementation<'a>)> {
        let unknown = || ApiError::bug("a validated action does not exist in the kind");
        let (action, handler) = match self {
            Self::Request => {
                let action = rules.bounds.action(rules.model.kind(kind), name).ok_or_else(unknown)?;
                let handler = || rules.behaviours.handler_in_scope(rules.bounds, kind, name);
                (action, if action.verb.is_some() { None } else { handler() })
            }
            Self::Staged(set) => {
                let action = set.action(name).ok_or_else(unknown)?;
                (action, rules.behaviours.staged_handler(set, action))
            }
        };
        match (handler, &action.verb) {
            (Some(handler), _) => Ok((action, ActionImplementation::Rust(handler))),
            (None, Some(verb)) => Ok((action, ActionImplementation::Verb(verb))),
            // The join at start-up has seen a verb or a handler for every action.
            (None, None) => Err(ApiError::bug(format!("the action {name} has neither a verb nor a handler"))),
        }
    }
}

/// Applies validated actions to a document, in order. Returns the document, which is not settled yet, and the
/// messages of the actions.
pub(crate) fn apply_actions(
    (kind, source): (KindId, ActionSource<'_>),
    actions: &[(String, Document)],
    before: &Document,
    caller: &Caller,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<(Document, Vec<PendingMessage>)> {
    let (mut after, mut pending) = (before.clone(), Vec::new());
    for (index, (name, arguments)) in actions.iter().enumerate() {
        let place = format!("{}[{index}]", source.field());
        let (action, doer) = source.action(kind, name, rules)?;
        let done = rules.with_changed(kind, &mut after, |document| match doer {
            ActionImplementation::Verb(verb) => {
                let unchanged = Some(before).filter(|_| index == 0);
                let verb_context = VerbContext { action, arguments, rules, place: &place, unchanged };
                verb::apply_action(kind, verb, document, &verb_context, &mut pending)
            }
            ActionImplementation::Rust(handle) => {
                let resolved = resolve_arguments(action, arguments, document, rules)?;
                let mut context = ActionContext {
                    document,
                    rules,
                    effects: &mut *effects,
                    action,
                    place: &place,
                    caller,
                    messages: &mut pending,
                };
                handle(&mut context, &resolved)
            }
        });
        done.map_err(|error| match source {
            ActionSource::Request => add_failed_action(error, index, name, (action, arguments), rules.model),
            ActionSource::Staged(_) => error,
        })?;
    }
    Ok((after, pending))
}

/// Returns the arguments of an action with keys replaced by ids.
fn resolve_arguments(
    action: &Action,
    arguments: &Document,
    document: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let mut resolved = arguments.clone();
    for field in &rules.model.object(action.arguments).fields {
        let Some(value) = resolved.get_mut(&field.name) else { continue };
        let given = arguments.get(&field.name);
        *value = match (convert::resolve_identifiers(&field.shape, value.take(), rules), given) {
            (Err(error), Some(Value::Object(identifier)))
                if error.code() == Code::ReferencedResourceNotFound =>
            {
                rules.resolve_argument(identifier, document).map_err(|_| error)?
            }
            (resolved, _) => resolved?,
        };
    }
    Ok(resolved)
}

impl Rules<'_> {
    /// Applies stored staged actions of one document to another: all of them or, if one is refused, none.
    /// They belong to the set of this name in the model and were validated when they were sent. The document
    /// is not settled, and nothing is written.
    pub fn apply_staged_actions(
        &self,
        set: &str,
        document: &Document,
        actions: &[Value],
        effects: &mut Effects,
    ) -> ApiResult<StagedResult> {
        let unknown = || ApiError::bug(format!("the model has no staged actions {set}"));
        let set = self.model.staged_by_name(set).ok_or_else(unknown)?;
        let mut named = Vec::with_capacity(actions.len());
        for action in actions {
            let mut arguments = action.as_object().cloned().unwrap_or_default();
            match arguments.shift_remove("action") {
                Some(Value::String(name)) => named.push((name, arguments)),
                _ => return Err(ApiError::bug("a stored action without its name")),
            }
        }
        let done = (set.of, ActionSource::Staged(set));
        let (document, pending) = apply_actions(done, &named, document, &Caller::default(), self, effects)?;
        Ok(StagedResult { document, pending })
    }
}
