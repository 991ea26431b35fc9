//! Peers that are this program itself, started again: the least that any server could do for the same work.

mod bare_http;
mod group_commit;

pub(crate) use bare_http::{Captured, bare_http};
pub(crate) use group_commit::{GroupCommitArguments, Outcome, group_commit};
