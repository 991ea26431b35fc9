//! Runs the suite of storages on SQLite: in memory, on disk, without a cache, and with deferred index rows.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

mod suite;

use kontor_storage::{Commit, ListLine, Sqlite, SqliteOptions, Storage, Write};
use tempfile::TempDir;

fn in_memory() -> (Sqlite, ()) {
    (Sqlite::in_memory(SqliteOptions::for_project("suite")).unwrap(), ())
}

fn on_disk() -> (Sqlite, TempDir) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    (Sqlite::open(&path, SqliteOptions::for_project("suite")).unwrap(), folder)
}

/// Opens a storage whose cache is so small that every read goes to the file.
fn without_cache() -> (Sqlite, ()) {
    let options = SqliteOptions { cache_bytes: 64, ..SqliteOptions::for_project("suite") };
    (Sqlite::in_memory(options).unwrap(), ())
}

/// Opens a storage that defers index rows wherever possible.
fn late() -> (Sqlite, ()) {
    let deferred_paths = ["size", "colour", "createdAt"].map(str::to_owned).to_vec();
    let options = SqliteOptions { deferred_paths, ..SqliteOptions::for_project("suite") };
    (Sqlite::in_memory(options).unwrap(), ())
}

storage_suite!(sqlite_late, late);
storage_suite!(sqlite_in_memory, in_memory);
storage_suite!(sqlite_on_disk, on_disk);
storage_suite!(sqlite_without_cache, without_cache);

#[test]
fn lines_that_are_written_at_once_share_a_document() {
    const LINES: usize = 500;
    let (storage, ()) = in_memory();
    let line = |number: usize| {
        let name = format!("{number:03}");
        ListLine { kind: "told".into(), list: "one".into(), name, text: "{}".into() }
    };
    let commit = |number| storage.commit(Commit::new().write(Write::Append(line(number))));
    let commits: Vec<_> = (0..LINES).map(commit).collect();
    for commit in commits {
        commit.wait().unwrap();
    }
    let documents = storage.count("told").unwrap();
    assert_eq!(documents, storage.last_seq().unwrap());
    assert!(documents < LINES as u64 / 10, "{documents} documents for {LINES} lines");
}
