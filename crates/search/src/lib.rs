//! Search: the query language, the form of index entries, and the index.
//!
//! A search index is derived data. Its worker turns documents into [`Entry`]s and applies them together with
//! their position in the change log ([`SearchIndex::apply`]); an index may be discarded and rebuilt. A
//! request is parsed against the [`Fields`] of its resource type, becomes a [`Request`] with typed fields and
//! values, and is executed by [`SearchIndex::search`].
//!
//! ```text
//! JSON of the request ──(language, Fields)──► Request ──(SearchIndex)──► Answer
//! documents ──(rules of the kind)──► Entry ───────────────┘
//! ```
//!
//! `README.md` of this crate defines the meaning of a search in detail.
//!
//! **Invariant:** no HTTP, no clock except to measure durations, and no resource's name: Products, Business Units,
//! Customers and Orders differ only in their fields and entries.

pub mod analysis;
mod answer;
mod embedded;
mod entry;
mod field;
mod fields;
mod index;
mod json;
pub mod language;
pub mod limits;
pub mod parameters;
mod pattern;
pub mod plain;
mod query;
mod read;
mod request;
mod spelling;
pub mod suggestions;
pub mod write;

#[cfg(test)]
mod shop;

pub use answer::{Answer, Bucket, FacetAnswer, FacetResult, Hit, Matching, Stats};
pub use embedded::EmbeddedIndex;
pub use entry::{Entry, Node, NodeValue};
pub use field::{Field, Kind, Level, Value};
pub use fields::{Expressions, FieldProblem, FieldType, FieldUse, Fields, Found, Rank};
pub use index::{Batch, IndexError, Position, SearchIndex};
pub use pattern::{Pattern, Piece};
pub use query::{Bounds, Leaf, Query, Test};
pub use read::{Shape, read};
pub use request::{
    BucketOrder, Counted, Facet, FacetKind, FacetRange, Request, Scope, Sort, SortBy, SortMode,
};
pub use spelling::Spelling;
