//! The trait of searchable resource types, implemented by rules.

use crate::document::Document;
use crate::rules::Rules;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_search::{SearchEntry, SearchableFields};
use std::sync::Arc;

/// Access to the content of an index, by the ids of its entries. The field is one that can be searched by its name
/// alone, or one of [`SearchableFields::own`].
pub trait IndexContent {
    /// Returns the entries that have a value at a field.
    fn ids_with(&self, field: &str, value: &str) -> ApiResult<Vec<String>>;

    /// Returns all entries that do not have it.
    fn ids_without(&self, field: &str, value: &str) -> ApiResult<Vec<String>>;
}

/// A kind of resource that can be searched. Implemented next to its rules, and called by the indexer.
///
/// The calls are pure: documents are read through [`Rules`], the time is [`Rules::now`].
pub trait Searchable: Send + Sync {
    /// Returns the name of the search for operators: the index's folder, metrics, the log. E.g. `products`.
    fn name(&self) -> &'static str;

    /// The setting in the Project's `searchIndexing` that turns the search on, e.g. `productsSearch`.
    fn setting(&self) -> &'static str;

    /// The `typeId` of the resources that it finds, e.g. `product`.
    fn kind(&self) -> &'static str;

    /// The value of the header `x-ab-test-id` of the requests that this search handles in place of the usual one with
    /// the same setting; `None` for the usual one.
    fn ab_test_id(&self) -> Option<&'static str> {
        None
    }

    /// Whether a Project with these settings has the search, if its setting turns it on.
    fn is_for(&self, _project: &Document) -> bool {
        true
    }

    /// The path of an object in documents that entries do not need; empty if there is none. [`entry`](Self::entry)
    /// may get documents without it.
    fn ignored_paths(&self) -> &'static [&'static str] {
        &[]
    }

    /// The `typeId`s of other resources whose changes affect entries. Their changes and those of the Project are
    /// passed to [`affected_entries`](Self::affected_entries).
    fn sources(&self) -> &'static [&'static str];

    /// Returns the searchable fields.
    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn SearchableFields>>;

    /// The `typeId`s of documents, apart from the Project, whose changes may affect [`fields`](Self::fields) or
    /// [`generation`](Self::generation).
    fn shapes(&self) -> &'static [&'static str];

    /// The update action of the Project that turns this search off.
    fn deactivation(&self) -> Value;

    /// Returns a number that changes whenever all entries must be rebuilt: when the languages of the project
    /// or the code that makes entries have changed.
    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64>;

    /// Returns the index entry of a resource; `None` if it is not searchable, e.g. an unpublished Product.
    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<SearchEntry>>;

    /// Returns the ids of the resources whose entries a change of another document affects: by its earlier state
    /// (from the index, `content`), and by its current state. The document with `id` may have been deleted.
    fn affected_entries(
        &self,
        kind: &str,
        id: &str,
        rules: &Rules<'_>,
        content: &dyn IndexContent,
    ) -> ApiResult<Vec<String>>;
}
