//! The storage of shops on a PostgreSQL server (15 or newer), for as many processes as one likes.
//!
//! Start at [`Database`]: a server that is spoken to, by a pool of connections and on threads of its own, so that a thread
//! which waits for an answer never waits for itself. [`Database::storage`] is a shop on it, a
//! [`Storage`](kontor_storage::Storage) that passes the same suite as the embedded one.
//!
//! **One write**: commits of a shop that wait go into one transaction (`writer`). Its first round trip takes the row of the
//! shop in `heads`, which others of the same shop wait for, and reads all that is needed to judge the commits (`needs`,
//! `found`). Each is judged alone, in the sequence of their arrival and without any I/O (`judge`); what is left of them is
//! written in the second round trip, a statement a table (`write`), which ends with the commit.
//!
//! **One read** is one statement, and sees what was committed before it began, by whatever process. Documents by id are kept in memory
//! as well (`cache`), for those who have read what the log says since (`get_as_seen`).
//!
//! **Invariants.** Nothing is answered from memory unless the log was asked after the question came. The log of a shop has no gaps, and one order:
//! that in which the row in `heads` was held. Two shops never wait for each other. `docs/decisions/0026-postgresql.md` says why
//! this is right.

mod cache;
mod content;
mod copy;
mod database;
mod delta;
mod failure;
mod group;
mod heard;
mod hold;
mod index_reads;
mod keeping;
mod log_state;
mod notices;
mod options;
mod paths;
#[cfg(test)]
mod planned;
mod queue;
mod reads;
mod records;
mod rows;
mod schema;
mod server;
mod shop;
mod storage;
mod system;
mod tail;
mod text;
mod visits;
mod wait;
mod writer;

pub use copy::Copy;
pub use database::Database;
pub use hold::Hold;
pub use options::{CONNECTIONS_DEFAULT, DatabaseOptions, UrlError};
pub use storage::Postgres;
pub use system::PostgresSystem;
