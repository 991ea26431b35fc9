//! Tests of moving a shop from a file into a database while it changes, and of freezing a database.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::{thread::scope, time::Duration};

use kontor_auth::store::ProjectRow;
use kontor_postgres::Database;
use kontor_storage::{
    BackupReader, ChangeRecord, Commit, CommitError, Error, IndexPage, IndexRange, Put, RecordPosition,
    RecordRange, Sqlite, SqliteOptions, Storage, UniqueKey, Write,
};
use tempfile::TempDir;

fn database() -> (kontor_tests_postgres::PostgresServer, Database) {
    let server = kontor_tests_postgres::PostgresServer::start().unwrap();
    let database = Database::open(server.url().parse().unwrap()).unwrap();
    (server, database)
}

fn cart(id: &str, key: &str, total: i64) -> Put {
    Put {
        kind: "cart".into(),
        id: id.into(),
        version: 1,
        body: format!("{{\"id\":\"{id}\"}}").into(),
        unique: vec![UniqueKey::new("key", key)],
        indexed: vec![("total".to_owned(), total.into())],
        record: Some(ChangeRecord { at_ms: total, body: "{}".into() }),
        ..Put::default()
    }
}

#[test]
fn copies_a_changing_shop_into_a_database() {
    let (_server, database) = database();
    let folder = TempDir::new().unwrap();
    let file = Sqlite::open(&folder.path().join("shop.db"), SqliteOptions::default()).unwrap();
    let put = |put: Put| {
        file.commit_blocking(Commit::new().put(put)).unwrap();
    };
    for number in 0..50 {
        put(cart(&format!("c{number}"), &format!("k{number}"), number));
    }
    let backup = folder.path().join("backup.db");
    file.backup(&backup).unwrap();
    let copied = file.last_seq().unwrap();
    database.begin_move("move").unwrap();
    let copy = database.copy("shop", &BackupReader::open(&backup).unwrap(), 7, 0).unwrap();
    copy.append_log(&file.changes(0, 1_000).unwrap()).unwrap();

    // Two keys swap holders repeatedly, and finally back.
    for round in 0..21 {
        put(cart("c1", "between", round));
        put(cart("c2", if round % 2 == 0 { "k1" } else { "k2" }, round));
        put(cart("c1", if round % 2 == 0 { "k2" } else { "k1" }, round));
    }
    file.commit_blocking(Commit::new().delete("cart", "c3")).unwrap();
    put(cart("new", "k3", 1));
    let count = Write::Count { counter: "uses".into(), add: 3, at_least: None, at_most: None };
    file.commit_blocking(Commit::new().write(count)).unwrap();
    let mut at = copied;
    loop {
        let delta = file.delta(at, 4).unwrap();
        copy.take(&delta).unwrap();
        at = delta.last().unwrap_or(at);
        if delta.rest.is_some() {
            break;
        }
    }
    let row = ProjectRow { key: "shop".into(), name: "Shop".into(), created_at_ms: 5 };
    assert!(database.finish_move("move", std::slice::from_ref(&row)).unwrap());
    // Repeating it has no effect.
    assert!(database.finish_move("move", &[row]).unwrap());
    assert!(matches!(database.begin_move("another"), Err(Error::Invalid(_))));

    let moved = database.storage("shop").unwrap();
    assert_eq!((moved.epoch().unwrap(), moved.last_seq().unwrap()), (7, file.last_seq().unwrap()));
    assert_eq!(moved.changes(0, 1_000).unwrap(), file.changes(0, 1_000).unwrap());
    assert_eq!(moved.count("cart").unwrap(), file.count("cart").unwrap());
    for number in 0..50 {
        let (id, key) = (format!("c{number}"), format!("k{number}"));
        assert_eq!(moved.get("cart", &id).unwrap(), file.get("cart", &id).unwrap());
        assert_eq!(
            moved.find_unique("cart", "key", &key).unwrap(),
            file.find_unique("cart", "key", &key).unwrap()
        );
    }
    let all = |storage: &dyn Storage| {
        storage.find_indexed("cart", "total", &IndexRange::all(), &IndexPage::default()).unwrap()
    };
    assert_eq!(all(&moved), all(&file));
    let kept = |storage: &dyn Storage| {
        let (from, before) = (RecordPosition::before_time(0), RecordPosition::before_time(1_000));
        let range = RecordRange { kinds: &["cart"], id: None, from, before };
        let mut kept: Vec<_> = storage.records(&range, 1_000).unwrap();
        kept.sort_by_key(|record| (record.place, record.id.clone()));
        kept
    };
    assert_eq!(kept(&moved), kept(&file));
    assert_eq!(moved.counter("uses").unwrap(), 3);
    moved.commit_blocking(Commit::new().put(cart("later", "later", 1))).unwrap();
}

#[test]
fn freezes_writers_and_refuses_them_after_a_move() {
    let (_server, database) = database();
    let shop = database.open_or_create("shop").unwrap();
    let put = |id: &str| shop.commit_blocking(Commit::new().put(cart(id, id, 1)));
    put("before").unwrap();
    let held = database.freeze_writes().unwrap();
    scope(|scope| {
        let waiting = scope.spawn(|| put("waits"));
        std::thread::sleep(Duration::from_millis(300));
        assert!(shop.get("cart", "before").unwrap().is_some());
        assert!(shop.get("cart", "waits").unwrap().is_none());
        assert!(!waiting.is_finished());
        drop(held);
        waiting.join().unwrap().unwrap();
    });
    let held = database.freeze_writes().unwrap();
    scope(|scope| {
        let waiting = scope.spawn(|| put("late"));
        std::thread::sleep(Duration::from_millis(300));
        held.finish_moved("there").unwrap();
        let refused = waiting.join().unwrap();
        assert!(matches!(refused, Err(CommitError::Failed(Error::Moved(place))) if &*place == "there"));
    });
    assert!(shop.get("cart", "late").unwrap().is_none());
    assert_eq!(database.moved_to().unwrap().as_deref(), Some("there"));
    assert!(matches!(database.begin_move("back"), Err(Error::Invalid(_))));
}
