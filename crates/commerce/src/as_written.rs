//! A document that is about to be written, as those are shown it who are asked before.

use kontor_engine::document::must_get;
use kontor_engine::{Document, Proposed, Rules};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// The document with the version and the times that it will have.
pub(crate) fn as_written(proposed: &Proposed<'_>, rules: &Rules<'_>) -> ApiResult<Document> {
    let mut document = proposed.after.clone();
    let version = proposed.before.and_then(|before| before.get("version")).and_then(Value::as_i64);
    let now = rules.time();
    let mut all = Document::new();
    all.insert("id".into(), must_get(&document, &["id"])?.clone());
    all.insert("version".into(), json!(version.map_or(1, |version| version + 1)));
    all.insert("createdAt".into(), document.get("createdAt").cloned().unwrap_or_else(|| json!(now)));
    all.insert("lastModifiedAt".into(), json!(now));
    for name in ["id", "version", "createdAt", "lastModifiedAt"] {
        document.shift_remove(name);
    }
    all.extend(document);
    Ok(all)
}
