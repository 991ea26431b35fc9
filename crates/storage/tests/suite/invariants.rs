//! Tests of invariants under many concurrent threads.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use kontor_storage::{
    ChangeOperation, Commit, CommitError, IndexPage, IndexRange, Precondition, Put, ScanDirection, Storage,
    StoredDocumentRef, UniqueKey, Write,
};
use rand::{Rng, SeedableRng, rngs::StdRng};

use super::{document, indexed, put};

const THREADS: u64 = 64;
const STEPS: u64 = 40;

/// Few enough that the threads conflict constantly.
const TARGETS: u64 = 12;
const SOURCES: u64 = 40;
const KEYS: u64 = 6;

/// Creates and deletes targets and sources that refer to them, all with the same keys. No thread reads before writing:
/// only preconditions protect the data.
fn random_commit(random: &mut StdRng) -> Commit {
    let target = format!("t{}", random.random_range(0..TARGETS));
    let source = format!("s{}", random.random_range(0..SOURCES));
    let exists = Precondition::Exists { kind: "target".into(), id: target.clone() };
    match random.random_range(0..10) {
        0..3 => {
            let key = format!("k{}", random.random_range(0..KEYS));
            let put = Put { unique: vec![UniqueKey::new("key", key)], ..document("target", &target, "{}") };
            Commit::new().put(put)
        }
        3..6 => {
            let put = indexed("source", &source, [("target.id", target.as_str().into())]);
            let put = Put { body: target.into(), ..put };
            let count = Write::Count { counter: "uses".into(), add: 1, at_least: None, at_most: None };
            Commit::new().require(exists).put(put).write(count)
        }
        6..8 => {
            let (kind, path, value) = ("source".into(), "target.id".into(), target.as_str().into());
            let free = Precondition::NotReferenced { kind, path, value };
            Commit::new().require(free).delete("target", target)
        }
        8 => Commit::new().delete("source", source),
        // Deletes a source and its target together, if they are a pair.
        _ => {
            let (kind, path, value) = ("source".into(), "target.id".into(), target.as_str().into());
            let free = Precondition::NotReferenced { kind, path, value };
            Commit::new().require(free).delete("source", source).delete("target", target)
        }
    }
}

fn all(storage: &impl Storage, kind: &str) -> HashMap<String, String> {
    let mut documents = HashMap::new();
    storage
        .scan(kind, ScanDirection::Ascending, None, &mut |stored| {
            documents.insert(stored.id.to_owned(), String::from_utf8(stored.body.to_vec()).unwrap());
            ControlFlow::Continue(())
        })
        .unwrap();
    documents
}

pub(crate) fn hold_under_64_threads(storage: &impl Storage) {
    let (written, refused, referring) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (written, refused, referring) = (&written, &refused, &referring);
            scope.spawn(move || {
                let mut random = StdRng::seed_from_u64(thread);
                for _ in 0..STEPS {
                    let commit = random_commit(&mut random);
                    let counts = commit.writes.iter().any(|write| matches!(write, Write::Count { .. }));
                    match storage.commit_blocking(commit) {
                        Ok(receipt) => {
                            written.fetch_add(receipt.last + 1 - receipt.first, Ordering::Relaxed);
                            referring.fetch_add(u64::from(counts), Ordering::Relaxed);
                        }
                        Err(CommitError::Refused(_)) => drop(refused.fetch_add(1, Ordering::Relaxed)),
                        Err(CommitError::Failed(error)) => panic!("{error}"),
                    }
                    let id = format!("t{}", random.random_range(0..TARGETS));
                    storage.get("target", &id).unwrap();
                }
            });
        }
    });
    let (written, refused) = (written.into_inner(), refused.into_inner());
    assert!(written > 0 && refused > 0, "the threads met: {written} written, {refused} refused");

    let (targets, sources) = (all(storage, "target"), all(storage, "source"));
    for (source, target) in &sources {
        assert!(targets.contains_key(target), "{source} refers to {target}, which is gone");
        let found = storage
            .find_indexed("source", "target.id", &IndexRange::equal(target.as_str()), &IndexPage::default())
            .unwrap();
        assert!(found.contains(source), "the index knows {source}");
    }
    let rows = storage.count_indexed("source", "target.id", &IndexRange::all(), u64::MAX).unwrap();
    assert_eq!(rows, sources.len() as u64, "the index knows nothing else");

    let mut holders = HashSet::new();
    for key in 0..KEYS {
        if let Some(id) = storage.find_unique("target", "key", &format!("k{key}")).unwrap() {
            assert!(targets.contains_key(&id), "{id} holds a key and is gone");
            assert!(holders.insert(id), "a target holds one key");
        }
    }
    assert_eq!(holders.len(), targets.len(), "every target holds its key");

    assert_eq!(storage.count("target").unwrap(), targets.len() as u64);
    assert_eq!(storage.count("source").unwrap(), sources.len() as u64);
    assert_eq!(storage.counter("uses").unwrap() as u64, referring.into_inner());
    check_log(storage, written, targets.len() + sources.len());

    // The cache equals the disk.
    for kind in ["target", "source"] {
        let on_disk = all(storage, kind);
        for number in 0..SOURCES.max(TARGETS) {
            let id = format!("{}{number}", &kind[..1]);
            let cached = storage.get(kind, &id).unwrap();
            let cached = cached.map(|stored| String::from_utf8(stored.body.to_vec()).unwrap());
            assert_eq!(cached.as_ref(), on_disk.get(&id), "{kind} {id}");
        }
    }
}

/// The log has one entry for each write, without gaps, and replaying it gives the stored documents.
fn check_log(storage: &impl Storage, written: u64, documents: usize) {
    assert_eq!(storage.last_seq().unwrap(), written);
    let changes = storage.changes(0, usize::MAX).unwrap();
    let mut there = HashSet::new();
    for (expected, change) in (1..).zip(&changes) {
        assert_eq!(change.seq, expected);
        let document = (&change.kind, &change.id);
        let is_right = match change.operation {
            ChangeOperation::Created => there.insert(document),
            ChangeOperation::Updated => there.contains(&document),
            ChangeOperation::Deleted => there.remove(&document),
        };
        assert!(is_right, "{change:?} does not follow from what was before");
    }
    assert_eq!(changes.len() as u64, written);
    assert_eq!(there.len(), documents);
}

/// A reader that knows of a write never reads an earlier state again, whatever else is read and evicted.
pub(crate) fn readers_never_go_back_in_time(storage: &impl Storage) {
    const WRITES: u64 = 200;
    const IDS: [&str; 3] = ["a", "b", "c"];
    let numbered = |id: &str, number: u64| {
        // Sometimes too large for the cache.
        let padding = if number.is_multiple_of(50) { 2 * 1024 * 1024 } else { 0 };
        let body = format!("{number} {}", "x".repeat(padding));
        Put {
            unique: vec![UniqueKey::new("key", format!("{id}{}", number % 2))],
            ..document("cart", id, &body)
        }
    };
    for id in IDS {
        put(storage, numbered(id, 0));
    }
    let acknowledged: [AtomicU64; 3] = Default::default();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for (id, acknowledged) in IDS.iter().zip(&acknowledged) {
            let is_done = &is_done;
            scope.spawn(move || {
                for number in 1..=WRITES {
                    put(storage, numbered(id, number));
                    acknowledged.store(number, Ordering::SeqCst);
                }
                is_done.store(true, Ordering::SeqCst);
            });
            for reader in 0..3 {
                scope.spawn(move || {
                    while !is_done.load(Ordering::SeqCst) {
                        std::thread::yield_now();
                        let at_least = acknowledged.load(Ordering::SeqCst);
                        let parity = at_least % 2;
                        let key = format!("{id}{parity}");
                        let (stored, parity) = match reader {
                            0 => (storage.get("cart", id).unwrap(), None),
                            1 => (storage.get_by_unique("cart", "key", &key).unwrap(), Some(parity)),
                            _ => {
                                let keys = ["free", key.as_str()];
                                let mut many = storage.get_many_by_unique("cart", "key", &keys).unwrap();
                                (many.pop().flatten(), Some(parity))
                            }
                        };
                        let Some(stored) = stored else {
                            assert!(parity.is_some(), "{id} is never deleted");
                            continue;
                        };
                        let text = String::from_utf8(stored.body.to_vec()).unwrap();
                        let number: u64 = text.split(' ').next().unwrap().parse().unwrap();
                        assert!(number >= at_least, "{id} was at {at_least}, then read as {number}");
                        if let Some(parity) = parity {
                            assert_eq!(number % 2, parity, "{id} was found by a key that it does not hold");
                        }
                    }
                });
            }
        }
    });
}

/// A caller that has seen a write in an index or a scan sees it, or a later state, in every other read: the
/// derivation of fields relies on that.
pub(crate) fn all_reads_see_what_one_has_seen(storage: &impl Storage) {
    const ROUNDS: i64 = 2_000;
    let write = |round: i64| {
        let value = [("round", round.into())];
        let put = Put { version: round, ..indexed("cart", "a", value) };
        let held = UniqueKey::new("holder", "the-one");
        // The key moves between the two.
        let (from, to) = if round % 2 == 0 { ("even", "odd") } else { ("odd", "even") };
        let to = Put { version: round, unique: vec![held], ..document("holder", to, "{}") };
        let commit =
            Commit::new().put(put).put(Put { version: round, ..document("holder", from, "{}") }).put(to);
        storage.commit_blocking(commit).unwrap();
    };
    write(1);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (2..ROUNDS).for_each(write);
            is_done.store(true, Ordering::Relaxed);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let mut seen = 0;
                    storage
                        .visit_indexed(
                            "cart",
                            "round",
                            &IndexRange::all(),
                            &IndexPage::default(),
                            &mut |cart| {
                                seen = cart.version;
                                ControlFlow::Continue(())
                            },
                        )
                        .unwrap();
                    let holder = storage.get_by_unique("holder", "holder", "the-one").unwrap().unwrap();
                    let cart = storage.get("cart", "a").unwrap().unwrap();
                    assert!(cart.version >= seen, "{} after {seen}", cart.version);
                    assert!(holder.version >= seen, "{} after {seen}", holder.version);
                }
            });
        }
    });
}

/// A visit by an index sees one snapshot, whether its documents come from the cache or from disk.
pub(crate) fn visits_see_one_state(storage: &impl Storage) {
    const ROUNDS: i64 = 2_000;
    let write = |round: i64| {
        // They share a value, and always change together.
        let put = |id| Put { version: round, ..indexed("cart", id, [("round", round.into())]) };
        storage.commit_blocking(Commit::new().put(put("a")).put(put("b"))).unwrap();
    };
    write(1);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (2..ROUNDS).for_each(write);
            is_done.store(true, Ordering::Relaxed);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let mut seen = Vec::new();
                    let mut visit = |cart: StoredDocumentRef<'_>| {
                        seen.push(cart.version);
                        ControlFlow::Continue(())
                    };
                    let (all, page) = (IndexRange::all(), IndexPage::default());
                    storage.visit_indexed("cart", "round", &all, &page, &mut visit).unwrap();
                    assert!(matches!(seen[..], [one, other] if one == other), "{seen:?}");
                }
            });
        }
    });
}

/// A visit by values sees the state of the newest acknowledged write or a later one, and a single one, whether the
/// cache or the disk has the holders of the values.
pub(crate) fn visits_by_values_see_one_state(storage: &impl Storage) {
    const ROUNDS: i64 = 4_000;
    let write = |round: i64| {
        // The two swap places each time, and others are created and deleted between them.
        let (even, odd) = if round % 2 == 0 { ("a", "b") } else { ("b", "a") };
        let put = |id, value: &str| Put { version: round, ..indexed("cart", id, [("place", value.into())]) };
        let commit = Commit::new().put(put(even, "even")).put(put(odd, "odd")).put(put("c", "elsewhere"));
        storage.commit_blocking(commit).unwrap();
    };
    write(1);
    let (acknowledged, is_done) = (AtomicU64::new(1), AtomicBool::new(false));
    let visit = |values: &[&str]| {
        let values = values.iter().map(|value| (*value).into()).collect();
        let mut seen = Vec::new();
        let mut visit = |cart: StoredDocumentRef<'_>| {
            seen.push((cart.id.to_owned(), cart.version));
            ControlFlow::Continue(())
        };
        storage
            .visit_indexed("cart", "place", &IndexRange::In(values), &IndexPage::default(), &mut visit)
            .unwrap();
        seen
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 2..ROUNDS {
                write(round);
                acknowledged.store(round.unsigned_abs(), Ordering::SeqCst);
            }
            is_done.store(true, Ordering::SeqCst);
        });
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_done.load(Ordering::SeqCst) {
                    let at_least = acknowledged.load(Ordering::SeqCst) as i64;
                    let both = visit(&["odd", "even"]);
                    let [(a, one), (b, other)] = &both[..] else { panic!("{both:?} hold the two values") };
                    assert_eq!((a.as_str(), b.as_str(), one), ("a", "b", other));
                    assert!(*one >= at_least, "{one} after {at_least}");
                    let alone = visit(&["even"]);
                    let [(id, version)] = &alone[..] else { panic!("{alone:?} hold one value") };
                    assert!(version >= one, "{version} after {one}");
                    assert_eq!(id == "a", version % 2 == 0, "{id} held the value in round {version}");
                }
            });
        }
    });
}
