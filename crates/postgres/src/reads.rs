//! Reads of documents and of the change log, each one round trip.

use std::collections::HashMap;

use bytes::Bytes;
use deadpool_postgres::Object;
use futures_util::future::try_join;
use kontor_storage::{BatchKey, ChangeLogEntry, ChangeOperation, Seq, StoredDocument};
use tokio_postgres::{Error, Row};

use crate::{
    paths::PathNumbering,
    text::{is_plain, unique_value},
};

/// The columns of a document, in the order of [`stored`].
pub(crate) const COLUMNS: &str = "d.id, d.version, d.revision, d.sequence, d.body";

/// Returns a subquery for one document of the project `$1`, whose kind and id are in columns. Joined
/// `LATERAL` it looks up each document by its whole key, whatever the planner assumes about the table: a
/// plain join with many ids may read all documents of the project.
pub(crate) fn document_of(kind: &str, id: &str) -> String {
    format!(
        "(SELECT d.* FROM kontor.documents d WHERE d.project = $1 AND d.kind = {kind} AND d.id = {id} LIMIT 1)"
    )
}

/// Returns the document of a row that begins with [`COLUMNS`].
pub(crate) fn stored(row: &Row) -> Result<StoredDocument, Error> {
    Ok(StoredDocument {
        id: row.try_get(0)?,
        version: row.try_get(1)?,
        revision: row.try_get(2)?,
        sequence: row.try_get(3)?,
        body: Bytes::copy_from_slice(row.try_get::<_, &str>(4)?.as_bytes()),
    })
}

/// Returns a document.
pub(crate) async fn document(
    client: &Object,
    project: &str,
    kind: &str,
    id: &str,
) -> Result<Option<StoredDocument>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM kontor.documents d WHERE d.project = $1 AND d.kind = $2 AND d.id = $3"
    );
    let statement = client.prepare_cached(&sql).await?;
    client.query_opt(&statement, &[&project, &kind, &id]).await?.as_ref().map(stored).transpose()
}

/// Returns the id of the document with a unique key.
pub(crate) async fn holder(
    client: &Object,
    project: &str,
    path: i32,
    value: &str,
) -> Result<Option<String>, Error> {
    let sql = "SELECT id FROM kontor.unique_keys WHERE project = $1 AND path = $2 AND value = $3";
    let statement = client.prepare_cached(sql).await?;
    client.query_opt(&statement, &[&project, &path, &value]).await?.map(|row| row.try_get(0)).transpose()
}

/// Returns the document with a unique key.
pub(crate) async fn document_by_unique(
    client: &Object,
    project: &str,
    kind: &str,
    path: i32,
    value: &str,
) -> Result<Option<StoredDocument>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM kontor.documents d WHERE d.project = $1 AND d.kind = $2 AND d.id = (
             SELECT u.id FROM kontor.unique_keys u WHERE u.project = $1 AND u.path = $3 AND u.value = $4)"
    );
    let statement = client.prepare_cached(&sql).await?;
    let row = client.query_opt(&statement, &[&project, &kind, &path, &value]).await?;
    row.as_ref().map(stored).transpose()
}

/// Returns documents by ids and by unique keys, in the order of the keys. Both statements are sent together.
pub(crate) async fn batch(
    client: &Object,
    paths: &PathNumbering,
    project: &str,
    keys: &[BatchKey<'_>],
) -> Result<Vec<Option<StoredDocument>>, Error> {
    let mut ids: (Vec<&str>, Vec<&str>) = Default::default();
    let mut unique: (Vec<&str>, Vec<i32>, Vec<String>) = Default::default();
    // The name of each key's document in the result.
    let mut names = Vec::with_capacity(keys.len());
    for key in keys {
        names.push(match *key {
            BatchKey::Id { kind, id } => {
                if is_plain(id) {
                    ids.0.push(kind);
                    ids.1.push(id);
                }
                BatchName::Id(kind, id)
            }
            BatchKey::Unique { kind, path, value } => match paths.find(client, kind, path).await? {
                Some(number) => {
                    let value = unique_value(value);
                    unique.0.push(kind);
                    unique.1.push(number);
                    unique.2.push(value.clone());
                    BatchName::Unique(number, value)
                }
                None => BatchName::Nothing,
            },
        });
    }
    let (by_id, by_unique) =
        try_join(by_ids(client, project, &ids), by_unique_keys(client, project, &unique)).await?;
    let found = names.iter().map(|name| match name {
        BatchName::Id(kind, id) => by_id.get(*kind).and_then(|of_kind| of_kind.get(*id)).cloned(),
        BatchName::Unique(path, value) => by_unique.get(path).and_then(|at| at.get(value)).cloned(),
        BatchName::Nothing => None,
    });
    Ok(found.collect())
}

/// The name of a document of a batch.
enum BatchName<'k> {
    Id(&'k str, &'k str),
    Unique(i32, String),
    /// None, because no document has a row at the path.
    Nothing,
}

/// Returns documents of a batch by kind and id. The arrays are hidden in subqueries, as below: visible arrays with few
/// values would make the server plan the statement at each execution, which takes longer than running it.
async fn by_ids(
    client: &Object,
    project: &str,
    (kinds, ids): &(Vec<&str>, Vec<&str>),
) -> Result<HashMap<String, HashMap<String, StoredDocument>>, Error> {
    let mut found: HashMap<String, HashMap<String, StoredDocument>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let document = document_of("n.kind", "n.id");
    let sql = format!(
        "SELECT {COLUMNS}, n.kind FROM unnest((SELECT $2::text[]), (SELECT $3::text[])) n (kind, id)
         CROSS JOIN LATERAL {document} d"
    );
    let statement = client.prepare_cached(&sql).await?;
    for row in client.query(&statement, &[&project, kinds, ids]).await? {
        let document = stored(&row)?;
        found.entry(row.try_get(5)?).or_default().insert(document.id.clone(), document);
    }
    Ok(found)
}

async fn by_unique_keys(
    client: &Object,
    project: &str,
    (kinds, paths, values): &(Vec<&str>, Vec<i32>, Vec<String>),
) -> Result<HashMap<i32, HashMap<String, StoredDocument>>, Error> {
    let mut found: HashMap<i32, HashMap<String, StoredDocument>> = HashMap::new();
    if values.is_empty() {
        return Ok(found);
    }
    let document = document_of("n.kind", "u.id");
    let sql = format!(
        "SELECT {COLUMNS}, n.path, n.value
         FROM unnest((SELECT $2::text[]), (SELECT $3::int4[]), (SELECT $4::text[])) n (kind, path, value)
         CROSS JOIN LATERAL (
             SELECT u.id FROM kontor.unique_keys u
             WHERE u.project = $1 AND u.path = n.path AND u.value = n.value LIMIT 1) u
         CROSS JOIN LATERAL {document} d"
    );
    let statement = client.prepare_cached(&sql).await?;
    for row in client.query(&statement, &[&project, kinds, paths, values]).await? {
        found.entry(row.try_get(5)?).or_default().insert(row.try_get(6)?, stored(&row)?);
    }
    Ok(found)
}

/// Entries of a project's change log after a position, up to a number, with the oldest and newest positions,
/// and the epoch: from one snapshot. Position and number are hidden in subqueries, as arrays are elsewhere:
/// knowing how few entries follow a position, the server would plan the statement at each execution, which
/// took four times as long as running it.
pub(crate) const CHANGES: &str = "
    SELECT c.seq, c.kind, c.id, c.version, c.operation, h.base, h.seq, h.epoch FROM kontor.heads h LEFT JOIN LATERAL (
        SELECT seq, kind, id, version, operation FROM kontor.changes
        WHERE project = $1 AND seq > (SELECT $2::int8) ORDER BY seq LIMIT (SELECT $3::int8)) c ON true
    WHERE h.project = $1 ORDER BY c.seq";

/// The result of [`CHANGES`]: the state of the log (`None`: there is no such shop), and the entries (`None`
/// for an invalid one).
pub(crate) type LogRead = (Option<LogHead>, Vec<Option<ChangeLogEntry>>);

/// The state of a change log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogHead {
    /// The position of the newest removed entry.
    pub(crate) base: Seq,
    /// The position of the newest entry.
    pub(crate) newest: Seq,
    pub(crate) epoch: u64,
}

/// Reads the rows of [`CHANGES`].
pub(crate) fn log_read(rows: &[Row]) -> Result<LogRead, Error> {
    let number = |row: &Row, column| row.try_get::<_, i64>(column).map(i64::unsigned_abs);
    let head = |row| {
        Ok::<_, Error>(LogHead { base: number(row, 5)?, newest: number(row, 6)?, epoch: number(row, 7)? })
    };
    let head = rows.first().map(head).transpose()?;
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        // Without entries, a single row has only the positions.
        if row.try_get::<_, Option<i64>>(0)?.is_some() {
            entries.push(change(row)?);
        }
    }
    Ok((head, entries))
}

/// Converts a number to the database's type.
pub(crate) fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns an entry of the change log from the columns seq, kind, id, version and operation; `None` if it is invalid.
pub(crate) fn change(row: &Row) -> Result<Option<ChangeLogEntry>, Error> {
    let operation = match row.try_get::<_, i16>(4)? {
        1 => ChangeOperation::Created,
        2 => ChangeOperation::Updated,
        3 => ChangeOperation::Deleted,
        _ => return Ok(None),
    };
    Ok(Some(ChangeLogEntry {
        seq: row.try_get::<_, i64>(0)?.unsigned_abs(),
        kind: row.try_get(1)?,
        id: row.try_get(2)?,
        version: row.try_get(3)?,
        operation,
    }))
}
