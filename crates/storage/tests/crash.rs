//! Tests that acknowledged commits survive a killed process.
//!
//! The test runs itself as a child that commits from several threads and prints each id when its commit is
//! acknowledged, kills it in the middle, and opens the file.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
};

use kontor_storage::{
    ChangeRecord, Commit, IndexPage, IndexRange, Put, RecordPosition, RecordRange, Sqlite, SqliteOptions,
    Storage, UniqueKey, Write as CommitWrite,
};

const CHILD_VARIABLE: &str = "KONTOR_TEST_CRASH_CHILD";
const ROUNDS: u32 = 6;
const CHILD_THREADS: u32 = 8;

/// Number of lines of the child after which it is killed; more each round, so that checkpoints happen.
const LINES_BEFORE_KILL: [usize; ROUNDS as usize] = [1, 5, 50, 200, 500, 1500];

#[test]
fn nothing_acknowledged_is_lost() {
    if let Ok(argument) = std::env::var(CHILD_VARIABLE) {
        let (round, path) = argument.split_once(' ').unwrap();
        commit_for_ever(round, Path::new(path));
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let mut acknowledged = Vec::new();
    for round in 0..ROUNDS {
        acknowledged.extend(run_and_kill(round, &path));
        check(&path, round, &acknowledged);
    }
}

/// The child: each commit writes a document with a key and a value, and its message.
fn commit_for_ever(round: &str, path: &Path) {
    let storage = Sqlite::open(path, SqliteOptions::default()).unwrap();
    let output = Mutex::new(std::io::stderr());
    std::thread::scope(|scope| {
        for thread in 0..CHILD_THREADS {
            let (storage, output) = (&storage, &output);
            scope.spawn(move || {
                for number in 0.. {
                    let id = format!("{round}-{thread}-{number}");
                    let cart = Put {
                        kind: "cart".into(),
                        id: id.clone(),
                        version: 1,
                        sequence: 0,
                        body: format!("{id} {}", "x".repeat(2000)).into(),
                        unique: vec![UniqueKey::new("key", &id)],
                        indexed: vec![("round".into(), round.into())],
                        record: Some(ChangeRecord { at_ms: number, body: id.clone().into() }),
                        ..Put::default()
                    };
                    let message = Put {
                        kind: "message".into(),
                        unique: vec![],
                        indexed: vec![],
                        record: None,
                        ..cart.clone()
                    };
                    let count =
                        CommitWrite::Count { counter: "carts".into(), add: 1, at_least: None, at_most: None };
                    let commit = Commit::new().put(cart).put(message).write(count);
                    let receipt = storage.commit_blocking(commit).unwrap();
                    writeln!(output.lock().unwrap(), "{id} {}", receipt.last).unwrap();
                }
            });
        }
    });
}

/// Starts a child, kills it after some lines, and returns all ids and positions that it printed.
fn run_and_kill(round: u32, path: &Path) -> Vec<(String, u64)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "nothing_acknowledged_is_lost"])
        .env(CHILD_VARIABLE, format!("{round} {}", path.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut printed: Vec<String> = Vec::new();
    for _ in 0..LINES_BEFORE_KILL[round as usize] {
        printed.push(lines.next().unwrap().unwrap());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Lines still in the pipe were acknowledged too; only the last line may be cut off.
    printed.extend(lines.map_while(Result::ok));
    let parse = |line: &String| {
        let (id, seq) = line.split_once(' ')?;
        Some((id.to_owned(), seq.parse().ok()?))
    };
    let whole = printed.len() - 1;
    printed.iter().take(whole).filter_map(parse).collect()
}

fn check(path: &Path, round: u32, acknowledged: &[(String, u64)]) {
    let storage = Sqlite::open(path, SqliteOptions::default()).unwrap();
    for (id, seq) in acknowledged {
        for kind in ["cart", "message"] {
            let stored = storage.get(kind, id).unwrap();
            let stored = stored.unwrap_or_else(|| panic!("{kind} {id} was acknowledged and is lost"));
            assert!(stored.body.starts_with(format!("{id} ").as_bytes()));
        }
        let (from, before) = (RecordPosition::before_time(0), RecordPosition::before_time(i64::MAX));
        let of_cart = RecordRange { kinds: &["cart"], id: Some(id), from, before };
        let kept = storage.records(&of_cart, 9).unwrap();
        assert_eq!(kept.iter().map(|record| &*record.body).collect::<Vec<_>>(), [id.as_bytes()]);
        assert_eq!(storage.find_unique("cart", "key", id).unwrap().as_deref(), Some(id.as_str()));
        assert!(storage.last_seq().unwrap() >= *seq);
    }
    // Commits that were not acknowledged may exist, but only as a whole.
    let carts = storage.count("cart").unwrap();
    assert!(carts >= acknowledged.len() as u64);
    assert_eq!(storage.count("message").unwrap(), carts);
    assert_eq!(storage.counter("carts").unwrap() as u64, carts);
    assert_eq!(storage.last_seq().unwrap(), 2 * carts);
    assert_eq!(storage.count_indexed("cart", "round", &IndexRange::all(), u64::MAX).unwrap(), carts);
    let changes = storage.changes(0, usize::MAX).unwrap();
    assert!((1..).zip(&changes).all(|(seq, change)| change.seq == seq), "the log has no gap");
    let logged: HashSet<_> = changes.iter().map(|change| (&change.kind, &change.id)).collect();
    assert_eq!(logged.len() as u64, 2 * carts);
    let range = IndexRange::equal(round.to_string());
    assert!(!storage.find_indexed("cart", "round", &range, &IndexPage::first(1)).unwrap().is_empty());
}
