//! Tests of documents: writing, reading, scanning, counting.

use std::ops::ControlFlow;

use bytes::Bytes;
use kontor_storage::{
    BatchKey, Commit, IndexPage, IndexRange, Precondition, Put, ScanDirection, Storage, StoredDocumentRef,
    UniqueKey,
};

use super::{body, delete, document, large, put};

pub(crate) fn reads_back_what_was_written(storage: &impl Storage) {
    let receipt =
        put(storage, Put { version: 7, sequence: 3, ..document("cart", "a", r#"{"total": "1 €"}"#) });
    let stored = storage.get("cart", "a").unwrap().unwrap();
    assert_eq!((stored.id.as_str(), stored.version, stored.sequence), ("a", 7, 3));
    assert_eq!(stored.revision, receipt.first as i64);
    assert_eq!(stored.body, r#"{"total": "1 €"}"#);
    assert_eq!(storage.get("cart", "b").unwrap(), None);
    assert_eq!(storage.get("order", "a").unwrap(), None);
    let many = storage.get_many("cart", &["b", "a"]).unwrap();
    assert_eq!(many, [None, Some(stored)]);
}

pub(crate) fn many_are_read_in_the_sequence_of_their_ids(storage: &impl Storage) {
    let ids: Vec<String> = (0..300).map(|number| format!("cart-{number:03}")).collect();
    for id in &ids {
        put(storage, document("cart", id, &format!("\"{id}\"")));
    }
    put(storage, document("order", "cart-001", "1"));
    let mut wanted: Vec<&str> = ids.iter().rev().map(String::as_str).collect();
    // A missing id, a repeated one, and one that would end an SQL text.
    wanted.extend(["gone", "cart-007", "'"]);
    for _ in 0..2 {
        for part in [&wanted[..], &wanted[295..], &wanted[299..300], &[]] {
            let many = storage.get_many("cart", part).unwrap();
            let one_by_one: Vec<_> = part.iter().map(|id| storage.get("cart", id).unwrap()).collect();
            assert_eq!(many, one_by_one);
        }
    }
    put(storage, document("cart", "cart-001", "2"));
    delete(storage, "cart", "cart-002");
    let many = storage.get_many("cart", &["cart-001", "cart-002"]).unwrap();
    assert_eq!(many[0].as_ref().map(|stored| &stored.body[..]), Some(&b"2"[..]));
    assert_eq!(many[1], None);
    assert_eq!(storage.get_many("quote", &["a", "b"]).unwrap(), [None, None]);
}

pub(crate) fn batch_equals_single_reads(storage: &impl Storage) {
    for kind in ["cart", "order"] {
        for number in 0..20 {
            let unique = vec![
                UniqueKey::new("key", format!("key-{number}")),
                UniqueKey::new("sku", format!("{number}")),
            ];
            put(storage, Put { unique, ..document(kind, &format!("{kind}-{number}"), "1") });
        }
    }
    let id = |kind, id| BatchKey::Id { kind, id };
    let unique = |kind, path, value| BatchKey::Unique { kind, path, value };
    // Several kinds and paths, a repeated key, missing documents, and unknown kinds and paths.
    let keys = [
        id("order", "order-3"),
        unique("cart", "key", "key-1"),
        id("cart", "cart-3"),
        unique("cart", "sku", "key-1"),
        unique("order", "key", "key-7"),
        id("order", "gone"),
        id("order", "order-3"),
        unique("cart", "sku", "19"),
        id("quote", "a"),
        unique("cart", "email", "a"),
        id("cart", "cart-9"),
    ];
    for keys in [&keys[..], &keys[..1], &[]] {
        for _ in 0..2 {
            let one_by_one: Vec<_> = keys
                .iter()
                .map(|key| match *key {
                    BatchKey::Id { kind, id } => storage.get(kind, id).unwrap(),
                    BatchKey::Unique { kind, path, value } => {
                        storage.get_by_unique(kind, path, value).unwrap()
                    }
                })
                .collect();
            assert_eq!(storage.get_batch(keys).unwrap(), one_by_one);
        }
    }
    let found = storage.get_batch(&keys).unwrap();
    assert_eq!(found.iter().flatten().count(), 7, "the test finds something");
}

pub(crate) fn every_write_has_a_revision_of_its_own(storage: &impl Storage) {
    let mut revisions = Vec::new();
    for _ in 0..2 {
        put(storage, document("cart", "a", "1"));
        revisions.push(storage.get("cart", "a").unwrap().unwrap().revision);
        put(storage, document("cart", "a", "2"));
        revisions.push(storage.get("cart", "a").unwrap().unwrap().revision);
        delete(storage, "cart", "a");
    }
    assert!(revisions.is_sorted_by(|before, after| before < after), "{revisions:?}");
}

pub(crate) fn a_deleted_document_is_gone(storage: &impl Storage) {
    put(storage, document("cart", "a", "1"));
    assert_eq!(body(storage, "cart", "a").as_deref(), Some("1"));
    delete(storage, "cart", "a");
    assert_eq!(storage.get("cart", "a").unwrap(), None);
    put(storage, document("cart", "a", "2"));
    assert_eq!(body(storage, "cart", "a").as_deref(), Some("2"));
}

pub(crate) fn reads_unknown_kinds(storage: &impl Storage) {
    assert_eq!(storage.get("cart", "a").unwrap(), None);
    assert_eq!(storage.count("cart").unwrap(), 0);
    assert_eq!(storage.find_unique("cart", "key", "a").unwrap(), None);
    assert_eq!(storage.get_by_unique("cart", "key", "a").unwrap(), None);
    assert_eq!(scan(storage, ScanDirection::Ascending, None), [""; 0]);
}

pub(crate) fn counts_several_kinds_at_once(storage: &impl Storage) {
    for (kind, id) in [("cart", "a"), ("cart", "b"), ("order", "a")] {
        put(storage, document(kind, id, "{}"));
    }
    assert_eq!(storage.count_each(&["order", "unheard", "cart", "order"]).unwrap(), [1, 0, 2, 1]);
    assert_eq!(storage.count_each(&[]).unwrap(), [0; 0]);
}

fn scan(storage: &impl Storage, direction: ScanDirection, after: Option<&str>) -> Vec<String> {
    let mut ids = Vec::new();
    let mut visit = |stored: kontor_storage::StoredDocumentRef<'_>| {
        assert_eq!(stored.body, format!("body of {}", stored.id).as_bytes());
        ids.push(stored.id.to_owned());
        ControlFlow::Continue(())
    };
    storage.scan("cart", direction, after, &mut visit).unwrap();
    ids
}

pub(crate) fn scans_in_the_sequence_of_ids(storage: &impl Storage) {
    for id in ["c", "a", "d", "b"] {
        put(storage, document("cart", id, &format!("body of {id}")));
    }
    put(storage, document("order", "bb", "{}"));
    assert_eq!(scan(storage, ScanDirection::Ascending, None), ["a", "b", "c", "d"]);
    assert_eq!(scan(storage, ScanDirection::Ascending, Some("b")), ["c", "d"]);
    assert_eq!(scan(storage, ScanDirection::Descending, None), ["d", "c", "b", "a"]);
    assert_eq!(scan(storage, ScanDirection::Descending, Some("bb")), ["b", "a"]);
}

pub(crate) fn a_scan_ends_when_told(storage: &impl Storage) {
    for id in ["a", "b", "c"] {
        put(storage, document("cart", id, "{}"));
    }
    let mut visited = 0;
    let mut visit = |_: kontor_storage::StoredDocumentRef<'_>| {
        visited += 1;
        // A visitor may read other documents.
        assert!(storage.get("cart", "c").unwrap().is_some());
        if visited == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    storage.scan("cart", ScanDirection::Ascending, None, &mut visit).unwrap();
    assert_eq!(visited, 2);
}

pub(crate) fn counts_documents(storage: &impl Storage) {
    for id in ["a", "b", "a"] {
        put(storage, document("cart", id, "{}"));
    }
    put(storage, document("order", "a", "{}"));
    assert_eq!(storage.count("cart").unwrap(), 2);
    delete(storage, "cart", "a");
    assert_eq!(storage.count("cart").unwrap(), 1);
    assert_eq!(storage.count("order").unwrap(), 1);
}

pub(crate) fn large_documents_survive(storage: &impl Storage) {
    let mut large = document("cart", "a", "");
    large.body = Bytes::from(vec![b'x'; 5 * 1024 * 1024]);
    let expected = large.body.clone();
    put(storage, large);
    for _ in 0..2 {
        assert!(storage.get("cart", "a").unwrap().unwrap().body == expected);
    }
    put(storage, document("cart", "a", "small"));
    assert_eq!(body(storage, "cart", "a").as_deref(), Some("small"));
}

pub(crate) fn large_documents_are_the_same_whichever_way_they_are_read(storage: &impl Storage) {
    let large = large("cart", "a", "one");
    put(storage, large.clone());
    let mut read = vec![
        storage.get("cart", "a").unwrap().unwrap().body,
        storage.get_by_unique("cart", "key", "one").unwrap().unwrap().body,
    ];
    let many = storage.get_many("cart", &["a", "b"]).unwrap();
    read.extend(many.into_iter().flatten().map(|stored| stored.body));
    let mut visit = |stored: StoredDocumentRef<'_>| {
        read.push(Bytes::copy_from_slice(stored.body));
        ControlFlow::Continue(())
    };
    storage.scan("cart", ScanDirection::Ascending, None, &mut visit).unwrap();
    let tag = IndexRange::equal("tag 150");
    storage.visit_indexed("cart", "tag", &tag, &IndexPage::default(), &mut visit).unwrap();
    assert_eq!(read.len(), 5);
    assert!(read.iter().all(|body| *body == large.body));
    // Its rows are known when it changes, and deleted with it.
    put(storage, document("cart", "a", "small"));
    assert_eq!(storage.count_indexed("cart", "tag", &IndexRange::all(), 999).unwrap(), 0);
    assert_eq!(storage.get_by_unique("cart", "key", "one").unwrap(), None);
}

pub(crate) fn appended_documents_are_ordinary_documents(storage: &impl Storage) {
    let appended = |id: &str| Put { is_appended: true, ..document("note", id, id) };
    let both = Commit::new()
        .put(appended("a"))
        .put(appended("b"))
        .require(Precondition::CountAtMost { kind: "note".into(), limit: 2 });
    storage.commit_blocking(both).unwrap();
    assert_eq!(storage.get("note", "a").unwrap().unwrap().body, "a");
    assert_eq!(storage.count("note").unwrap(), 2);
    put(storage, document("note", "a", "changed"));
    let mut bodies = Vec::new();
    let scanned = storage.scan("note", ScanDirection::Ascending, None, &mut |stored| {
        bodies.push(String::from_utf8(stored.body.to_vec()).unwrap());
        ControlFlow::Continue(())
    });
    scanned.unwrap();
    assert_eq!(bodies, ["changed", "b"]);
    storage.commit_blocking(Commit::new().delete("note", "a").delete("note", "b")).unwrap();
    assert_eq!((storage.count("note").unwrap(), storage.get("note", "b").unwrap()), (0, None));
}
