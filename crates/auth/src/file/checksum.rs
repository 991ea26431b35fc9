//! Checksums of the rows of the system file, so that a bit flipped on disk causes an error instead of a wrong value.
//!
//! They are those of project files ([`row_checksum`]), computed by SQL functions. No statement has to remember them:
//!
//! - Reads select from the views `checked_…`, which fail at a row that is not as it was written.
//! - Triggers of the writer's connection compare a row before it is changed, and store its new checksum.
//!
//! Views and triggers are temporary, so that the file holds only the column `sum`, and other programs can read it. Rows of
//! earlier releases have no checksum (`NULL`) until their next write.

use std::sync::Arc;

use kontor_storage::{DamagedRow, VerifyReport, row_checksum};
use rusqlite::{
    Connection, Params,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

use crate::{Error, secret::SecretHash};

/// The beginning of the message of a damaged row, which SQLite passes on as a text.
const DAMAGED: &str = "damaged row: ";

/// A table whose rows have checksums.
struct CheckedTable {
    name: &'static str,
    /// The noun for a row in messages.
    row: &'static str,
    /// An SQL expression that names a row in messages, with `$` for the row. Hashes are shortened, and addresses left out.
    id: &'static str,
}

const TABLES: [CheckedTable; 7] = [
    CheckedTable { name: "projects", row: "project", id: "$.key" },
    CheckedTable { name: "clients", row: "client", id: "$.id" },
    CheckedTable { name: "ended_clients", row: "number of a deleted client", id: "$.serial" },
    CheckedTable { name: "tokens", row: "token", id: "substr(hex($.hash), 1, 8)" },
    CheckedTable { name: "refresh_tokens", row: "refresh token", id: "substr(hex($.hash), 1, 8)" },
    CheckedTable {
        name: "refresh_token_counts",
        row: "number of refresh tokens of the project",
        id: "$.project",
    },
    CheckedTable {
        name: "operator_rows",
        row: "row of operators",
        id: "$.kind || ' ' || CASE $.kind WHEN 'account' THEN $.key WHEN 'role' THEN $.key
             WHEN 'email' THEN coalesce($.owner, '') ELSE substr($.key, 1, 8) END",
    },
];

/// Prepares a connection for reads.
pub(super) fn add_views(connection: &Connection) -> rusqlite::Result<()> {
    add_functions(connection)?;
    for table in &TABLES {
        let name = table.name;
        let (is_whole, fail) = (table.is_whole(connection, "this")?, table.fail("this"));
        connection.execute_batch(&format!(
            "CREATE TEMP VIEW checked_{name} AS SELECT * FROM main.{name} AS this WHERE {is_whole} OR {fail}"
        ))?;
    }
    Ok(())
}

/// Prepares the connection of a writer that was prepared for reads.
pub(super) fn add_triggers(connection: &Connection) -> rusqlite::Result<()> {
    for table in &TABLES {
        let name = table.name;
        let columns = table.columns(connection)?;
        let is_same_row = columns.iter().filter(|column| column.is_key);
        let is_same_row: Vec<_> = is_same_row.map(|column| format!("{0} = new.{0}", column.name)).collect();
        let set = format!(
            "UPDATE {name} SET sum = {} WHERE {};",
            table.checksum("new", &columns),
            is_same_row.join(" AND ")
        );
        let names: Vec<_> = columns.iter().map(|column| &*column.name).collect();
        let names = names.join(", ");
        let (is_whole, fail) = (table.is_whole(connection, "old")?, table.fail("old"));
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER {name}_inserted AFTER INSERT ON main.{name} BEGIN {set} END;
             CREATE TEMP TRIGGER {name}_changes BEFORE UPDATE OF {names} ON main.{name} BEGIN
                 SELECT {fail} WHERE NOT ({is_whole});
             END;
             CREATE TEMP TRIGGER {name}_changed AFTER UPDATE OF {names} ON main.{name} BEGIN {set} END;"
        ))?;
    }
    Ok(())
}

/// Conditions and orders of the rows next to a hash that was not found.
const NEXT_TO_HASH: &[&str] = &["hash > ?1 ORDER BY hash", "hash < ?1 ORDER BY hash DESC"];

/// Conditions and orders of the rows next to a type and a key that were not found. Both forms are needed, as in
/// `kontor_storage`: SQLite compares a row again if all columns are compared, and stops at another type if only the last
/// one is.
const NEXT_TO_KEY: &[&str] = &[
    "kind = ?1 AND key > ?2 ORDER BY kind, key",
    "kind = ?1 AND key < ?2 ORDER BY kind DESC, key DESC",
    "(kind, key) > (?1, ?2) ORDER BY kind, key",
    "(kind, key) < (?1, ?2) ORDER BY kind DESC, key DESC",
];

/// Fails if a row of a table next to the place of a hash that was not found is damaged: it may be the row of that hash.
pub(super) fn check_next_to_hash(
    connection: &Connection,
    table: &str,
    hash: &SecretHash,
) -> rusqlite::Result<()> {
    check_each(connection, table, NEXT_TO_HASH, (hash.0,))
}

/// Fails if a row about operators next to the place of a key that was not found is damaged. With an empty key, the rows of
/// a type were listed.
pub(super) fn check_next_to_key(connection: &Connection, kind: &str, key: &str) -> rusqlite::Result<()> {
    check_each(connection, "operator_rows", NEXT_TO_KEY, (kind, key))
}

fn check_each(
    connection: &Connection,
    table: &str,
    conditions: &[&str],
    values: impl Params + Copy,
) -> rusqlite::Result<()> {
    for condition in conditions {
        let sql = format!("SELECT 1 FROM checked_{table} WHERE {condition} LIMIT 1");
        connection.prepare_cached(&sql)?.exists(values)?;
    }
    Ok(())
}

/// Compares all rows of a file. The file has the newest format; the connection need not be prepared.
pub(super) fn verify(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    add_functions(connection)?;
    for table in &TABLES {
        let is_whole = table.is_whole(connection, "this")?;
        let id = table.id.replace('$', "this");
        let sql = format!("SELECT {is_whole}, this.sum IS NULL, {id} FROM main.{} AS this", table.name);
        let mut select = connection.prepare(&sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            report.documents += 1;
            report.without_checksum += u64::from(row.get::<_, bool>(1)?);
            if !row.get::<_, bool>(0)? {
                report.add(table.row, &text(row.get_ref(2)?), "the row is not as it was written");
            }
        }
    }
    Ok(())
}

/// Converts the error of a read or write, which may have met a damaged row.
pub(super) fn convert_error(error: rusqlite::Error) -> Error {
    damaged_row(&error).map_or_else(|| error.into(), Error::Damaged)
}

fn damaged_row(error: &rusqlite::Error) -> Option<DamagedRow> {
    let rusqlite::Error::SqliteFailure(_, Some(message)) = error else { return None };
    let (name, id) = message.strip_prefix(DAMAGED)?.split_once(' ')?;
    let table = TABLES.iter().find(|table| table.name == name)?;
    Some(DamagedRow { row: table.row, kind: Arc::from(""), id: Arc::from(id) })
}

struct Column {
    name: String,
    is_key: bool,
}

impl CheckedTable {
    /// Returns the columns that the checksum covers, in their order in the file.
    fn columns(&self, connection: &Connection) -> rusqlite::Result<Vec<Column>> {
        connection
            .prepare(
                "SELECT name, pk > 0 FROM pragma_table_info(?1, 'main') WHERE name <> 'sum' ORDER BY cid",
            )?
            .query_map([self.name], |row| Ok(Column { name: row.get(0)?, is_key: row.get(1)? }))?
            .collect()
    }

    /// Returns the expression of the checksum of a row.
    fn checksum(&self, row: &str, columns: &[Column]) -> String {
        let values = columns.iter().map(|column| format!(", {row}.{}", column.name));
        format!("row_checksum('{}'{})", self.name, values.collect::<String>())
    }

    /// Returns the condition that a row matches its checksum, or has none.
    fn is_whole(&self, connection: &Connection, row: &str) -> rusqlite::Result<String> {
        let checksum = self.checksum(row, &self.columns(connection)?);
        Ok(format!("({row}.sum IS NULL OR {row}.sum = {checksum})"))
    }

    /// Returns the expression that fails with the name of a row.
    fn fail(&self, row: &str) -> String {
        format!("fail_at_damaged_row('{}', {})", self.name, self.id.replace('$', row))
    }
}

fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let any_number = -1;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("row_checksum", any_number, flags, |values| Ok(checksum_of(values)))?;
    connection.create_scalar_function("fail_at_damaged_row", 2, FunctionFlags::SQLITE_UTF8, |values| {
        let message = format!("{DAMAGED}{} {}", text(values.get_raw(0)), text(values.get_raw(1)));
        Err::<bool, _>(rusqlite::Error::UserFunctionError(message.into()))
    })
}

/// Returns the checksum of the name of a table and the values of a row. `NULL` counts nothing, so that a column that a
/// later release adds leaves the checksums of earlier rows valid.
fn checksum_of(values: &Context<'_>) -> i64 {
    let mut bytes = Vec::new();
    for at in 1..values.len() {
        let number;
        let (of_type, value) = match values.get_raw(at) {
            ValueRef::Null => continue,
            ValueRef::Integer(value) => {
                number = value.to_le_bytes();
                (1, &number[..])
            }
            ValueRef::Real(value) => {
                number = value.to_le_bytes();
                (2, &number[..])
            }
            ValueRef::Text(value) => (3, value),
            ValueRef::Blob(value) => (4, value),
        };
        bytes.extend((at as u64).to_le_bytes());
        bytes.push(of_type);
        bytes.extend((value.len() as u64).to_le_bytes());
        bytes.extend(value);
    }
    row_checksum(&[], &[text(values.get_raw(0)).as_bytes(), &bytes])
}

/// Returns a value as a text for messages. A damaged one may be anything.
fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).replace(char::is_control, "\u{fffd}")
        }
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(_) | ValueRef::Null => String::new(),
    }
}
