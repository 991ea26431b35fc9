//! Imports drafts that refer to each other in a cycle, e.g. states of a workflow: `open` leads to `blocked`, and
//! `blocked` to `open`. None can be created while all of its targets exist.
//!
//! They are created without the list of references, and get it by an update action once all are created. After an
//! interruption between the two, the next import finds the incomplete resources and completes them.

use super::import_report::{DraftImportReport, FailedDraft};
use super::{
    ImportItem, ImportOutcome, Importer, deferred_fields, follow_up_actions, must_not_be_server_error,
};
use crate::command_response::CommandRefusal;
use crate::import_rules;
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::{Field, Kind, KindId, Model, Shape, Verb};
use std::collections::HashSet;

/// Returns the fields with lists of references to the same resource type that can be set after creation.
fn deferrable_lists<'a>(model: &'a Model, kind: &'a Kind) -> impl Iterator<Item = &'a Field> {
    let own = model.kind_by_type_id(&kind.type_id);
    let fields = kind.draft.map(|draft| model.object(draft).fields.as_slice()).unwrap_or_default();
    fields.iter().filter(move |field| {
        let refers_to_own = match (&field.shape, field.shape.element()) {
            (Shape::List(_), Shape::Identifier(targets)) => {
                own.is_some_and(|own| targets.single() == Some(own))
            }
            _ => false,
        };
        refers_to_own && !field.required && action_for(model, kind, field).is_some()
    })
}

fn action_for(model: &Model, kind: &Kind, field: &Field) -> Option<(String, String)> {
    let [path] = field.stored_path()[..] else { return None };
    let (action, argument) = import_rules::action_for(model, kind, path)?;
    matches!(&action.verb, Some(Verb::Set { within }) if within.is_empty())
        .then(|| (action.name.clone(), argument.to_owned()))
}

/// Returns the actions that complete a resource which was created without its lists or deferred fields; `None` if it is
/// complete.
pub(crate) fn missing_actions(
    model: &Model,
    kind: &Kind,
    draft: &Value,
    found: &Value,
) -> Option<Vec<Value>> {
    let mut actions = Vec::new();
    for field in deferrable_lists(model, kind) {
        let given =
            draft.get(&field.name).filter(|given| given.as_array().is_some_and(|list| !list.is_empty()));
        let [path] = field.stored_path()[..] else { continue };
        if let (Some(given), None, Some((action, argument))) =
            (given, found.get(path), action_for(model, kind, field))
        {
            actions.push(json!({"action": action, argument: given}));
        }
    }
    if deferred_fields::is_as_created(found) {
        actions.extend(deferred_fields::missing_field_actions(kind, draft, found));
    }
    (!actions.is_empty()).then_some(actions)
}

/// Creates the drafts that wait only for each other. Returns the others.
pub(crate) async fn create_cycle(
    importer: &Importer<'_>,
    waiting: Vec<(ImportItem, CommandRefusal)>,
    report: &mut DraftImportReport,
    incomplete: &mut Vec<(ImportItem, bool)>,
) -> anyhow::Result<Vec<(ImportItem, CommandRefusal)>> {
    let mut circle: HashSet<(KindId, String)> =
        waiting.iter().filter_map(|(item, _)| Some((item.kind, key_of(item)?))).collect();
    // Removes drafts that wait for something else, then those that wait for them, until none is left to remove.
    loop {
        let mut outside = Vec::new();
        for (item, _) in &waiting {
            let Some(own) = key_of(item).map(|key| (item.kind, key)).filter(|own| circle.contains(own))
            else {
                continue;
            };
            if !waits_inside(importer, item, &circle).await? {
                outside.push(own);
            }
        }
        if outside.is_empty() {
            break;
        }
        for own in outside {
            circle.remove(&own);
        }
    }
    let mut others = Vec::new();
    for (item, refusal) in waiting {
        if !key_of(&item).is_some_and(|key| circle.contains(&(item.kind, key))) {
            others.push((item, refusal));
            continue;
        }
        let kind = importer.model.kind(item.kind);
        let mut draft = item.draft.clone();
        if let Some(draft) = draft.as_object_mut() {
            for field in deferrable_lists(importer.model, kind) {
                draft.shift_remove(&field.name);
            }
        }
        match importer.create(kind, &item, &draft).await? {
            Ok(_) => incomplete.push((item, true)),
            Err(refusal) => report.add_failed(FailedDraft::from_refusal(kind, &item, refusal)),
        }
    }
    Ok(others)
}

/// True if each target of the lists is in the cycle or exists.
async fn waits_inside(
    importer: &Importer<'_>,
    item: &ImportItem,
    circle: &HashSet<(KindId, String)>,
) -> anyhow::Result<bool> {
    let kind = importer.model.kind(item.kind);
    let mut has_lists = false;
    for field in deferrable_lists(importer.model, kind) {
        for target in item.draft.get(&field.name).and_then(Value::as_array).into_iter().flatten() {
            has_lists = true;
            let key = target.get("key").and_then(Value::as_str).map(str::to_owned);
            if key.as_ref().is_some_and(|key| circle.contains(&(item.kind, key.clone()))) {
                continue;
            }
            let id = target.get("id").and_then(Value::as_str).map(str::to_owned);
            let target = ImportItem { draft: json!({"key": key}), id, ..item.clone() };
            if importer.find(kind, &target).await?.is_none() {
                return Ok(false);
            }
        }
    }
    Ok(has_lists)
}

/// Completes resources that this import, or an interrupted one, created without some fields.
pub(crate) async fn complete_all(
    importer: &Importer<'_>,
    incomplete: Vec<(ImportItem, bool)>,
    report: &mut DraftImportReport,
) -> anyhow::Result<()> {
    for (item, is_new) in incomplete {
        let kind = importer.model.kind(item.kind);
        match complete_one(importer, kind, &item).await? {
            ImportOutcome::Refused(refusal) => {
                report.add_failed(FailedDraft::from_refusal(kind, &item, refusal))
            }
            _ if is_new => report.count(kind, |counts| counts.created += 1),
            _ => report.count(kind, |counts| counts.present += 1),
        }
        importer.progress.inc(1);
    }
    Ok(())
}

async fn complete_one(
    importer: &Importer<'_>,
    kind: &Kind,
    item: &ImportItem,
) -> anyhow::Result<ImportOutcome> {
    // The resource exists now, so its draft may mention its own id.
    let nameless = ImportItem { label: None, ..item.clone() };
    let mut named = match importer.labels.translate(importer, &nameless).await? {
        Ok(named) => named,
        Err(refusal) => return Ok(ImportOutcome::Refused(follow_up_actions::actions_failed(refusal))),
    };
    let here = importer.labels.new_id(item.label.as_deref());
    let path =
        importer.address(kind, &named).or_else(|| here.and_then(|id| importer.by_id(kind, &named, &id)));
    let found = match path {
        Some(path) => {
            must_not_be_server_error(importer.operator.send(Method::GET, &path, None).await?)?.accepted().ok()
        }
        None => None,
    };
    let Some(found) = found else {
        let message = "It was removed while it was imported.".to_owned();
        return Ok(ImportOutcome::Refused(CommandRefusal { code: "ResourceNotFound".into(), message }));
    };
    let mut actions = missing_actions(importer.model, kind, &named.draft, &found).unwrap_or_default();
    if follow_up_actions::has_unsent_actions(&named, &found) {
        actions.append(&mut named.actions);
    }
    let complete = ImportItem { actions, ..named };
    Ok(follow_up_actions::send_actions(importer, kind, &complete, &found)
        .await?
        .unwrap_or(ImportOutcome::Present))
}

fn key_of(item: &ImportItem) -> Option<String> {
    item.draft.get("key").and_then(Value::as_str).map(str::to_owned)
}
