//! Determines which languages of a project are indexed.

use kontor_engine::Document;
use kontor_engine::document::list;
use kontor_json::Value;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// The default languages of a Project. Document B, "Limits".
const DEFAULT: [&str; 13] =
    ["en", "en-GB", "en-CA", "en-US", "en-AU", "de", "de-DE", "es", "se", "fi", "da", "fr", "fr-FR"];

/// The languages of a Project. Texts in others are not indexed.
pub(super) fn indexed_languages(project: &Document) -> Vec<Arc<str>> {
    let set: Vec<Arc<str>> =
        list(project, &["languages"]).iter().filter_map(Value::as_str).map(Arc::from).collect();
    if set.is_empty() { DEFAULT.into_iter().map(Arc::from).collect() } else { set }
}

/// Returns a hash of all inputs of the conversion except the documents: the version of the code, the languages of the
/// project, and `more`.
pub(super) fn generation(code: u64, project: &Document, more: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (code, indexed_languages(project), more).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::object;
    use kontor_json::json;

    #[test]
    fn a_project_without_languages_has_the_documented_ones() {
        assert_eq!(indexed_languages(&object(json!({"languages": ["it"]}))), [Arc::from("it")]);
        assert_eq!(indexed_languages(&object(json!({"languages": []}))).len(), 13);
    }
}
