//! Writes millions of tokens into the system file while no server runs: requesting them one by one would take hours.

use crate::kontor::PROJECT;
use anyhow::Context as _;
use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};
use std::ops::Range;
use std::path::Path;

/// From the time of writing, longer than any run takes.
const LIFETIME_MS: i64 = 100 * 86_400_000;

/// The access token of a number.
pub(crate) fn access_token(number: usize) -> String {
    format!("bench-access-{number}")
}

/// The refresh token of a number.
pub(crate) fn refresh_token(number: usize) -> String {
    format!("bench-refresh-{number}")
}

/// Writes access tokens of the admin client.
pub(crate) fn write_access_tokens(data: &Path, numbers: Range<usize>) -> anyhow::Result<()> {
    let now_ms = jiff::Timestamp::now().as_millisecond();
    write(data, "tokens", &hashes(numbers, access_token), |connection, client| {
        let mut insert = connection.prepare(
            "INSERT INTO tokens (hash, kind, client, issued_at, expires_at) VALUES (?1, 0, ?2, ?3, ?4)",
        )?;
        Ok(Box::new(move |hash: &[u8], _| {
            insert.execute(params![hash, client, now_ms, now_ms + LIFETIME_MS]).map(drop)
        }))
    })
}

/// Writes refresh tokens of anonymous sessions. Each was last used at another time.
pub(crate) fn write_refresh_tokens(data: &Path, numbers: Range<usize>) -> anyhow::Result<()> {
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let count = i64::try_from(numbers.len())?;
    write(data, "refresh_tokens", &hashes(numbers, refresh_token), |connection, client| {
        connection.execute(
            "INSERT INTO refresh_token_counts VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens",
            params![PROJECT, count],
        )?;
        let mut insert = connection.prepare(
            "INSERT INTO refresh_tokens
                 (hash, project, client, issued_at, last_used_at, expires_at, anonymous_id)
             VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)",
        )?;
        Ok(Box::new(move |hash: &[u8], number| {
            // Spread over ten days.
            let used_ms = now_ms - 1_000 - i64::try_from(number).unwrap_or(0) * 7_919 % 864_000_000;
            let session = format!("bench-session-{number}");
            insert.execute(params![hash, PROJECT, client, used_ms, used_ms + LIFETIME_MS, session]).map(drop)
        }))
    })
}

/// Returns hashes as the server stores them, with their numbers, in the order of the table.
fn hashes(numbers: Range<usize>, token: fn(usize) -> String) -> Vec<([u8; 32], usize)> {
    let mut hashes: Vec<_> = numbers.map(|number| (Sha256::digest(token(number)).into(), number)).collect();
    hashes.sort_unstable();
    hashes
}

type InsertToken<'c> = Box<dyn FnMut(&[u8], usize) -> rusqlite::Result<()> + 'c>;

/// Writes rows into a table without its indexes and triggers, which come back afterwards: so it takes seconds.
fn write(
    data: &Path,
    table: &str,
    hashes: &[([u8; 32], usize)],
    prepare: impl for<'c> FnOnce(&'c Connection, i64) -> rusqlite::Result<InsertToken<'c>>,
) -> anyhow::Result<()> {
    let connection = Connection::open(data.join("system.db"))?;
    // Straight into the file: a log of all rows would take as much disk again. The server goes back to one.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "cache_size", -1_000_000)?;
    let client = connection
        .query_row(
            "SELECT serial FROM clients WHERE project = ?1 ORDER BY serial LIMIT 1",
            [PROJECT],
            |row| row.get(0),
        )
        .context("the project has no client")?;
    let around: Vec<(String, String, String)> = connection
        .prepare(
            "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ?1 AND type <> 'table' AND sql <> ''",
        )?
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for (sort, name, _) in &around {
        connection.execute_batch(&format!("DROP {sort} {name}"))?;
    }
    let mut insert = prepare(&connection, client)?;
    for (hash, number) in hashes {
        insert(hash, *number)?;
    }
    drop(insert);
    for (_, _, sql) in &around {
        connection.execute_batch(sql)?;
    }
    connection.execute_batch("COMMIT")?;
    Ok(())
}
