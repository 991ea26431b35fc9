//! A copy of a shop from another storage. It starts from a backup, and follows the shop one [`Delta`] at a time. It is
//! not served until its project is listed.

use std::{collections::HashMap, sync::Arc};

use kontor_storage::{BackupReader, ChangeLogEntry, Delta, NamedValues, Result, Seq};
use tokio_postgres::Transaction;

use crate::{
    content::{UNHURRIED, delete_all, failed, write_content},
    database::Database,
    group::{COUNTS, LOG, insert_documents, operation_code},
    records,
    rows::decode,
    schema,
    server::ServerPool,
    text::escape,
};

/// A copy that follows a shop.
#[derive(Clone)]
pub struct ShopCopy {
    server: Arc<ServerPool>,
    project: String,
}

impl std::fmt::Debug for ShopCopy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Copy").field("project", &self.project).finish_non_exhaustive()
    }
}

impl Database {
    /// Starts a copy of a shop from a backup, and replaces any content under its key. The change log has this epoch,
    /// and begins with the entry after `base`; its entries come by [`ShopCopy::append_log`]. Fails if the backup cannot
    /// be read, or if the server cannot be reached or refuses a statement.
    pub fn copy(&self, project: &str, from: &BackupReader, epoch: u64, base: Seq) -> Result<ShopCopy> {
        let server = Arc::clone(self.server());
        let copy = ShopCopy { server, project: project.to_owned() };
        copy.server.wait(copy.start_copy(from, epoch, base))?;
        Ok(copy)
    }
}

impl ShopCopy {
    /// Adds entries of the change log whose documents the copy has already. Fails if the server cannot be reached or
    /// refuses a statement; then nothing was added.
    pub fn append_log(&self, changes: &[ChangeLogEntry]) -> Result<()> {
        self.server.wait(async {
            let mut client = self.server.client().await?;
            let transaction = client.transaction().await.map_err(failed)?;
            self.write_log(&transaction, changes).await?;
            transaction.commit().await.map_err(failed)
        })
    }

    /// Applies a delta: documents, records, and entries of the change log. Fails if the server cannot be reached or
    /// refuses a statement; then nothing was applied.
    pub fn take(&self, delta: &Delta) -> Result<()> {
        self.server.wait(async {
            let paths: Vec<(&str, &str)> = delta
                .written
                .iter()
                .flat_map(|(put, _)| {
                    let unique = put.unique.iter().map(|unique| &*unique.path);
                    let all = unique.chain(put.indexed.iter().map(|(path, _)| &**path));
                    all.map(|path| (&*put.kind, path))
                })
                .collect();
            let mut client = self.server.client().await?;
            self.server.paths.add(&client, &paths).await.map_err(failed)?;
            let transaction = client.transaction().await.map_err(failed)?;
            transaction.batch_execute(UNHURRIED).await.map_err(failed)?;
            self.write_documents(&transaction, delta).await?;
            records::erase(&transaction, &self.project, &delta.erased).await.map_err(failed)?;
            records::insert(&transaction, &self.project, &delta.records).await?;
            self.write_log(&transaction, &delta.changes).await?;
            if let Some(rest) = &delta.rest {
                self.write_rest(&transaction, rest).await?;
            }
            transaction.commit().await.map_err(failed)
        })
    }

    async fn start_copy(&self, from: &BackupReader, epoch: u64, base: Seq) -> Result<()> {
        let project = self.project.as_str();
        let mut client = self.server.visit_client().await?;
        let paths = from.paths()?;
        let paths: Vec<(&str, &str)> = paths.iter().map(|(kind, path)| (&**kind, &**path)).collect();
        self.server.paths.add(&client, &paths).await.map_err(failed)?;
        // The client's own transaction, since the pool's would cache statements that are used once.
        let client: &mut tokio_postgres::Client = &mut client;
        let transaction = client.transaction().await.map_err(failed)?;
        transaction.batch_execute(UNHURRIED).await.map_err(failed)?;
        delete_all(&transaction, project, &schema::TABLES).await?;
        delete_all(&transaction, project, &["heads"]).await?;
        let [epoch, base] = [epoch, base].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let sql = "INSERT INTO kontor.heads (project, seq, epoch, base) VALUES ($1, $3, $2, $3)";
        transaction.execute(sql, &[&project, &epoch, &base]).await.map_err(failed)?;
        write_content(&self.server.paths, &transaction, project, from).await?;
        self.write_rest(&transaction, &from.named_values()?).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn write_documents(&self, transaction: &Transaction<'_>, delta: &Delta) -> Result<()> {
        let project = self.project.as_str();
        let written = delta.written.iter().map(|(put, _)| (&*put.kind, &*put.id));
        let deleted = delta.deleted.iter().map(|(kind, id)| (&**kind, &**id));
        let (kinds, ids): (Vec<&str>, Vec<&str>) = written.chain(deleted).unzip();
        let sql = "DELETE FROM kontor.documents d USING unnest($2::text[], $3::text[]) n (kind, id)
                   WHERE d.project = $1 AND d.kind = n.kind AND d.id = n.id RETURNING d.kind, d.id, d.entries";
        let gone = transaction.query(sql, &[&project, &kinds, &ids]).await.map_err(failed)?;
        let mut counts: HashMap<&str, i64> = HashMap::new();
        // Rows of unique keys, and index rows.
        let mut rows: [(Vec<i32>, Vec<String>, Vec<&str>); 2] = Default::default();
        for document in &gone {
            *counts.entry(document.get(0)).or_default() -= 1;
            for row in decode(document.get(2))?.iter() {
                let (paths, values, ids) = &mut rows[usize::from(!row.is_unique)];
                paths.push(row.path);
                values.push(row.value.to_string());
                ids.push(document.get(1));
            }
        }
        for (table, (paths, values, ids)) in ["unique_keys", "index_rows"].into_iter().zip(&rows) {
            let sql = format!(
                "DELETE FROM kontor.{table} r USING unnest($2::int4[], $3::text[], $4::text[]) n (path, value, id)
                 WHERE r.project = $1 AND r.path = n.path AND r.value = n.value AND r.id = n.id"
            );
            transaction.execute(&sql, &[&project, paths, values, ids]).await.map_err(failed)?;
        }
        for (put, _) in &delta.written {
            *counts.entry(&put.kind).or_default() += 1;
        }
        insert_documents(transaction, &self.server.paths, project, &delta.written).await?;
        let (kinds, counts): (Vec<&str>, Vec<i64>) = counts.into_iter().unzip();
        transaction.execute(COUNTS, &[&project, &kinds, &counts]).await.map_err(failed)?;
        Ok(())
    }

    async fn write_log(&self, transaction: &Transaction<'_>, changes: &[ChangeLogEntry]) -> Result<()> {
        let Some(last) = changes.last() else { return Ok(()) };
        let number = |seq: Seq| i64::try_from(seq).unwrap_or(i64::MAX);
        let seqs: Vec<i64> = changes.iter().map(|change| number(change.seq)).collect();
        let kinds: Vec<&str> = changes.iter().map(|change| &*change.kind).collect();
        let ids: Vec<&str> = changes.iter().map(|change| &*change.id).collect();
        let versions: Vec<i64> = changes.iter().map(|change| change.version).collect();
        let operations: Vec<i16> = changes.iter().map(|change| operation_code(change.operation)).collect();
        let written =
            transaction.execute(LOG, &[&self.project, &seqs, &kinds, &ids, &versions, &operations]).await;
        written.map_err(failed)?;
        let sql = "UPDATE kontor.heads SET seq = $2 WHERE project = $1";
        transaction.execute(sql, &[&self.project, &number(last.seq)]).await.map_err(failed)?;
        Ok(())
    }

    async fn write_rest(&self, transaction: &Transaction<'_>, rest: &NamedValues) -> Result<()> {
        let run = async |sql: &str, names: &[&str], numbers: &[i64]| {
            let names: Vec<String> = names.iter().map(|name| escape(name).into_owned()).collect();
            transaction.execute(sql, &[&self.project, &names, &numbers]).await.map_err(failed)
        };
        delete_all(transaction, &self.project, &["counters", "settings", "positions"]).await?;
        let (names, values): (Vec<&str>, Vec<i64>) =
            rest.counters.iter().map(|(name, value)| (&**name, *value)).unzip();
        let sql = "INSERT INTO kontor.counters (project, name, value)
                   SELECT $1, n.* FROM unnest($2::text[], $3::int8[]) n";
        run(sql, &names, &values).await?;
        let number = |seq: Seq| i64::try_from(seq).unwrap_or(i64::MAX);
        let (names, seqs): (Vec<&str>, Vec<i64>) =
            rest.positions.iter().map(|(consumer, seq)| (&**consumer, number(*seq))).unzip();
        let sql = "INSERT INTO kontor.positions (project, consumer, seq)
                   SELECT $1, n.* FROM unnest($2::text[], $3::int8[]) n";
        run(sql, &names, &seqs).await?;
        for (name, value) in &rest.settings {
            let sql = "INSERT INTO kontor.settings (project, name, value) VALUES ($1, $2, $3)";
            let row = (escape(name), escape(value));
            transaction.execute(sql, &[&self.project, &&*row.0, &&*row.1]).await.map_err(failed)?;
        }
        Ok(())
    }
}
