//! `kontor move`: moves all projects from a data folder to a PostgreSQL database, or back, while a server serves them.
//!
//! The steps ([`move_steps`]): copy everything, and apply changes to the copy as they happen ([`following_copy`]); once
//! the copy is nearly up to date, block writes for a moment and apply the last changes; mark the old place as moved
//! ([`move_source`]); serve the projects from the new place ([`move_target`]).
//!
//! Invariant: after a crash at any point, one of the two places serves the projects, or neither, never both. The same
//! command, run again, continues.
//!
//! The process that owns the data does the work: the server, asked over its control socket, or else the command itself.

mod following_copy;
mod move_protocol;
mod move_request;
mod move_source;
mod move_steps;
mod move_target;

pub(crate) use move_protocol::{MoveLine, MoveRequest};
pub(crate) use move_request::stream_move;
pub(crate) use move_source::must_not_have_moved;
