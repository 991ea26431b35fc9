//! Tests that both storages give the same results: for groups of commits, and for queries afterwards.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::ops::{Bound, ControlFlow};

use kontor_postgres::{Database, Postgres};
use kontor_storage::{
    ChangeLogEntry, ChangeRecord, Commit, CommitError, CommitReceipt, CommitRefusal, IndexPage, IndexRange,
    IndexSort, IndexValue, PageStart, Precondition, Put, RecordPosition, RecordRange, ScanDirection, Sqlite,
    SqliteOptions, Storage, UniqueKey, Write,
};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom as _};

const KINDS: [&str; 2] = ["cart", "order"];
const IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const KEYS: [&str; 5] = ["one", "two", "Three", "ü", "nul\0"];
const ROUNDS: usize = 25;
const COMMITS: usize = 60;

fn value(random: &mut StdRng) -> IndexValue {
    match random.random_range(0..8) {
        0 => "".into(),
        1 => "x".into(),
        2 => "\0".into(),
        3 => "é".into(),
        4 => 1.into(),
        5 => 1.0.into(),
        6 => (-2.5).into(),
        _ => i64::MAX.into(),
    }
}

fn one_of<'a>(random: &mut StdRng, all: &[&'a str]) -> &'a str {
    all.choose(random).unwrap()
}

fn record(random: &mut StdRng) -> Option<ChangeRecord> {
    let at_ms = random.random_range(0..1_000);
    random.random_bool(0.5).then(|| ChangeRecord { at_ms, body: format!("{{\"at\":{at_ms}}}").into() })
}

fn put(random: &mut StdRng, kind: &str) -> Put {
    let unique = match random.random_range(0..3) {
        0 => vec![],
        1 => vec![UniqueKey::new("key", one_of(random, &KEYS))],
        _ => vec![UniqueKey::new("key", one_of(random, &KEYS)), UniqueKey::new("sku", one_of(random, &KEYS))],
    };
    let indexed = (0..random.random_range(0..4))
        .map(|_| (one_of(random, &["size", "cart.id"]).to_owned(), value(random)))
        .collect();
    Put {
        kind: kind.to_owned(),
        id: one_of(random, &IDS).to_owned(),
        version: random.random_range(1..100),
        sequence: random.random_range(0..9),
        body: format!("{{\"n\":{}}}", random.random_range(0..1_000)).into(),
        unique,
        indexed,
        record: record(random),
        ..Put::default()
    }
}

fn precondition(random: &mut StdRng, newest: i64) -> Precondition {
    let kind = one_of(random, &KINDS).to_owned();
    let id = one_of(random, &IDS).to_owned();
    let path = one_of(random, &["size", "cart.id", "never"]).to_owned();
    match random.random_range(0..7) {
        0 => Precondition::Absent { kind, id },
        1 => Precondition::Revision { kind, id, revision: random.random_range(newest - 20..=newest + 20) },
        2 => Precondition::Exists { kind, id },
        3 => Precondition::ExistsUnique { kind, path: "key".into(), value: one_of(random, &KEYS).into() },
        4 => Precondition::NotReferenced { kind, path, value: value(random) },
        5 => {
            Precondition::IndexedAtMost { kind, path, value: value(random), limit: random.random_range(0..4) }
        }
        _ => Precondition::CountAtMost { kind, limit: random.random_range(2..7) },
    }
}

fn commit(random: &mut StdRng, newest: i64) -> Commit {
    let mut commit = Commit::new();
    if random.random_range(0..3) == 0 {
        commit = commit.require(precondition(random, newest));
    }
    for _ in 0..random.random_range(0..4) {
        let kind = one_of(random, &KINDS);
        commit = match random.random_range(0..11) {
            0..6 => commit.put(put(random, kind)),
            6..8 => commit.write(Write::Delete {
                kind: kind.into(),
                id: one_of(random, &IDS).into(),
                record: record(random),
            }),
            8 => commit.write(Write::Count {
                counter: one_of(random, &["uses", "left"]).into(),
                add: random.random_range(-3..4),
                at_least: Some(-4),
                at_most: random.random_bool(0.5).then_some(5),
            }),
            9 => commit.write(Write::Setting {
                name: one_of(random, &["title", "nul\0"]).into(),
                value: random.random_bool(0.7).then(|| one_of(random, &KEYS).to_owned()),
            }),
            _ => commit.write(Write::EraseRecords { kind: kind.into(), id: one_of(random, &IDS).into() }),
        };
    }
    commit
}

/// Returns the result of a commit as text, for comparison.
fn told(outcome: Result<CommitReceipt, CommitError>) -> String {
    match outcome {
        Ok(receipt) => format!("{receipt:?}"),
        // With several taken keys, either storage may name any of them.
        Err(CommitError::Refused(CommitRefusal::Duplicate { kind, .. })) => {
            format!("a key of a {kind} is taken")
        }
        Err(CommitError::Refused(refusal)) => format!("{refusal:?}"),
        Err(CommitError::Failed(error)) => error.to_string(),
    }
}

/// Submits all commits without waiting, so that they share transactions. Returns the results as text.
fn outcomes(storage: &impl Storage, commits: &[Commit]) -> Vec<String> {
    let responses: Vec<_> = commits.iter().map(|commit| storage.commit(commit.clone())).collect();
    responses.into_iter().map(|response| told(response.wait())).collect()
}

fn ranges() -> Vec<IndexRange> {
    let values: [IndexValue; 6] =
        ["".into(), "x".into(), "\0".into(), 1.into(), (-2.5).into(), i64::MAX.into()];
    let mut ranges: Vec<_> = values.iter().cloned().map(|value| IndexRange::In(vec![value])).collect();
    ranges.push(IndexRange::In(values.to_vec()));
    ranges.push(IndexRange::In(vec![]));
    ranges.push(IndexRange::all());
    for value in values {
        ranges.push(IndexRange::Between(Bound::Included(value.clone()), Bound::Unbounded));
        ranges.push(IndexRange::Between(Bound::Unbounded, Bound::Excluded(value.clone())));
        ranges.push(IndexRange::Between(Bound::Excluded((-3).into()), Bound::Included(value)));
    }
    ranges
}

fn pages() -> Vec<IndexPage> {
    let mut pages = Vec::new();
    for (sort, after) in [
        (IndexSort::Id, Some(PageStart::Id("b".into()))),
        (IndexSort::Value, Some(PageStart::Value("".into(), "c".into()))),
        (IndexSort::Id, None),
        (IndexSort::Value, None),
    ] {
        for descending in [false, true] {
            for (offset, limit) in [(0, None), (1, Some(2)), (0, Some(1)), (3, None), (0, Some(0))] {
                pages.push(IndexPage { sort, descending, after: after.clone(), offset, limit });
            }
        }
    }
    pages
}

/// Returns the results of all reads as text.
fn answers(storage: &impl Storage) -> Vec<String> {
    let mut responses = Vec::new();
    for kind in KINDS {
        for direction in [ScanDirection::Ascending, ScanDirection::Descending] {
            storage
                .scan(kind, direction, None, &mut |stored| {
                    responses.push(format!("{:?}", stored.to_stored()));
                    ControlFlow::Continue(())
                })
                .unwrap();
        }
        responses.push(format!("{kind} {}", storage.count(kind).unwrap()));
        for key in KEYS {
            responses.push(format!("{:?}", storage.find_unique(kind, "key", key).unwrap()));
            responses.push(format!("{:?}", storage.get_by_unique(kind, "sku", key).unwrap()));
        }
        for path in ["size", "cart.id"] {
            for range in ranges() {
                responses.push(format!("{}", storage.count_indexed(kind, path, &range, 4).unwrap()));
                for page in pages() {
                    let found = storage.find_indexed(kind, path, &range, &page).unwrap();
                    let mut visited = Vec::new();
                    let visit = &mut |stored: kontor_storage::StoredDocumentRef<'_>| {
                        visited.push(stored.id.to_owned());
                        ControlFlow::Continue(())
                    };
                    storage.visit_indexed(kind, path, &range, &page, visit).unwrap();
                    assert_eq!(found, visited, "{path} {range:?} {page:?}");
                    responses.push(format!("{path} {range:?} {page:?}: {found:?}"));
                }
            }
        }
    }
    for (kinds, id) in [(&[][..], None), (&["order"], None), (&["cart"], Some("a")), (&KINDS, Some("b"))] {
        let (from, before) = (RecordPosition::before_time(0), RecordPosition::before_time(1_000));
        let kept = storage.records(&RecordRange { kinds, id, from, before }, 1_000).unwrap();
        let told = kept.into_iter().map(|record| (record.place.at_ms, record.kind, record.id, record.body));
        responses.push(format!("{id:?} {:?}", told.collect::<Vec<_>>()));
    }
    for name in ["uses", "left"] {
        responses.push(format!("{name} {}", storage.counter(name).unwrap()));
    }
    for name in ["title", "nul\0"] {
        responses.push(format!("{name} {:?}", storage.setting(name).unwrap()));
    }
    responses
}

fn changes(storage: &impl Storage) -> Vec<ChangeLogEntry> {
    storage.changes(0, usize::MAX).unwrap()
}

#[test]
fn both_storages_give_equal_results() {
    let database = Database::open(kontor_tests_postgres::url().parse().unwrap()).unwrap();
    let postgres: Postgres = database.open_or_create(&format!("agreement-{}", std::process::id())).unwrap();
    let sqlite = Sqlite::in_memory(SqliteOptions::default()).unwrap();
    let mut random = StdRng::seed_from_u64(24);
    let mut refused = 0;
    for round in 0..ROUNDS {
        let newest = i64::try_from(sqlite.last_seq().unwrap()).unwrap();
        let commits: Vec<_> = (0..COMMITS).map(|_| commit(&mut random, newest)).collect();
        let (expected, found) = (outcomes(&sqlite, &commits), outcomes(&postgres, &commits));
        for ((commit, expected), found) in commits.iter().zip(&expected).zip(&found) {
            assert_eq!(found, expected, "round {round}: {commit:?}");
        }
        refused += expected.iter().filter(|outcome| !outcome.starts_with("CommitReceipt")).count();
        let end =
            Write::EndRecords { before_ms: random.random_range(0..200), at_most: random.random_range(0..20) };
        for outcome in
            [&sqlite as &dyn Storage, &postgres].map(|s| s.commit_blocking(Commit::new().write(end.clone())))
        {
            outcome.unwrap();
        }
        if round % 6 == 0 {
            for (found, expected) in answers(&postgres).iter().zip(answers(&sqlite)) {
                assert_eq!(*found, expected, "round {round}");
            }
        }
    }
    assert_eq!(changes(&postgres), changes(&sqlite));
    assert!((100..ROUNDS * COMMITS - 100).contains(&refused), "{refused} were refused");
}
