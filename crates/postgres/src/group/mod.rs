//! Commits that share a transaction: the rows to read before their preconditions can be checked (`needs`), the rows
//! that were read (`found`), the check (`judge`), and the rows to write (`writes`, `write`).
//!
//! **Invariant:** `judge` does no I/O. While the row of the shop is locked, the rows that were read equal the database,
//! apart from the changes of earlier commits of the group, which `judge` tracks.

mod found;
mod insert;
mod judge;
mod needs;
mod write;
mod writes;

pub(crate) use found::{Head, find};
pub(crate) use insert::insert_documents;
pub(crate) use judge::Judge;
pub(crate) use needs::{Asked, Needs, asked, paths_of};
pub(crate) use write::{COUNTS, ERASE_RECORDS, LOG, Written, code, write};
