//! Scans of many documents in one consistent snapshot: a read-only transaction, with a chunk of documents per
//! statement. The chunk size follows from the size of the documents.

use std::{collections::HashSet, ops::ControlFlow};

use deadpool_postgres::Object;
use futures_util::future::{FutureExt as _, try_join};
use kontor_storage::{
    IndexPage, IndexRange, IndexSort, Result, ScanDirection, StoredDocument, StoredDocumentRef,
};
use tokio_postgres::Error;

use crate::{
    failure::failure,
    index_reads::{self, DeferredRow, NumberedPath},
    open_shop::OpenShop,
    reads::{COLUMNS, document_of, stored},
    text::is_plain,
};

/// A callback for each document.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>;

/// Number of documents of the first chunk, and the maximum.
const CHUNK_FIRST: usize = 32;
const CHUNK_MAX: usize = 1_000;
/// Up to this many documents are read without a transaction.
const SHORT: usize = 16;
/// Approximate bytes of documents read at once.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Starts a transaction in which all statements see one snapshot. Its idle time is not limited, since visitors take
/// their time.
pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A connection with a read-only transaction, which ends when this is dropped.
pub(crate) struct SnapshotConnection {
    client: Option<Object>,
}

impl SnapshotConnection {
    /// Wraps a connection whose transaction has begun.
    pub(crate) fn new(client: Object) -> Self {
        SnapshotConnection { client: Some(client) }
    }
}

impl Drop for SnapshotConnection {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        // Sent without waiting: the next user of the connection is queued after it.
        if client.batch_execute("ROLLBACK").now_or_never().is_some_and(|ended| ended.is_err()) {
            drop(Object::take(client));
        }
    }
}

/// Returns the size of the next chunk, from that of the last one and its documents.
fn next_chunk(chunk: usize, documents: &[StoredDocument]) -> usize {
    let bytes: usize = documents.iter().map(|document| document.body.len()).sum();
    let fit = CHUNK_BYTES * documents.len() / bytes.max(1);
    fit.clamp(1, (chunk * 2).min(CHUNK_MAX))
}

/// Visits all documents of a kind by id.
pub(crate) async fn scan(
    shop: &OpenShop,
    kind: &str,
    direction: ScanDirection,
    after: Option<&str>,
    visit: Visit<'_>,
) -> Result<()> {
    let (comparison, sort) = match direction {
        ScanDirection::Ascending => (">", "ASC"),
        ScanDirection::Descending => ("<", "DESC"),
    };
    let from =
        if after.is_some() { format!("AND d.id {comparison} (SELECT $4::text)") } else { String::new() };
    let first = format!(
        "SELECT {COLUMNS} FROM kontor.documents d WHERE d.project = $1 AND d.kind = $2 {from}
         ORDER BY d.id {sort} LIMIT (SELECT $3::int8)"
    );
    let next = format!(
        "SELECT {COLUMNS} FROM kontor.documents d WHERE d.project = $1 AND d.kind = $2 AND d.id {comparison} (SELECT $4::text)
         ORDER BY d.id {sort} LIMIT (SELECT $3::int8)"
    );
    let client = shop.server.visit_client().await?;
    let project = shop.project();
    let mut chunk = CHUNK_FIRST;
    // The transaction begins together with the first chunk.
    let read = async |client: &Object, after: Option<&str>, chunk: usize, begins: bool| {
        let limit = i64::try_from(chunk).unwrap_or(i64::MAX);
        let begin = async { if begins { client.batch_execute(BEGIN).await } else { Ok(()) } };
        let rows = async |sql: &str| {
            let statement = client.prepare_cached(sql).await?;
            let query = async {
                match after {
                    Some(after) => client.query(&statement, &[&project, &kind, &limit, &after]).await,
                    None => client.query(&statement, &[&project, &kind, &limit]).await,
                }
            };
            Ok::<_, Error>(try_join(begin, query).await?.1)
        };
        let rows = rows(if begins { &first } else { &next }).await?;
        rows.iter().map(stored).collect::<std::result::Result<Vec<_>, Error>>()
    };
    let begun = read(&client, after, chunk, true).await;
    let state = SnapshotConnection::new(client);
    let mut documents = begun.map_err(|error| failure(&error))?;
    loop {
        for document in &documents {
            if visit(document.borrowed()).is_break() {
                return Ok(());
            }
        }
        if documents.len() < chunk {
            return Ok(());
        }
        chunk = next_chunk(chunk, &documents);
        let (Some(last), Some(client)) = (documents.pop(), &state.client) else { return Ok(()) };
        documents = read(client, Some(&last.id), chunk, false).await.map_err(|error| failure(&error))?;
    }
}

/// Returns whether a page may have few documents, as most queries of rules do. Then a single statement is tried first,
/// which sees one snapshot by itself.
fn is_maybe_short(range: &IndexRange, page: &IndexPage) -> bool {
    matches!(range, IndexRange::In(_)) && page.sort == IndexSort::Id && page.offset == 0
}

/// Visits the documents of a page of an index query.
pub(crate) async fn visit_indexed(
    shop: &OpenShop,
    kind: &str,
    path: &str,
    range: &IndexRange,
    page: &IndexPage,
    visit: Visit<'_>,
) -> Result<()> {
    let client = shop.server.visit_client().await?;
    let found = shop.server.paths.find(&client, kind, path).await.map_err(|error| failure(&error))?;
    let Some(path) = found else { return Ok(()) };
    let place = NumberedPath { project: shop.project(), path };
    if is_maybe_short(range, page) {
        let wanted = page.limit.unwrap_or(usize::MAX).min(SHORT);
        let found = index_reads::first_documents(&client, place, kind, (range, page), wanted).await;
        let found = found.map_err(|error| failure(&error))?;
        if found.len() < SHORT || page.limit == Some(wanted) {
            let _ = found.iter().try_for_each(|document| visit(document.borrowed()));
            return Ok(());
        }
    }
    client.batch_execute(BEGIN).await.map_err(|error| failure(&error))?;
    let state = SnapshotConnection::new(client);
    let Some(client) = &state.client else { return Ok(()) };
    let visited = visit_page(client, place, kind, range, page, visit).await;
    visited.map_err(|error| failure(&error))
}

async fn visit_page(
    client: &Object,
    path: NumberedPath<'_>,
    kind: &str,
    range: &IndexRange,
    page: &IndexPage,
    visit: Visit<'_>,
) -> std::result::Result<(), Error> {
    let mut after = page.after.as_ref().and_then(index_reads::page_start);
    let (mut left_out, mut visited, mut chunk) = (0, 0, CHUNK_FIRST);
    let mut seen = HashSet::new();
    while page.limit.is_none_or(|limit| visited < limit) {
        let size = chunk.max(page.offset - left_out);
        let rows = index_reads::rows(client, path, range, page, after.as_ref(), Some(size)).await?;
        let is_last = rows.len() < size;
        after = rows.last().cloned();
        let mut ids = Vec::new();
        for DeferredRow { id, .. } in rows {
            // A document with several values in the range has several rows.
            if page.sort == IndexSort::Value && !seen.insert(id.clone()) {
                continue;
            }
            if left_out < page.offset {
                left_out += 1;
                continue;
            }
            ids.push(id);
        }
        ids.truncate(page.limit.map_or(usize::MAX, |limit| limit - visited));
        let mut bytes = Vec::new();
        for part in ids.chunks(chunk) {
            let documents = visit_in_order(client, path.project, kind, part).await?;
            for document in &documents {
                visited += 1;
                if visit(document.borrowed()).is_break() {
                    return Ok(());
                }
            }
            bytes = documents;
        }
        if is_last {
            return Ok(());
        }
        chunk = next_chunk(chunk, &bytes);
    }
    Ok(())
}

/// Visits documents in the order of the given ids.
async fn visit_in_order(
    client: &Object,
    project: &str,
    kind: &str,
    ids: &[String],
) -> std::result::Result<Vec<StoredDocument>, Error> {
    debug_assert!(ids.iter().all(|id| is_plain(id)), "they come from the server");
    let document = document_of("$2", "n.id");
    let sql = format!(
        "SELECT {COLUMNS} FROM unnest((SELECT $3::text[])) WITH ORDINALITY n (id, place)
         CROSS JOIN LATERAL {document} d ORDER BY n.place"
    );
    let statement = client.prepare_cached(&sql).await?;
    client.query(&statement, &[&project, &kind, &ids]).await?.iter().map(stored).collect()
}
