//! Runs rules without a storage, for tests: the result of a draft, or of actions on a document.

use crate::caller::Caller;
use crate::document::Document;
use crate::effects::Effects;
use crate::rules::Rules;
use crate::{action_parser, associate, create, update};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, Operation, Validator};
use kontor_storage::{Precondition, Write};

/// A message that a change would write: its name, and its own fields.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialMessage {
    /// The value of its field `type`.
    pub name: String,
    /// Its fields. A field for the whole document is still `null`.
    pub fields: Document,
}

/// Returns the document of a draft, without the fields that the storage adds (version, times). Fails like
/// [`Shop::create`](crate::Shop::create), except for errors of the commit.
pub fn create_document(
    kind: KindId,
    mut draft: Value,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    let shape = rules
        .bounds
        .draft(rules.model.kind(kind))
        .ok_or_else(|| ApiError::bug("a kind without a draft is created"))?;
    Validator::new(rules.model).object(shape, &mut draft, "")?;
    let Value::Object(draft) = draft else {
        return Err(ApiError::bug("a draft that the model admitted is no object"));
    };
    create::build_document(kind, None, &draft, None, rules, effects)
}

/// Returns the document after actions, with its messages. Fails like [`Shop::update`](crate::Shop::update), except for
/// the version and errors of the commit.
pub fn update_document(
    kind: KindId,
    before: &Document,
    actions: Vec<Value>,
    caller: &Caller,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<(Document, Vec<TrialMessage>)> {
    let actions = actions
        .into_iter()
        .enumerate()
        .map(|(index, action)| action_parser::parse_action(action, index, kind, caller, rules.model))
        .collect::<ApiResult<Vec<_>>>()?;
    let (after, pending) = update::apply_and_settle(kind, &actions, before, caller, rules, effects)?;
    let messages = pending.into_iter().map(|pending| TrialMessage {
        name: rules.model.message(pending.message).name.clone(),
        fields: pending.fields,
    });
    Ok((after, messages.collect()))
}

/// Checks whether an associate may perform an operation on a stored document. Fails with 403
/// `AssociateMissingPermission` otherwise.
pub fn authorize(
    kind: KindId,
    document: &Document,
    operation: Operation,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    associate::authorize(kind, document, operation, rules)
}

/// Checks whether an associate may query documents of a kind. Fails with 403 `AssociateMissingPermission` otherwise.
pub fn authorize_query(kind: KindId, rules: &Rules<'_>) -> ApiResult<()> {
    associate::visibility_condition(kind, rules).map(drop)
}

/// Returns the other documents that effects change.
pub fn changed_documents(effects: &Effects) -> Vec<Document> {
    let mut effects = effects.clone();
    std::iter::from_fn(|| effects.next_change()).map(|change| change.after).collect()
}

/// Takes the preconditions collected so far.
pub fn take_preconditions(rules: &Rules<'_>) -> Vec<Precondition> {
    rules.take_requirements()
}

/// Returns the writes apart from changed documents: hidden documents, and settings. Fails if a hidden document is
/// larger than 16 MiB, or if a needed document cannot be read.
pub fn effect_writes(effects: Effects, rules: &Rules<'_>) -> ApiResult<Vec<Write>> {
    crate::effect_writes::effect_writes(effects, rules)
}

/// Returns the settings that would be written.
pub fn settings(effects: &Effects) -> &[(String, Option<String>)] {
    effects.settings()
}
