//! The update actions that follow a draft: what a Product has on its staged side alone, which variants are gone.
//!
//! An import that was cut off between the two finds a resource that nobody has changed since it was created, and goes on.

use super::{Importer, Item, Outcome, answered, apart};
use crate::reply::Refusal;
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::Kind;
use kontor_model::limits::ACTIONS_MAX;

/// True where the actions of an item have not been sent yet.
pub(super) fn is_open(item: &Item, found: &Value) -> bool {
    !item.actions.is_empty() && apart::is_as_created(found)
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
            Err(refusal) => return Ok(Some(Outcome::Refused(cut_short(refusal)))),
        }
    }
    Ok(None)
}

/// Says of a refusal that it concerns what was to follow alone.
pub(super) fn cut_short(mut refusal: Refusal) -> Refusal {
    refusal.message = format!("It is there, without what was to follow its draft: {}", refusal.message);
    refusal
}
