//! Search indexes on an OpenSearch server, shared by any number of processes.
//!
//! Start at [`SearchServer`], the place of all indexes, and at `index.rs`, one of them. An entry is one document with
//! its children and grandchildren as nested documents ([`document`]). Conditions are tokens in a few fields: the name
//! of a field and a value, or a term of [`kontor_search::analysis`] ([`token`]). So the mapping ([`mapping`]) does not
//! grow with the fields of a shop, and texts match as in the embedded index. Sorts and facets use separate columns
//! ([`column`]), up to a limit.
//!
//! A query is a formula over rows (`README.md` of `kontor-search`). Nested documents can only be queried from their
//! parent, so it is converted into a form in which each level has conditions on itself and on the levels below
//! ([`formula`], [`cases`]). The few requests without such a form are evaluated by the reference evaluator on the
//! matching entries, which the documents contain ([`reference_fallback`]).
//!
//! **Invariant:** no resource's name; every request gives the result of the reference evaluator, or is refused with a
//! reason (a test checks it).

mod address;
mod cases;
mod chain;
mod client;
mod column;
mod condition;
mod document;
mod entry_json;
mod facet;
mod formula;
mod index;
mod mapping;
mod reference_fallback;
mod search_hits;
mod search_server;
mod sort;
mod token;

pub use address::SearchAddress;
pub use search_server::SearchServer;
