//! Tests that erased data disappears from the disk: from the file of a shop, its write-ahead log, and new backups.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use kontor_storage::{Commit, ERASED, IndexValue, Put, Sqlite, SqliteOptions, Storage, UniqueKey, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A text in all documents of the erased person.
const PERSON: &str = "erased.person@example.com";
/// The time limit for the removal (`docs/decisions/0054-erasure.md`).
const GONE_AFTER_MAX: Duration = Duration::from_secs(60);

fn open(folder: &Path) -> Sqlite {
    let options =
        SqliteOptions { deferred_paths: vec!["lastModifiedAt".into()], ..SqliteOptions::for_project("shop") };
    Sqlite::open(&folder.join("shop.db"), options).unwrap()
}

/// Counts the occurrences of the text in the files of a folder.
fn found_in(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let bytes = files.map(|file| std::fs::read(file).unwrap());
    bytes.map(|bytes| bytes.windows(PERSON.len()).filter(|part| *part == PERSON.as_bytes()).count()).sum()
}

#[track_caller]
fn wait_until_gone(folder: &Path) {
    let began = Instant::now();
    while found_in(folder) > 0 {
        assert!(began.elapsed() < GONE_AFTER_MAX, "{} times after {:?}", found_in(folder), began.elapsed());
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Returns a version of a document; some fit into one page, others need many.
fn document(id: &str, version: i64, person: &str) -> Put {
    let repeated = 1 + (version as usize % 5) * 40;
    let body: String = (0..repeated).map(|line| format!("{{{id} {line} {version} {person}}}")).collect();
    Put {
        kind: "customer".into(),
        id: id.into(),
        version,
        body: body.into(),
        unique: vec![UniqueKey::new("email", format!("{id}{person}"))],
        indexed: vec![
            ("lastModifiedAt".into(), IndexValue::Text(format!("{version:04} {person}"))),
            ("name".into(), IndexValue::Text(person.to_owned())),
        ],
        ..Put::default()
    }
}

/// Writes the person and others, each several times.
fn write(storage: &Sqlite) {
    for version in 1..30 {
        for number in 0..10 {
            let id = format!("customer-{number}");
            let person = if number == 4 { PERSON } else { "somebody.else@example.com" };
            storage.commit_blocking(Commit::new().put(document(&id, version, person))).unwrap();
        }
    }
}

fn erase(storage: &Sqlite) {
    let erased = Write::Setting { name: ERASED.into(), value: Some("1".into()) };
    storage.commit_blocking(Commit::new().delete("customer", "customer-4").write(erased)).unwrap();
}

/// Checks that all other customers are unchanged.
fn check_others(storage: &Sqlite) {
    for number in (0..10).filter(|number| *number != 4) {
        let id = format!("customer-{number}");
        let expected = document(&id, 29, "somebody.else@example.com").body;
        assert_eq!(storage.get("customer", &id).unwrap().unwrap().body, expected);
    }
}

#[test]
fn removes_erased_data_while_others_write() {
    let folder = TempDir::new().unwrap();
    let storage = open(folder.path());
    write(&storage);
    assert!(found_in(folder.path()) > 100);
    let (is_over, written) = (AtomicBool::new(false), std::sync::atomic::AtomicI64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let number = written.fetch_add(1, Ordering::SeqCst);
                let id = format!("other-{}", number % 50);
                storage.commit_blocking(Commit::new().put(document(&id, number + 1, "busy"))).unwrap();
            }
        });
        erase(&storage);
        wait_until_gone(folder.path());
        let before = written.load(Ordering::SeqCst);
        while written.load(Ordering::SeqCst) < before + 200 {
            std::thread::yield_now();
        }
        assert_eq!(found_in(folder.path()), 0, "what is written later does not bring it back");
        is_over.store(true, Ordering::SeqCst);
    });
    check_others(&storage);
    drop(storage);
    assert_eq!(found_in(folder.path()), 0);
    let storage = open(folder.path());
    check_others(&storage);
    let last = written.into_inner() - 1;
    let stored = storage.get("customer", &format!("other-{}", last % 50)).unwrap().unwrap();
    assert_eq!(stored.version, last + 1);
    let connection = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn resumes_erasure_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let storage = open(folder.path());
    write(&storage);
    erase(&storage);
    drop(storage);
    assert!(found_in(folder.path()) > 0, "the end does not wait for it");
    let storage = open(folder.path());
    wait_until_gone(folder.path());
    check_others(&storage);
}

#[test]
fn old_snapshots_only_delay_erasure() {
    let folder = TempDir::new().unwrap();
    let storage = open(folder.path());
    write(&storage);
    let reader = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM documents;").unwrap();
    erase(&storage);
    std::thread::sleep(Duration::from_secs(7));
    assert!(found_in(folder.path()) > 0, "the reader may still ask for it");
    storage.commit_blocking(Commit::new().put(document("later", 1, "busy"))).unwrap();
    drop(reader);
    wait_until_gone(folder.path());
    check_others(&storage);
}

#[test]
fn backups_contain_no_deleted_data() {
    let (folder, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let storage = open(folder.path());
    write(&storage);
    storage.commit_blocking(Commit::new().delete("customer", "customer-4")).unwrap();
    storage.backup(&elsewhere.path().join("backup.db")).unwrap();
    assert_eq!(found_in(elsewhere.path()), 0);
    storage.clear(&[]).unwrap();
    storage.restore(&elsewhere.path().join("backup.db")).unwrap();
    check_others(&storage);
}
