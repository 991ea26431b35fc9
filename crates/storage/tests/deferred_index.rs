//! Tests that deferred index rows never change a result: for every query, after a crash, in a backup.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::{
    collections::BTreeMap,
    io::Write as _,
    ops::Bound,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, mpsc::channel},
    time::Duration,
};

use kontor_storage::{
    Commit, CommitError, Error, IndexPage, IndexRange, IndexSort, Precondition, Put, Sqlite, SqliteOptions,
    Storage, UniqueKey,
};
use proptest::prelude::*;
use tempfile::TempDir;

/// Two paths with the same rows. Rows of the first one may be deferred in cases where those of the second may not.
const PATHS: [&str; 2] = ["at", "beside"];

/// The timeout for a deadlock.
const TIMEOUT: Duration = Duration::from_secs(20);

fn options() -> SqliteOptions {
    SqliteOptions {
        deferred_paths: vec!["at".into(), "beside".into()],
        gathered: ["at", "beside"].map(|path| ("product".into(), path.into())).to_vec(),
        ..SqliteOptions::for_project("late")
    }
}

fn cart(kind: &str, id: &str, values: &[String]) -> Put {
    let indexed = PATHS
        .into_iter()
        .flat_map(|path| values.iter().map(move |value| (path.into(), value.as_str().into())));
    let other = ("other".into(), id.into());
    Put { kind: kind.into(), id: id.into(), indexed: indexed.chain([other]).collect(), ..Put::default() }
}

/// Returns the ids of all rows, by value.
fn rows(storage: &impl Storage, kind: &str) -> Vec<String> {
    rows_at(storage, kind, "at")
}

fn rows_at(storage: &impl Storage, kind: &str, path: &str) -> Vec<String> {
    let page = IndexPage { sort: IndexSort::Value, ..IndexPage::default() };
    storage.find_indexed(kind, path, &IndexRange::all(), &page).unwrap()
}

fn time(number: usize) -> String {
    format!("2027-01-01T00:00:{number:09}Z")
}

/// Returns the expected result, from the values of the documents alone.
fn expected(documents: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut rows: Vec<_> = documents
        .iter()
        .filter_map(|(id, values)| Some((values.iter().min()?.clone(), id.clone())))
        .collect();
    rows.sort();
    rows.into_iter().map(|(_, id)| id).collect()
}

/// Copies the files of an open storage, as a crash would leave them.
fn crashed(path: &Path, to: &Path) {
    for suffix in ["", "-wal"] {
        let name = |path: &Path| format!("{}{suffix}", path.display());
        std::fs::copy(name(path), name(to)).unwrap();
    }
}

#[derive(Debug, Clone)]
enum SchemaMigration {
    Put(u8, Vec<String>),
    Delete(u8),
    Ask(&'static str),
    Reopen,
    Crash,
    Restore,
    Clear,
}

fn step() -> impl Strategy<Value = SchemaMigration> {
    let value = || (0..40_usize).prop_map(time);
    prop_oneof![
        20 => (0..8_u8, value()).prop_map(|(id, value)| SchemaMigration::Put(id, vec![value])),
        10 => (0..8_u8, prop::collection::vec(value(), 0..4)).prop_map(|(id, values)| SchemaMigration::Put(id, values)),
        2 => (0..8_u8).prop_map(SchemaMigration::Delete),
        1 => prop::sample::select(&PATHS[..]).prop_map(SchemaMigration::Ask),
        1 => Just(SchemaMigration::Reopen),
        1 => Just(SchemaMigration::Crash),
        1 => Just(SchemaMigration::Restore),
        1 => Just(SchemaMigration::Clear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn deferred_rows_do_not_change_results(
        // Rows of carts are deferred when they replace others, those of products always.
        kind in prop_oneof![Just("cart"), Just("product")],
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let folder = TempDir::new().unwrap();
        let mut files = 0;
        let mut next = || { files += 1; folder.path().join(format!("{files}.sqlite")) };
        let mut path = next();
        let mut storage = Sqlite::open(&path, options()).unwrap();
        let mut documents = BTreeMap::new();
        for step in steps {
            match step {
                SchemaMigration::Put(id, values) => {
                    let id = format!("id-{id}");
                    let values: Vec<_> = values.into_iter().collect();
                    storage.commit_blocking(Commit::new().put(cart(kind, &id, &values))).unwrap();
                    documents.insert(id, values);
                }
                SchemaMigration::Delete(id) => {
                    let id = format!("id-{id}");
                    let deleted = storage.commit_blocking(Commit::new().delete(kind, &id));
                    assert_eq!(deleted.is_ok(), documents.remove(&id).is_some());
                }
                SchemaMigration::Ask(path) => assert_eq!(rows_at(&storage, kind, path), expected(&documents)),
                SchemaMigration::Reopen => {
                    drop(storage);
                    storage = Sqlite::open(&path, options()).unwrap();
                }
                SchemaMigration::Crash => {
                    let copy = next();
                    crashed(&path, &copy);
                    path = copy;
                    storage = Sqlite::open(&path, options()).unwrap();
                }
                SchemaMigration::Restore => {
                    let backup = next();
                    storage.backup(&backup).unwrap();
                    path = next();
                    storage = Sqlite::open(&path, options()).unwrap();
                    // Names have other numbers in this file.
                    storage.commit_blocking(Commit::new().put(cart("order", "o", &[time(1)]))).unwrap();
                    storage.restore(&backup).unwrap();
                }
                SchemaMigration::Clear => storage.clear(&[kind]).unwrap(),
            }
        }
        for path in PATHS {
            assert_eq!(rows_at(&storage, kind, path), expected(&documents), "{path}");
        }
        let all = |id: &str| storage.count_indexed(kind, "other", &IndexRange::equal(id), 9).unwrap();
        assert!(documents.keys().all(|id| all(id) == 1));
    }
}

#[test]
fn queries_see_acknowledged_commits() {
    let folder = TempDir::new().unwrap();
    let storage = Sqlite::open(&folder.path().join("shop.sqlite"), options()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let storage = &storage;
            scope.spawn(move || {
                for round in 0..500 {
                    let kind = if round % 50 == 0 { "order" } else { "cart" };
                    let at = time(round);
                    let commit =
                        Commit::new().put(cart(kind, &thread.to_string(), std::slice::from_ref(&at)));
                    storage.commit_blocking(commit).unwrap();
                    if round % 20 == 0 {
                        let mut found = false;
                        let range =
                            IndexRange::Between(Bound::Included(at.as_str().into()), Bound::Unbounded);
                        let page = IndexPage::default();
                        storage
                            .visit_indexed(kind, "at", &range, &page, &mut |stored| {
                                found |= stored.id == thread.to_string();
                                std::ops::ControlFlow::Continue(())
                            })
                            .unwrap();
                        assert!(found, "{kind} {thread} in round {round}");
                    }
                }
            });
        }
    });
}

#[test]
fn writes_rows_when_many_are_deferred() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let storage = Sqlite::open(&path, options()).unwrap();
    for round in 0..24 {
        let writes = (0..1000).fold(Commit::new(), |commit, id| {
            commit.put(cart("cart", &format!("{id:04}"), &[time(round * 1000 + id)]))
        });
        storage.commit_blocking(writes).unwrap();
    }
    let copy = folder.path().join("copy.sqlite");
    crashed(&path, &copy);
    let connection = rusqlite::Connection::open(&copy).unwrap();
    let behind: i64 = connection
        .query_row("SELECT (SELECT max(last) FROM changes) - indexed FROM log_state", [], |row| row.get(0))
        .unwrap();
    assert!((1..=10_000).contains(&behind), "{behind} entries behind");
    drop(connection);
    let expected: Vec<_> = (0..1000).map(|id| format!("{id:04}")).collect();
    assert_eq!(rows(&Sqlite::open(&copy, SqliteOptions::default()).unwrap(), "cart"), expected);
    assert_eq!(rows(&storage, "cart"), expected);
}

#[test]
fn close_writes_deferred_rows() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let storage = Sqlite::open(&path, options()).unwrap();
    for round in 0..3 {
        storage.commit_blocking(Commit::new().put(cart("cart", "a", &[time(round)]))).unwrap();
    }
    drop(storage);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let value: String = connection
        .query_row("SELECT value FROM indexed WHERE id = 'a' AND value > '2'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(value, time(2));
}

#[test]
fn preconditions_see_deferred_rows() {
    let requested = |value: &str| Precondition::NotReferenced {
        kind: "product".into(),
        path: "at".into(),
        value: value.into(),
    };
    for how in ["rows of commits before", "rows of the commit itself"] {
        let storage = Sqlite::in_memory(options()).unwrap();
        let product = cart("product", "a", &["x".into(), "y".into()]);
        let refused = if how == "rows of commits before" {
            storage.commit_blocking(Commit::new().put(product)).unwrap();
            storage.commit_blocking(Commit::new().require(requested("x")))
        } else {
            storage.commit_blocking(Commit::new().put(product).require(requested("x")))
        };
        assert!(matches!(refused, Err(CommitError::Refused(_))), "{how}: {refused:?}");
        storage.commit_blocking(Commit::new().require(requested("z"))).unwrap();
    }
}

/// Creates products with deferred rows, and copies the file as a crash would leave it.
fn crashed_with_rows_that_wait(folder: &Path, products: usize) -> PathBuf {
    let path = folder.join("shop.sqlite");
    let storage = Sqlite::open(&path, options()).unwrap();
    // Rows of new names are not deferred.
    storage.commit_blocking(Commit::new().put(cart("product", "0000", &[time(0)]))).unwrap();
    let values: Vec<_> = (0..8).map(|part| format!("{part}{}", "x".repeat(400))).collect();
    let puts = (0..products)
        .fold(Commit::new(), |commit, id| commit.put(cart("product", &format!("{id:04}"), &values)));
    storage.commit_blocking(puts).unwrap();
    let copy = folder.join("crashed.sqlite");
    crashed(&path, &copy);
    copy
}

#[test]
fn opens_a_full_file_with_deferred_rows() {
    let folder = TempDir::new().unwrap();
    let path = crashed_with_rows_that_wait(folder.path(), 100);
    // The file must not grow.
    let full = |options| SqliteOptions { file_bytes_max: Some(4096), ..options };

    // A release that never defers rows of these paths would not look for them.
    let refused = Sqlite::open(&path, full(SqliteOptions::default()));
    assert!(matches!(refused, Err(Error::Full)), "{refused:?}");

    let storage = Sqlite::open(&path, full(options())).unwrap();
    let requested = storage.count_indexed("product", "at", &IndexRange::all(), 9);
    assert!(matches!(requested, Err(Error::Full)), "{requested:?}");
    assert_eq!(storage.count_indexed("product", "other", &IndexRange::equal("0001"), 9).unwrap(), 1);
    drop(storage);

    // With free space it opens normally.
    let storage = Sqlite::open(&path, options()).unwrap();
    assert_eq!(rows(&storage, "product").len(), 100);
}

#[test]
fn opens_on_a_full_disk_with_deferred_rows() {
    let folder = TempDir::new().unwrap();
    let path = crashed_with_rows_that_wait(folder.path(), 1000);
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("SKIPPED: no small disk can be mounted here, which takes the rights of root");
        return;
    };
    let on_disk = disk.path().join("shop.sqlite");
    for suffix in ["", "-wal"] {
        let name = |path: &Path| format!("{}{suffix}", path.display());
        std::fs::copy(name(&path), name(&on_disk)).unwrap();
    }
    // The crash left this file, with its disk space.
    std::fs::write(disk.path().join("shop.sqlite-shm"), [0; 32 * 1024]).unwrap();
    let ballast = disk.fill();
    let storage = Sqlite::open(&on_disk, options()).unwrap();
    assert!(storage.get("product", "0001").unwrap().is_some());
    let requested = storage.count_indexed("product", "at", &IndexRange::all(), 9);
    assert!(matches!(requested, Err(Error::Full)), "{requested:?}");

    std::fs::remove_file(ballast).unwrap();
    storage.commit_blocking(Commit::new().delete("product", "0000")).unwrap();
    let left: Vec<_> = (1..1000).map(|id| format!("{id:04}")).collect();
    assert_eq!(rows(&storage, "product"), left);
    assert_eq!(rows_at(&storage, "product", "beside"), left);
}

#[test]
fn queries_do_not_wait_for_refused_commits() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let with_key = |id: &str| {
        let unique = vec![UniqueKey { path: "key".into(), value: "same".into() }];
        Put { unique, ..cart("product", id, &[time(1)]) }
    };
    let storage = Sqlite::open(&path, options()).unwrap();
    storage.commit_blocking(Commit::new().put(cart("product", "a", &[time(0)]))).unwrap();
    drop(storage);
    // No row is deferred now, and no query has run, so that rows of a change would be deferred.
    let storage = Arc::new(Sqlite::open(&path, options()).unwrap());
    let refused = storage.commit_blocking(Commit::new().put(with_key("b")).put(with_key("c")));
    assert!(matches!(refused, Err(CommitError::Refused(_))), "{refused:?}");

    let (response, outcome) = channel();
    let requested = Arc::clone(&storage);
    std::thread::spawn(move || response.send(rows(&*requested, "product")));
    assert_eq!(outcome.recv_timeout(TIMEOUT).expect("it waits for rows that nobody writes"), ["a"]);
}

/// A file system of some megabytes.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts it; `None` without the permission.
    fn mount() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=32m", "tmpfs"])
            .arg(folder.path())
            .output()
            .is_ok_and(|mounted| mounted.status.success());
        mounted.then(|| SmallDisk(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file until the disk is full.
    fn fill(&self) -> PathBuf {
        let path = self.path().join("ballast");
        let mut file = std::fs::File::create(&path).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).output();
    }
}
