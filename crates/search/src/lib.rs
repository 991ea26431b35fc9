//! Search: the query language, the form of index entries, and the index.
//!
//! A search index is derived data. Its worker turns documents into [`SearchEntry`]s and applies them together with
//! their position in the change log ([`SearchIndex::apply`]); an index may be discarded and rebuilt. A
//! request is parsed against the [`SearchableFields`] of its resource type, becomes an [`IndexRequest`] with typed fields and
//! values, and is executed by [`SearchIndex::search`].
//!
//! ```text
//! JSON of a request ──(language, SearchableFields)──► IndexRequest ──(SearchIndex)──► SearchResult
//! documents ──(rules of the resource type)──► SearchEntry ─────────────────┘
//! ```
//!
//! `README.md` of this crate defines the meaning of a search in detail.
//!
//! **Invariant:** no HTTP, no clock except to measure durations, and no resource's name: Products, Business Units,
//! Customers and Orders differ only in their fields and entries.

pub mod analysis;
mod embedded;
mod entry;
mod field;
mod index;
mod json_members;
pub mod json_response;
pub mod language;
pub mod limits;
pub mod parameters;
mod query;
pub mod reference;
mod request;
mod request_parser;
mod request_spelling;
mod search_result;
mod searchable_fields;
pub mod suggestions;
mod wildcard_pattern;

#[cfg(test)]
mod test_fields;

pub use embedded::EmbeddedIndex;
pub use entry::{EntryNode, NodeValue, SearchEntry};
pub use field::{FieldKind, FieldLevel, SearchField, SearchValue};
pub use index::{IndexBatch, IndexError, IndexPosition, SearchIndex};
pub use query::{Leaf, LeafTest, SearchQuery, ValueBounds};
pub use request::{
    BucketOrder, CountedNodes, Facet, FacetKind, FacetRange, FacetScope, HitSort, IndexRequest, SortBy,
    SortMode,
};
pub use request_parser::{SearchShape, read};
pub use request_spelling::RequestSpelling;
pub use search_result::{Bucket, FacetResult, Hit, MatchingChildren, NamedFacetResult, SearchResult, Stats};
pub use searchable_fields::{
    Expressions, FieldProblem, FieldRank, FieldType, FieldUse, SearchableField, SearchableFields,
};
pub use wildcard_pattern::{PatternPiece, WildcardPattern};
