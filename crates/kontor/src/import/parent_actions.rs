//! Imports documents that only update actions of another document create, e.g. assignments of products to a product
//! selection.
//!
//! The draft has the fields of the document, including the reference to its parent. Actions for an existing document
//! change nothing, so an interrupted import can be repeated.

use super::{ImportItem, ImportOutcome, Importer, must_not_be_server_error};
use crate::command_response::CommandRefusal;
use crate::import_rules::creating_actions;
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_json::{Map, Value, json};
use kontor_model::Kind;

/// How often an update is retried after a conflict with another update.
const ATTEMPTS_MAX: usize = 20;

/// Creates the document of a draft by the first action that the server accepts.
pub(super) async fn import_by_action(
    importer: &Importer<'_>,
    kind: &Kind,
    item: &ImportItem,
) -> anyhow::Result<ImportOutcome> {
    let Some(list) = kind.lists.first() else {
        return refused_outcome("InvalidOperation", "No resource lists it.");
    };
    let parent = importer.model.kind(list.parent);
    let reference = &item.draft[list.by.as_str()];
    let address = match (reference["key"].as_str(), reference["id"].as_str()) {
        (Some(key), _) => format!("key={}", percent_encoded(key)),
        (None, Some(id)) => percent_encoded(id),
        (None, None) => {
            return refused_outcome(
                "InvalidField",
                &format!("The draft must name its '{}' by key or id.", list.by),
            );
        }
    };
    let path = format!("{}/{address}", importer.addresses().all(parent)?);
    let mut last =
        CommandRefusal { code: "InvalidOperation".into(), message: "No update action creates it.".into() };
    for _ in 0..ATTEMPTS_MAX {
        let found = match must_not_be_server_error(importer.operator.send(Method::GET, &path, None).await?)?
            .accepted()
        {
            Ok(found) => found,
            Err(refusal) => return Ok(ImportOutcome::Refused(refusal)),
        };
        let mut is_overtaken = false;
        for action in creating_actions(kind) {
            let Some(sent) = action_of(importer, parent, action, &list.by, &item.draft) else { continue };
            let update = json!({"version": found["version"], "actions": [sent]});
            match must_not_be_server_error(importer.operator.send(Method::POST, &path, Some(&update)).await?)?
                .accepted()
            {
                Ok(after) if after["version"] == found["version"] => return Ok(ImportOutcome::Present),
                Ok(_) => return Ok(ImportOutcome::Created),
                Err(refusal) if refusal.code == "ConcurrentModification" => {
                    is_overtaken = true;
                    last = refusal;
                    break;
                }
                // Another action may fit.
                Err(refusal) => last = refusal,
            }
        }
        if !is_overtaken {
            break;
        }
    }
    Ok(ImportOutcome::Refused(last))
}

/// Returns the action with the fields of a draft; `None` if it lacks an argument for one of them.
fn action_of(importer: &Importer<'_>, parent: &Kind, name: &str, by: &str, draft: &Value) -> Option<Map> {
    let action = parent.actions.iter().find(|action| action.name == name)?;
    let arguments = importer.model.object(action.arguments);
    let mut sent = Map::new();
    sent.insert("action", json!(name));
    for (field, value) in draft.as_object()?.iter().filter(|(field, _)| *field != by) {
        arguments.field(field)?;
        sent.insert(field.clone(), value.clone());
    }
    Some(sent)
}

fn refused_outcome(code: &str, message: &str) -> anyhow::Result<ImportOutcome> {
    Ok(ImportOutcome::Refused(CommandRefusal { code: code.into(), message: message.into() }))
}
