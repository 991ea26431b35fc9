//! Tests that statements are planned once per connection, and not at each execution.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::ops::{Bound, ControlFlow};

use kontor_storage::{
    BatchKey, ChangeRecord, Commit, IndexPage, IndexRange, Precondition, Put, RecordPosition, RecordRange,
    ScanDirection, Storage, UniqueKey, Write,
};
use kontor_tests_postgres::PostgresServer;

use crate::{Database, DatabaseOptions, Postgres};

/// Number of rounds.
const ROUNDS: i64 = 30;
/// Number of documents of each commit: few, so that a plan for these values alone would look better.
const DOCUMENTS: i64 = 2;
/// Number of documents written before: with so many, and statistics of them, a plan for a position near the end of the
/// log would look better than a generic one.
const BEFORE: i64 = 10_000;
/// Number of custom plans that the server tries before it compares them with a generic one.
const TRIED: i64 = 5;

fn document(number: i64, version: i64) -> Put {
    let record = ChangeRecord { at_ms: 1_000 * version, body: "{}".into() };
    Put {
        kind: "state".into(),
        id: format!("{number:08}"),
        version,
        body: "{}".into(),
        unique: vec![UniqueKey::new("key", format!("{number}-{version}"))],
        indexed: vec![("at".into(), version.into())],
        record: Some(record),
        ..Put::default()
    }
}

/// Writes everything that commits may contain, in several commits.
fn write(storage: &Postgres, round: i64) {
    let new = |number: i64| document(1_000 * round + number, 1);
    let changed = |number: i64| document(1_000 * round + number, 2);
    let numbers = || 0..DOCUMENTS;
    let made = numbers().fold(Commit::new(), |commit, number| commit.put(new(number)));
    storage.commit_blocking(made).unwrap();
    let mut commit = Commit::new()
        .require(Precondition::NotReferenced { kind: "state".into(), path: "at".into(), value: 9.into() })
        .require(Precondition::CountAtMost { kind: "zone".into(), limit: 0 })
        .write(Write::Count { counter: "sold".into(), add: 1, at_least: None, at_most: None })
        .write(Write::Position { consumer: "reader".into(), seq: round.unsigned_abs() })
        .write(Write::Setting { name: "a".into(), value: Some("1".into()) })
        .write(Write::Setting { name: "b".into(), value: None })
        .write(Write::EndRecords { before_ms: 1, at_most: 10 });
    for number in numbers() {
        commit = commit.put(changed(number));
    }
    storage.commit_blocking(commit).unwrap();
    let (gone, erased) = (new(0).id, new(1).id);
    let erase = Write::EraseRecords { kind: "state".into(), id: erased };
    storage.commit_blocking(Commit::new().delete("state", gone).write(erase)).unwrap();
}

/// Runs every reading statement.
fn read(storage: &Postgres, round: i64) {
    let stored = document(1_000 * round + 1, 2);
    let (id, key) = (&*stored.id, &*stored.unique[0].value);
    let page = IndexPage::first(20);
    let by_value = IndexRange::In(vec![2.into(), 3.into()]);
    let range = IndexRange::Between(Bound::Included(1.into()), Bound::Unbounded);
    let by_key = BatchKey::Unique { kind: "state", path: "key", value: key };
    assert!(storage.get("state", id).unwrap().is_some());
    let batch = storage.get_batch(&[BatchKey::Id { kind: "state", id }, by_key]).unwrap();
    assert!(batch.iter().all(Option::is_some));
    assert!(storage.get_by_unique("state", "key", key).unwrap().is_some());
    assert!(storage.find_unique("state", "key", key).unwrap().is_some());
    for range in [&IndexRange::equal(2), &by_value, &range] {
        assert!(!storage.find_indexed("state", "at", range, &page).unwrap().is_empty());
        assert!(storage.count_indexed("state", "at", range, 1_000).unwrap() > 0);
        let visit = &mut |_: kontor_storage::StoredDocumentRef<'_>| ControlFlow::Continue(());
        storage.visit_indexed("state", "at", range, &page, visit).unwrap();
        storage.scan("state", ScanDirection::Descending, None, visit).unwrap();
    }
    let newest = storage.last_seq().unwrap();
    assert!(!storage.changes(newest - 1, 10_000).unwrap().is_empty());
    let records = RecordRange {
        kinds: &["state"],
        id: None,
        from: RecordPosition::before_time(0),
        before: RecordPosition::before_time(i64::MAX),
    };
    for id in [None, Some(id)] {
        assert!(storage.records(&RecordRange { id, ..records }, 20).is_ok());
    }
    storage.count("state").unwrap();
    storage.counter("sold").unwrap();
    storage.setting("a").unwrap();
    storage.position("reader").unwrap();
}

#[test]
fn statements_are_planned_once() {
    let server = PostgresServer::start().unwrap();
    let mut options: DatabaseOptions = server.url().parse().unwrap();
    // One connection for visits, one for everything else: each has its own plans.
    options.connections = 2;
    let database = Database::open(options).unwrap();
    let storage = database.open_or_create("plans").unwrap();
    let before = (0..BEFORE).map(|number| document(1_000_000 + number, 1));
    storage.commit_blocking(before.fold(Commit::new(), Commit::put)).unwrap();
    let shop = &storage.shop;
    let analyzed =
        shop.server.wait(async { shop.server.client().await.unwrap().batch_execute("ANALYZE").await });
    analyzed.unwrap();
    for round in 1..=ROUNDS {
        write(&storage, round);
        read(&storage, round);
    }
    let planned = shop.server.wait(async {
        let mut planned = Vec::new();
        let sql = "SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements";
        for client in [shop.server.client().await.unwrap(), shop.server.visit_client().await.unwrap()] {
            for row in client.query(sql, &[]).await.unwrap() {
                planned.push((row.get::<_, String>(0), row.get::<_, i64>(1), row.get::<_, i64>(2)));
            }
        }
        planned
    });
    let often: Vec<_> = planned.iter().filter(|(_, once, anew)| once + anew > 2 * TRIED).collect();
    // Six reads of a group, a write for each table, and all reads.
    assert!(often.len() >= 30, "{} statements ran often: {often:#?}", often.len());
    let anew: Vec<_> = often.into_iter().filter(|(_, _, anew)| *anew > TRIED).collect();
    assert!(anew.is_empty(), "planned each time: {anew:#?}");
}
