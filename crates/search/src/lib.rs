//! Search over what a shop holds: the query language, what is indexed, and the index.
//!
//! A search index is derived data. Whoever keeps it turns documents into [`Entry`]s and hands them in with the
//! position in the change log that they speak of ([`SearchIndex::apply`]); it may be thrown away and built anew.
//! A request is read against the [`Fields`] that its kind of resource can be searched by, becomes a
//! [`Request`] whose fields and values are typed, and is answered by [`SearchIndex::search`].
//!
//! ```text
//! JSON of the request ──(language, Fields)──► Request ──(SearchIndex)──► Answer
//! documents ──(rules of the kind)──► Entry ───────────────┘
//! ```
//!
//! What a search means, to the last detail, stands in `README.md` beside this crate.
//!
//! **Invariant:** no HTTP, no clock, and no resource's name: Products, Business Units, Customers and Orders differ in
//! their fields and entries alone.

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
