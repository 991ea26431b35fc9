//! The numbers of unique and indexed paths. They are assigned once for the whole database and never change, so each
//! process may cache them.

use std::collections::HashMap;

use parking_lot::RwLock;
use tokio_postgres::Client;

/// The paths of each kind, with their numbers.
type PathNumbers = HashMap<Box<str>, HashMap<Box<str>, i32>>;

/// The numbers that this process knows.
#[derive(Debug, Default)]
pub(crate) struct PathNumbering {
    known: RwLock<PathNumbers>,
}

impl PathNumbering {
    /// Returns the number of a path from the cache.
    pub(crate) fn cached_number(&self, kind: &str, path: &str) -> Option<i32> {
        self.known.read().get(kind)?.get(path).copied()
    }

    /// Returns the number of a path; `None` if no document ever had a row at it.
    pub(crate) async fn find(
        &self,
        client: &Client,
        kind: &str,
        path: &str,
    ) -> Result<Option<i32>, tokio_postgres::Error> {
        if let Some(number) = self.cached_number(kind, path) {
            return Ok(Some(number));
        }
        let sql = "SELECT number FROM kontor.paths WHERE kind = $1 AND path = $2";
        let found = client.query_opt(sql, &[&kind, &path]).await?.map(|row| row.get(0));
        if let Some(number) = found {
            self.known.write().entry(kind.into()).or_default().insert(path.into(), number);
        }
        Ok(found)
    }

    /// Assigns numbers to paths that have none. Outside of the transaction that needs them: two transactions may need
    /// the same.
    pub(crate) async fn add(
        &self,
        client: &Client,
        paths: &[(&str, &str)],
    ) -> Result<(), tokio_postgres::Error> {
        let mut missing: Vec<_> =
            paths.iter().filter(|(kind, path)| self.cached_number(kind, path).is_none()).copied().collect();
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable();
        missing.dedup();
        let (kinds, names): (Vec<&str>, Vec<&str>) = missing.into_iter().unzip();
        client
            .execute(
                "INSERT INTO kontor.paths (kind, path)
                 SELECT n.kind, n.path FROM unnest($1::text[], $2::text[]) n (kind, path)
                 WHERE NOT EXISTS (SELECT FROM kontor.paths p WHERE p.kind = n.kind AND p.path = n.path)
                 ORDER BY n.kind, n.path ON CONFLICT DO NOTHING",
                &[&kinds, &names],
            )
            .await?;
        self.load(client).await
    }

    /// Reads all numbers.
    async fn load(&self, client: &Client) -> Result<(), tokio_postgres::Error> {
        let rows = client.query("SELECT kind, path, number FROM kontor.paths", &[]).await?;
        // Other threads may have added more meanwhile.
        let mut known = self.known.write();
        for row in rows {
            let (kind, path, number): (&str, &str, i32) = (row.get(0), row.get(1), row.get(2));
            known.entry(kind.into()).or_default().insert(path.into(), number);
        }
        Ok(())
    }

    /// Returns kind and path of each number.
    pub(crate) async fn by_number(
        &self,
        client: &Client,
    ) -> Result<HashMap<i32, (String, String)>, tokio_postgres::Error> {
        let rows = client.query("SELECT kind, path, number FROM kontor.paths", &[]).await?;
        Ok(rows.into_iter().map(|row| (row.get(2), (row.get(0), row.get(1)))).collect())
    }
}
