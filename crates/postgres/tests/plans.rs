//! Tests that each row is looked up by its key, even by a connection whose statements were planned before the planner
//! had statistics.

#![allow(clippy::unwrap_used)] // A test stops at the first failure.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use kontor_postgres::Database;
use kontor_storage::{BatchKey, Commit, Put, Storage, UniqueKey};
use kontor_tests_postgres::PostgresServer;
use tokio_postgres::NoTls;

/// Number of documents of the shop.
const DOCUMENTS: usize = 1_000;
/// Number of changes of one document each, and of reads.
const CHANGES: usize = 100;
/// Maximum number of index rows read for a change and a read: a few for each, of the new and the old state.
const ROWS_MAX: i64 = 20;
/// Timeout for connections to end.
const TIMEOUT: Duration = Duration::from_secs(20);

fn document(number: usize, version: i64) -> Put {
    Put {
        kind: "state".into(),
        id: format!("{number:08}"),
        version,
        body: "{}".into(),
        unique: vec![UniqueKey { path: "key".into(), value: format!("{number}-{version}") }],
        indexed: vec![("at".into(), version.into())],
        ..Put::default()
    }
}

fn fill(storage: &impl Storage) {
    let mut commit = Commit::new();
    for number in 0..DOCUMENTS {
        commit = commit.put(document(number, 1));
    }
    storage.commit_blocking(commit).unwrap();
}

/// Returns the server's counts for each large index and table: rows read by it, and rows read by scans.
fn rows_read(url: &str) -> Vec<(String, i64, i64)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        // A connection reports its counts when it ends.
        let began = Instant::now();
        let others = "SELECT FROM pg_stat_activity WHERE application_name = 'kontor'";
        while !client.query(others, &[]).await.unwrap().is_empty() {
            assert!(began.elapsed() < TIMEOUT, "connections are still open");
            sleep(Duration::from_millis(20));
        }
        let sql = "SELECT indexrelname::text, idx_tup_read, seq_tup_read
                   FROM pg_stat_user_indexes JOIN pg_stat_user_tables USING (relid)
                   WHERE pg_stat_user_tables.relname IN ('documents', 'unique_keys', 'index_rows')";
        let rows = client.query(sql, &[]).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect()
    })
}

#[test]
fn rows_are_looked_up_by_their_keys() {
    let server = PostgresServer::start().unwrap();
    let database = Database::open(server.url().parse().unwrap()).unwrap();
    let storage = database.open_or_create("plans").unwrap();
    fill(&storage);
    for number in 0..CHANGES {
        let changed = document(number, 2);
        storage.commit_blocking(Commit::new().put(changed.clone())).unwrap();
        let key = &changed.unique[0];
        let by_id = BatchKey::Id { kind: "state", id: &changed.id };
        let by_key = BatchKey::Unique { kind: "state", path: "key", value: &key.value };
        assert!(storage.get_batch(&[by_id, by_key]).unwrap().iter().all(Option::is_some));
        assert!(storage.get_by_unique("state", "key", &key.value).unwrap().is_some());
    }
    storage.commit_blocking(Commit::new().delete("state", "00000000")).unwrap();
    drop((storage, database));
    let read = rows_read(&server.url());
    assert_eq!(read.len(), 3);
    for (index, rows, others) in read {
        assert!(rows >= CHANGES as i64, "{index}: {rows} rows were read for {CHANGES} changes");
        assert!(
            rows + others <= ROWS_MAX * CHANGES as i64,
            "{index}: {rows} and {others} for {CHANGES} changes"
        );
    }
}
