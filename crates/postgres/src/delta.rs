//! Reads the changes of a shop after a position, while commits continue.

use std::collections::HashMap;

use kontor_storage::{ChangeLogEntry, Delta, Error, Put, Result, Seq};
use tokio_postgres::Transaction;

use crate::{
    content::{UNHURRIED, begin_snapshot, document, failed, rest},
    open_shop::OpenShop,
    reads, records,
};

/// Reads the changes of a shop from one snapshot. Fails with [`Error::Behind`] if entries after the position were
/// removed.
pub(crate) async fn read(shop: &OpenShop, after: Seq, limit: usize) -> Result<Delta> {
    let mut client = shop.server.visit_client().await?;
    let paths = shop.server.paths.by_number(&client).await.map_err(failed)?;
    let transaction = begin_snapshot(&mut client).await.map_err(failed)?;
    transaction.batch_execute(UNHURRIED).await.map_err(failed)?;
    let project = shop.project();
    let sql = "SELECT seq, epoch, base FROM kontor.heads WHERE project = $1";
    let head = transaction.query_opt(sql, &[&project]).await.map_err(failed)?.ok_or(Error::Closed)?;
    let [newest, epoch, base] = [0, 1, 2].map(|column| head.get::<_, i64>(column).unsigned_abs());
    if after < base {
        return Err(Error::Behind { after, base });
    }
    let changes = changes(&transaction, project, after, limit).await?;
    let last = changes.last().map_or(after, |change| change.seq);
    let (written, deleted) = documents(&transaction, project, &changes, &paths).await?;
    let erased = Delta::deleted_documents(&changes);
    let named = Delta::named_documents(&changes);
    let records = records::read_changes(&transaction, project, &named, &erased, (after, last)).await;
    let records = records.map_err(failed)?;
    let rest = if last == newest { Some(rest(&transaction, project).await?) } else { None };
    Ok(Delta { epoch, changes, written, deleted, records, erased, rest })
}

async fn changes(
    transaction: &Transaction<'_>,
    project: &str,
    after: Seq,
    limit: usize,
) -> Result<Vec<ChangeLogEntry>> {
    let sql = "SELECT seq, kind, id, version, operation FROM kontor.changes
               WHERE project = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    let (after, limit) = (i64::try_from(after).unwrap_or(i64::MAX), i64::try_from(limit).unwrap_or(i64::MAX));
    let rows = transaction.query(sql, &[&project, &after, &limit]).await.map_err(failed)?;
    let change =
        |row| reads::change(row).map_err(failed)?.ok_or(Error::Damaged("an entry of the change log"));
    rows.iter().map(change).collect()
}

/// Documents with their revisions, and kind and id of deleted ones.
type DeltaDocuments = (Vec<(Put, i64)>, Vec<(String, String)>);

/// Returns the documents that entries name, without those that a later entry names.
async fn documents(
    transaction: &Transaction<'_>,
    project: &str,
    changes: &[ChangeLogEntry],
    paths: &HashMap<i32, (String, String)>,
) -> Result<DeltaDocuments> {
    let named = Delta::named_documents(changes);
    let Some(last) = changes.last() else { return Ok(DeltaDocuments::default()) };
    let (kinds, ids): (Vec<&str>, Vec<&str>) = named.into_iter().unzip();
    let sql = "SELECT n.kind, n.id, d.version, d.revision, d.sequence, d.entries, d.body
               FROM unnest($2::text[], $3::text[]) n (kind, id)
               LEFT JOIN kontor.documents d ON d.project = $1 AND d.kind = n.kind AND d.id = n.id";
    let rows = transaction.query(sql, &[&project, &kinds, &ids]).await.map_err(failed)?;
    let (mut written, mut deleted) = DeltaDocuments::default();
    for row in &rows {
        match row.get::<_, Option<i64>>(3) {
            None => deleted.push((row.get(0), row.get(1))),
            Some(revision) if revision.unsigned_abs() <= last.seq => written.push(document(row, paths)?),
            // A later entry names it.
            Some(_) => {}
        }
    }
    Ok((written, deleted))
}
