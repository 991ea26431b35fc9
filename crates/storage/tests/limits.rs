//! Tests of limits: a full disk, a database of a newer release, a locked folder, an idle shop.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::{
    ops::ControlFlow,
    process::Command,
    sync::{Arc, mpsc::sync_channel},
    time::Duration,
};

use bytes::Bytes;
use kontor_storage::{
    Commit, CommitError, Error, FolderLock, Put, ScanDirection, Sqlite, SqliteOptions, Storage, check_file,
};
use rand::RngCore as _;
use tempfile::TempDir;

fn cart(id: &str, bytes: usize) -> Put {
    Put { kind: "cart".into(), id: id.into(), body: random(bytes), ..Put::default() }
}

/// Returns random bytes, which cannot be compressed.
fn random(bytes: usize) -> Bytes {
    let mut random = vec![0; bytes];
    rand::rng().fill_bytes(&mut random);
    random.into()
}

#[test]
fn reports_a_full_disk_and_recovers() {
    const MEGABYTE: usize = 1024 * 1024;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let options = SqliteOptions { file_bytes_max: Some(4 * MEGABYTE as u64), ..SqliteOptions::default() };
    let storage = Sqlite::open(&path, options).unwrap();
    let put = |put: Put| storage.commit_blocking(Commit::new().put(put));
    put(cart("first", MEGABYTE)).unwrap();

    let result = put(cart("large", 5 * MEGABYTE));
    assert!(matches!(result, Err(CommitError::Failed(Error::Full))), "{result:?}");
    assert_eq!(storage.get("cart", "large").unwrap(), None);
    assert_eq!(storage.last_seq().unwrap(), 1);

    // Submitted together with others, only a commit that does not fit fails.
    let responses: Vec<_> = (0..40)
        .map(|number| {
            let bytes = if number % 10 == 5 { 5 * MEGABYTE } else { 100 };
            storage.commit(Commit::new().put(cart(&number.to_string(), bytes)))
        })
        .collect();
    for (number, response) in responses.into_iter().enumerate() {
        match response.wait() {
            Ok(_) => assert_ne!(number % 10, 5),
            Err(CommitError::Failed(Error::Full)) => assert_eq!(number % 10, 5),
            Err(other) => panic!("{other}"),
        }
    }

    // Fill it up, free space, continue.
    let full = (0..100).map(|number| put(cart(&format!("fill{number}"), 100_000))).find(Result::is_err);
    assert!(matches!(full, Some(Err(CommitError::Failed(Error::Full)))), "{full:?}");
    storage.commit_blocking(Commit::new().delete("cart", "first")).unwrap();
    put(cart("later", MEGABYTE / 2)).unwrap();
    assert_eq!(storage.get("cart", "later").unwrap().unwrap().body.len(), MEGABYTE / 2);
    drop(storage);
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    assert!(storage.get("cart", "later").unwrap().is_some());
    let changes = storage.changes(0, usize::MAX).unwrap();
    assert!((1..).zip(&changes).all(|(seq, change)| change.seq == seq), "a failure leaves no gap");
}

#[test]
fn the_write_ahead_log_does_not_grow_without_end() {
    const MEGABYTE: u64 = 1024 * 1024;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    for number in 0..400 {
        let put = cart(&(number % 10).to_string(), 250_000);
        storage.commit_blocking(Commit::new().put(put)).unwrap();
    }
    let log = std::fs::metadata(folder.path().join("shop.sqlite-wal")).unwrap().len();
    assert!(log > MEGABYTE, "the log is where it was looked for");
    assert!(log < 48 * MEGABYTE, "{log} bytes after 100 MB of commits");
}

#[test]
fn leaves_foreign_databases_unchanged() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other.sqlite");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    drop(other);
    let before = std::fs::read(&path).unwrap();
    let refused = Sqlite::open(&path, SqliteOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("not one of Kontor"), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_newer_format_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    drop(Sqlite::open(&path, SqliteOptions::default()).unwrap());
    let file = rusqlite::Connection::open(&path).unwrap();
    file.pragma_update(None, "user_version", 99).unwrap();
    drop(file);
    let refused = Sqlite::open(&path, SqliteOptions::default()).unwrap_err();
    assert!(matches!(refused, Error::NewerFormat { found: 99, .. }), "{refused}");
    assert!(refused.to_string().contains("newer release"), "{refused}");
}

#[test]
fn a_folder_has_one_owner() {
    const CHILD_VARIABLE: &str = "KONTOR_TEST_LOCK_CHILD";
    if let Ok(folder) = std::env::var(CHILD_VARIABLE) {
        let refused = FolderLock::acquire(folder.as_ref()).unwrap_err();
        assert!(matches!(refused, Error::FolderInUse { holder: Some(_), .. }), "{refused}");
        return;
    }
    let folder = TempDir::new().unwrap();
    let lock = FolderLock::acquire(folder.path()).unwrap();
    let refused = FolderLock::acquire(folder.path()).unwrap_err();
    let own_id = std::process::id();
    assert!(refused.to_string().ends_with(&format!("in use by another process (process {own_id})")));
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_folder_has_one_owner"])
        .env(CHILD_VARIABLE, folder.path())
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    drop(lock);
    FolderLock::acquire(folder.path()).unwrap();
}

#[test]
fn checks_a_file_by_its_header() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    drop(Sqlite::open(&path, SqliteOptions::default()).unwrap());
    check_file(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut newer = whole.clone();
    newer[63] = 99;
    std::fs::write(&path, newer).unwrap();
    assert!(matches!(check_file(&path), Err(Error::NewerFormat { found: 99, .. })));
    for garbage in [&b"no database"[..], &[0; 8192]] {
        std::fs::write(&path, garbage).unwrap();
        assert!(matches!(check_file(&path), Err(Error::Damaged(_))));
    }
}

#[test]
fn a_folder_whose_lock_file_was_deleted_still_has_one_owner() {
    let folder = TempDir::new().unwrap();
    let _lock = FolderLock::acquire(folder.path()).unwrap();
    std::fs::remove_file(folder.path().join("kontor.lock")).unwrap();
    let refused = FolderLock::acquire(folder.path()).unwrap_err();
    assert!(matches!(refused, Error::FolderInUse { .. }), "{refused}");
}

#[test]
fn reserves_disk_space_for_deletions() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let put = |id: &str| Commit::new().put(document(id, 200_000));
    let ids: Vec<String> = (0..20).map(|number| format!("d{number}")).collect();
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    for id in &ids {
        storage.commit_blocking(put(id)).unwrap();
    }
    drop(storage);
    // Any free space is too little.
    let options = SqliteOptions { disk_bytes_kept: u64::MAX, ..SqliteOptions::default() };
    let storage = Sqlite::open(&path, options).unwrap();
    assert!(matches!(storage.commit_blocking(put("new")), Err(CommitError::Failed(Error::Full))));
    assert!(storage.get("thing", "d0").unwrap().is_some(), "reads go on");
    for id in &ids {
        storage.commit_blocking(Commit::new().delete("thing", id)).unwrap();
    }
    // Freed pages can be written again.
    storage.commit_blocking(put("new")).unwrap();
    let log = std::fs::metadata(folder.path().join("shop.sqlite-wal")).unwrap().len();
    assert!(log < 2 << 20, "the log starts over after each commit: {log}");
}

/// Returns a document of this size.
fn document(id: &str, bytes: usize) -> Put {
    Put { kind: "thing".into(), id: id.into(), version: 1, body: random(bytes), ..Put::default() }
}

#[test]
fn content_outlives_closing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    // Not awaited: closing writes queued commits.
    let responses: Vec<_> =
        (0..50).map(|number| storage.commit(Commit::new().put(cart(&number.to_string(), 10)))).collect();
    storage.clear(&["cart"]).unwrap();
    let epoch = storage.epoch().unwrap();
    let late = storage.commit(Commit::new().put(cart("late", 10)));
    drop(storage);
    assert!(late.wait().is_ok());
    assert!(responses.into_iter().all(|response| response.wait().is_ok()));
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    assert_eq!(storage.count("cart").unwrap(), 51);
    assert_eq!(storage.last_seq().unwrap(), 51);
    assert_eq!(storage.epoch().unwrap(), epoch);
}

/// Opens the content of a file without its log.
fn copied_alone(path: &std::path::Path) -> Sqlite {
    let copy = path.with_file_name("copy.sqlite");
    std::fs::copy(path, &copy).unwrap();
    Sqlite::open(&copy, SqliteOptions::default()).unwrap()
}

#[test]
fn close_completes_the_file_despite_readers() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let storage = Arc::new(Sqlite::open(&path, SqliteOptions::default()).unwrap());
    for number in 0..100 {
        storage.commit_blocking(Commit::new().put(cart(&number.to_string(), 100))).unwrap();
    }
    let (begun, begins) = sync_channel(0);
    let reading = {
        let storage = Arc::clone(&storage);
        std::thread::spawn(move || {
            let mut begun = Some(begun);
            storage.scan("cart", ScanDirection::Ascending, None, &mut |_| {
                if let Some(begun) = begun.take() {
                    begun.send(()).unwrap();
                }
                // It would take ten seconds.
                std::thread::sleep(Duration::from_millis(100));
                ControlFlow::Continue(())
            })
        })
    };
    begins.recv().unwrap();
    storage.close();

    assert!(!folder.path().join("shop.sqlite-wal").exists());
    assert_eq!(copied_alone(&path).count("cart").unwrap(), 100);
    assert!(matches!(reading.join().unwrap(), Err(Error::Closed)));
    assert!(matches!(storage.count("cart"), Err(Error::Closed)));
    let refused = storage.commit_blocking(Commit::new().put(cart("late", 100)));
    assert!(matches!(refused, Err(CommitError::Failed(Error::Closed))), "{refused:?}");
}

/// Counts the open files of this process in a folder.
fn open_files_in(folder: &std::path::Path) -> usize {
    let files = std::fs::read_dir("/proc/self/fd").unwrap();
    files
        .filter_map(|file| std::fs::read_link(file.unwrap().path()).ok())
        .filter(|target| target.starts_with(folder))
        .count()
}

#[cfg(target_os = "linux")]
#[test]
fn idle_shop_closes_files_and_reopens_them() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let options = SqliteOptions { idle: Duration::from_millis(50), ..SqliteOptions::default() };
    let storage = Sqlite::open(&path, options).unwrap();
    for round in 0..2 {
        storage.commit_blocking(Commit::new().put(cart(&round.to_string(), 10))).unwrap();
        assert_eq!(storage.count("cart").unwrap(), round + 1);
        assert!(open_files_in(folder.path()) > 0);
        // Housekeeping runs every two seconds.
        let timeout = std::time::Instant::now() + Duration::from_secs(20);
        while open_files_in(folder.path()) > 0 {
            assert!(std::time::Instant::now() < timeout, "files stay open");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn the_change_log_keeps_its_newest_entries() {
    const KEPT: u64 = 100;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let open =
        || Sqlite::open(&path, SqliteOptions { changes_kept: KEPT, ..SqliteOptions::default() }).unwrap();
    let storage = open();
    let mut total = 0;
    for round in 0..20 {
        let writes =
            (0..30).fold(Commit::new(), |commit, number| commit.put(cart(&number.to_string(), round)));
        total = storage.commit_blocking(writes).unwrap().last;
    }
    // The entries kept have no gaps, and end with the newest.
    let kept = storage.changes(total - KEPT, usize::MAX).unwrap();
    assert!((total - KEPT + 1..=total).eq(kept.iter().map(|change| change.seq)));
    // A consumer that is further behind gets an error, and never skips an entry unknowingly.
    let Err(Error::Behind { after: 0, base }) = storage.changes(0, 10) else {
        panic!("entries are left out")
    };
    assert!((total - 3 * KEPT..=total - KEPT).contains(&base), "{base} of {total}");
    assert_eq!(storage.changes(base, 1).unwrap()[0].seq, base + 1);
    assert!(storage.changes(base - 1, 1).is_err());
    drop(storage);
    let storage = open();
    assert_eq!(storage.last_seq().unwrap(), total);
    assert!(matches!(storage.changes(0, 10), Err(Error::Behind { .. })));
    assert_eq!(storage.commit_blocking(Commit::new().put(cart("next", 1))).unwrap().first, total + 1);
}
