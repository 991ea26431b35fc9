//! Runs the suite of storages on a PostgreSQL server.

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

/// Returns a new shop for each test.
fn shop() -> (Postgres, ()) {
    static SHOPS: AtomicU64 = AtomicU64::new(0);
    let number = SHOPS.fetch_add(1, Ordering::Relaxed);
    let project = format!("suite-{}-{number}", std::process::id());
    (DATABASE.open_or_create(&project).unwrap(), ())
}

storage_suite!(postgres, shop);

#[test]
fn documents_that_were_records_are_records() {
    use kontor_storage::{Commit, Put, RecordPosition, RecordRange, Storage as _};

    let (storage, ()) = shop();
    let project = format!("adopting-{}", std::process::id());
    let before = DATABASE.open_or_create(&project).unwrap();
    let record = |id: &str, of: &str, version: i64| Put {
        kind: "record of cart".into(),
        id: id.into(),
        version: 1,
        body: format!(r#"{{"version":{version}}}"#).into(),
        indexed: vec![("resource".into(), of.into())],
        ..Put::default()
    };
    let records = Commit::new()
        .put(record("0190163d-8694-7000-8000-000000000001", "a", 1))
        .put(record("0190163d-8695-7000-8000-000000000001", "a", 2))
        .put(record("0190163d-8694-7000-8000-000000000002", "b", 1));
    for shop in [&before, &storage] {
        shop.commit_blocking(records.clone()).unwrap();
    }
    let after = DATABASE.storage(&project).unwrap();
    let (from, before_all) = (RecordPosition::before_time(0), RecordPosition::before_time(i64::MAX));
    let of_a = RecordRange { kinds: &["cart"], id: Some("a"), from, before: before_all };
    let kept: Vec<_> = after.records(&of_a, 9).unwrap().into_iter().map(|kept| kept.body).collect();
    assert_eq!(kept, [r#"{"version":2}"#, r#"{"version":1}"#]);
    let all = RecordRange { kinds: &[], id: None, ..of_a };
    let times: Vec<_> = after.records(&all, 9).unwrap().iter().map(|kept| kept.place.at_ms).collect();
    assert_eq!(times, [0x0190_163d_8695, 0x0190_163d_8694, 0x0190_163d_8694]);
    assert_eq!(after.count("record of cart").unwrap(), 0);
    assert!(storage.records(&all, 9).unwrap().is_empty(), "each shop when it is opened");
}

/// Each storage has its own cache, as processes do.
#[test]
fn caches_writes_of_other_processes_after_reading_the_log() {
    use kontor_storage::{BatchKey, Commit, Error, Precondition, Put, Seq, Storage as _};

    let project = format!("seen-{}", std::process::id());
    let here = DATABASE.open_or_create(&project).unwrap();
    let database = Database::open(kontor_tests_postgres::url().parse().unwrap()).unwrap();
    let elsewhere = database.storage(&project).unwrap();
    let put = |version: i64| Put {
        kind: "cart".into(),
        id: "a".into(),
        version,
        body: format!(r#"{{"version":{version}}}"#).into(),
        ..Put::default()
    };
    let seen = || here.get_cached("cart", "a").unwrap().map(|stored| stored.version);
    let mut last = 0;
    for version in 1..=20 {
        let writer = if version % 3 == 0 { &here } else { &elsewhere };
        let revision = here.get("cart", "a").unwrap().map(|stored| stored.revision);
        let commit = Commit::new().put(put(version));
        let commit = match revision {
            Some(revision) => {
                commit.require(Precondition::Revision { kind: "cart".into(), id: "a".into(), revision })
            }
            None => commit,
        };
        writer.commit_blocking(commit).unwrap();
        last = here.changes(last, 100).unwrap().last().map_or(last, |change| change.seq);
        assert_eq!(seen(), Some(version));
        let batch = here.get_batch_cached(&[BatchKey::Id { kind: "cart", id: "a" }]).unwrap();
        assert_eq!(batch[0].as_ref().map(|stored| stored.version), Some(version));
    }
    // A refused caller reads the current state, without the log.
    let old = here.get("cart", "a").unwrap().unwrap().revision;
    elsewhere.commit_blocking(Commit::new().put(put(21))).unwrap();
    let stale = Precondition::Revision { kind: "cart".into(), id: "a".into(), revision: old };
    assert!(here.commit_blocking(Commit::new().put(put(22)).require(stale)).is_err());
    assert_eq!(seen(), Some(21));
    elsewhere.commit_blocking(Commit::new().delete("cart", "a")).unwrap();
    let changes = |after: Seq| here.changes(after, 100).unwrap().last().map_or(after, |change| change.seq);
    last = changes(last);
    assert_eq!(seen(), None);
    // Replaced content leaves no entries and the same position; so may a new shop with the same key.
    elsewhere.commit_blocking(Commit::new().put(put(1))).unwrap();
    last = changes(last);
    assert_eq!(seen(), Some(1));
    elsewhere.clear(&[]).unwrap();
    assert_eq!((changes(last), seen()), (last, None));
    elsewhere.commit_blocking(Commit::new().put(put(2))).unwrap();
    last = changes(last);
    assert_eq!(seen(), Some(2));
    database.remove(&project).unwrap();
    let again = database.open_or_create(&project).unwrap();
    assert!(matches!(here.changes(last, 100), Err(Error::Behind { .. })), "positions are of another log");
    for number in 0..last {
        again.commit_blocking(Commit::new().put(Put { id: format!("other {number}"), ..put(1) })).unwrap();
    }
    assert_eq!((changes(last), seen()), (last, None));
    // An appended document is not cached, and read from the database.
    let appended = Put { kind: "cart".into(), id: "b".into(), is_appended: true, ..Put::default() };
    again.commit_blocking(Commit::new().put(Put { body: "{}".into(), ..appended })).unwrap();
    assert!(here.get_cached("cart", "b").unwrap().is_some());
}
