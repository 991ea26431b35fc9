//! Selects the calls that are made before a change is written: API Extensions with a matching trigger, and
//! the test notification of a Subscription's new destination.
//!
//! Source: reference types `ExtensionInput`, `ExtensionTrigger`, `Extension…Error`; operation "Create
//! Subscription" and action `changeDestination` (the test notification). Conversations:
//! `tests/api/extensions/`.

use crate::extension::{self, EXTENSION};
use crate::subscription::{self, SUBSCRIPTION};
use kontor_engine::document::{list, must_get, must_text};
use kontor_engine::{CallTarget, Document, ExtensionCall, ExtensionPolicy, ProposedChange, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::KindId;
use kontor_query::{MissingField, evaluate_change};
use std::cell::LazyCell;
use std::sync::Arc;
use std::time::Duration;

/// The timeout of an Extension without an explicit one, in milliseconds (reference type `ExtensionDraft`).
const TIMEOUT_MILLISECONDS_DEFAULT: u64 = 2_000;

/// The kinds whose documents stay in memory, since every change of other kinds needs them.
pub(crate) const RESIDENT_KINDS: &[&str] = &[EXTENSION, SUBSCRIPTION];

pub(crate) struct ExtensionHooks;

impl ExtensionPolicy for ExtensionHooks {
    fn is_relevant_kind(&self, kind: KindId, rules: &Rules<'_>) -> bool {
        let type_id = rules.model.kind(kind).type_id.as_str();
        type_id == SUBSCRIPTION
            || rules.resident_documents(EXTENSION).is_ok_and(|all| {
                all.iter().any(|extension| triggers_about(extension, type_id).next().is_some())
            })
    }

    fn rounds(&self) -> usize {
        extension::LAYERS_MAX
    }

    fn calls(
        &self,
        proposed: &ProposedChange<'_>,
        round: usize,
        rules: &Rules<'_>,
    ) -> ApiResult<Vec<ExtensionCall>> {
        let type_id = rules.model.kind(proposed.kind).type_id.as_str();
        let mut questions = Vec::new();
        if type_id == SUBSCRIPTION && round == 0 {
            questions.extend(subscription::test_notification(proposed, rules)?);
        }
        let all = rules.resident_documents(EXTENSION)?;
        let values = LazyCell::new(|| PredicateInput::from_change(proposed));
        let concerned = all.iter().filter(|extension| triggers_about(extension, type_id).next().is_some());
        for extension in concerned {
            if extension::call_layer(extension, &all) == round
                && is_triggered(extension, type_id, &values, rules)?
            {
                questions.push(extension_call(extension, proposed, rules)?);
            }
        }
        Ok(questions)
    }

    fn refusal_error(&self, requested: &Document, why: ApiError) -> ApiError {
        let errors: Vec<Value> = why
            .objects()
            .iter()
            .map(|object| {
                let mut error = object.to_json();
                if let Some(error) = error.as_object_mut() {
                    error.extend(extension_fields(requested, "extensionId", "extensionKey"));
                }
                error
            })
            .collect();
        let said = "The extension returned update actions that could not be executed.";
        ApiError::new(Code::ExtensionUpdateActionsFailed, said)
            .with_field("extensionErrors", Value::Array(errors))
    }
}

/// The id and the key of an Extension under these names.
pub(crate) fn extension_fields(extension: &Document, id: &str, key: &str) -> Document {
    let named = [(id, "id"), (key, "key")].into_iter();
    named.filter_map(|(name, field)| Some((name.to_owned(), extension.get(field)?.clone()))).collect()
}

/// A document before and after a change, for predicates.
struct PredicateInput {
    before: Option<Value>,
    after: Value,
}

impl PredicateInput {
    fn from_change(proposed: &ProposedChange<'_>) -> Self {
        let after = Value::Object(proposed.after.clone());
        Self { before: proposed.before.cloned().map(Value::Object), after }
    }
}

fn triggers_about<'a>(extension: &'a Document, type_id: &'a str) -> impl Iterator<Item = &'a Value> {
    list(extension, &["triggers"]).iter().filter(move |trigger| trigger["resourceTypeId"] == type_id)
}

fn is_triggered(
    extension: &Document,
    type_id: &str,
    values: &PredicateInput,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    let action = if values.before.is_none() { "Create" } else { "Update" };
    for trigger in triggers_about(extension, type_id) {
        if !trigger["actions"].as_array().into_iter().flatten().any(|named| named == action) {
            continue;
        }
        let Some(written) = trigger["condition"].as_str() else { return Ok(true) };
        let failed = |why: &str| {
            ApiError::new(Code::ExtensionPredicateEvaluationFailed, why)
                .with_field("errorByExtension", Value::Object(extension_fields(extension, "id", "key")))
        };
        let condition =
            extension::parse_condition(written, type_id, rules).map_err(|why| failed(why.message()))?;
        let is_met = evaluate_change(&condition, values.before.as_ref(), &values.after);
        if is_met
            .map_err(|MissingField(name)| failed(&format!("The compared field {name} is not present.")))?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn extension_call(
    extension: &Arc<Document>,
    proposed: &ProposedChange<'_>,
    rules: &Rules<'_>,
) -> ApiResult<ExtensionCall> {
    let type_id = &rules.model.kind(proposed.kind).type_id;
    let shown = |document: &Document| -> ApiResult<Value> {
        Ok(json!({"typeId": type_id, "id": must_get(document, &["id"])?, "obj": document}))
    };
    let mut body = Document::new();
    body.insert("action", json!(if proposed.before.is_none() { "Create" } else { "Update" }));
    body.insert("resource", shown(proposed.after)?);
    if let Some(before) = proposed.before
        && extension.get("additionalContext").is_some_and(|context| context["includeOldResource"] == true)
    {
        body.insert("oldResource", shown(before)?);
    }
    let milliseconds = extension.get("timeoutInMs").and_then(Value::as_u64);
    let paths = list(extension, &["expansionPaths"]).iter().filter_map(Value::as_str);
    Ok(ExtensionCall {
        target_document: Arc::clone(extension),
        address: CallTarget::Stored(
            extension::SECRETS.hidden_name(must_text(extension, &["id"])?),
            must_get(extension, &["destination"])?.clone(),
        ),
        body: Value::Object(body),
        expand: paths.map(str::to_owned).collect(),
        timeout: Duration::from_millis(milliseconds.unwrap_or(TIMEOUT_MILLISECONDS_DEFAULT)),
        wants_actions: true,
        correlation_id: None,
    })
}
