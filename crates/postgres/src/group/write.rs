//! The second round trip of a group: a statement for each table that changes, and the commit.

use deadpool_postgres::Object;
use futures_util::future::{BoxFuture, FutureExt as _, join_all};
use kontor_storage::{ChangeOperation, Error, Result};
use tokio_postgres::types::ToSql;

use super::writes::{DocumentColumns, GroupWrites, RowColumns};
use crate::failure::{failure, is_transient};

pub(super) const INSERT_DOCUMENTS: &str = "
    INSERT INTO kontor.documents (project, kind, id, version, revision, sequence, entries, body)
    SELECT $1, n.* FROM unnest(
        $2::text[], $3::text[], $4::int8[], $5::int8[], $6::int8[], $7::bytea[], $8::text[]) n";
const UPDATE_DOCUMENTS: &str = "
    UPDATE kontor.documents d
    SET version = n.version, revision = n.revision, sequence = n.sequence, entries = n.entries, body = n.body
    FROM (SELECT $1::text project, n.* FROM unnest(
            $2::text[], $3::text[], $4::int8[], $5::int8[], $6::int8[], $7::bytea[], $8::text[])
        n (kind, id, version, revision, sequence, entries, body) OFFSET 0) n
    WHERE d.project = n.project AND d.kind = n.kind AND d.id = n.id";
const DELETE_DOCUMENTS: &str = "
    DELETE FROM kontor.documents d USING (
        SELECT $1::text project, n.* FROM unnest($2::text[], $3::text[]) n (kind, id) OFFSET 0) n
    WHERE d.project = n.project AND d.kind = n.kind AND d.id = n.id";
const DELETE_UNIQUE: &str = "
    DELETE FROM kontor.unique_keys u USING (
        SELECT $1::text project, n.* FROM unnest($2::int4[], $3::text[]) n (path, value) OFFSET 0) n
    WHERE u.project = n.project AND u.path = n.path AND u.value = n.value";
const INSERT_UNIQUE: &str = "
    INSERT INTO kontor.unique_keys (project, path, value, id)
    SELECT $1, n.* FROM unnest($2::int4[], $3::text[], $4::text[]) n";
const DELETE_INDEXED: &str = "
    DELETE FROM kontor.index_rows r USING (
        SELECT $1::text project, n.* FROM unnest($2::int4[], $3::text[], $4::text[]) n (path, value, id) OFFSET 0) n
    WHERE r.project = n.project AND r.path = n.path AND r.value = n.value AND r.id = n.id";
pub(super) const INSERT_INDEXED: &str = "
    INSERT INTO kontor.index_rows (project, path, value, id)
    SELECT $1, n.* FROM unnest($2::int4[], $3::text[], $4::text[]) n";
pub(crate) const COUNTS: &str = "
    INSERT INTO kontor.counts (project, kind, documents) SELECT $1, n.* FROM unnest($2::text[], $3::int8[]) n
    ON CONFLICT (project, kind) DO UPDATE SET documents = counts.documents + excluded.documents";
const COUNTERS: &str = "
    INSERT INTO kontor.counters (project, name, value) SELECT $1, n.* FROM unnest($2::text[], $3::int8[]) n
    ON CONFLICT (project, name) DO UPDATE SET value = excluded.value";
const POSITIONS: &str = "
    INSERT INTO kontor.positions (project, consumer, seq) SELECT $1, n.* FROM unnest($2::text[], $3::int8[]) n
    ON CONFLICT (project, consumer) DO UPDATE SET seq = excluded.seq";
const DELETE_SETTINGS: &str = "DELETE FROM kontor.settings WHERE project = $1 AND name = ANY ($2)";
const SETTINGS: &str = "
    INSERT INTO kontor.settings (project, name, value) SELECT $1, n.* FROM unnest($2::text[], $3::text[]) n
    ON CONFLICT (project, name) DO UPDATE SET value = excluded.value";
pub(crate) const LOG: &str = "
    INSERT INTO kontor.changes (project, seq, kind, id, version, operation)
    SELECT $1, n.* FROM unnest($2::int8[], $3::text[], $4::text[], $5::int8[], $6::int2[]) n";
const RECORDS: &str = "
    INSERT INTO kontor.records (project, at_ms, seq, kind, id, body)
    SELECT $1, n.* FROM unnest($2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[]) n";
pub(crate) const ERASE_RECORDS: &str = "
    DELETE FROM kontor.records r USING (
        SELECT $1::text project, n.* FROM unnest($2::text[], $3::text[]) n (kind, id) OFFSET 0) n
    WHERE r.project = n.project AND r.kind = n.kind AND r.id = n.id";
const END_RECORDS: &str = "
    DELETE FROM kontor.records WHERE ctid = ANY (ARRAY(
        SELECT r.ctid FROM kontor.records r WHERE r.project = $1 AND r.at_ms < $2
        ORDER BY r.at_ms, r.seq LIMIT $3))";
const TRIM: &str = "DELETE FROM kontor.changes WHERE project = $1 AND seq <= $2";
const HEAD: &str = "UPDATE kontor.heads SET seq = $2, base = $3 WHERE project = $1";

/// The result of the last statements.
#[derive(Debug)]
pub(crate) enum WriteResult {
    /// All is on disk.
    Done,
    /// Nothing was written.
    Failed(Error),
    /// The connection was lost before the result arrived.
    Unknown(Error),
}

type StatementParameters<'p> = Vec<&'p (dyn ToSql + Sync)>;

/// Writes everything and commits. Afterwards the newest position of the log is `seq`, and entries up to `base` are
/// removed; before it was `base_before`.
pub(crate) async fn write(
    client: &Object,
    project: &str,
    writes: &GroupWrites<'_>,
    seq: i64,
    (base_before, base): (i64, i64),
) -> Result<WriteResult> {
    let failed = |error: tokio_postgres::Error| failure(&error);
    let (inserted, updated) = (bodies(&writes.inserted)?, bodies(&writes.updated)?);
    let small = SmallTables::from_writes(writes);
    let log = LogColumns::from_writes(writes);
    fn texts(values: &[Box<str>]) -> Vec<&str> {
        values.iter().map(|value| &**value).collect()
    }
    let rows = [&writes.unique_removed, &writes.unique_added, &writes.indexed_removed, &writes.indexed_added];
    let [unique_removed, unique_added, indexed_removed, indexed_added] = rows;
    let [unique_removed_values, unique_added_values, indexed_removed_values, indexed_added_values] =
        rows.map(|columns| texts(&columns.values));
    let (inserts, updates) = (&writes.inserted, &writes.updated);
    let has_log = !writes.log.is_empty();
    let records = RecordColumns::from_writes(writes)?;
    let (erased_kinds, erased_ids): (Vec<&str>, Vec<&str>) =
        writes.erased.iter().map(|((kind, id), _)| (*kind, *id)).unzip();
    let all: [(bool, &str, StatementParameters<'_>); 17] = [
        (
            !writes.deleted.0.is_empty(),
            DELETE_DOCUMENTS,
            vec![&project, &writes.deleted.0, &writes.deleted.1],
        ),
        (!updates.ids.is_empty(), UPDATE_DOCUMENTS, documents(&project, updates, &updated)),
        (!inserts.ids.is_empty(), INSERT_DOCUMENTS, documents(&project, inserts, &inserted)),
        (
            !unique_removed_values.is_empty(),
            DELETE_UNIQUE,
            vec![&project, &unique_removed.paths, &unique_removed_values],
        ),
        of_rows(INSERT_UNIQUE, &project, unique_added, &unique_added_values),
        of_rows(DELETE_INDEXED, &project, indexed_removed, &indexed_removed_values),
        of_rows(INSERT_INDEXED, &project, indexed_added, &indexed_added_values),
        (!small.counts.0.is_empty(), COUNTS, vec![&project, &small.counts.0, &small.counts.1]),
        (!small.counters.0.is_empty(), COUNTERS, vec![&project, &small.counters.0, &small.counters.1]),
        (!small.positions.0.is_empty(), POSITIONS, vec![&project, &small.positions.0, &small.positions.1]),
        (!small.unset.is_empty(), DELETE_SETTINGS, vec![&project, &small.unset]),
        (!small.set.0.is_empty(), SETTINGS, vec![&project, &small.set.0, &small.set.1]),
        (has_log, LOG, vec![&project, &log.seqs, &log.kinds, &log.ids, &log.versions, &log.operations]),
        (!erased_ids.is_empty(), ERASE_RECORDS, vec![&project, &erased_kinds, &erased_ids]),
        (
            !records.ids.is_empty(),
            RECORDS,
            vec![&project, &records.at_ms, &records.seqs, &records.kinds, &records.ids, &records.bodies],
        ),
        (base != base_before, TRIM, vec![&project, &base]),
        (has_log, HEAD, vec![&project, &seq, &base]),
    ];
    let needed = all.into_iter().filter(|(is_needed, ..)| *is_needed);
    let mut queries: Vec<_> = needed.map(|(_, sql, parameters)| (sql, parameters)).collect();
    for (before_ms, at_most) in &writes.ended {
        queries.push((END_RECORDS, vec![&project, before_ms, at_most]));
    }
    run(client, queries).await.map_err(failed)
}

fn documents<'p>(
    project: &'p &'p str,
    columns: &'p DocumentColumns<'_>,
    bodies: &'p (dyn ToSql + Sync),
) -> StatementParameters<'p> {
    let DocumentColumns { kinds, ids, versions, revisions, sequences, entries, .. } = columns;
    vec![project, kinds, ids, versions, revisions, sequences, entries, bodies]
}

fn of_rows<'p>(
    sql: &'static str,
    project: &'p &'p str,
    columns: &'p RowColumns<'_>,
    values: &'p (dyn ToSql + Sync),
) -> (bool, &'static str, StatementParameters<'p>) {
    (!columns.ids.is_empty(), sql, vec![project, &columns.paths, values, &columns.ids])
}

/// Sends all statements at once, and the commit after them.
async fn run(
    client: &Object,
    queries: Vec<(&str, StatementParameters<'_>)>,
) -> std::result::Result<WriteResult, tokio_postgres::Error> {
    let mut statements = Vec::with_capacity(queries.len());
    for (sql, _) in &queries {
        statements.push(client.prepare_cached(sql).await?);
    }
    let mut responses: Vec<BoxFuture<'_, std::result::Result<(), tokio_postgres::Error>>> = Vec::new();
    for (statement, (_, parameters)) in statements.iter().zip(&queries) {
        responses.push(async move { client.execute(statement, parameters).await.map(drop) }.boxed());
    }
    responses.push(client.batch_execute("COMMIT").boxed());
    let responses = join_all(responses).await;
    for response in &responses {
        if let Err(error) = response {
            let failed = failure(error);
            // If the server reported the failure of a statement, it has rolled back. A shutdown may be reported at any
            // time, even after the commit.
            let is_said = error.code().is_some() && !is_transient(&failed);
            return Ok(if is_said { WriteResult::Failed(failed) } else { WriteResult::Unknown(failed) });
        }
    }
    Ok(WriteResult::Done)
}

pub(super) fn bodies<'c>(columns: &DocumentColumns<'c>) -> Result<Vec<&'c str>> {
    columns.bodies.iter().map(|body| text(body)).collect()
}

fn text(body: &[u8]) -> Result<&str> {
    str::from_utf8(body).map_err(|_| Error::Invalid("a document that is no text cannot be stored".into()))
}

/// The columns of tables that few commits write.
#[derive(Default)]
struct SmallTables<'w> {
    counts: (Vec<&'w str>, Vec<i64>),
    counters: (Vec<&'w str>, Vec<i64>),
    positions: (Vec<&'w str>, Vec<i64>),
    set: (Vec<&'w str>, Vec<&'w str>),
    unset: Vec<&'w str>,
}

impl<'w> SmallTables<'w> {
    fn from_writes(writes: &'w GroupWrites<'_>) -> Self {
        let mut small = SmallTables {
            counts: writes
                .counts
                .iter()
                .filter(|(_, add)| **add != 0)
                .map(|(kind, add)| (*kind, *add))
                .unzip(),
            counters: writes.counters.iter().map(|(name, value)| (name.as_str(), *value)).unzip(),
            ..SmallTables::default()
        };
        let positions: std::collections::HashMap<_, _> =
            writes.positions.iter().map(|(consumer, seq)| (consumer.as_str(), *seq)).collect();
        small.positions = positions.into_iter().unzip();
        let settings: std::collections::HashMap<_, _> =
            writes.settings.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        for (name, value) in settings {
            match value {
                Some(value) => {
                    small.set.0.push(name);
                    small.set.1.push(value);
                }
                None => small.unset.push(name),
            }
        }
        small
    }
}

/// The columns of records.
#[derive(Default)]
struct RecordColumns<'w> {
    at_ms: Vec<i64>,
    seqs: Vec<i64>,
    kinds: Vec<&'w str>,
    ids: Vec<&'w str>,
    bodies: Vec<&'w str>,
}

impl<'w> RecordColumns<'w> {
    fn from_writes(writes: &'w GroupWrites<'_>) -> Result<Self> {
        let mut columns = RecordColumns::default();
        for ((kind, id), seq, record) in &writes.records {
            columns.at_ms.push(record.at_ms);
            columns.seqs.push(*seq);
            columns.kinds.push(kind);
            columns.ids.push(id);
            columns.bodies.push(text(&record.body)?);
        }
        Ok(columns)
    }
}

/// The columns of the change log.
#[derive(Default)]
struct LogColumns<'w> {
    seqs: Vec<i64>,
    kinds: Vec<&'w str>,
    ids: Vec<&'w str>,
    versions: Vec<i64>,
    operations: Vec<i16>,
}

impl<'w> LogColumns<'w> {
    fn from_writes(writes: &'w GroupWrites<'_>) -> Self {
        let mut columns = LogColumns::default();
        for entry in &writes.log {
            columns.seqs.push(entry.seq);
            columns.kinds.push(entry.kind);
            columns.ids.push(entry.id);
            columns.versions.push(entry.version);
            columns.operations.push(operation_code(entry.operation));
        }
        columns
    }
}

/// Returns the code of an operation in the change log.
pub(crate) fn operation_code(operation: ChangeOperation) -> i16 {
    match operation {
        ChangeOperation::Created => 1,
        ChangeOperation::Updated => 2,
        ChangeOperation::Deleted => 3,
    }
}
