//! Tests that files of earlier releases stay readable: one dump for each format ever released, in `tests/formats/`.
//!
//! `PRINT=1 cargo test -p kontor-storage --test formats` prints the dump of the content below in the format
//! of this release, for the file of a new format. A dump that is there is never changed.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // A test stops at the first failure; a dump is printed.

use std::{fmt::Write as _, path::Path};

use kontor_storage::{
    ChangeOperation, ChangeRecord, Commit, Error, IndexPage, IndexRange, Put, RecordPosition, RecordRange,
    Sqlite, SqliteOptions, Storage, UniqueKey, Write,
};
use rusqlite::{Connection, types::ValueRef};
use tempfile::TempDir;

/// The content of each dump.
fn content() -> Vec<Commit> {
    let cart = |id: &str, key: &str, total: f64| Put {
        kind: "cart".into(),
        id: id.into(),
        version: 1,
        sequence: 2,
        body: format!(r#"{{"key":"{key}"}}"#).into(),
        unique: vec![UniqueKey::new("key", key)],
        indexed: vec![("total".into(), total.into()), ("key".into(), key.into()), ("n".into(), 7.into())],
        ..Put::default()
    };
    vec![
        Commit::new().put(cart("a", "one", 1.5)),
        Commit::new().put(cart("b", "zwei", 2.5)).write(Write::Count {
            counter: "uses".into(),
            add: 3,
            at_least: None,
            at_most: None,
        }),
        Commit::new().put(Put { version: 2, ..cart("a", "one", 3.0) }),
        Commit::new().delete("cart", "b"),
        Commit::new()
            .write(Write::Setting { name: "title".into(), value: Some("Books".into()) })
            .write(Write::Position { consumer: "search".into(), seq: 3 }),
    ]
}

fn check(storage: &Sqlite) {
    let cart = storage.get_by_unique("cart", "key", "one").unwrap().unwrap();
    assert_eq!((cart.id.as_str(), cart.version, cart.revision, cart.sequence), ("a", 2, 3, 2));
    assert_eq!(cart.body, r#"{"key":"one"}"#);
    assert_eq!(storage.count("cart").unwrap(), 1);
    assert_eq!(storage.counter("uses").unwrap(), 3);
    assert_eq!(storage.setting("title").unwrap().as_deref(), Some("Books"));
    assert_eq!(storage.position("search").unwrap(), 3);
    let operations: Vec<_> =
        storage.changes(0, 9).unwrap().into_iter().map(|change| (change.id, change.operation)).collect();
    let expected = [
        ("a", ChangeOperation::Created),
        ("b", ChangeOperation::Created),
        ("a", ChangeOperation::Updated),
        ("b", ChangeOperation::Deleted),
    ];
    assert_eq!(operations, expected.map(|(id, operation)| (id.to_owned(), operation)));

    // Writing continues: the rows of a document are known, whichever release wrote them.
    for (path, range) in
        [("total", IndexRange::equal(3)), ("key", IndexRange::equal("one")), ("n", IndexRange::equal(7))]
    {
        let found = || storage.find_indexed("cart", path, &range, &IndexPage::default()).unwrap();
        assert_eq!(found(), ["a"], "{path}");
    }
    let bare = Put { kind: "cart".into(), id: "a".into(), version: 3, ..Put::default() };
    assert_eq!(storage.commit_blocking(Commit::new().put(bare)).unwrap().first, 5);
    for path in ["total", "key", "n"] {
        assert_eq!(storage.count_indexed("cart", path, &IndexRange::all(), 9).unwrap(), 0, "{path}");
    }
    let other = Put {
        kind: "cart".into(),
        id: "c".into(),
        unique: vec![UniqueKey::new("key", "one")],
        ..Put::default()
    };
    storage.commit_blocking(Commit::new().put(other)).unwrap();
}

fn open_dump(sql: &str) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    check(&Sqlite::open(&path, SqliteOptions::default()).unwrap());
}

#[test]
fn format_1_is_read() {
    open_dump(include_str!("formats/1.sql"));
}

#[test]
fn format_2_is_read() {
    open_dump(include_str!("formats/2.sql"));
}

#[test]
fn format_3_is_read() {
    open_dump(include_str!("formats/3.sql"));
}

#[test]
fn format_4_is_read() {
    open_dump(include_str!("formats/4.sql"));
}

#[test]
fn format_5_is_read() {
    open_dump(include_str!("formats/5.sql"));
}

#[test]
fn format_6_is_read() {
    open_dump(include_str!("formats/6.sql"));
}

#[test]
fn format_7_is_read() {
    open_dump(include_str!("formats/7.sql"));
}

#[test]
fn format_8_is_read() {
    open_dump(include_str!("formats/8.sql"));
}

#[test]
fn format_9_is_read() {
    open_dump(include_str!("formats/9.sql"));
}

#[test]
fn bodies_that_were_packed_with_the_first_dictionary_are_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    Connection::open(&path).unwrap().execute_batch(include_str!("formats/8.sql")).unwrap();
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    let order = storage.get("order", "o").unwrap().unwrap();
    let lines = (1..9).map(|number| {
        format!(
            r#"{{"id":"{number}","totalPrice":{{"type":"centPrecision","currencyCode":"EUR","centAmount":{number}00,"fractionDigits":2}},"priceMode":"Platform","lineItemMode":"Standard"}}"#
        )
    });
    let lines: Vec<String> = lines.collect();
    let body = format!(r#"{{"id":"o","version":1,"lineItems":[{}],"orderState":"Open"}}"#, lines.join(","));
    assert_eq!(order.body, body);
}

#[test]
fn documents_that_were_records_are_records() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    Connection::open(&path).unwrap().execute_batch(include_str!("formats/5-records.sql")).unwrap();
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    let at_ms = 0x0190_163d_8694;
    let kept = |id: Option<&str>| -> Vec<(String, i64, Vec<u8>)> {
        let range = RecordRange {
            kinds: &["cart"],
            id,
            from: RecordPosition::before_time(0),
            before: RecordPosition::before_time(i64::MAX),
        };
        let kept = storage.records(&range, 9).unwrap().into_iter();
        kept.map(|record| (record.id, record.place.at_ms - at_ms, record.body.to_vec())).collect()
    };
    let record = |id: &str, ms: i64, version: i64| {
        (id.to_owned(), ms, format!("{{\"version\":{version}}}").into_bytes())
    };
    let (of_a, of_b) = ([record("a", 1, 2), record("a", 0, 1)], [record("b", 0, 2), record("b", 0, 1)]);
    assert_eq!(kept(Some("a")), of_a);
    assert_eq!(kept(Some("b")), of_b, "of what is gone, too");
    assert_eq!(kept(None), [&of_a[..1], &of_b, &of_a[1..]].concat());
    assert_eq!(storage.count("record of cart").unwrap(), 0);
    // The list of records continues.
    let record = ChangeRecord { at_ms: at_ms + 2, body: "{}".into() };
    let put = Put { kind: "cart".into(), id: "a".into(), version: 3, record: Some(record), ..Put::default() };
    storage.commit_blocking(Commit::new().put(put)).unwrap();
    assert_eq!(kept(Some("a")).len(), 3);
}

#[test]
fn a_backup_in_an_earlier_format_is_restored() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("backup.sqlite");
    Connection::open(&path).unwrap().execute_batch(include_str!("formats/1.sql")).unwrap();
    let before = std::fs::read(&path).unwrap();
    let storage = Sqlite::in_memory(SqliteOptions::default()).unwrap();
    storage.restore(&path).unwrap();
    let cart = storage.get_by_unique("cart", "key", "one").unwrap().unwrap();
    assert_eq!((cart.id.as_str(), cart.version), ("a", 2));
    assert_eq!(storage.setting("title").unwrap().as_deref(), Some("Books"));
    assert_eq!(std::fs::read(&path).unwrap(), before, "a backup stays as it is");
}

#[test]
fn a_backup_of_a_later_release_is_not_restored() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("backup.sqlite");
    let storage = Sqlite::in_memory(SqliteOptions::default()).unwrap();
    storage.backup(&path).unwrap();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let refused = storage.restore(&path).unwrap_err();
    assert!(matches!(refused, Error::NewerFormat { found: 99, .. }), "{refused}");
}

#[test]
fn the_format_of_this_release_is_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    for commit in content() {
        storage.commit_blocking(commit).unwrap();
    }
    drop(storage);
    let dump = dump(&path);
    if std::env::var_os("PRINT").is_some() {
        println!("{dump}");
    }
    open_dump(&dump);
}

/// Returns a file as SQL.
fn dump(path: &Path) -> String {
    let connection = Connection::open(path).unwrap();
    let mut sql = String::new();
    for pragma in ["application_id", "user_version"] {
        let value: i64 = connection.pragma_query_value(None, pragma, |row| row.get(0)).unwrap();
        writeln!(sql, "PRAGMA {pragma} = {value};").unwrap();
    }
    let mut schema =
        connection.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").unwrap();
    let mut objects = schema.query([]).unwrap();
    while let Some(object) = objects.next().unwrap() {
        let [kind, name, definition] = [0, 1, 2].map(|column| object.get::<_, String>(column).unwrap());
        writeln!(sql, "{definition};").unwrap();
        if kind != "table" {
            continue;
        }
        let mut statement = connection.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<_> = (0..columns).map(|column| literal(row.get_ref(column).unwrap())).collect();
            writeln!(sql, "INSERT INTO {name} VALUES ({});", values.join(", ")).unwrap();
        }
    }
    sql
}

fn literal(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".into(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(text) => format!("'{}'", str::from_utf8(text).unwrap().replace('\'', "''")),
        ValueRef::Blob(bytes) => {
            format!("x'{}'", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
    }
}
