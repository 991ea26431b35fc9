//! Export and import of a whole system (projects, clients, tokens), for moving it from one storage to another.

use std::path::Path;

use rusqlite::{Connection, Row, params};

use super::{SystemDurability, SystemFile, checksum, operator_rows};
use crate::{
    Result,
    store::{
        ClientRow, RefreshRow, SecretHash, StoredRefreshToken, SystemContents, SystemStore as _, TokenRow,
    },
};

impl SystemContents {
    /// Reads a system file, as [`AuthService::backup`](crate::AuthService::backup) writes it. Fails if the file cannot
    /// be read, is not a system file, or was written by a newer release.
    pub fn from_file(path: &Path) -> Result<Self> {
        let file = SystemFile::open(path, SystemDurability::InMemory)?;
        let (projects, clients) = file.all()?;
        // `+client`: all rows are read, since a damaged index might hide some.
        let (tokens, refresh_tokens, operator_rows) = file.read(|connection| {
            let tokens = connection
                .prepare(
                    "SELECT hash, client, scope, issued_at, expires_at, customer_id, anonymous_id, store_key, refresh
                     FROM checked_tokens WHERE +client IN (SELECT serial FROM checked_clients)",
                )?
                .query_map([], token)?
                .collect::<rusqlite::Result<_>>()?;
            let refresh_tokens = connection
                .prepare(
                    "SELECT hash, client, scope, expires_at, customer_id, anonymous_id, store_key, issued_at, last_used_at
                     FROM checked_refresh_tokens WHERE +client IN (SELECT serial FROM checked_clients)",
                )?
                .query_map([], refresh_token)?
                .collect::<rusqlite::Result<_>>()?;
            Ok((tokens, refresh_tokens, operator_rows::all(connection)?))
        })?;
        Ok(SystemContents { projects, clients, tokens, refresh_tokens, operator_rows })
    }

    /// Writes a new system file, which [`AuthService::open`](crate::AuthService::open) opens. Fails if the file cannot
    /// be written or has contents that conflict.
    pub fn write_file(&self, path: &Path) -> Result<()> {
        // Opening creates the tables; dropping stops the writer thread.
        drop(SystemFile::open(path, SystemDurability::OnDisk)?);
        let mut connection = Connection::open(path)?;
        checksum::add_views(&connection)?;
        checksum::add_triggers(&connection)?;
        let transaction = connection.transaction()?;
        for project in &self.projects {
            project.insert(&transaction)?;
        }
        for ClientRow { serial, client, last_used_day } in &self.clients {
            // Tokens reference clients by their numbers.
            let given = client.insert(&transaction)?;
            transaction.execute(
                "UPDATE clients SET serial = ?1, last_used_day = ?2 WHERE serial = ?3",
                params![serial, last_used_day, given],
            )?;
        }
        // Numbers are never reused, not even those of deleted clients.
        let newest = self.clients.iter().map(|client| client.serial).max().unwrap_or(0);
        transaction
            .execute("UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'clients'", [newest])?;
        for (hash, row) in &self.tokens {
            row.insert(&transaction, hash)?;
        }
        for StoredRefreshToken { hash, row, issued_at_ms, last_used_at_ms } in &self.refresh_tokens {
            row.insert(&transaction, hash, *issued_at_ms)?;
            transaction.execute(
                "UPDATE refresh_tokens SET last_used_at = ?2 WHERE hash = ?1",
                params![hash.0, last_used_at_ms],
            )?;
        }
        for row in &self.operator_rows {
            operator_rows::upsert_row(&transaction, row)?;
        }
        transaction.commit()?;
        connection.close().map_err(|(_, error)| error.into())
    }
}

fn token(row: &Row<'_>) -> rusqlite::Result<(SecretHash, TokenRow)> {
    let token = TokenRow {
        client_serial: row.get(1)?,
        scope: row.get(2)?,
        issued_at_ms: row.get(3)?,
        expires_at_ms: row.get(4)?,
        customer_id: row.get(5)?,
        anonymous_id: row.get(6)?,
        store_key: row.get(7)?,
        refresh: row.get::<_, Option<_>>(8)?.map(SecretHash),
    };
    Ok((SecretHash(row.get(0)?), token))
}

fn refresh_token(row: &Row<'_>) -> rusqlite::Result<StoredRefreshToken> {
    Ok(StoredRefreshToken {
        hash: SecretHash(row.get(0)?),
        row: RefreshRow {
            client_serial: row.get(1)?,
            scope: row.get(2)?,
            expires_at_ms: row.get(3)?,
            customer_id: row.get(4)?,
            anonymous_id: row.get(5)?,
            store_key: row.get(6)?,
        },
        issued_at_ms: row.get(7)?,
        last_used_at_ms: row.get(8)?,
    })
}

#[cfg(test)]
mod tests {
    use pollster::block_on;
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::{AuthService, ClientDraft, OAuthRequest};

    #[test]
    fn preserves_contents_when_moved() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        let auth = AuthService::open(&from, SystemDurability::InMemory).unwrap();
        block_on(auth.create_project("demo", "Demo", 7)).unwrap();
        let draft = |id: &str| ClientDraft {
            name: id.to_owned(),
            scope: "view_states:demo create_anonymous_token:demo".into(),
            id: Some(id.to_owned()),
            secret: Some("secret".to_owned().into()),
            ..ClientDraft::default()
        };
        block_on(auth.create_client("demo", draft("gone"), 0)).unwrap();
        block_on(auth.create_client("demo", draft("id"), 0)).unwrap();
        block_on(auth.delete_client("demo", "gone", 0)).unwrap();
        let request = |query| OAuthRequest {
            authorization: Some("Basic aWQ6c2VjcmV0"),
            query,
            ..OAuthRequest::default()
        };
        let requested = request("grant_type=client_credentials");
        let session = block_on(auth.anonymous_token("demo", &requested, &|_: &str| 1)).unwrap();
        drop(auth);

        SystemContents::from_file(&from).unwrap().write_file(&to).unwrap();
        let moved = AuthService::open(&to, SystemDurability::InMemory).unwrap();
        assert_eq!(moved.project("demo").unwrap().created_at_ms(), 7);
        assert!(moved.authenticate(session.access_token.expose_secret(), 2).is_ok());
        let refresh = session.refresh_token.unwrap();
        let query = format!("grant_type=refresh_token&refresh_token={}", refresh.expose_secret());
        assert!(block_on(moved.token(&request(&query), &|_: &str| 3)).is_ok());
        assert!(moved.client("demo", "gone", 0).is_none());
        let contents = SystemContents::from_file(&to).unwrap();
        let created = block_on(moved.create_client("demo", draft("new"), 0)).unwrap();
        assert!(contents.clients.iter().all(|client| client.serial < created.client.serial));
    }
}
