//! Tests of clearing, backing up, restoring and copying a shop.

use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

use kontor_storage::{
    ChangeRecord, Commit, CommitError, CopyFile, Error, IndexPage, IndexRange, Put, RecordPosition,
    RecordRange, ScanDirection, Sqlite, SqliteOptions, Storage, Write,
};
use tempfile::TempDir;

use super::{body, document, indexed, keyed, large, put};

pub(crate) fn clearing_keeps_some_kinds_and_the_settings(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "one"));
    put(storage, keyed("client", "c", "one"));
    storage.set_setting("title", Some("Books")).unwrap();
    let (seq, epoch) = (storage.last_seq().unwrap(), storage.epoch().unwrap());
    let listener = storage.subscribe();
    storage.clear(&["client", "unknown"]).unwrap();
    assert_eq!(storage.get("cart", "a").unwrap(), None);
    assert_eq!(storage.get_by_unique("cart", "key", "one").unwrap(), None);
    assert_eq!(storage.count("cart").unwrap(), 0);
    assert_eq!(storage.get_by_unique("client", "key", "one").unwrap().unwrap().id, "c");
    assert_eq!(storage.count("client").unwrap(), 1);
    assert_eq!(storage.setting("title").unwrap().as_deref(), Some("Books"));
    assert!(storage.epoch().unwrap() > epoch);
    assert!(listener.has_changed().unwrap());
    // Positions continue, so that no revision occurs twice.
    assert_eq!(put(storage, keyed("cart", "b", "one")).first, seq + 1);
    storage.clear(&[]).unwrap();
    assert_eq!(storage.count("client").unwrap(), 0);
    // A consumer with an earlier position gets an error.
    let newest = storage.last_seq().unwrap();
    assert!(matches!(storage.changes(newest - 1, 10), Err(Error::Behind { .. })));
    assert_eq!(storage.changes(newest, 10).unwrap(), []);
}

fn fill(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "one"));
    put(storage, indexed("order", "o", [("cart.id", "a".into()), ("total", 1.5.into())]));
    put(storage, large("list", "l", "long"));
    let count = Write::Count { counter: "uses".into(), add: 3, at_least: None, at_most: None };
    storage.commit_blocking(Commit::new().write(count)).unwrap();
    storage.set_setting("title", Some("Books")).unwrap();
}

fn check_filled(storage: &impl Storage) {
    assert_eq!(storage.get_by_unique("cart", "key", "one").unwrap().unwrap().id, "a");
    let by_reference =
        |path: &str, range| storage.find_indexed("order", path, &range, &IndexPage::default()).unwrap();
    assert_eq!(by_reference("cart.id", IndexRange::equal("a")), ["o"]);
    assert_eq!(by_reference("total", IndexRange::equal(1.5)), ["o"]);
    assert_eq!(
        storage.get_by_unique("list", "key", "long").unwrap().unwrap().body,
        large("list", "l", "long").body
    );
    let tag = IndexRange::equal("tag 150");
    assert_eq!(storage.find_indexed("list", "tag", &tag, &IndexPage::default()).unwrap(), ["l"]);
    assert_eq!(storage.count("cart").unwrap(), 1);
    assert_eq!(storage.counter("uses").unwrap(), 3);
    assert_eq!(storage.setting("title").unwrap().as_deref(), Some("Books"));
}

pub(crate) fn restores_what_was_backed_up(storage: &impl Storage) {
    let folder = TempDir::new().unwrap();
    let backup = folder.path().join("backup.sqlite");
    fill(storage);
    storage.backup(&backup).unwrap();
    assert!(storage.backup(&backup).is_err(), "a backup is not written over");
    let epoch = storage.epoch().unwrap();

    put(storage, document("cart", "a", "changed"));
    put(storage, keyed("cart", "b", "two"));
    put(storage, keyed("unheard", "u", "three"));
    storage.set_setting("title", None).unwrap();
    assert_eq!(body(storage, "cart", "a").as_deref(), Some("changed"));
    let seq = storage.last_seq().unwrap();

    storage.restore(&backup).unwrap();
    check_filled(storage);
    assert_eq!(storage.get("cart", "b").unwrap(), None);
    assert_eq!(storage.find_unique("cart", "key", "two").unwrap(), None);
    assert_eq!(storage.count("unheard").unwrap(), 0);
    assert!(storage.epoch().unwrap() > epoch);
    // It continues from here, with keys and indexes.
    let receipt = put(storage, keyed("cart", "a", "two"));
    assert_eq!(receipt.first, seq + 1);
    put(storage, keyed("cart", "b", "one"));
    storage.commit_blocking(Commit::new().delete("order", "o")).unwrap();
    let all = storage.find_indexed("order", "total", &IndexRange::all(), &IndexPage::default());
    assert_eq!(all.unwrap(), [""; 0]);
    // A backup can be restored repeatedly.
    storage.restore(&backup).unwrap();
    check_filled(storage);
}

pub(crate) fn restores_into_another_shop(storage: &impl Storage) {
    let folder = TempDir::new().unwrap();
    let backup = folder.path().join("backup.sqlite");
    let other = Sqlite::in_memory(SqliteOptions::default()).unwrap();
    // Names that first occur in another order have other numbers.
    put(&other, indexed("order", "z", [("total", 1.into()), ("cart.id", "q".into())]));
    other.clear(&[]).unwrap();
    fill(&other);
    other.backup(&backup).unwrap();

    put(storage, keyed("cart", "old", "two"));
    storage.restore(&backup).unwrap();
    check_filled(storage);
    assert_eq!(storage.get("cart", "old").unwrap(), None);
    put(storage, keyed("cart", "a", "two"));
    put(storage, keyed("cart", "b", "one"));
    storage.commit_blocking(Commit::new().delete("order", "o")).unwrap();
    let all = storage.find_indexed("order", "total", &IndexRange::all(), &IndexPage::default());
    assert_eq!(all.unwrap(), [""; 0]);
}

pub(crate) fn refuses_to_restore_what_is_no_backup(storage: &impl Storage) {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "no database at all, but long enough to be looked at").unwrap();
    fill(storage);
    assert!(storage.restore(&text).is_err());
    assert!(storage.restore(&folder.path().join("missing")).is_err());
    check_filled(storage);
    put(storage, document("cart", "c", "{}"));
}

pub(crate) fn backs_up_while_commits_go_on(storage: &impl Storage) {
    let folder = TempDir::new().unwrap();
    let is_done = AtomicBool::new(false);
    // Two documents that always change together.
    let pair = |number: i64| {
        let mut commit = Commit::new();
        for id in ["left", "right"] {
            let padding = "x".repeat(20_000);
            commit = commit.put(document("pair", id, &format!("{number} {padding}")));
        }
        commit
    };
    storage.commit_blocking(pair(0)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 1;
            while !is_done.load(Ordering::Relaxed) {
                storage.commit_blocking(pair(number)).unwrap();
                number += 1;
            }
        });
        for round in 0..5 {
            let path = folder.path().join(format!("{round}.sqlite"));
            let acknowledged = storage.last_seq().unwrap();
            storage.backup(&path).unwrap();
            let copy = Sqlite::open(&path, SqliteOptions::default()).unwrap();
            assert!(copy.last_seq().unwrap() >= acknowledged);
            let mut bodies = HashMap::new();
            copy.scan("pair", ScanDirection::Ascending, None, &mut |stored| {
                bodies.insert(stored.id.to_owned(), stored.body.to_vec());
                ControlFlow::Continue(())
            })
            .unwrap();
            assert!(bodies["left"] == bodies["right"], "a backup is one consistent state");
        }
        is_done.store(true, Ordering::Relaxed);
    });
}

fn record(at_ms: i64) -> ChangeRecord {
    ChangeRecord { at_ms, body: format!("{{\"at\":{at_ms}}}").into() }
}

pub(crate) fn a_copy_follows(storage: &impl Storage) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("copy.db");
    for id in ["a", "b", "c", "d"] {
        put(storage, keyed("cart", id, id));
    }
    put(storage, indexed("order", "o", [("total", 7.into()), ("cart.id", "a".into())]));
    for id in ["l", "m", "n"] {
        put(storage, large("list", id, id));
    }
    storage.backup(&file).unwrap();
    let copied = storage.last_seq().unwrap();
    let epoch = storage.epoch().unwrap();
    let mut copy = CopyFile::open(&file, epoch, 0).unwrap();
    copy.append_log(&storage.changes(0, 100).unwrap()).unwrap();

    // A change with a record, of a document that changes again before the copy follows; and one deleted with a record.
    let recorded = |id: &str, at_ms: i64| Put { record: Some(record(at_ms)), ..keyed("review", id, id) };
    put(storage, recorded("r", 10));
    put(storage, recorded("gone", 11));
    // A key moves around: whichever part is copied first, the key ends at its last holder.
    put(storage, keyed("cart", "a", "free"));
    put(storage, keyed("cart", "b", "a"));
    put(storage, keyed("cart", "a", "b"));
    put(storage, keyed("cart", "a", "last"));
    super::delete(storage, "cart", "c");
    put(storage, keyed("cart", "e", "c"));
    super::delete(storage, "cart", "d");
    put(storage, keyed("cart", "d", "d"));
    put(storage, indexed("order", "o", [("total", 8.into())]));
    put(storage, recorded("r", 12));
    put(storage, recorded("r", 12));
    let erase = Write::EraseRecords { kind: "review".into(), id: "gone".into() };
    let end = Write::Delete { kind: "review".into(), id: "gone".into(), record: Some(record(13)) };
    storage.commit_blocking(Commit::new().write(erase).write(end)).unwrap();
    put(storage, recorded("ends", 14));
    let end = Write::Delete { kind: "review".into(), id: "ends".into(), record: Some(record(15)) };
    storage.commit_blocking(Commit::new().write(end)).unwrap();
    put(storage, indexed("new kind", "n", [("new path", "x".into())]));
    // A compressed document: it changes, becomes small, and is deleted.
    put(storage, large("list", "l", "other"));
    put(storage, keyed("list", "m", "m"));
    super::delete(storage, "list", "n");
    let count = Write::Count { counter: "uses".into(), add: 3, at_least: None, at_most: None };
    storage.commit_blocking(Commit::new().write(count)).unwrap();
    storage.set_setting("title", Some("Books")).unwrap();
    storage.set_position("consumer", 4).unwrap();
    let (mut at, mut steps) = (copied, 0);
    loop {
        let delta = storage.delta(at, 3).unwrap();
        assert_eq!(delta.epoch, epoch);
        copy.apply(&delta).unwrap();
        at = delta.last().unwrap_or(at);
        steps += 1;
        if delta.rest.is_some() {
            break;
        }
    }
    assert!(steps > 2);
    copy.finish().unwrap();

    let copy = Sqlite::open(&file, SqliteOptions::default()).unwrap();
    assert_eq!((copy.epoch().unwrap(), copy.last_seq().unwrap()), (epoch, storage.last_seq().unwrap()));
    assert_eq!(copy.changes(0, 100).unwrap(), storage.changes(0, 100).unwrap());
    for kind in ["cart", "order", "new kind", "list"] {
        assert_eq!(copy.count(kind).unwrap(), storage.count(kind).unwrap(), "{kind}");
        for id in ["a", "b", "c", "d", "e", "l", "m", "n", "o"] {
            assert_eq!(copy.get(kind, id).unwrap(), storage.get(kind, id).unwrap(), "{kind} {id}");
        }
    }
    for key in ["a", "b", "c", "d", "free", "last"] {
        let holder = |storage: &dyn Storage| storage.find_unique("cart", "key", key).unwrap();
        assert_eq!(holder(&copy), holder(storage), "{key}");
    }
    for (kind, path) in [("order", "total"), ("order", "cart.id"), ("new kind", "new path"), ("list", "tag")]
    {
        let found = |storage: &dyn Storage| {
            storage.find_indexed(kind, path, &IndexRange::all(), &IndexPage::default()).unwrap()
        };
        assert_eq!(found(&copy), found(storage), "{path}");
    }
    let kinds: &[&str] = &["review"];
    for id in [None, Some("r"), Some("gone"), Some("ends")] {
        let kept = |storage: &dyn Storage| {
            let (from, before) = (RecordPosition::before_time(0), RecordPosition::before_time(1_000));
            let found = storage.records(&RecordRange { kinds, id, from, before }, 100).unwrap();
            found.into_iter().map(|kept| (kept.place.at_ms, kept.id, kept.body)).collect::<Vec<_>>()
        };
        assert_eq!(kept(&copy), kept(storage), "{id:?}");
    }
    assert_eq!(copy.counter("uses").unwrap(), 3);
    assert_eq!(copy.setting("title").unwrap().as_deref(), Some("Books"));
    assert_eq!(copy.position("consumer").unwrap(), 4);
    // It continues like any shop.
    put(&copy, keyed("cart", "f", "free"));
}

/// Does nothing on a storage that other processes write, too: there the whole database is frozen instead.
pub(crate) fn refuses_commits_while_moving(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "a"));
    storage.refuse_commits(Some("there")).unwrap();
    let refused = storage.commit_blocking(Commit::new().put(keyed("cart", "b", "b")));
    if storage.is_shared() {
        refused.unwrap();
        return;
    }
    assert!(matches!(refused, Err(CommitError::Failed(Error::Moved(place))) if &*place == "there"));
    assert!(matches!(storage.clear(&[]), Err(Error::Moved(_))));
    assert!(!storage.is_keeper());
    assert_eq!(body(storage, "cart", "a").as_deref(), Some("{}"));
    storage.refuse_commits(None).unwrap();
    put(storage, keyed("cart", "b", "b"));
    assert!(storage.is_keeper());
}
