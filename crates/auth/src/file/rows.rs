//! Rows of projects, clients and access tokens: one function for each SQL statement that reads, writes or deletes them.

use rusqlite::{Connection, OptionalExtension, params};

use super::checksum;
use crate::store::{ClientRow, NewClient, ProjectRow, SecretHash, TokenRow};

impl ProjectRow {
    /// Writes the row; `false` where the key is taken.
    pub(crate) fn insert(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let rows = connection.execute(
            "INSERT INTO projects (key, name, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![self.key, self.name, self.created_at_ms],
        )?;
        Ok(rows > 0)
    }

    pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Self>> {
        connection
            .prepare("SELECT key, name, created_at FROM checked_projects ORDER BY key")?
            .query_map([], |row| {
                Ok(ProjectRow { key: row.get(0)?, name: row.get(1)?, created_at_ms: row.get(2)? })
            })?
            .collect()
    }

    /// Removes the project and all its clients; a later sweep removes the rows of their tokens.
    pub(crate) fn remove(connection: &Connection, key: &str) -> rusqlite::Result<bool> {
        connection.execute(
            "INSERT INTO ended_clients (serial) SELECT serial FROM clients WHERE project = ?1",
            [key],
        )?;
        connection.execute("DELETE FROM clients WHERE project = ?1", [key])?;
        Ok(connection.execute("DELETE FROM projects WHERE key = ?1", [key])? > 0)
    }
}

impl NewClient {
    /// Writes the row and returns its number; `None` if the id is taken or the project no longer exists.
    pub(crate) fn insert(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        let rows = connection.execute(
            "INSERT INTO clients (id, project, name, secret_hash, scope, created_at, delete_at,
                                  access_token_validity_s, refresh_token_validity_s)
             SELECT ?1, key, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM projects WHERE key = ?2
             ON CONFLICT DO NOTHING",
            params![
                self.id,
                self.project_key,
                self.name,
                self.secret_hash.0,
                self.scope,
                self.created_at_ms,
                self.delete_at_ms,
                self.access_token_validity_s,
                self.refresh_token_validity_s,
            ],
        )?;
        Ok((rows > 0).then(|| connection.last_insert_rowid()))
    }
}

impl ClientRow {
    pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Self>> {
        connection
            .prepare(
                "SELECT serial, last_used_day, id, project, name, secret_hash, scope, created_at, delete_at,
                        access_token_validity_s, refresh_token_validity_s
                 FROM checked_clients ORDER BY serial",
            )?
            .query_map([], |row| {
                Ok(ClientRow {
                    serial: row.get(0)?,
                    last_used_day: row.get(1)?,
                    client: NewClient {
                        id: row.get(2)?,
                        project_key: row.get(3)?,
                        name: row.get(4)?,
                        secret_hash: SecretHash(row.get(5)?),
                        scope: row.get(6)?,
                        created_at_ms: row.get(7)?,
                        delete_at_ms: row.get(8)?,
                        access_token_validity_s: row.get(9)?,
                        refresh_token_validity_s: row.get(10)?,
                    },
                })
            })?
            .collect()
    }

    /// Removes a client; a later sweep removes the rows of its tokens.
    pub(crate) fn remove(connection: &Connection, serial: i64) -> rusqlite::Result<bool> {
        let is_removed = connection.execute("DELETE FROM clients WHERE serial = ?1", [serial])? > 0;
        if is_removed {
            connection.execute("INSERT INTO ended_clients (serial) VALUES (?1)", [serial])?;
        }
        Ok(is_removed)
    }

    /// Stores another secret; `false` if the client was deleted.
    pub(crate) fn set_secret(
        connection: &Connection,
        serial: i64,
        hash: &SecretHash,
    ) -> rusqlite::Result<bool> {
        let rows = connection
            .execute("UPDATE clients SET secret_hash = ?2 WHERE serial = ?1", params![serial, hash.0])?;
        Ok(rows > 0)
    }

    /// Removes the records of deleted clients. Must be called only once none of their tokens is left.
    pub(crate) fn forget_ended(connection: &Connection) -> rusqlite::Result<()> {
        connection.prepare_cached("DELETE FROM ended_clients")?.execute([])?;
        Ok(())
    }

    pub(crate) fn set_last_used(connection: &Connection, serial: i64, day: i64) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "UPDATE clients SET last_used_day = ?2
                 WHERE serial = ?1 AND (last_used_day IS NULL OR last_used_day < ?2)",
            )?
            .execute([serial, day])?;
        Ok(())
    }
}

impl TokenRow {
    /// Writes the row; `false` if the client was deleted.
    pub(crate) fn insert(&self, connection: &Connection, hash: &SecretHash) -> rusqlite::Result<bool> {
        let rows = connection
            .prepare_cached(
                "INSERT INTO tokens (hash, kind, client, scope, issued_at, expires_at,
                                     customer_id, anonymous_id, store_key, refresh)
                 SELECT ?1, 0, serial, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM clients WHERE serial = ?2",
            )?
            .execute(params![
                hash.0,
                self.client_serial,
                self.scope,
                self.issued_at_ms,
                self.expires_at_ms,
                self.customer_id,
                self.anonymous_id,
                self.store_key,
                self.refresh.map(|refresh| refresh.0),
            ])?;
        Ok(rows > 0)
    }

    pub(crate) fn find(connection: &Connection, hash: &SecretHash) -> rusqlite::Result<Option<Self>> {
        let found = connection
            .prepare_cached(
                "SELECT client, scope, issued_at, expires_at, customer_id, anonymous_id, store_key, refresh
                 FROM checked_tokens WHERE hash = ?1",
            )?
            .query_row([hash.0], |row| {
                Ok(TokenRow {
                    client_serial: row.get(0)?,
                    scope: row.get(1)?,
                    issued_at_ms: row.get(2)?,
                    expires_at_ms: row.get(3)?,
                    customer_id: row.get(4)?,
                    anonymous_id: row.get(5)?,
                    store_key: row.get(6)?,
                    refresh: row.get::<_, Option<_>>(7)?.map(SecretHash),
                })
            })
            .optional()?;
        if found.is_none() {
            checksum::check_next_to_hash(connection, "tokens", hash)?;
        }
        Ok(found)
    }

    /// Removes a token of that client; `false` where there is none.
    pub(crate) fn remove(connection: &Connection, hash: &SecretHash, client: i64) -> rusqlite::Result<bool> {
        let rows = connection
            .prepare_cached("DELETE FROM tokens WHERE hash = ?1 AND client = ?2")?
            .execute(params![hash.0, client])?;
        Ok(rows > 0)
    }

    /// Removes the access tokens that were issued with a refresh token, and returns their hashes.
    pub(crate) fn remove_with(
        connection: &Connection,
        refresh: &SecretHash,
    ) -> rusqlite::Result<Vec<SecretHash>> {
        connection
            .prepare_cached("DELETE FROM tokens WHERE refresh = ?1 RETURNING hash")?
            .query_map([refresh.0], |row| Ok(SecretHash(row.get(0)?)))?
            .collect()
    }

    /// Removes all tokens of a Customer, and returns their hashes.
    pub(crate) fn remove_of_customer(
        connection: &Connection,
        project_key: &str,
        customer_id: &str,
    ) -> rusqlite::Result<Vec<SecretHash>> {
        connection
            .prepare_cached(
                "DELETE FROM tokens WHERE customer_id = ?2
                 AND client IN (SELECT serial FROM clients WHERE project = ?1) RETURNING hash",
            )?
            .query_map([project_key, customer_id], |row| Ok(SecretHash(row.get(0)?)))?
            .collect()
    }

    /// Removes at most `limit` expired tokens of a project and returns their number.
    pub(crate) fn remove_expired(
        connection: &Connection,
        project_key: &str,
        now_ms: i64,
        limit: usize,
    ) -> rusqlite::Result<usize> {
        connection
            .prepare_cached(
                "DELETE FROM tokens WHERE hash IN (
                     SELECT tokens.hash FROM clients
                     JOIN tokens ON tokens.client = clients.serial AND tokens.expires_at <= ?2
                     WHERE clients.project = ?1 LIMIT ?3
                 )",
            )?
            .execute(params![project_key, now_ms, limit as i64])
    }

    /// Removes at most `limit` tokens of deleted clients and returns their number.
    pub(crate) fn remove_ended(connection: &Connection, limit: usize) -> rusqlite::Result<usize> {
        connection
            .prepare_cached(
                "DELETE FROM tokens WHERE hash IN (
                     SELECT tokens.hash FROM ended_clients
                     JOIN tokens ON tokens.client = ended_clients.serial LIMIT ?1
                 )",
            )?
            .execute([limit as i64])
    }
}
