//! Imports the settings of a project: sets each field by its update action.

use super::import_report::{DraftImportReport, FailedDraft};
use super::{ImportItem, Importer, WAITING_CODES, must_not_be_server_error};
use crate::command_response::CommandRefusal;
use crate::import_rules::{SEARCH_INDEXING, action_for, can_be_set, part_set_by};
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use icu_locale_core::LanguageIdentifier;
use kontor_json::{Map, Value, json};
use kontor_model::{Action, Kind, Model, Shape};

/// The update actions that switch searches on and off, by the member of `searchIndexing`. They are listed here because
/// their arguments do not have the names of the fields they set, so the model does not link them.
const SEARCHES: &[(&str, &str, Option<&str>)] = &[
    ("products", "changeProductSearchIndexingEnabled", Some("ProductProjectionsSearch")),
    ("productsSearch", "changeProductSearchIndexingEnabled", Some("ProductsSearch")),
    ("orders", "changeOrderSearchStatus", None),
    ("customers", "changeCustomerSearchStatus", None),
    ("businessUnits", "changeBusinessUnitSearchStatus", None),
    ("cartDiscountVisualization", "changeCartDiscountVisualizationSearchStatus", None),
];

/// A field of the settings in a file: index, name and value.
pub(crate) type SettingField = (usize, String, Value);

/// Returns the fields of the settings in a file.
pub(crate) fn fields_of(
    importer: &Importer<'_>,
    item: &ImportItem,
    report: &mut DraftImportReport,
) -> Vec<SettingField> {
    let Value::Object(fields) = &item.draft else {
        let message = "The settings of a project are an object.".to_owned();
        let refusal = CommandRefusal { code: "InvalidJsonInput".into(), message };
        report.add_failed(FailedDraft::from_refusal(importer.model.kind(item.kind), item, refusal));
        return Vec::new();
    };
    fields.iter().enumerate().map(|(index, (name, value))| (index, name.to_string(), value.clone())).collect()
}

/// Sets the fields that differ, one update each, so that a rejected one does not stop the others. Unless `is_last`,
/// returns the fields that refer to resources which do not exist yet.
pub(crate) async fn apply(
    importer: &Importer<'_>,
    item: &ImportItem,
    fields: Vec<SettingField>,
    is_last: bool,
    report: &mut DraftImportReport,
) -> anyhow::Result<Vec<SettingField>> {
    let kind = importer.model.kind(item.kind);
    let path = format!("/{}", percent_encoded(importer.project));
    let mut waiting = Vec::new();
    for (index, name, value) in fields {
        let current =
            must_not_be_server_error(importer.operator.send(Method::GET, &path, None).await?)?.accepted()?;
        let actions = match actions_for(importer.model, kind, &name, &value, &current) {
            Some(actions) if actions.is_empty() => {
                report.count(kind, |counts| counts.present += 1);
                continue;
            }
            Some(actions) => actions,
            // Other fields of an exported project, e.g. key, version and times, are not imported.
            None if importer.model.object(kind.object).field(&name).is_some() => continue,
            None => {
                let message = format!("A project has no setting '{name}'.");
                let refusal = CommandRefusal { code: "InvalidField".into(), message };
                report.add_failed(failed_draft(kind, item, index, name, refusal));
                continue;
            }
        };
        let update = json!({"version": current["version"], "actions": actions});
        match must_not_be_server_error(importer.operator.send(Method::POST, &path, Some(&update)).await?)?
            .accepted()
        {
            Ok(_) => report.count(kind, |counts| counts.created += 1),
            Err(refusal) if !is_last && WAITING_CODES.contains(&refusal.code.as_str()) => {
                waiting.push((index, name, value));
            }
            Err(refusal) => report.add_failed(failed_draft(kind, item, index, name, refusal)),
        }
    }
    Ok(waiting)
}

fn failed_draft(
    kind: &Kind,
    item: &ImportItem,
    index: usize,
    name: String,
    refusal: CommandRefusal,
) -> FailedDraft {
    FailedDraft { type_id: kind.type_id.clone(), batch: item.batch, index, name: Some(name), refusal }
}

/// Returns the actions that set a field to a value, none if it is equal; `None` if no action can set it.
fn actions_for(model: &Model, kind: &Kind, name: &str, value: &Value, current: &Value) -> Option<Vec<Value>> {
    let before = &current[name];
    if !can_be_set(model, kind, name) {
        return None;
    }
    let mut actions = Vec::new();
    let whole = action_for(model, kind, name);
    let says = |part: &str| whole.is_some_and(|(action, argument)| sends_part(model, action, argument, part));
    if let Some((action, argument)) = whole {
        let value = with_usual_tags(model, kind, name, value);
        let (before, value) = (sent_parts(before, says), sent_parts(&value, says));
        if before != value {
            actions.push(json!({"action": action.name, argument: value}));
        }
    }
    for (part, value) in value.as_object().into_iter().flatten().filter(|(part, _)| !says(part)) {
        if name == SEARCH_INDEXING {
            actions.extend(search_action(part, value, &before[part]));
            continue;
        }
        let setter = kind.actions.iter().find_map(|action| {
            let (path, argument) = part_set_by(model, action)?;
            (path == [name, part]).then_some((action, argument))
        });
        if let Some((action, argument)) = setter
            && before[part] != *value
        {
            actions.push(json!({"action": action.name, argument: value}));
        }
    }
    Some(actions)
}

/// True if the action that sets a whole field also sets this part of it.
fn sends_part(model: &Model, action: &Action, argument: &str, part: &str) -> bool {
    match model.object(action.arguments).field(argument).map(|argument| &argument.shape) {
        Some(Shape::Object(sent)) => model.object(*sent).field(part).is_some(),
        _ => true,
    }
}

/// Returns the parts of an object that an action sets; other values unchanged.
fn sent_parts(value: &Value, says: impl Fn(&str) -> bool) -> Value {
    match value {
        Value::Object(parts) => {
            let said = parts.iter().filter(|(part, _)| says(part));
            said.map(|(part, value)| (part.clone(), value.clone())).collect::<Map>().into()
        }
        value => value.clone(),
    }
}

fn search_action(part: &str, value: &Value, before: &Value) -> Option<Value> {
    let (_, action, mode) = SEARCHES.iter().find(|(name, ..)| *name == part)?;
    // A search that is still being built counts as switched on.
    let is_on = |search: &Value| search["status"].as_str().is_some_and(|status| status != "Deactivated");
    if is_on(value) == is_on(before) {
        return None;
    }
    Some(match mode {
        Some(mode) => json!({"action": action, "enabled": is_on(value), "mode": mode}),
        None => {
            let status = if is_on(value) { "Activated" } else { "Deactivated" };
            json!({"action": action, "status": status})
        }
    })
}

/// Normalizes language tags, which are case-insensitive (BCP 47), to their usual form, as drafts use it: `EN` → `en`.
fn with_usual_tags(model: &Model, kind: &Kind, name: &str, value: &Value) -> Value {
    let is_locales =
        model.object(kind.object).field(name).is_some_and(|field| *field.shape.element() == Shape::Locale);
    match value {
        Value::Array(items) if is_locales => {
            let usual = |item: &Value| {
                let tag = item.as_str().and_then(|text| LanguageIdentifier::try_from_str(text).ok());
                tag.map_or_else(|| item.clone(), |tag| json!(tag.to_string()))
            };
            Value::Array(items.iter().map(usual).collect())
        }
        value => value.clone(),
    }
}
