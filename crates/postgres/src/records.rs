//! Records of changes (Change History), in a separate table ordered by time.

use bytes::Bytes;
use deadpool_postgres::Object;
use kontor_storage::{Delta, RecordPosition, RecordRange, Result, Seq, StoredRecord};
use tokio_postgres::{Error, Row, Transaction};

use crate::{failure::failure, group::ERASE_RECORDS};

/// The columns of a record, in the order of [`stored_record`].
const COLUMNS: &str = "at_ms, seq, kind, id, body";

fn stored_record(row: &Row) -> std::result::Result<StoredRecord, Error> {
    Ok(StoredRecord {
        place: RecordPosition { at_ms: row.try_get(0)?, order: row.try_get(1)? },
        kind: row.try_get(2)?,
        id: row.try_get(3)?,
        body: Bytes::copy_from_slice(row.try_get::<_, &str>(4)?.as_bytes()),
    })
}

/// Returns records, newest first, at most `limit`.
pub(crate) async fn read(
    client: &Object,
    project: &str,
    range: &RecordRange<'_>,
    limit: usize,
) -> std::result::Result<Vec<StoredRecord>, Error> {
    let of = match (range.kinds.len(), range.id.is_some()) {
        (0, _) => "$7::text[] IS NOT NULL AND $8::text IS NULL",
        (_, false) => "kind = ANY ($7) AND $8::text IS NULL",
        // With a single kind, so that it is one range of the index in the requested order.
        (1, true) => "kind = ($7::text[])[1] AND id = $8",
        (_, true) => "kind = ANY ($7) AND id = $8",
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM kontor.records
         WHERE project = $1 AND (at_ms, seq) >= ((SELECT $2::int8), (SELECT $3::int8))
         AND (at_ms, seq) < ((SELECT $4::int8), (SELECT $5::int8)) AND {of}
         ORDER BY at_ms DESC, seq DESC LIMIT (SELECT $6::int8)"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let (from, before) = (range.from, range.before);
    let statement = client.prepare_cached(&sql).await?;
    let rows = client
        .query(
            &statement,
            &[
                &project,
                &from.at_ms,
                &from.order,
                &before.at_ms,
                &before.order,
                &limit,
                &range.kinds,
                &range.id,
            ],
        )
        .await?;
    rows.iter().map(stored_record).collect()
}

/// Returns the next records after a position, oldest first.
pub(crate) async fn read_after(
    transaction: &Transaction<'_>,
    project: &str,
    position: RecordPosition,
    limit: usize,
) -> std::result::Result<Vec<StoredRecord>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM kontor.records WHERE project = $1 AND (at_ms, seq) > ($2, $3)
         ORDER BY at_ms, seq LIMIT $4"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = transaction.query(&sql, &[&project, &position.at_ms, &position.order, &limit]).await?;
    rows.iter().map(stored_record).collect()
}

/// Returns the records of changes of documents between two positions, and all records of those in `erased`. Oldest
/// first.
pub(crate) async fn read_changes(
    transaction: &Transaction<'_>,
    project: &str,
    named: &[(&str, &str)],
    erased: &[(String, String)],
    (after, last): (Seq, Seq),
) -> std::result::Result<Vec<StoredRecord>, Error> {
    let [after, last] = [after, last].map(|seq| i64::try_from(seq).unwrap_or(i64::MAX));
    let (kinds, ids): (Vec<&str>, Vec<&str>) = named.iter().copied().unzip();
    let erased: Vec<bool> = named.iter().map(|(kind, id)| Delta::is_deleted(erased, kind, id)).collect();
    let sql = "SELECT r.at_ms, r.seq, r.kind, r.id, r.body
               FROM unnest($2::text[], $3::text[], $4::bool[]) n (kind, id, is_erased)
               JOIN kontor.records r ON r.project = $1 AND r.kind = n.kind AND r.id = n.id
               WHERE n.is_erased OR r.seq > $5 AND r.seq <= $6 ORDER BY r.at_ms, r.seq";
    let rows = transaction.query(sql, &[&project, &kinds, &ids, &erased, &after, &last]).await?;
    rows.iter().map(stored_record).collect()
}

/// Deletes all records of documents.
pub(crate) async fn erase(
    transaction: &Transaction<'_>,
    project: &str,
    documents: &[(String, String)],
) -> std::result::Result<(), Error> {
    let (kinds, ids): (Vec<&str>, Vec<&str>) = documents.iter().map(|(kind, id)| (&**kind, &**id)).unzip();
    transaction.execute(ERASE_RECORDS, &[&project, &kinds, &ids]).await.map(drop)
}

/// Writes records of another storage, unless they exist.
pub(crate) async fn insert(
    transaction: &Transaction<'_>,
    project: &str,
    records: &[StoredRecord],
) -> Result<()> {
    let sql = "
        INSERT INTO kontor.records (project, at_ms, seq, kind, id, body)
        SELECT $1, n.at_ms, n.seq, n.kind, n.id, convert_from(n.body, 'UTF8')
        FROM unnest($2::int8[], $3::int8[], $4::text[], $5::text[], $6::bytea[]) n (at_ms, seq, kind, id, body)
        ON CONFLICT DO NOTHING";
    let at_ms: Vec<i64> = records.iter().map(|record| record.place.at_ms).collect();
    let seqs: Vec<i64> = records.iter().map(|record| record.place.order).collect();
    let kinds: Vec<&str> = records.iter().map(|record| &*record.kind).collect();
    let ids: Vec<&str> = records.iter().map(|record| &*record.id).collect();
    let bodies: Vec<&[u8]> = records.iter().map(|record| &*record.body).collect();
    let written = transaction.execute(sql, &[&project, &at_ms, &seqs, &kinds, &ids, &bodies]).await;
    written.map(drop).map_err(|error| failure(&error))
}

/// Migrates documents of a shop that were records in the first format. Their ids begin with the time in milliseconds,
/// and their only indexed value is the id of the resource.
const ADOPT: &str = "
    WITH gone AS (
        DELETE FROM kontor.documents WHERE project = $1 AND kind >= 'record of ' AND kind < 'record of!'
        RETURNING kind, id, revision, body
    ), rows AS (
        DELETE FROM kontor.index_rows r USING kontor.paths p
        WHERE r.project = $1 AND r.path = p.number AND p.kind >= 'record of ' AND p.kind < 'record of!'
        RETURNING p.kind, r.id, substr(r.value, 2) AS resource
    ), counts AS (
        DELETE FROM kontor.counts WHERE project = $1 AND kind >= 'record of ' AND kind < 'record of!'
    )
    INSERT INTO kontor.records (project, at_ms, seq, kind, id, body)
    SELECT $1, ('x' || substr(replace(g.id, '-', ''), 1, 12))::bit(48)::bigint, g.revision, substr(g.kind, 11),
        r.resource, g.body
    FROM gone g JOIN rows r ON r.kind = g.kind AND r.id = g.id ON CONFLICT DO NOTHING";

/// Migrates records of an earlier format. Without any, it costs one lookup.
pub(crate) async fn migrate_documents(client: &Object, project: &str) -> std::result::Result<(), Error> {
    let is_there = "SELECT FROM kontor.documents WHERE project = $1 AND kind >= 'record of ' AND kind < 'record of!' LIMIT 1";
    if client.query_opt(is_there, &[&project]).await?.is_some() {
        client.execute(ADOPT, &[&project]).await?;
    }
    Ok(())
}
