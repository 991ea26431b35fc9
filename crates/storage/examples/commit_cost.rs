//! Compares the storage with a bare SQLite loop on the same documents: `cargo run --release -p
//! kontor-storage --example commit_cost [FOLDER]`. Prints ratios and the CPU time behind them.
//!
//! The bare loop commits in groups as large as the storage formed, one version check and one update a
//! document, on one thread, without keys, messages, counts or a log.

#![allow(clippy::print_stdout, clippy::unwrap_used)] // A command line tool that stops at the first failure.

use std::{path::Path, sync::Arc, time::Instant};

use kontor_storage::{Commit, Precondition, Put, Sqlite, SqliteOptions, Storage, UniqueKey};
use rusqlite::Connection;

const DOCUMENTS: usize = 1_000;
const DOCUMENT_BYTES: usize = 2_000;
const CALLERS: usize = 64;
const UPDATES_PER_CALLER: usize = 1_000;
const READS: usize = 500_000;

struct Measurement {
    seconds: f64,
    cpu_seconds: f64,
    writer_cpu_seconds: f64,
}

fn main() {
    let parent = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let folder = tempfile::TempDir::new_in(parent).unwrap();
    let updates = (CALLERS * UPDATES_PER_CALLER) as f64;
    let report = |what: &str, measured: &Measurement, times: f64| {
        let Measurement { seconds, cpu_seconds, writer_cpu_seconds } = measured;
        println!(
            "{what}: {:.0} a second, {:.2} µs CPU each, of which the writer {:.2}",
            times / seconds,
            cpu_seconds / times * 1e6,
            writer_cpu_seconds / times * 1e6
        );
    };

    let storage = Sqlite::open(&folder.path().join("shop.sqlite"), SqliteOptions::default()).unwrap();
    let storage = Arc::new(storage);
    for with_message in [false, true] {
        prepare(&storage);
        let transactions = storage.transactions();
        let ours = storage_updates(&storage, with_message);
        let transactions = (storage.transactions() - transactions) as f64;
        let what = if with_message { "updates with a message each" } else { "updates" };
        report(&format!("{what}, {CALLERS} callers"), &ours, updates);
        println!("  {:.1} syncs for 1,000 acknowledgements", transactions / updates * 1e3);
        let group = (updates / transactions).round() as usize;
        let bare = bare_updates(&folder.path().join(format!("bare-{with_message}.sqlite")), group);
        report(&format!("  bare loop in groups of {group}"), &bare, updates);
        println!("  CPU ratio {:.2}", ours.cpu_seconds / bare.cpu_seconds);
    }

    let hot = measure(|| {
        for number in 0..READS {
            std::hint::black_box(storage.get("cart", &id(number % DOCUMENTS)).unwrap().unwrap());
        }
    });
    report("get, hot", &hot, READS as f64);
    let hot = measure(|| {
        for number in 0..READS {
            let key = id(number % DOCUMENTS);
            std::hint::black_box(storage.get_by_unique("cart", "key", &key).unwrap().unwrap());
        }
    });
    report("get by key, hot", &hot, READS as f64);
    drop(storage);
    let options = SqliteOptions { cache_bytes: 1, ..SqliteOptions::default() };
    let storage = Sqlite::open(&folder.path().join("shop.sqlite"), options).unwrap();
    let cold = measure(|| {
        for number in 0..READS / 10 {
            std::hint::black_box(storage.get("cart", &id(number % DOCUMENTS)).unwrap().unwrap());
        }
    });
    report("get, past the cache", &cold, (READS / 10) as f64);
    let scan = measure(|| {
        for _ in 0..50 {
            let mut bytes = 0;
            let mut visit = |stored: kontor_storage::StoredDocumentRef<'_>| {
                bytes += stored.body.len();
                std::ops::ControlFlow::Continue(())
            };
            storage.scan("cart", Default::default(), None, &mut visit).unwrap();
            std::hint::black_box(bytes);
        }
    });
    report("scan", &scan, (50 * DOCUMENTS) as f64);

    const SHOPS: usize = 200;
    let mut shops = Vec::new();
    let opening = measure(|| {
        for _ in 0..SHOPS {
            shops.push(Sqlite::in_memory(SqliteOptions::default()).unwrap());
        }
    });
    report("open in memory", &opening, SHOPS as f64);
    let first = measure(|| {
        for shop in &shops {
            shop.commit_blocking(Commit::new().put(cart(0, 1))).unwrap();
        }
    });
    report("first commit in memory", &first, SHOPS as f64);
    println!("anonymous memory with {SHOPS} shops open: {} MB", anonymous_kib() / 1024);
}

fn id(number: usize) -> String {
    format!("018f3c2e-0000-7000-8000-{number:012}")
}

/// All documents, in an order in which neighbours are far apart in the file: a group changes as many pages as it has
/// documents.
fn scattered() -> impl Iterator<Item = usize> {
    (0..DOCUMENTS).map(|place| place * 37 % DOCUMENTS)
}

fn body(round: usize) -> String {
    format!("{{\"round\": {round}, \"text\": \"{}\"}}", "x".repeat(DOCUMENT_BYTES))
}

fn cart(number: usize, round: usize) -> Put {
    Put {
        kind: "cart".into(),
        id: id(number),
        version: round as i64,
        body: body(round).into(),
        unique: vec![UniqueKey::new("key", id(number))],
        indexed: vec![("createdAt".into(), "2027-01-01T00:00:00.000Z".into())],
        ..Put::default()
    }
}

fn storage_updates(storage: &Arc<Sqlite>, with_message: bool) -> Measurement {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    measure(|| {
        runtime.block_on(async {
            let callers: Vec<_> = (0..CALLERS)
                .map(|caller| tokio::spawn(call(Arc::clone(storage), caller, with_message)))
                .collect();
            for caller in callers {
                caller.await.unwrap();
            }
        });
    })
}

fn prepare(storage: &Sqlite) {
    for number in scattered() {
        drop(storage.commit(Commit::new().put(cart(number, 0))));
    }
    storage.set_setting("ready", Some("yes")).unwrap();
}

async fn call(storage: Arc<Sqlite>, caller: usize, with_message: bool) {
    for round in 1..=UPDATES_PER_CALLER {
        let number = caller + CALLERS * (round % (DOCUMENTS / CALLERS));
        let revision = storage.get("cart", &id(number)).unwrap().unwrap().revision;
        let same = Precondition::Revision { kind: "cart".into(), id: id(number), revision };
        let mut commit = Commit::new().require(same).put(cart(number, round));
        if with_message {
            let id = id(round * CALLERS + caller);
            let body = vec![b'm'; 500].into();
            commit = commit.put(Put { kind: "message".into(), id, body, ..Put::default() });
        }
        storage.commit(commit).await.unwrap();
    }
}

fn bare_updates(path: &Path, group: usize) -> Measurement {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE documents (number INTEGER PRIMARY KEY, kind INTEGER, id TEXT, version INTEGER,
                 body BLOB);
             CREATE UNIQUE INDEX by_id ON documents (kind, id);",
        )
        .unwrap();
    connection.execute_batch("BEGIN").unwrap();
    for number in scattered() {
        connection
            .prepare_cached("INSERT INTO documents (kind, id, version, body) VALUES (1, ?1, 0, ?2)")
            .unwrap()
            .execute((id(number), body(0)))
            .unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    measure(|| {
        for first in (0..CALLERS * UPDATES_PER_CALLER).step_by(group) {
            connection.prepare_cached("BEGIN IMMEDIATE").unwrap().execute([]).unwrap();
            for update in first..first + group {
                let id = id(update % DOCUMENTS);
                let version: i64 = connection
                    .prepare_cached("SELECT version FROM documents WHERE kind = 1 AND id = ?1")
                    .unwrap()
                    .query_row([&id], |row| row.get(0))
                    .unwrap();
                connection
                    .prepare_cached("UPDATE documents SET version = ?2, body = ?3 WHERE kind = 1 AND id = ?1")
                    .unwrap()
                    .execute((&id, version + 1, body(update).as_bytes()))
                    .unwrap();
            }
            connection.prepare_cached("COMMIT").unwrap().execute([]).unwrap();
        }
    })
}

fn measure(work: impl FnOnce()) -> Measurement {
    let (started, cpu_before, writer_before) = (Instant::now(), cpu_seconds(), writer_cpu_seconds());
    work();
    Measurement {
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: cpu_seconds() - cpu_before,
        writer_cpu_seconds: writer_cpu_seconds() - writer_before,
    }
}

fn cpu_seconds() -> f64 {
    cpu_seconds_in(Path::new("/proc/self/stat"))
}

/// Returns the CPU time of the writing threads in seconds.
fn writer_cpu_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    threads
        .filter(|thread| std::fs::read_to_string(thread.join("comm")).unwrap().trim() == "kontor-writer")
        .map(|thread| cpu_seconds_in(&thread.join("stat")))
        .sum()
}

/// Returns the CPU time in a Linux `stat` file, which counts hundredths of a second.
fn cpu_seconds_in(stat: &Path) -> f64 {
    let stat = std::fs::read_to_string(stat).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

fn anonymous_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
