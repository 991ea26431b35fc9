//! Tests the log line of a slow commit.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use kontor_storage::{Commit, Put, Sqlite, SqliteOptions, Storage, Write};
use rusqlite::Connection;
use tempfile::TempDir;

/// Longer than the threshold of a slow commit.
const HELD: Duration = Duration::from_millis(1_500);

#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogBuffer {
    /// The line of the only slow commit.
    fn slow_commit(&self) -> String {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let mut lines = text.lines().filter(|line| line.contains("slow commit"));
        let line = lines.next().unwrap().to_owned();
        assert_eq!(lines.next(), None);
        line
    }
}

fn field(line: &str, name: &str) -> u128 {
    let (_, rest) = line.split_once(&format!(" {name}=")).unwrap_or_else(|| panic!("no {name} in: {line}"));
    rest.split(' ').next().unwrap().parse().unwrap()
}

fn commit(id: &str) -> Commit {
    Commit {
        writes: vec![Write::Put(Put { kind: "state".into(), id: id.into(), ..Put::default() })],
        ..Commit::default()
    }
}

#[test]
fn logs_the_waits_of_a_slow_commit() {
    let log = LogBuffer::default();
    let written = log.clone();
    // The subscriber of the process, because the writer has a thread of its own.
    tracing_subscriber::fmt().with_ansi(false).with_writer(move || written.clone()).init();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    let storage = Sqlite::open(&path, SqliteOptions::for_project("shop")).unwrap();
    storage.commit_blocking(commit("first")).unwrap();

    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| storage.commit_blocking(commit("second")));
        std::thread::sleep(HELD);
        other.execute_batch("ROLLBACK").unwrap();
        waiting.join().unwrap().unwrap();
    });

    let line = log.slow_commit();
    assert_eq!(field(&line, "commits"), 1);
    assert!(field(&line, "lock_ms") > 1_000, "{line}");
    assert!(field(&line, "read_kb") < 10_000, "the file is small, and in memory: {line}");
    assert!(field(&line, "disk_ms") + field(&line, "index_rows_ms") < field(&line, "lock_ms"), "{line}");
}
