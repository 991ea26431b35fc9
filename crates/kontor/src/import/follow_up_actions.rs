//! Sends the update actions that follow a draft, e.g. for changes of a product that are only staged.
//!
//! After an interruption between creation and update, the next import finds a resource that is unchanged since its
//! creation, and sends the actions.

use super::{ImportItem, ImportOutcome, Importer, deferred_fields, must_not_be_server_error};
use crate::command_response::CommandRefusal;
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::Kind;
use kontor_model::limits::ACTIONS_MAX;

/// True if the actions of an item have not been sent yet.
pub(super) fn has_unsent_actions(item: &ImportItem, found: &Value) -> bool {
    !item.actions.is_empty() && deferred_fields::is_as_created(found)
}

/// Sends the actions of an item to its new resource. Returns `None` if all succeed.
pub(super) async fn send_actions(
    importer: &Importer<'_>,
    kind: &Kind,
    item: &ImportItem,
    created: &Value,
) -> anyhow::Result<Option<ImportOutcome>> {
    let Some(place) = importer.address_of(kind, item, created) else { return Ok(None) };
    let mut version = created["version"].clone();
    for actions in item.actions.chunks(ACTIONS_MAX) {
        let update = json!({"version": version, "actions": actions});
        match must_not_be_server_error(importer.operator.send(Method::POST, &place, Some(&update)).await?)?
            .accepted()
        {
            Ok(after) => version = after["version"].clone(),
            Err(refusal) => return Ok(Some(ImportOutcome::Refused(actions_failed(refusal)))),
        }
    }
    Ok(None)
}

/// Adds to an error that the resource exists, and only the later actions failed.
pub(super) fn actions_failed(mut refusal: CommandRefusal) -> CommandRefusal {
    refusal.message =
        format!("The resource was created, but update actions after its draft failed: {}", refusal.message);
    refusal
}
