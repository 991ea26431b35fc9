//! Search indexes on an OpenSearch server, for as many processes as share it.
//!
//! Start at [`SearchServer`], the place of all indexes, and at `index.rs`, one of them. An entry is one document with its children and
//! grandchildren as nested ones ([`document`]). What conditions ask for stands in each of them as words of a few fields: the name of a
//! field and a value, or a term that [`kontor_search::analysis`] found, so that the mapping ([`mapping`]) does not grow with the
//! fields of a shop and texts are found as the embedded index finds them ([`token`]). What is sorted by and counted is a column of its own
//! ([`column`]), up to a bound.
//!
//! A query is a formula over rows (`README.md` of `kontor-search`). Nested documents can only be asked from above, so it is brought into
//! a form in which each level asks about itself and what is below ([`formula`], [`cases`]). The few requests that have no such form are
//! answered by the plain evaluator over the entries that were found, which are kept beside ([`plainly`]).
//!
//! **Invariant:** no resource's name; every request is answered as the plain evaluator does, or refused with a reason (a test holds it).

mod address;
mod answer;
mod cases;
mod chain;
mod column;
mod condition;
mod document;
mod entry_json;
mod facet;
mod formula;
mod index;
mod mapping;
mod place;
mod plainly;
mod server;
mod sort;
mod token;

pub use address::SearchAddress;
pub use place::SearchServer;
