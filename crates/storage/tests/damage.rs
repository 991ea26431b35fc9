//! Tests that flipped bits in a file are detected: no read returns a wrong value, and nothing is silently missing.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::ControlFlow,
    path::Path,
};

use kontor_storage::{
    ChangeRecord, Commit, CommitError, Error, IndexPage, IndexRange, Put, RecordPosition, RecordRange,
    ScanDirection, Sqlite, SqliteOptions, Storage, UniqueKey, Write, verify_file,
};
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use rusqlite::Connection;
use tempfile::TempDir;

const DOCUMENTS: usize = 60;

/// Number of bits that are flipped, one after the other.
const FLIPS: usize = 300;

/// How many of them may hide data without an error: bits of the few bytes that count the rows of an index page.
/// `verify_file` finds them.
const HIDING_MAX: usize = FLIPS / 100;

fn id(number: usize) -> String {
    format!("0190163d-0000-7000-8000-{number:012}")
}

fn body(number: usize) -> String {
    // Every third document is large enough to be compressed.
    let text = "some text ".repeat(if number.is_multiple_of(3) { 400 } else { 20 });
    format!(r#"{{"id":"{}","text":"{text}"}}"#, id(number))
}

/// Creates a shop with rows in each table.
fn shop(path: &Path) {
    let storage = Sqlite::open(path, SqliteOptions::default()).unwrap();
    for number in 0..DOCUMENTS {
        let put = Put {
            kind: "cart".into(),
            id: id(number),
            version: 1,
            body: body(number).into(),
            unique: vec![UniqueKey::new("key", format!("key-{number}"))],
            indexed: vec![("state".into(), format!("state-{}", number % 7).as_str().into())],
            record: Some(ChangeRecord {
                at_ms: 1_000 + number as i64,
                body: format!("record {number}").into(),
            }),
            ..Put::default()
        };
        storage.commit_blocking(Commit::new().put(put)).unwrap();
    }
    let count = Write::Count { counter: "uses".into(), add: 3, at_least: None, at_most: None };
    let title = Write::Setting { name: "title".into(), value: Some("Books".into()) };
    let position = Write::Position { consumer: "search".into(), seq: 3 };
    storage.commit_blocking(Commit::new().write(count).write(title).write(position)).unwrap();
}

/// The result of each read, by a description of the read.
type ReadResults = BTreeMap<String, Result<String, Error>>;

fn read_all(path: &Path) -> ReadResults {
    let mut responses = ReadResults::new();
    let storage = match Sqlite::open(path, SqliteOptions::default()) {
        Ok(storage) => storage,
        Err(error) => {
            responses.insert("open".into(), Err(error));
            return responses;
        }
    };
    let mut add = |question: String, response: Result<String, Error>| responses.insert(question, response);
    for number in 0..DOCUMENTS {
        let shown = |found: Option<kontor_storage::StoredDocument>| format!("{found:?}");
        add(format!("id {number}"), storage.get("cart", &id(number)).map(shown));
    }
    let ids: Vec<_> = (0..DOCUMENTS).map(id).collect();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    add("many".into(), storage.get_many("cart", &ids).map(|found| format!("{found:?}")));
    let mut scanned = Vec::new();
    let done = storage.scan("cart", ScanDirection::Ascending, None, &mut |document| {
        scanned.push(format!("{} {:?}", document.id, document.body));
        ControlFlow::Continue(())
    });
    add("scan".into(), done.map(|()| format!("{scanned:?}")));
    add("count".into(), storage.count("cart").map(|count| count.to_string()));
    add("counter".into(), storage.counter("uses").map(|value| value.to_string()));
    add("setting".into(), storage.setting("title").map(|value| format!("{value:?}")));
    add("position".into(), storage.position("search").map(|value| value.to_string()));
    add("changes".into(), storage.changes(0, 1000).map(|changes| format!("{changes:?}")));
    for number in 0..DOCUMENTS {
        let id = id(number);
        let (from, before) = (RecordPosition::before_time(0), RecordPosition::before_time(i64::MAX));
        let range = RecordRange { kinds: &["cart"], id: Some(&id), from, before };
        add(format!("records {number}"), storage.records(&range, 9).map(|records| format!("{records:?}")));
    }
    drop(storage);
    // Opened again, so that no result comes from the cache.
    if let Ok(storage) = Sqlite::open(path, SqliteOptions::default()) {
        for number in 0..DOCUMENTS {
            let found = storage.get_by_unique("cart", "key", &format!("key-{number}"));
            add(format!("key {number}"), found.map(|found| format!("{found:?}")));
        }
    }
    responses
}

fn read_index(path: &Path) -> Result<Vec<Vec<String>>, Error> {
    let storage = Sqlite::open(path, SqliteOptions::default())?;
    let found = |number| {
        let range = IndexRange::equal(format!("state-{number}").as_str());
        storage.find_indexed("cart", "state", &range, &IndexPage::default())
    };
    (0..7).map(found).collect()
}

#[test]
fn no_flipped_bit_changes_a_result() {
    let folder = TempDir::new().unwrap();
    let (whole, damaged) = (folder.path().join("whole.db"), folder.path().join("damaged.db"));
    shop(&whole);
    assert_eq!(verify_file(&whole).unwrap().findings, []);
    let (expected, expected_index) = (read_all(&whole), read_index(&whole).unwrap());
    assert!(expected.values().all(Result::is_ok), "{expected:?}");
    let bytes = fs::read(&whole).unwrap();
    let mut chance = StdRng::seed_from_u64(47);
    let (mut reported, mut hidden) = (0, BTreeSet::new());
    for _ in 0..FLIPS {
        let (place, bit) = (chance.random_range(0..bytes.len()), chance.random_range(0..8));
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << bit;
        fs::write(&damaged, &bytes).unwrap();
        let found = verify_file(&damaged);
        let is_found = found.as_ref().map_or(true, |verified| !verified.findings.is_empty());
        let responses = read_all(&damaged);
        for (question, response) in &responses {
            match (response, &expected.get(question)) {
                (Ok(response), Some(Ok(expected))) if response == expected => {}
                (Ok(response), Some(Ok(expected))) => {
                    // Never a different value.
                    let is_shorter = response.len() < expected.len();
                    assert!(is_shorter && is_found, "{question}, byte {place}, bit {bit}: {response:.300}");
                    hidden.insert(place);
                }
                (Ok(response), _) => panic!("{question}: {response}"),
                (Err(error), _) => {
                    assert!(is_found, "byte {place}, bit {bit}: {question} {error}, and nothing was found");
                    reported += 1;
                }
            }
        }
        // `verify_file`, and with it every backup, finds a changed row of an index.
        if !read_index(&damaged).is_ok_and(|index| index == expected_index) {
            assert!(is_found, "byte {place}, bit {bit} of an index");
        }
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(folder.path().join(format!("damaged.db{suffix}")));
        }
    }
    assert!(reported > FLIPS / 4, "{reported} errors");
    assert!(hidden.len() <= HIDING_MAX, "{hidden:?}");
}

/// Changes one row of a closed file.
fn change(path: &Path, sql: &str) {
    assert_eq!(Connection::open(path).unwrap().execute(sql, []).unwrap(), 1, "{sql}");
}

#[test]
fn damage_is_named_by_kind_and_id() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.db");
    shop(&path);
    let id = id(4);
    change(&path, &format!("UPDATE documents SET body = CAST('{{}}' AS BLOB) WHERE id = '{id}'"));
    let verified = verify_file(&path).unwrap();
    assert_eq!((verified.documents, verified.without_checksum), (DOCUMENTS as u64, 0));
    let found: Vec<_> = verified.findings.iter().map(|found| (&*found.kind, &*found.id)).collect();
    assert_eq!(found, [("cart", &*id)]);

    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    assert_eq!(storage.faults(), [] as [&str; 0]);
    let error = storage.get("cart", &id).unwrap_err();
    assert!(error.is_damage() && error.to_string().contains(&format!("document cart {id}")), "{error}");
    assert!(storage.get("cart", &self::id(5)).unwrap().is_some(), "all else is served");
    let troubles = storage.faults();
    assert!(troubles.len() == 1 && troubles[0].contains(&id), "{troubles:?}");
}

#[test]
fn reports_hidden_documents_as_damage() {
    let of_document = format!("DELETE FROM indexed WHERE id = '{}'", id(4));
    for (sql, is_told) in [
        ("UPDATE unique_keys SET id = 'nothing' WHERE value = 'key-4'", true),
        // A completely deleted row leaves no damaged neighbour.
        ("DELETE FROM unique_keys WHERE value = 'key-4'", false),
        (&of_document, false),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("shop.db");
        shop(&path);
        change(&path, sql);
        let found = verify_file(&path).unwrap().findings;
        assert!(found.iter().any(|found| found.kind == "cart" && found.id == id(4)), "{sql}: {found:?}");
        let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
        if is_told {
            assert!(storage.get_by_unique("cart", "key", "key-4").unwrap_err().is_damage(), "{sql}");
        }
        assert!(storage.get_by_unique("cart", "key", "key-5").unwrap().is_some());
        assert!(storage.get_by_unique("cart", "key", "key-none").unwrap().is_none());
    }
}

#[test]
fn refuses_backups_of_damaged_shops() {
    let folder = TempDir::new().unwrap();
    let (path, good) = (folder.path().join("shop.db"), folder.path().join("good.db"));
    shop(&path);
    Sqlite::open(&path, SqliteOptions::default()).unwrap().backup(&good).unwrap();
    let flip = format!("UPDATE documents SET version = version + 1 WHERE id = '{}'", id(4));
    change(&path, &flip);
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    let to = folder.path().join("backup.db");
    let refused = storage.backup(&to).unwrap_err();
    assert!(refused.to_string().contains(&format!("cart {}", id(4))), "{refused}");
    assert!(!to.exists() && !folder.path().join("backup.db.partial").exists());

    let other = Sqlite::in_memory(SqliteOptions::default()).unwrap();
    other.restore(&good).unwrap();
    change(&good, &flip);
    let refused = other.restore(&good).unwrap_err();
    assert!(refused.to_string().contains(&id(4)), "{refused}");
    assert!(other.get("cart", &id(4)).unwrap().is_some(), "what was there stays");
}

#[test]
fn rows_of_earlier_releases_get_a_checksum_when_they_are_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.db");
    Connection::open(&path).unwrap().execute_batch(include_str!("formats/8.sql")).unwrap();
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    let without = || verify_file(&path).unwrap().without_checksum;
    let before = without();
    assert!(before >= 1);
    let found = storage.get("cart", "a").unwrap().unwrap();
    let put = Put { kind: "cart".into(), id: "a".into(), version: found.version + 1, ..Put::default() };
    storage.commit_blocking(Commit::new().put(put)).unwrap();
    assert_eq!(without(), before - 1);
    // The file was assembled by hand, and its count of orders is wrong.
    let found = verify_file(&path).unwrap().findings;
    assert!(found.iter().all(|found| found.kind == "order"), "{found:?}");
}

#[test]
fn a_file_that_is_emptied_or_overwritten_is_noticed_before_anything_is_acknowledged() {
    for (name, content) in [("shop.db", &b""[..]), ("shop.db", &[7; 9000]), ("shop.db-wal", b"")] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("shop.db");
        shop(&path);
        let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
        let put = |number: usize| {
            let put = Put { kind: "zone".into(), id: id(number), body: "{}".into(), ..Put::default() };
            storage.commit_blocking(Commit::new().put(put))
        };
        put(0).unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        let refused = put(1).unwrap_err();
        assert!(matches!(refused, CommitError::Failed(Error::Gone(_))), "{name}: {refused}");
        let troubles = storage.faults();
        assert!(troubles[0].contains(name) && troubles[0].contains("overwritten"), "{troubles:?}");
        // To close it would touch pages that are not there any more.
        std::mem::forget(storage);
    }
}

#[test]
fn documents_on_a_damaged_page_are_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.db");
    shop(&path);
    let (page, page_bytes) = {
        let connection = Connection::open(&path).unwrap();
        let number = |name: &str| {
            connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0)).unwrap()
        };
        let root: i64 = connection
            .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'documents'", [], |row| row.get(0))
            .unwrap();
        (root, number("page_size"))
    };
    let mut bytes = fs::read(&path).unwrap();
    let start = usize::try_from((page - 1) * page_bytes).unwrap();
    // The kind of the page.
    bytes[start] = 0;
    fs::write(&path, bytes).unwrap();
    let found = verify_file(&path).unwrap().findings;
    for number in 0..DOCUMENTS {
        assert!(
            found.iter().any(|found| found.kind == "cart" && found.id == id(number)),
            "{number}: {found:?}"
        );
    }
}

#[test]
fn refuses_commits_after_the_file_was_removed() {
    for removed in ["shop.db", "shop.db-wal"] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("shop.db");
        shop(&path);
        let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
        let put = |number: usize| {
            let put = Put { kind: "zone".into(), id: id(number), body: "{}".into(), ..Put::default() };
            storage.commit_blocking(Commit::new().put(put))
        };
        put(0).unwrap();
        fs::remove_file(folder.path().join(removed)).unwrap();
        let refused = put(1).unwrap_err();
        assert!(matches!(refused, CommitError::Failed(Error::Gone(_))), "{removed}: {refused}");
        let troubles = storage.faults();
        assert!(troubles[0].contains(removed) && troubles[0].contains("kontor backup"), "{troubles:?}");
        assert!(storage.get("zone", &id(0)).unwrap().is_some(), "what was written before is read");
        // A backup contains them.
        let to = folder.path().join("saved.db");
        storage.backup(&to).unwrap();
        let saved = Sqlite::open(&to, SqliteOptions::default()).unwrap();
        assert!(saved.get("zone", &id(0)).unwrap().is_some());
    }
}
