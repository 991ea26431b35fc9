//! The suite of storages on a PostgreSQL server.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

#[path = "../../storage/tests/suite/mod.rs"]
mod suite;

use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

use kontor_postgres::{Database, Postgres};

/// The database that all tests of this process share.
static DATABASE: LazyLock<Database> =
    LazyLock::new(|| Database::open(kontor_tests_postgres::url().parse().unwrap()).unwrap());

/// A shop of its own for each test.
fn shop() -> (Postgres, ()) {
    static SHOPS: AtomicU64 = AtomicU64::new(0);
    let number = SHOPS.fetch_add(1, Ordering::Relaxed);
    let project = format!("suite-{}-{number}", std::process::id());
    (DATABASE.make(&project).unwrap(), ())
}

storage_suite!(postgres, shop);
