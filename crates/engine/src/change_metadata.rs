//! The fields of a document that describe its last change: version, times, and author.

use crate::document::{Document, version_of};
use crate::rules::Rules;
use kontor_json::{Value, json};
use kontor_model::KindId;

/// The metadata of a change of a document.
pub(crate) struct ChangeMetadata<'a> {
    /// The stored document; `None` for a creation.
    pub(crate) before: Option<&'a Document>,
    /// The version that a new document begins with.
    pub(crate) first_version: i64,
    pub(crate) is_new_version: bool,
    /// The author; `None` if unknown.
    pub(crate) by: Option<&'a Value>,
}

impl ChangeMetadata<'_> {
    /// Sets version, times and author in the document that will be written.
    pub(crate) fn stamp(&self, kind: KindId, after: &mut Document, rules: &Rules<'_>) {
        let object = rules.model.object(rules.model.kind(kind).object);
        let has = |name: &str| object.field(name).is_some();
        let version = self
            .before
            .map_or(self.first_version, |before| version_of(before) + i64::from(self.is_new_version));
        after.insert("version", json!(version));
        let now = json!(rules.time());
        if self.before.is_none() && has("createdAt") {
            after.insert("createdAt", now.clone());
        }
        if self.is_new_version && has("lastModifiedAt") {
            after.insert("lastModifiedAt", now);
        }
        let Some(by) = self.by else { return };
        if self.before.is_none() && has("createdBy") {
            after.insert("createdBy", by.clone());
        }
        if self.is_new_version && has("lastModifiedBy") {
            after.insert("lastModifiedBy", by.clone());
        }
    }
}
