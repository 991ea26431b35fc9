//! Peers that run as processes of this program: lower bounds of the cost of the same work in any server.

mod bare_http;
mod group_commit;
mod outcome;
mod storage_alone;

pub(crate) use bare_http::{CapturedResponse, bare_http};
pub(crate) use group_commit::{GroupCommitArguments, group_commit, measure_group_commit};
pub(crate) use outcome::PeerCost;
pub(crate) use storage_alone::{StorageAloneArguments, measure_storage_alone, storage_alone};
