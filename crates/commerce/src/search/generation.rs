//! The generation number of index entries: when it changes, all entries are rebuilt.

use super::languages::indexed_languages;
use kontor_engine::Document;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Returns a hash of all inputs of the conversion except the documents: the version of the code, the languages of the
/// project, and `more`.
pub(super) fn generation(code: u64, project: &Document, more: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (code, indexed_languages(project), more).hash(&mut hasher);
    hasher.finish()
}
