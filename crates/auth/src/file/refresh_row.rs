//! Rows of refresh tokens: one function for each SQL statement that reads, writes or deletes them.

use rusqlite::{Connection, OptionalExtension, params};

use super::checksum;
use crate::store::{RefreshRow, SecretHash};

/// Maximum number of refresh tokens deleted for one new one. More than one is needed only after the limit was lowered.
const REMOVED_AT_ONCE_MAX: usize = 4;

impl RefreshRow {
    /// Writes the row of a token that is issued now; `false` if the client was deleted.
    pub(crate) fn insert(
        &self,
        connection: &Connection,
        hash: &SecretHash,
        now_ms: i64,
    ) -> rusqlite::Result<bool> {
        let rows = connection
            .prepare_cached(
                "INSERT INTO refresh_tokens (hash, project, client, scope, issued_at, last_used_at, expires_at,
                                             customer_id, anonymous_id, store_key)
                 SELECT ?1, project, serial, ?3, ?4, ?4, ?5, ?6, ?7, ?8 FROM clients WHERE serial = ?2",
            )?
            .execute(params![
                hash.0,
                self.client_serial,
                self.scope,
                now_ms,
                self.expires_at_ms,
                self.customer_id,
                self.anonymous_id,
                self.store_key,
            ])?;
        Ok(rows > 0)
    }

    pub(crate) fn find(connection: &Connection, hash: &SecretHash) -> rusqlite::Result<Option<Self>> {
        let found = connection
            .prepare_cached(
                "SELECT client, scope, expires_at, customer_id, anonymous_id, store_key
                 FROM checked_refresh_tokens WHERE hash = ?1",
            )?
            .query_row([hash.0], |row| {
                Ok(RefreshRow {
                    client_serial: row.get(0)?,
                    scope: row.get(1)?,
                    expires_at_ms: row.get(2)?,
                    customer_id: row.get(3)?,
                    anonymous_id: row.get(4)?,
                    store_key: row.get(5)?,
                })
            })
            .optional()?;
        if found.is_none() {
            checksum::check_next_to_hash(connection, "refresh_tokens", hash)?;
        }
        Ok(found)
    }

    /// Records that a token was used; `false` if it no longer exists.
    pub(crate) fn set_used(
        connection: &Connection,
        hash: &SecretHash,
        now_ms: i64,
        expires_at_ms: i64,
    ) -> rusqlite::Result<bool> {
        let rows = connection
            .prepare_cached("UPDATE refresh_tokens SET last_used_at = ?2, expires_at = ?3 WHERE hash = ?1")?
            .execute(params![hash.0, now_ms, expires_at_ms])?;
        Ok(rows > 0)
    }

    /// Whether a session of that id is alive in the project. One that has expired is removed, so that the id can be
    /// used again.
    pub(crate) fn remove_expired_and_find_session(
        connection: &Connection,
        project_key: &str,
        anonymous_id: &str,
        now_ms: i64,
    ) -> rusqlite::Result<bool> {
        let Some(expires_at_ms) = Self::session_end(connection, project_key, anonymous_id)? else {
            return Ok(false);
        };
        if expires_at_ms > now_ms {
            return Ok(true);
        }
        connection
            .prepare_cached("DELETE FROM refresh_tokens WHERE project = ?1 AND anonymous_id = ?2")?
            .execute(params![project_key, anonymous_id])?;
        Ok(false)
    }

    /// When the session of that id in the project ends, in milliseconds since 1970; `None` if there is none.
    fn session_end(
        connection: &Connection,
        project_key: &str,
        anonymous_id: &str,
    ) -> rusqlite::Result<Option<i64>> {
        connection
            .prepare_cached(
                "SELECT expires_at FROM checked_refresh_tokens WHERE project = ?1 AND anonymous_id = ?2",
            )?
            .query_row(params![project_key, anonymous_id], |row| row.get(0))
            .optional()
    }

    /// Whether a session of that id is alive in the project; nothing is removed.
    pub(crate) fn is_session(
        connection: &Connection,
        project_key: &str,
        anonymous_id: &str,
        now_ms: i64,
    ) -> rusqlite::Result<bool> {
        let expires_at_ms = Self::session_end(connection, project_key, anonymous_id)?;
        Ok(expires_at_ms.is_some_and(|end| end > now_ms))
    }

    /// Removes all tokens of a Customer.
    pub(crate) fn remove_of_customer(
        connection: &Connection,
        project_key: &str,
        customer_id: &str,
    ) -> rusqlite::Result<()> {
        connection
            .prepare_cached("DELETE FROM refresh_tokens WHERE customer_id = ?2 AND project = ?1")?
            .execute(params![project_key, customer_id])?;
        Ok(())
    }

    /// Deletes the least recently used tokens, so that one more fits into a project that may have `tokens_max`.
    pub(crate) fn remove_least_recent(
        connection: &Connection,
        project_key: &str,
        tokens_max: u64,
    ) -> rusqlite::Result<()> {
        let tokens = Self::count(connection, project_key)?;
        let excess = (tokens + 1).saturating_sub(tokens_max).min(REMOVED_AT_ONCE_MAX as u64);
        if excess > 0 {
            connection
                .prepare_cached(
                    "DELETE FROM refresh_tokens WHERE hash IN (
                         SELECT hash FROM checked_refresh_tokens WHERE project = ?1 ORDER BY last_used_at LIMIT ?2
                     )",
                )?
                .execute(params![project_key, excess as i64])?;
        }
        Ok(())
    }

    /// How many tokens a project has.
    pub(crate) fn count(connection: &Connection, project_key: &str) -> rusqlite::Result<u64> {
        let tokens: Option<i64> = connection
            .prepare_cached("SELECT tokens FROM checked_refresh_token_counts WHERE project = ?1")?
            .query_row([project_key], |row| row.get(0))
            .optional()?;
        Ok(tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0))
    }

    /// Removes a token of that client; `false` where there is none.
    pub(crate) fn remove(connection: &Connection, hash: &SecretHash, client: i64) -> rusqlite::Result<bool> {
        let rows = connection
            .prepare_cached("DELETE FROM refresh_tokens WHERE hash = ?1 AND client = ?2")?
            .execute(params![hash.0, client])?;
        Ok(rows > 0)
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
                "DELETE FROM refresh_tokens WHERE hash IN (
                     SELECT refresh_tokens.hash FROM clients
                     JOIN refresh_tokens ON refresh_tokens.client = clients.serial
                                        AND refresh_tokens.expires_at <= ?2
                     WHERE clients.project = ?1 LIMIT ?3
                 )",
            )?
            .execute(params![project_key, now_ms, limit as i64])
    }

    /// Removes at most `limit` tokens of deleted clients and returns their number.
    pub(crate) fn remove_ended(connection: &Connection, limit: usize) -> rusqlite::Result<usize> {
        connection
            .prepare_cached(
                "DELETE FROM refresh_tokens WHERE hash IN (
                     SELECT refresh_tokens.hash FROM ended_clients
                     JOIN refresh_tokens ON refresh_tokens.client = ended_clients.serial LIMIT ?1
                 )",
            )?
            .execute([limit as i64])
    }
}
