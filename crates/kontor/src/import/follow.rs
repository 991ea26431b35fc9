//! The update actions that follow a draft: what a Product has on its staged side alone, which variants are gone.
//!
//! An import that was cut off between the two finds a resource that nobody has changed since it was created, and goes on.

use super::{Importer, Item, Outcome, answered};
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::Kind;
use kontor_model::limits::ACTIONS_MAX;

/// True where the actions of an item have not been sent yet.
pub(super) fn is_open(item: &Item, found: &Value) -> bool {
    !item.actions.is_empty() && found["createdAt"] == found["lastModifiedAt"]
}

/// Sends the actions of an item to a resource as it was created.
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
            Err(mut refusal) => {
                refusal.message = format!("It is there, without its staged changes: {}", refusal.message);
                return Ok(Some(Outcome::Refused(refusal)));
            }
        }
    }
    Ok(None)
}
