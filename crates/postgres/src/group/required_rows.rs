//! Converts commits to the form of the database, and lists the rows to read before their preconditions can be checked.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use kontor_storage::{Commit, Error, IndexValue, Precondition, Put, Result, Write};

use crate::{
    paths::PathNumbering,
    rows::{ValueRow, ValueRows, sorted},
    text::{escape, index_value, unique_value},
};

/// Kind and id of a document.
pub(crate) type KindAndId<'c> = (&'c str, &'c str);

/// A unique or indexed value: the number of its path, and the value in its column form.
pub(crate) type ColumnValue = (i32, Box<str>);

/// A commit in the form of the database: with numbers for its paths, and values in their column form.
#[derive(Debug)]
pub(crate) struct GroupCommit<'c> {
    pub(crate) commit: &'c Commit,
    /// The rows of each written document; empty for other writes.
    pub(crate) rows: Vec<ValueRows>,
    /// The value that each precondition is about, if any. Also `None` if no document ever had a row at the path.
    pub(crate) places: Vec<Option<ColumnValue>>,
}

/// The rows to read.
#[derive(Debug, Default)]
pub(crate) struct RequiredRows<'c> {
    /// The documents that are written, or that preconditions name.
    pub(crate) documents: HashSet<KindAndId<'c>>,
    /// The unique values that are written, or that preconditions name.
    pub(crate) unique: HashSet<ColumnValue>,
    /// The values with a limited number of holders, and the number of holders to read.
    pub(crate) indexed: HashMap<ColumnValue, u64>,
    /// The kinds with a limited number of documents.
    pub(crate) counts: HashSet<&'c str>,
    /// The counters that are written.
    pub(crate) counters: HashSet<Cow<'c, str>>,
}

/// Returns kind and path of all rows of a commit's documents.
pub(crate) fn paths_of(commit: &Commit) -> impl Iterator<Item = (&str, &str)> {
    commit.writes.iter().filter_map(as_put).flat_map(|put| {
        let unique = put.unique.iter().map(|unique| &unique.path);
        unique.chain(put.indexed.iter().map(|(path, _)| path)).map(|path| (&*put.kind, &**path))
    })
}

/// Converts a commit. Fails with [`Error::Closed`] if the number of one of its paths is unknown.
pub(crate) fn prepare_commit<'c>(paths: &PathNumbering, commit: &'c Commit) -> Result<GroupCommit<'c>> {
    let rows = commit.writes.iter().map(|write| match write {
        Write::Put(put) => rows(paths, put),
        _ => Ok(ValueRows::default()),
    });
    let places = commit.preconditions.iter().map(|precondition| precondition_value(paths, precondition));
    Ok(GroupCommit { commit, rows: rows.collect::<Result<_>>()?, places: places.collect() })
}

fn as_put(write: &Write) -> Option<&Put> {
    match write {
        Write::Put(put) => Some(put),
        _ => None,
    }
}

/// Returns the rows of a document. The numbers of its paths must be known.
pub(super) fn rows(paths: &PathNumbering, put: &Put) -> Result<ValueRows> {
    let number = |path: &str| paths.cached_number(&put.kind, path).ok_or(Error::Closed);
    let mut rows = Vec::with_capacity(put.unique.len() + put.indexed.len());
    for unique in &put.unique {
        let value = unique_value(&unique.value).into();
        rows.push(ValueRow { is_unique: true, path: number(&unique.path)?, value });
    }
    for (path, value) in &put.indexed {
        let Some(value) = index_value(value) else { continue };
        rows.push(ValueRow { is_unique: false, path: number(path)?, value: value.into() });
    }
    Ok(sorted(rows))
}

fn precondition_value(paths: &PathNumbering, precondition: &Precondition) -> Option<ColumnValue> {
    let indexed = |kind: &str, path: &str, value: &IndexValue| {
        Some((paths.cached_number(kind, path)?, index_value(value)?.into()))
    };
    match precondition {
        Precondition::ExistsUnique { kind, path, value } => {
            Some((paths.cached_number(kind, path)?, unique_value(value).into()))
        }
        Precondition::NotReferenced { kind, path, value }
        | Precondition::IndexedAtMost { kind, path, value, .. } => indexed(kind, path, value),
        Precondition::Absent { .. }
        | Precondition::Revision { .. }
        | Precondition::Exists { .. }
        | Precondition::CountAtMost { .. } => None,
    }
}

impl<'c> RequiredRows<'c> {
    /// Returns the rows to read for these commits.
    pub(crate) fn of_group(group: &[GroupCommit<'c>]) -> Self {
        let mut needs = RequiredRows::default();
        // Each written document may stop being one of the holders that were read, so more are read.
        let writes: u64 = group.iter().map(|requested| requested.commit.writes.len() as u64).sum();
        for requested in group {
            for (write, rows) in requested.commit.writes.iter().zip(&requested.rows) {
                needs.add_write(write, rows);
            }
            for (precondition, place) in requested.commit.preconditions.iter().zip(&requested.places) {
                needs.add_precondition(precondition, place.as_ref(), writes);
            }
        }
        needs
    }

    fn add_write(&mut self, write: &'c Write, rows: &ValueRows) {
        match write {
            Write::Put(Put { kind, id, .. }) | Write::Delete { kind, id, .. } => {
                self.documents.insert((kind, id));
            }
            Write::Count { counter, .. } => drop(self.counters.insert(escape(counter))),
            // Lines were converted to documents when the commit was submitted.
            Write::Append(_)
            | Write::Position { .. }
            | Write::Setting { .. }
            | Write::EraseRecords { .. }
            | Write::EndRecords { .. } => {}
        }
        let unique = rows.iter().filter(|row| row.is_unique);
        self.unique.extend(unique.map(|row| (row.path, row.value.clone())));
    }

    fn add_precondition(&mut self, precondition: &'c Precondition, place: Option<&ColumnValue>, writes: u64) {
        let mut holders = |limit: u64| {
            let Some(place) = place else { return };
            let needed = limit.saturating_add(writes).saturating_add(1);
            let known = self.indexed.entry(place.clone()).or_default();
            *known = needed.max(*known);
        };
        match precondition {
            Precondition::Absent { kind, id }
            | Precondition::Revision { kind, id, .. }
            | Precondition::Exists { kind, id } => drop(self.documents.insert((kind, id))),
            Precondition::ExistsUnique { .. } => self.unique.extend(place.cloned()),
            Precondition::NotReferenced { .. } => holders(0),
            Precondition::IndexedAtMost { limit, .. } => holders(*limit),
            Precondition::CountAtMost { kind, .. } => drop(self.counts.insert(kind)),
        }
    }
}
