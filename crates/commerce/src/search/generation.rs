//! The number that triggers a rebuild of all entries when it changes.

use super::languages::languages;
use kontor_engine::Document;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A number for what entries are made by: the code that makes them, the languages of the project, and whatever else
/// the fields follow from.
pub(super) fn generation(code: u64, project: &Document, more: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (code, languages(project), more).hash(&mut hasher);
    hasher.finish()
}
