//! The lock of Category trees whose Stores a background task changes. Each change of the Stores or the shape of a tree
//! requires that the locks are the same when it is written.
//!
//! Source: release note of 22 October 2026.

use kontor_engine::document::list;
use kontor_engine::{Effects, Put, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Kind and id of the hidden document with the ids of the locked Categories; all below them are locked, too.
pub(super) const RUNNING: &str = "category-stores-running";
const ROOTS: &str = "roots";

/// Refuses a change of one of these Categories while a background task changes its Stores.
pub(super) fn admit_at_rest<'a>(ids: impl Iterator<Item = &'a str>, rules: &Rules<'_>) -> ApiResult<()> {
    let roots = running(rules)?;
    if roots.is_empty() {
        return Ok(());
    }
    let mut ids = ids;
    match ids.find(|id| roots.iter().any(|root| root == id)) {
        Some(id) => Err(ongoing(id)),
        None => Ok(()),
    }
}

/// The error of a change that has to wait for a background task.
pub(super) fn ongoing(id: &str) -> ApiError {
    ApiError::invalid_operation(format!(
        "The Stores of the Category '{id}' and of its descendants are being changed. Try again later."
    ))
}

/// Returns the ids of the Categories whose trees are being changed. The commit requires that they are the same.
pub(super) fn running(rules: &Rules<'_>) -> ApiResult<Vec<Value>> {
    let found = rules.hidden_document(RUNNING, RUNNING)?;
    Ok(found.map(|found| list(&found.document, &[ROOTS]).to_vec()).unwrap_or_default())
}

pub(super) fn put_running(roots: Vec<Value>, effects: &mut Effects) {
    effects.put_hidden(Put {
        kind: RUNNING.to_owned(),
        id: RUNNING.to_owned(),
        version: 1,
        body: json!({"id": RUNNING, "roots": roots}).to_string().into(),
        ..Put::default()
    });
}
