//! Tests of records of changes.

use kontor_storage::{ChangeRecord, Commit, Precondition, Put, RecordPosition, RecordRange, Storage, Write};
use tempfile::TempDir;

use super::{document, keyed, put, refusal};

fn record(at_ms: i64, body: &str) -> Option<ChangeRecord> {
    Some(ChangeRecord { at_ms, body: body.to_owned().into() })
}

/// Returns a document with a record of its change.
fn recorded(kind: &str, id: &str, at_ms: i64, body: &str) -> Put {
    Put { record: record(at_ms, body), ..document(kind, id, "{}") }
}

fn delete(storage: &impl Storage, kind: &str, id: &str, at_ms: i64, body: &str) {
    let delete = Write::Delete { kind: kind.into(), id: id.into(), record: record(at_ms, body) };
    storage.commit_blocking(Commit::new().write(delete)).unwrap();
}

fn range<'a>(kinds: &'a [&'a str], id: Option<&'a str>) -> RecordRange<'a> {
    RecordRange {
        kinds,
        id,
        from: RecordPosition::before_time(0),
        before: RecordPosition::before_time(1_000_000),
    }
}

/// Returns the bodies of records.
fn bodies(storage: &impl Storage, range: &RecordRange<'_>) -> Vec<String> {
    let kept = storage.records(range, 100).unwrap().into_iter();
    kept.map(|record| String::from_utf8(record.body.to_vec()).unwrap()).collect()
}

fn of<'a>(id: &'a str) -> RecordRange<'a> {
    range(&["cart"], Some(id))
}

pub(crate) fn records_come_newest_first(storage: &impl Storage) {
    let carts = Commit::new().put(recorded("cart", "a", 5, "a1")).put(recorded("cart", "b", 5, "b1"));
    storage.commit_blocking(carts).unwrap();
    put(storage, recorded("order", "a", 6, "order"));
    put(storage, recorded("cart", "a", 7, "a2"));
    assert_eq!(bodies(storage, &range(&[], None)), ["a2", "order", "b1", "a1"]);
    assert_eq!(bodies(storage, &range(&["cart", "unknown"], None)), ["a2", "b1", "a1"]);
    assert_eq!(bodies(storage, &range(&["unknown"], None)), [""; 0]);
    assert_eq!(bodies(storage, &of("a")), ["a2", "a1"]);
    assert_eq!(bodies(storage, &range(&["cart", "order"], Some("a"))), ["a2", "order", "a1"]);
    assert_eq!(bodies(storage, &of("nobody")), [""; 0]);
    // The first bound is inclusive, the last one exclusive.
    let within = |kinds, id| RecordRange {
        from: RecordPosition::before_time(5),
        before: RecordPosition::before_time(7),
        ..range(kinds, id)
    };
    assert_eq!(bodies(storage, &within(&[], None)), ["order", "b1", "a1"]);
    assert_eq!(bodies(storage, &within(&["cart"], Some("a"))), ["a1"]);
    let first = &storage.records(&of("a"), 1).unwrap()[0];
    assert_eq!((first.kind.as_str(), first.id.as_str(), first.place.at_ms), ("cart", "a", 7));
    assert!(storage.records(&range(&[], Some("a")), 1).is_err(), "an id alone names no document");
}

pub(crate) fn records_of_one_document_stay_when_it_is_gone(storage: &impl Storage) {
    put(storage, recorded("cart", "a", 1, "made"));
    // Not every change is recorded.
    put(storage, document("cart", "a", "{}"));
    delete(storage, "cart", "a", 2, "gone");
    assert_eq!(bodies(storage, &of("a")), ["gone", "made"]);
    put(storage, document("cart", "a", "{}"));
    assert_eq!(bodies(storage, &of("a")), ["gone", "made"]);
    put(storage, recorded("cart", "a", 3, "again"));
    assert_eq!(bodies(storage, &of("a")), ["again", "gone", "made"]);
    put(storage, recorded("cart", "b", 4, "other"));
    storage.commit_blocking(Commit::new().delete("cart", "b").put(recorded("cart", "c", 4, "next"))).unwrap();
    assert_eq!(bodies(storage, &of("b")), ["other"]);
}

pub(crate) fn pages_of_records_follow_each_other(storage: &impl Storage) {
    for number in 0..10 {
        // Several within one millisecond.
        put(storage, recorded("cart", "a", number / 4, &format!("a{number}")));
        put(storage, recorded("cart", "b", number / 4, &format!("b{number}")));
    }
    for id in [None, Some("a")] {
        let all = bodies(storage, &range(&["cart"], id));
        assert_eq!(all.len(), if id.is_some() { 10 } else { 20 });
        let (mut read, mut before) = (Vec::new(), RecordPosition::before_time(1_000_000));
        loop {
            let page = storage.records(&RecordRange { before, ..range(&["cart"], id) }, 3).unwrap();
            let Some(last) = page.last() else { break };
            assert!(page.iter().all(|record| record.place < before));
            before = last.place;
            read.extend(page.iter().map(|record| String::from_utf8(record.body.to_vec()).unwrap()));
        }
        assert_eq!(read, all);
    }
}

pub(crate) fn a_refused_commit_leaves_no_record(storage: &impl Storage) {
    put(storage, keyed("cart", "k", "one"));
    put(storage, recorded("cart", "a", 1, "first"));
    let absent = Precondition::Absent { kind: "cart".into(), id: "a".into() };
    refusal(storage, Commit::new().require(absent).put(recorded("cart", "a", 2, "refused")));
    // The commit is refused after it has written a record.
    let taken = Put { record: record(2, "taken"), ..keyed("cart", "b", "one") };
    refusal(storage, Commit::new().put(recorded("cart", "a", 2, "before")).put(taken));
    let end = Write::EndRecords { before_ms: 9, at_most: 9 };
    let erase = Write::EraseRecords { kind: "cart".into(), id: "a".into() };
    refusal(storage, Commit::new().write(end).write(erase).put(keyed("cart", "b", "one")));
    assert_eq!(bodies(storage, &range(&[], None)), ["first"]);
    put(storage, recorded("cart", "a", 3, "second"));
    assert_eq!(bodies(storage, &of("a")), ["second", "first"]);
}

pub(crate) fn a_clock_that_was_set_back_is_believed(storage: &impl Storage) {
    for (at_ms, body) in [(10, "c"), (20, "e"), (5, "a"), (15, "d"), (7, "b"), (30, "f")] {
        put(storage, recorded("cart", "a", at_ms, body));
        put(storage, recorded("cart", "b", at_ms, "other"));
    }
    assert_eq!(bodies(storage, &of("a")), ["f", "e", "d", "c", "b", "a"]);
    let before = RecordRange {
        before: RecordPosition::before_time(15),
        from: RecordPosition::before_time(6),
        ..of("a")
    };
    assert_eq!(bodies(storage, &before), ["c", "b"]);
    assert_eq!(bodies(storage, &range(&[], None)).len(), 12);
}

pub(crate) fn erased_records_are_gone(storage: &impl Storage) {
    let erase = |id: &str| Write::EraseRecords { kind: "cart".into(), id: id.into() };
    for id in ["a", "b", "c"] {
        put(storage, recorded("cart", id, 1, &format!("{id}1")));
        put(storage, recorded("cart", id, 2, &format!("{id}2")));
    }
    let delete_a = Write::Delete { kind: "cart".into(), id: "a".into(), record: record(3, "end of a") };
    storage.commit_blocking(Commit::new().write(delete_a).write(erase("a"))).unwrap();
    assert_eq!(bodies(storage, &of("a")), ["end of a"]);
    delete(storage, "cart", "b", 3, "end of b");
    storage.commit_blocking(Commit::new().write(erase("b")).write(erase("nobody"))).unwrap();
    assert_eq!(bodies(storage, &of("b")), [""; 0]);
    storage.commit_blocking(Commit::new().write(erase("c"))).unwrap();
    put(storage, recorded("cart", "c", 4, "c3"));
    assert_eq!(bodies(storage, &range(&[], None)), ["c3", "end of a"]);
    assert_eq!(bodies(storage, &of("c")), ["c3"]);
    // Submitted together with an earlier change, in the same transaction.
    let responses = [
        storage.commit(Commit::new().put(recorded("cart", "d", 5, "d1"))),
        storage.commit(Commit::new().write(erase("d")).put(recorded("cart", "d", 6, "d2"))),
        storage.commit(Commit::new().put(recorded("cart", "d", 7, "d3"))),
    ];
    for response in responses {
        response.wait().unwrap();
    }
    assert_eq!(bodies(storage, &of("d")), ["d3", "d2"]);
}

pub(crate) fn the_oldest_records_end(storage: &impl Storage) {
    for at_ms in 1..6 {
        put(storage, recorded("cart", "a", at_ms, &format!("a{at_ms}")));
    }
    put(storage, recorded("cart", "b", 1, "b1"));
    delete(storage, "cart", "b", 2, "b2");
    let end = |before_ms, at_most| {
        storage.commit_blocking(Commit::new().write(Write::EndRecords { before_ms, at_most })).unwrap();
    };
    let seq = storage.last_seq().unwrap();
    end(1, 9);
    assert_eq!(bodies(storage, &range(&[], None)).len(), 7);
    end(4, 2);
    assert_eq!(bodies(storage, &range(&[], None)), ["a5", "a4", "a3", "b2", "a2"]);
    end(4, 9);
    assert_eq!(bodies(storage, &range(&[], None)), ["a5", "a4"]);
    assert_eq!(bodies(storage, &of("a")), ["a5", "a4"]);
    assert_eq!(bodies(storage, &of("b")), [""; 0]);
    end(9, 9);
    assert_eq!(storage.last_seq().unwrap(), seq, "no document changed");
    put(storage, recorded("cart", "a", 9, "a9"));
    assert_eq!(bodies(storage, &of("a")), ["a9"]);
}

pub(crate) fn records_are_no_documents(storage: &impl Storage) {
    let receipt = put(storage, recorded("cart", "a", 1, "a1"));
    assert_eq!((receipt.first, receipt.last), (1, 1));
    assert_eq!(storage.changes(0, 9).unwrap().len(), 1);
    assert_eq!(storage.count("cart").unwrap(), 1);
    storage.clear(&["cart"]).unwrap();
    assert_eq!(storage.count("cart").unwrap(), 1);
    assert_eq!(bodies(storage, &range(&[], None)), [""; 0]);
    put(storage, recorded("cart", "a", 2, "a2"));
    assert_eq!(bodies(storage, &of("a")), ["a2"]);
}

pub(crate) fn records_are_backed_up_and_restored(storage: &impl Storage) {
    let folder = TempDir::new().unwrap();
    let backup = folder.path().join("backup.sqlite");
    for at_ms in [3, 1, 1, 2] {
        put(storage, recorded("cart", "a", at_ms, &format!("a{at_ms}")));
        put(storage, recorded("order", "b", at_ms, &format!("b{at_ms}")));
    }
    delete(storage, "order", "b", 4, "end");
    let all = bodies(storage, &range(&[], None));
    storage.backup(&backup).unwrap();
    put(storage, recorded("cart", "a", 5, "a5"));
    put(storage, recorded("unheard", "c", 5, "c5"));
    storage.restore(&backup).unwrap();
    assert_eq!(bodies(storage, &range(&[], None)), all);
    assert_eq!(bodies(storage, &of("a")), ["a3", "a2", "a1", "a1"]);
    assert_eq!(bodies(storage, &range(&["order"], Some("b"))), ["end", "b3", "b2", "b1", "b1"]);
    put(storage, recorded("cart", "a", 6, "a6"));
    assert_eq!(bodies(storage, &of("a"))[..2], ["a6", "a3"]);
}
