//! A document that is about to be written, as those are shown it who are asked before.

use kontor_engine::document::must_get;
use kontor_engine::{Document, Proposed, Rules};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// The document with the version and the times that it will have.
pub(crate) fn as_written(proposed: &Proposed<'_>, rules: &Rules<'_>) -> ApiResult<Document> {
    let version = proposed.before.and_then(|before| before.get("version")).and_then(Value::as_i64);
    let now = rules.time();
    let created_at = proposed.after.get("createdAt").cloned();
    let first = [
        ("id", must_get(proposed.after, &["id"])?.clone()),
        ("version", json!(version.map_or(1, |version| version + 1))),
        ("createdAt", created_at.unwrap_or_else(|| json!(now))),
        ("lastModifiedAt", json!(now)),
    ];
    let is_first = |name: &str| first.iter().any(|(known, _)| *known == name);
    let others = proposed.after.iter().filter(|(name, _)| !is_first(name));
    let others = others.map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>();
    let all = first.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(others);
    Ok(Document::of_different(all.collect()))
}
