//! The storage of shops on a PostgreSQL server (15 or newer), for any number of processes.
//!
//! Start at [`Database`]: a server with a pool of connections, driven by its own threads, so that a blocked thread
//! never waits for itself. [`Database::storage`] opens a shop on it, a [`Storage`](kontor_storage::Storage) that passes
//! the same suite as the embedded one.
//!
//! **One write**: queued commits of a shop share a transaction (`writer`). Its first round trip locks the row of the
//! shop in `heads`, for which other processes wait, and reads everything needed to check the commits (`required_rows`,
//! `group_reads`). Each is checked on its own, in the order of arrival and without I/O (`precondition_check`). The
//! second round trip writes the accepted ones, one statement per table (`write`), and commits.
//!
//! **One read** is one statement, and sees everything committed before it began, by any process. Documents by id are
//! also cached in memory (`cache`), for callers that have read the log since (`get_cached`).
//!
//! **Invariants.** Nothing is served from memory unless the log was read after the request arrived. The log of a shop
//! has no gaps, and one order: that in which the row in `heads` was locked. Two shops never wait for each other.
//! `docs/decisions/0026-postgresql.md` explains why this is right.

mod cache;
mod content;
mod copy;
mod database;
mod delta;
mod failure;
mod group;
mod index_reads;
mod keeper_lease;
mod listen_notify;
mod notices;
mod open_shop;
mod options;
mod paths;
mod queue;
mod reads;
mod recent_changes;
mod records;
mod rows;
mod schema;
mod server;
mod shop_log;
#[cfg(test)]
mod statement_plans;
mod storage;
mod system_store;
mod text;
mod visits;
mod write_freeze;
mod writer;

pub use copy::ShopCopy;
pub use database::Database;
pub use options::{CONNECTIONS_DEFAULT, DatabaseOptions, UrlError};
pub use storage::Postgres;
pub use system_store::PostgresSystem;
pub use write_freeze::WriteFreeze;
