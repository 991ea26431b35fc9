//! Commits that share a transaction: what must be read to judge them (`needs`), what was found (`found`), which of them may be
//! (`judge`), and what is to be written (`writes`, `write`).
//!
//! **Invariant:** `judge` waits for nothing. As long as the row of the shop is held, what was found is what stands in the
//! database, apart from what earlier commits of the group have changed, which is remembered there.

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
