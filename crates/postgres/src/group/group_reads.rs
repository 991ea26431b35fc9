//! The first round trip of a group of commits: locks the row of the shop, and reads everything needed to
//! check their preconditions.

use std::collections::{BTreeSet, HashMap};

use deadpool_postgres::Object;
use futures_util::future::{BoxFuture, FutureExt as _, join_all};
use kontor_storage::{Error, Result};
use tokio_postgres::{Row, types::ToSql};

use super::required_rows::{ColumnValue, KindAndId, RequiredRows};
use crate::{
    failure::failure,
    rows::{ValueRows, decode},
};

/// Settings of the transaction, since poolers keep none outside of it:
/// - Timeouts, so that a process stopped in its midst releases its locks.
/// - Each row is looked up by the whole key of its table: statements are planned once per connection,
///   possibly while a table is small or unknown to the planner, and a plan that scans all of it, or all rows
///   of a project, stays when it has grown.
/// - Statements are planned once: with few values in its arrays a statement would be planned at each
///   execution, which takes longer than running it.
const BEGIN: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL lock_timeout = '10s'; \
    SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; \
    SET LOCAL plan_cache_mode = force_generic_plan";

/// The row of the shop: locked from here to the end of the transaction. The following statements see the
/// commits of its previous holder, because each statement of a transaction sees everything committed before
/// it began (`READ COMMITTED`).
const HEAD: &str =
    "SELECT seq, base, epoch, pg_current_xact_id()::text FROM kontor.heads WHERE project = $1 FOR UPDATE";

const DOCUMENTS: &str = "
    SELECT n.kind, n.id, d.version, d.revision, d.entries FROM unnest($2::text[], $3::text[]) n (kind, id)
    CROSS JOIN LATERAL (
        SELECT d.version, d.revision, d.entries FROM kontor.documents d
        WHERE d.project = $1 AND d.kind = n.kind AND d.id = n.id LIMIT 1) d";
const UNIQUE: &str = "
    SELECT n.path, n.value, u.id FROM unnest($2::int4[], $3::text[]) n (path, value)
    CROSS JOIN LATERAL (
        SELECT u.id FROM kontor.unique_keys u
        WHERE u.project = $1 AND u.path = n.path AND u.value = n.value LIMIT 1) u";
const INDEXED: &str = "
    SELECT n.path, n.value, f.id FROM unnest($2::int4[], $3::text[], $4::int8[]) n (path, value, most)
    CROSS JOIN LATERAL (
        SELECT r.id FROM kontor.index_rows r WHERE r.project = $1 AND r.path = n.path AND r.value = n.value
        ORDER BY r.id LIMIT n.most) f";
const COUNTS: &str = "SELECT kind, documents FROM kontor.counts WHERE project = $1 AND kind = ANY ($2)";
const COUNTERS: &str = "SELECT name, value FROM kontor.counters WHERE project = $1 AND name = ANY ($2)";

/// The locked row of the shop: the state of its change log.
#[derive(Debug, Clone)]
pub(crate) struct LockedHead {
    pub(crate) seq: i64,
    pub(crate) base: i64,
    pub(crate) epoch: u64,
    /// The id of the transaction, to query its result if the connection is lost.
    pub(crate) transaction: String,
}

/// The stored state of a document.
#[derive(Debug, Clone)]
pub(crate) struct StoredState {
    pub(crate) version: i64,
    pub(crate) revision: i64,
    pub(crate) rows: ValueRows,
}

/// The results. A requested entry that is missing does not exist.
#[derive(Debug, Default)]
pub(crate) struct GroupReads<'c> {
    pub(crate) documents: HashMap<KindAndId<'c>, StoredState>,
    pub(crate) unique: HashMap<ColumnValue, Box<str>>,
    /// The first holders of each value, up to the requested number.
    pub(crate) indexed: HashMap<ColumnValue, BTreeSet<Box<str>>>,
    pub(crate) counts: HashMap<String, i64>,
    pub(crate) counters: HashMap<String, i64>,
}

/// Starts the transaction and reads. After a failure the transaction is still open. Returns `None` if the shop was
/// removed.
pub(crate) async fn lock_and_read<'c>(
    client: &Object,
    project: &str,
    needs: &RequiredRows<'c>,
) -> Result<Option<(LockedHead, GroupReads<'c>)>> {
    let failed = |error: tokio_postgres::Error| failure(&error);
    let documents: (Vec<&str>, Vec<&str>) = needs.documents.iter().copied().unzip();
    let unique: (Vec<i32>, Vec<&str>) = needs.unique.iter().map(|(path, value)| (*path, &**value)).unzip();
    let indexed: (Vec<i32>, Vec<&str>) = needs.indexed.keys().map(|(path, value)| (*path, &**value)).unzip();
    let most: Vec<i64> =
        needs.indexed.values().map(|most| i64::try_from(*most).unwrap_or(i64::MAX)).collect();
    let counts: Vec<&str> = needs.counts.iter().copied().collect();
    let counters: Vec<&str> = needs.counters.iter().map(|name| &**name).collect();
    let queries: [(bool, &str, Vec<&(dyn ToSql + Sync)>); 6] = [
        (true, HEAD, vec![&project]),
        (!documents.0.is_empty(), DOCUMENTS, vec![&project, &documents.0, &documents.1]),
        (!unique.0.is_empty(), UNIQUE, vec![&project, &unique.0, &unique.1]),
        (!indexed.0.is_empty(), INDEXED, vec![&project, &indexed.0, &indexed.1, &most]),
        (!counts.is_empty(), COUNTS, vec![&project, &counts]),
        (!counters.is_empty(), COUNTERS, vec![&project, &counters]),
    ];
    let mut statements = Vec::with_capacity(queries.len());
    for (is_needed, sql, _) in &queries {
        statements.push(match is_needed {
            true => Some(client.prepare_cached(sql).await.map_err(failed)?),
            false => None,
        });
    }
    // All statements are sent at once, and the server runs them in this order.
    let mut responses: Vec<BoxFuture<'_, std::result::Result<Vec<Row>, tokio_postgres::Error>>> = Vec::new();
    responses.push(async { client.batch_execute(BEGIN).await.map(|()| Vec::new()) }.boxed());
    for (statement, (_, _, parameters)) in statements.iter().zip(&queries) {
        responses.push(match statement {
            Some(statement) => client.query(statement, parameters).boxed(),
            None => async { Ok(Vec::new()) }.boxed(),
        });
    }
    let mut responses = join_all(responses).await.into_iter();
    responses.next().transpose().map_err(failed)?;
    let mut rows = || responses.next().transpose().map_err(failed).map(Option::unwrap_or_default);
    let Some(head) = rows()?.first().map(locked_head).transpose().map_err(failed)? else { return Ok(None) };
    let mut found = GroupReads::default();
    let names: HashMap<(&str, &str), KindAndId<'c>> =
        needs.documents.iter().map(|name| (*name, *name)).collect();
    for row in rows()? {
        if let Some(name) = names.get(&(row.get(0), row.get(1))) {
            found.documents.insert(*name, stored_state(&row)?);
        }
    }
    for row in rows()? {
        found.unique.insert((row.get(0), row.get::<_, &str>(1).into()), row.get::<_, &str>(2).into());
    }
    // Each requested value has an entry, even without holders.
    found.indexed.extend(needs.indexed.keys().map(|place| (place.clone(), BTreeSet::new())));
    for row in rows()? {
        let place = (row.get(0), row.get::<_, &str>(1).into());
        found.indexed.entry(place).or_default().insert(row.get::<_, &str>(2).into());
    }
    found.counts.extend(rows()?.into_iter().map(|row| (row.get(0), row.get(1))));
    found.counters.extend(rows()?.into_iter().map(|row| (row.get(0), row.get(1))));
    Ok(Some((head, found)))
}

fn locked_head(row: &Row) -> std::result::Result<LockedHead, tokio_postgres::Error> {
    let epoch = row.try_get::<_, i64>(2)?.unsigned_abs();
    Ok(LockedHead { seq: row.try_get(0)?, base: row.try_get(1)?, epoch, transaction: row.try_get(3)? })
}

fn stored_state(row: &Row) -> Result<StoredState> {
    let entries = row.try_get::<_, &[u8]>(4).map_err(|_| Error::Damaged("the rows of a document"))?;
    Ok(StoredState { version: row.get(2), revision: row.get(3), rows: decode(entries)? })
}
