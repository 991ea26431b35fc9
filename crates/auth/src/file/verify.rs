//! Verifies a system file: its pages, and the checksums of its rows (`kontor verify`, backups, restores).

use std::path::Path;

use kontor_storage::{VerifyReport, verify_pages};
use rusqlite::{Connection, OpenFlags};

use super::{checksum, schema};
use crate::Result;

/// Verifies a system file, even while a server has it open. Reads all of it.
///
/// # Errors
/// If the file cannot be opened, is not a system file, or was written by a later release. Damage is not an error, but in
/// the result.
pub fn verify_system_file(path: &Path) -> Result<VerifyReport> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    let format = schema::format(&connection, path)?;
    let mut report = VerifyReport::default();
    verify_pages(&connection, &mut report);
    if format >= schema::FORMAT_WITH_CHECKSUMS
        && let Err(error) = checksum::verify(&connection, &mut report)
    {
        report.add("", "", error.to_string());
    }
    Ok(report)
}
