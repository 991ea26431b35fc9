//! Sends the update actions that follow a draft, e.g. for changes of a product that are only staged.
//!
//! After an interruption between creation and update, the next import finds a resource that is unchanged since its
//! creation, and sends the actions.

use super::{Importer, Item, Outcome, answered, apart};
use crate::reply::Refusal;
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::Kind;
use kontor_model::limits::ACTIONS_MAX;

/// True if the actions of an item have not been sent yet.
pub(super) fn is_open(item: &Item, found: &Value) -> bool {
    !item.actions.is_empty() && apart::is_as_created(found)
}

/// Sends the actions of an item to its new resource. Returns `None` if all succeed.
pub(super) async fn send(
    importer: &Importer<'_>,
    kind: &Kind,
    item: &Item,
    created: &Value,
) -> anyhow::Result<Option<Outcome>> {
    let Some(place) = importer.address_of(kind, item, created) else { return Ok(None) };
    let mut version = created["version"].clone();
    for actions in item.actions.chunks(ACTIONS_MAX) {
        let update = json!({"version": version, "actions": actions});
        match answered(importer.operator.send(Method::POST, &place, Some(&update)).await?)?.accepted() {
            Ok(after) => version = after["version"].clone(),
            Err(refusal) => return Ok(Some(Outcome::Refused(cut_short(refusal)))),
        }
    }
    Ok(None)
}

/// Adds to an error that the resource exists, and only the later actions failed.
pub(super) fn cut_short(mut refusal: Refusal) -> Refusal {
    refusal.message =
        format!("The resource was created, but update actions after its draft failed: {}", refusal.message);
    refusal
}
