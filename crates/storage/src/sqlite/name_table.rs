//! The numbers of kinds and paths. Rows contain these instead of the names.
//!
//! The writer assigns a number when a name first occurs. It never changes or disappears, so readers may cache it. They
//! see it when its transaction is on disk; a name without a number has no rows.

use std::collections::HashMap;

use parking_lot::RwLock;
use quick_cache::DefaultHashBuilder;
use rusqlite::{Connection, Row};

use super::{checksum, name_number::NameNumber};
use crate::Result;

/// The names on disk, for readers.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    known: RwLock<HashMap<Box<str>, NameNumber, DefaultHashBuilder>>,
}

impl NameTable {
    /// Returns the number of a name, if it has one.
    pub(super) fn get(&self, name: &str) -> Option<NameNumber> {
        self.known.read().get(name).copied()
    }

    /// Returns the name of a number, by a linear search: only errors need it.
    pub(super) fn name(&self, number: NameNumber) -> Option<Box<str>> {
        self.known.read().iter().find(|(_, known)| **known == number).map(|(name, _)| name.clone())
    }

    /// Replaces all names by those in the file.
    pub(super) fn load(&self, connection: &Connection) -> Result<()> {
        *self.known.write() = read_all(connection)?;
        Ok(())
    }
}

/// The names for the writer: those on disk and those of the open transaction.
#[derive(Debug)]
pub(super) struct WriterNameTable {
    all: HashMap<Box<str>, NameNumber, DefaultHashBuilder>,
    unpublished: Vec<Box<str>>,
    next: NameNumber,
}

impl WriterNameTable {
    /// Reads the names in the file.
    pub(super) fn load(connection: &Connection) -> Result<Self> {
        let all = read_all(connection)?;
        let next = all.values().max().map_or(1, |highest| highest + 1);
        Ok(WriterNameTable { all, unpublished: Vec::new(), next })
    }

    /// Returns the number of a name, if it has one.
    pub(super) fn get(&self, name: &str) -> Option<NameNumber> {
        self.all.get(name).copied()
    }

    /// Returns the name of a number, by a linear search: only refusals need it.
    pub(super) fn name(&self, number: NameNumber) -> Option<&str> {
        self.all.iter().find(|(_, known)| **known == number).map(|(name, _)| &**name)
    }

    /// Returns the number of a name; assigns one if it has none.
    pub(super) fn get_or_add(&mut self, connection: &Connection, name: &str) -> Result<NameNumber> {
        if let Some(number) = self.get(name) {
            return Ok(number);
        }
        let number = self.next;
        connection.prepare_cached("INSERT INTO names (number, name, sum) VALUES (?1, ?2, ?3)")?.execute((
            number,
            name,
            checksum::row_checksum(&[number.into()], &[name.as_bytes()]),
        ))?;
        self.next += 1;
        self.all.insert(name.into(), number);
        self.unpublished.push(name.into());
        Ok(number)
    }

    /// Publishes the new names to readers, after their transaction is on disk.
    pub(super) fn publish(&mut self, names: &NameTable) {
        if self.unpublished.is_empty() {
            return;
        }
        let mut known = names.known.write();
        for name in self.unpublished.drain(..) {
            if let Some(number) = self.all.get(&name) {
                known.insert(name, *number);
            }
        }
    }

    /// Discards the new names, after their transaction failed.
    pub(super) fn discard_new_names(&mut self) {
        for name in self.unpublished.drain(..) {
            self.all.remove(&name);
        }
    }
}

fn read_all(connection: &Connection) -> Result<HashMap<Box<str>, NameNumber, DefaultHashBuilder>> {
    let names: Vec<(NameNumber, String)> = read_names(connection)?;
    Ok(names.into_iter().map(|(number, name)| (name.into(), number)).collect())
}

/// Reads the names in the file with their numbers.
pub(super) fn read_names<T: FromIterator<(NameNumber, String)>>(connection: &Connection) -> Result<T> {
    let mut statement = connection.prepare("SELECT number, name, sum FROM names")?;
    let named = |row: &Row<'_>| -> rusqlite::Result<(NameNumber, String)> {
        let (number, name): (NameNumber, String) = (row.get(0)?, row.get(1)?);
        if checksum::is_valid(row.get(2)?, &[number.into()], &[name.as_bytes()]) {
            Ok((number, name))
        } else {
            Err(checksum::row_error(checksum::damaged_value("name of a kind or path", &name)))
        }
    };
    Ok(statement.query_map([], named)?.collect::<rusqlite::Result<T>>()?)
}
