//! Commits that share a transaction: the rows to read before their preconditions can be checked (`required_rows`), the
//! rows that were read (`group_reads`), the check (`precondition_check`), and the rows to write (`writes`, `write`).
//!
//! **Invariant:** `precondition_check` does no I/O. While the row of the shop is locked, the rows that were read equal
//! the database, apart from the changes of earlier commits of the group, which it tracks.

mod group_reads;
mod insert;
mod precondition_check;
mod required_rows;
mod write;
mod writes;

pub(crate) use group_reads::{LockedHead, lock_and_read};
pub(crate) use insert::insert_documents;
pub(crate) use precondition_check::PreconditionCheck;
pub(crate) use required_rows::{GroupCommit, RequiredRows, paths_of, prepare_commit};
pub(crate) use write::{COUNTS, ERASE_RECORDS, LOG, WriteResult, operation_code, write};
