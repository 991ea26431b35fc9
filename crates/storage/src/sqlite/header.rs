//! Whether a file can be opened, as far as its first bytes tell. Nothing is opened for it.

use std::{fs::File, io::Read as _, path::Path};

use super::schema;
use crate::{Error, Result};

/// What every SQLite database begins with, and how long the header is that follows.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;
/// Where the header has the number of the format and the mark of the application (sqlite.org/fileformat2.html).
const USER_VERSION_AT: usize = 60;
const APPLICATION_ID_AT: usize = 68;

/// Fails for a file that is no database, of another program, or written by a later release.
pub fn check_file(path: &Path) -> Result<()> {
    let mut header = [0; HEADER_BYTES];
    let mut file = File::open(path).map_err(|error| Error::io(path, error))?;
    let damaged = |_| Error::Damaged("the beginning of the file");
    file.read_exact(&mut header).map_err(damaged)?;
    if !header.starts_with(MAGIC) {
        return Err(Error::Damaged("the beginning of the file"));
    }
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        i64::from(i32::from_be_bytes(bytes.unwrap_or_default()))
    };
    let (found, supported) = (number(USER_VERSION_AT), schema::newest(schema::MIGRATIONS));
    // What was never written to has neither number.
    if number(APPLICATION_ID_AT) != schema::APPLICATION_ID && found != 0 {
        return Err(Error::Invalid(format!("{} is a database, but not one of Kontor", path.display())));
    }
    if found > supported {
        return Err(Error::NewerFormat { path: path.to_owned(), found, supported });
    }
    Ok(())
}
