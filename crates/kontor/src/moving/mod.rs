//! `kontor move`: moves all projects from a data folder to a PostgreSQL database, or back, while a server serves them.
//!
//! The steps ([`steps`]): copy everything, and apply changes to the copy as they happen ([`following`]); once the copy
//! is nearly up to date, block writes for a moment and apply the last changes; mark the old place as moved
//! ([`source`]); serve the projects from the new place ([`target`]).
//!
//! Invariant: after a crash at any point, one of the two places serves the projects, or neither, never both. The same
//! command, run again, continues.
//!
//! The process that owns the data does the work: the server, asked over its control socket, or else the command itself.

mod asked;
mod following;
mod request;
mod source;
mod steps;
mod target;

pub(crate) use asked::{Asked, MoveLine};
pub(crate) use request::stream;
pub(crate) use source::must_not_have_moved;
