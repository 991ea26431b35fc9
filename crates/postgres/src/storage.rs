//! The [`Storage`] trait for a shop on a PostgreSQL server.

use std::{collections::HashMap, ops::ControlFlow, path::Path, sync::Arc};

use kontor_storage::{
    BatchKey, ChangeLogEntry, Commit, CommitFuture, Delta, Error, IndexPage, IndexRange, RecordRange, Result,
    ScanDirection, Seq, Storage, StoredDocument, StoredDocumentRef, StoredRecord,
};
use tokio::sync::watch;

use crate::{
    cache::{CachedDocumentLookup, fill},
    content, delta,
    index_reads::{self, NumberedPath},
    open_shop::OpenShop,
    queue::QueuedCommit,
    reads, records,
    text::{escape, is_plain, unescape, unique_value},
    visits, writer,
};

/// A shop on a PostgreSQL server, returned by [`Database::storage`](crate::Database::storage).
///
/// Its reading methods block the thread for one round trip, unless they say otherwise. On a multi-threaded tokio
/// runtime, other tasks of the thread move to another thread meanwhile.
#[derive(Clone)]
pub struct Postgres {
    pub(crate) shop: Arc<OpenShop>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Postgres").field("project", &self.shop.project()).finish_non_exhaustive()
    }
}

impl Postgres {
    fn project(&self) -> &str {
        self.shop.project()
    }

    /// Runs a read, and blocks the thread meanwhile.
    fn read<T>(
        &self,
        read: impl AsyncFn(&deadpool_postgres::Object) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        self.shop.server.wait(self.shop.server.read(read))
    }

    /// Returns the value of a name in a small table.
    fn value<T>(&self, sql: &'static str, name: &str) -> Result<Option<T>>
    where
        T: for<'a> tokio_postgres::types::FromSql<'a>,
    {
        let name = escape(name);
        self.read(async |client| {
            let statement = client.prepare_cached(sql).await?;
            let row = client.query_opt(&statement, &[&self.project(), &&*name]).await?;
            row.map(|row| row.try_get(0)).transpose()
        })
    }

    /// Returns a number from the shop's row in `heads`.
    fn head(&self, sql: &'static str) -> Result<u64> {
        let found = self.read(async |client| {
            let row = client.query_opt(&client.prepare_cached(sql).await?, &[&self.project()]).await?;
            row.map(|row| row.try_get::<_, i64>(0)).transpose()
        })?;
        found.map(i64::unsigned_abs).ok_or(Error::Closed)
    }
}

impl Storage for Postgres {
    fn get(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        if !is_plain(id) {
            return Ok(None);
        }
        self.read(async |client| reads::document(client, self.project(), kind, id).await)
    }

    fn get_many(&self, kind: &str, ids: &[&str]) -> Result<Vec<Option<StoredDocument>>> {
        let keys: Vec<_> = ids.iter().map(|id| BatchKey::Id { kind, id }).collect();
        self.get_batch(&keys)
    }

    fn find_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<String>> {
        let value = unique_value(value);
        self.read(async |client| {
            let Some(path) = self.shop.server.paths.find(client, kind, path).await? else { return Ok(None) };
            reads::holder(client, self.project(), path, &value).await
        })
    }

    fn get_by_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<StoredDocument>> {
        let value = unique_value(value);
        self.read(async |client| {
            let Some(path) = self.shop.server.paths.find(client, kind, path).await? else { return Ok(None) };
            reads::document_by_unique(client, self.project(), kind, path, &value).await
        })
    }

    fn get_many_by_unique(
        &self,
        kind: &str,
        path: &str,
        values: &[&str],
    ) -> Result<Vec<Option<StoredDocument>>> {
        let keys: Vec<_> = values.iter().map(|value| BatchKey::Unique { kind, path, value }).collect();
        self.get_batch(&keys)
    }

    fn get_batch(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.read(async |client| reads::batch(client, &self.shop.server.paths, self.project(), keys).await)
    }

    fn get_cached(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        match self.shop.log.cache.document(kind, id) {
            CachedDocumentLookup::Hit(known) => Ok(known),
            CachedDocumentLookup::Busy => self.get(kind, id),
            CachedDocumentLookup::Miss(filling) => {
                let found = self.get(kind, id)?;
                fill(filling, &found);
                Ok(found)
            }
        }
    }

    fn get_batch_cached(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        let mut found = vec![None; keys.len()];
        let (mut missing, mut fillings) = (Vec::new(), Vec::new());
        for (place, key) in keys.iter().enumerate() {
            let filling = match *key {
                BatchKey::Unique { .. } => None,
                BatchKey::Id { kind, id } => match self.shop.log.cache.document(kind, id) {
                    CachedDocumentLookup::Hit(known) => {
                        found[place] = known;
                        continue;
                    }
                    CachedDocumentLookup::Miss(filling) => Some(filling),
                    CachedDocumentLookup::Busy => None,
                },
            };
            missing.push(*key);
            fillings.push((place, filling));
        }
        for ((place, filling), stored) in fillings.into_iter().zip(self.get_batch(&missing)?) {
            if let Some(filling) = filling {
                fill(filling, &stored);
            }
            found[place] = stored;
        }
        Ok(found)
    }

    fn find_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
    ) -> Result<Vec<String>> {
        index_reads::check(page)?;
        self.read(async |client| {
            let Some(path) = self.shop.server.paths.find(client, kind, path).await? else {
                return Ok(Vec::new());
            };
            let place = NumberedPath { project: self.project(), path };
            let found = index_reads::ids(client, place, range, page).await?;
            Ok(found.into_iter().map(|found| found.id).collect())
        })
    }

    fn visit_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        index_reads::check(page)?;
        let shop = &*self.shop;
        shop.server.wait(visits::visit_indexed(shop, kind, path, range, page, visit))
    }

    fn count_indexed(&self, kind: &str, path: &str, range: &IndexRange, cap: u64) -> Result<u64> {
        self.read(async |client| {
            let Some(path) = self.shop.server.paths.find(client, kind, path).await? else { return Ok(0) };
            index_reads::count(client, NumberedPath { project: self.project(), path }, range, cap).await
        })
    }

    fn scan(
        &self,
        kind: &str,
        direction: ScanDirection,
        after: Option<&str>,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let shop = &*self.shop;
        shop.server.wait(visits::scan(shop, kind, direction, after, visit))
    }

    fn count(&self, kind: &str) -> Result<u64> {
        let sql = "SELECT documents FROM kontor.counts WHERE project = $1 AND kind = $2";
        Ok(self.value::<i64>(sql, kind)?.unwrap_or(0).unsigned_abs())
    }

    fn count_each(&self, kinds: &[&str]) -> Result<Vec<u64>> {
        let sql = "SELECT kind, documents FROM kontor.counts WHERE project = $1 AND kind = ANY ((SELECT $2::text[])::text[])";
        let escaped: Vec<_> = kinds.iter().map(|kind| escape(kind)).collect();
        let counts = self.read(async |client| {
            let statement = client.prepare_cached(sql).await?;
            let rows = client.query(&statement, &[&self.project(), &escaped]).await?;
            let each = rows.iter().map(|row| Ok((row.try_get::<_, String>(0)?, row.try_get::<_, i64>(1)?)));
            each.collect::<std::result::Result<HashMap<_, _>, _>>()
        })?;
        Ok(escaped.iter().map(|kind| counts.get(&**kind).map_or(0, |count| count.unsigned_abs())).collect())
    }

    fn counter(&self, counter: &str) -> Result<i64> {
        let sql = "SELECT value FROM kontor.counters WHERE project = $1 AND name = $2";
        Ok(self.value(sql, counter)?.unwrap_or(0))
    }

    fn commit(&self, commit: Commit) -> CommitFuture {
        // Each line is a document here: a group sends all documents together, so combining lines would save little.
        let commit = commit.split_large_lines(0);
        let (promise, response) = CommitFuture::with_promise();
        if self.shop.queue.add(QueuedCommit { commit, response: promise }) {
            self.shop.server.spawn(writer::run(Arc::clone(&self.shop)));
        }
        response
    }

    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<ChangeLogEntry>> {
        self.changes_and_epoch(after, limit).map(|(changes, _)| changes)
    }

    fn changes_and_epoch(&self, after: Seq, limit: usize) -> Result<(Vec<ChangeLogEntry>, u64)> {
        let read = |after: Seq, limit: usize| {
            let (behind, most) = (reads::bigint(after), reads::bigint(limit as u64));
            self.read(async |client| {
                let statement = client.prepare_cached(reads::CHANGES).await?;
                reads::log_read(&client.query(&statement, &[&self.project(), &behind, &most]).await?)
            })
        };
        let cache = &self.shop.log.cache;
        if let Some((epoch, own)) = self.shop.log.tail.entries_after(after, limit) {
            let known = own.last().map_or(after, |change| change.seq);
            let (head, others) = read(known, limit - own.len())?;
            // Another epoch means another log. A shorter log is that of a replica which has taken over without the last
            // changes.
            if head.is_some_and(|head| head.epoch == epoch && head.newest >= known) {
                return cache
                    .apply_log_read(after, (head, own.into_iter().map(Some).chain(others).collect()));
            }
        }
        cache.apply_log_read(after, read(after, limit)?)
    }

    fn last_seq(&self) -> Result<Seq> {
        self.head("SELECT seq FROM kontor.heads WHERE project = $1")
    }

    fn epoch(&self) -> Result<u64> {
        self.head("SELECT epoch FROM kontor.heads WHERE project = $1")
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn is_keeper(&self) -> bool {
        self.shop.log.is_keeper()
    }

    fn subscribe(&self) -> watch::Receiver<Seq> {
        self.shop.log.subscribe()
    }

    fn records(&self, range: &RecordRange<'_>, limit: usize) -> Result<Vec<StoredRecord>> {
        range.check()?;
        if range.id.is_some_and(|id| !is_plain(id)) {
            return Ok(Vec::new());
        }
        self.read(async |client| records::read(client, self.project(), range, limit).await)
    }

    fn position(&self, consumer: &str) -> Result<Seq> {
        let sql = "SELECT seq FROM kontor.positions WHERE project = $1 AND consumer = $2";
        Ok(self.value::<i64>(sql, consumer)?.unwrap_or(0).unsigned_abs())
    }

    fn setting(&self, name: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM kontor.settings WHERE project = $1 AND name = $2";
        Ok(self.value::<String>(sql, name)?.map(|value| unescape(&value)))
    }

    fn delta(&self, after: Seq, limit: usize) -> Result<Delta> {
        self.shop.server.wait(delta::read(&self.shop, after, limit))
    }

    fn backup(&self, to: &Path) -> Result<()> {
        self.shop.server.wait(content::backup(&self.shop, to))
    }

    fn restore(&self, from: &Path) -> Result<()> {
        self.shop.server.wait(content::restore(&self.shop, from))
    }

    fn clear(&self, keep_kinds: &[&str]) -> Result<()> {
        self.shop.server.wait(content::clear(&self.shop, keep_kinds))
    }
}
