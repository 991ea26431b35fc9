//! Writes counters, positions of consumers, and settings: the named values of a shop.

use rusqlite::Connection;

use super::{checksum, position::to_sqlite_integer, reads};
use crate::{CommitError, CommitRefusal, Error, Result, Seq};

/// Adds to a counter. Refused with [`CommitRefusal::Counter`] if the sum would be below the first bound or above the second.
pub(super) fn count(
    connection: &Connection,
    counter: &str,
    add: i64,
    (at_least, at_most): (Option<i64>, Option<i64>),
) -> std::result::Result<(), CommitError> {
    let value = reads::read_counter(connection, counter)?;
    let refusal = || CommitRefusal::Counter { counter: counter.to_owned(), value };
    let sum = value.checked_add(add).ok_or_else(refusal)?;
    if at_least.is_some_and(|least| sum < least) || at_most.is_some_and(|most| sum > most) {
        return Err(refusal().into());
    }
    connection
        .prepare_cached(
            "INSERT INTO counters (name, value, sum) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET value = excluded.value, sum = excluded.sum",
        )
        .and_then(|mut statement| {
            statement.execute((counter, sum, checksum::row_checksum(&[sum], &[counter.as_bytes()])))
        })
        .map_err(Error::from)?;
    Ok(())
}

/// Stores the position of a consumer of the change log.
pub(super) fn position(connection: &Connection, consumer: &str, seq: Seq) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO positions (consumer, seq, sum) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET seq = excluded.seq, sum = excluded.sum",
        )?
        .execute((
            consumer,
            to_sqlite_integer(seq),
            checksum::row_checksum(&[to_sqlite_integer(seq)], &[consumer.as_bytes()]),
        ))?;
    Ok(())
}

/// Writes a setting, or removes it.
pub(super) fn write_setting(connection: &Connection, name: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) => connection
            .prepare_cached(
                "INSERT INTO settings (name, value, sum) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET value = excluded.value, sum = excluded.sum",
            )?
            .execute((name, value, checksum::row_checksum(&[], &[name.as_bytes(), value.as_bytes()])))?,
        None => connection.prepare_cached("DELETE FROM settings WHERE name = ?1")?.execute((name,))?,
    };
    Ok(())
}
