//! `kontor move`: all projects from a data folder into a PostgreSQL database, or back, while a server goes on serving them.
//!
//! Everything is copied first ([`following`]), and what changes meanwhile follows. When nothing is far behind, whoever writes is
//! held for a moment, the last changes follow, the old place is marked as moved ([`source`]), and then the projects are served from the
//! new one ([`target`]). Whatever goes down in between, one of the two places serves, or none, never both; and the same command, run
//! again, goes on where it has to.
//!
//! The work is done by the process that has the data: the server, told by its socket, or that of the command where none runs.

mod asked;
mod following;
mod request;
mod source;
mod steps;
mod target;

pub(crate) use asked::{Asked, MoveLine};
pub(crate) use request::stream;
pub(crate) use source::must_not_have_moved;
