//! The trait of searchable resource types, implemented by rules.

use crate::document::Document;
use crate::rules::Rules;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_search::{Entry, Fields};
use std::sync::Arc;

/// Access to the content of an index, by the ids of the entries. The field is one that can be searched by its
/// name alone, or one of [`Fields::own`].
pub trait Holdings {
    /// The entries that have a value at a field.
    fn with(&self, field: &str, value: &str) -> ApiResult<Vec<String>>;

    /// All others.
    fn without(&self, field: &str, value: &str) -> ApiResult<Vec<String>>;
}

/// A kind of resource that can be searched. Implemented where its rules are; the keeper of the indexes calls it.
///
/// The calls are pure: documents are read through [`Rules`], the time is [`Rules::now`].
pub trait Searchable: Send + Sync {
    /// Returns the name of the search for operators: the index's folder, metrics, the log. E.g. `products`.
    fn name(&self) -> &'static str;

    /// The setting in the Project's `searchIndexing` that turns it on: `productsSearch`.
    fn setting(&self) -> &'static str;

    /// The type id of the resources that are found: `product`.
    fn kind(&self) -> &'static str;

    /// The path of an object in documents that no entry is made of; empty: there is none. [`entry`](Self::entry) may be given
    /// documents without it.
    fn unread(&self) -> &'static [&'static str] {
        &[]
    }

    /// The type ids of other resources whose changes concern entries. Changes of Project and of these are handed to
    /// [`concerned`](Self::concerned).
    fn sources(&self) -> &'static [&'static str];

    /// Returns the searchable fields.
    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn Fields>>;

    /// The type ids of documents whose changes may give other [`fields`](Self::fields) or another
    /// [`generation`](Self::generation), apart from the Project.
    fn shapes(&self) -> &'static [&'static str];

    /// The update action of the Project that turns this search off.
    fn deactivation(&self) -> Value;

    /// Returns a number that changes whenever all entries must be rebuilt: when the languages of the project
    /// or the code that makes entries have changed.
    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64>;

    /// The entry of a resource; `None` where it is not to be found, as a Product that is not published.
    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<Entry>>;

    /// The ids of the resources whose entries a change of another document concerns, as it was before (found by the index,
    /// `held`) and as it is now. `id` may be that of a document that is gone.
    fn concerned(
        &self,
        kind: &str,
        id: &str,
        rules: &Rules<'_>,
        held: &dyn Holdings,
    ) -> ApiResult<Vec<String>>;
}
