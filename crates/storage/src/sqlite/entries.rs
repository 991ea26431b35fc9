//! The list of a document's rows in `unique_keys` and `indexed`, as stored in `documents.entries`. Start at
//! [`EntryListBuilder`].
//!
//! The list contains the entries sorted and once each, each preceded by its length. Two lists are compared without
//! decoding the entries, and equal lists have equal bytes: the usual case, in which a write changes no rows.
//!
//! Marks of deferred rows follow the entries (see `deferred_index`): the entries are the rows that the index should
//! have, and the marks are the exact differences to the rows that it has.

use std::ops::Range;

use rusqlite::types::Value;

use super::name_number::NameNumber;
use crate::{IndexValue, Result, WHOLE_REAL_MAX};

const UNIQUE: u8 = 0;
const TEXT: u8 = 1;
const INTEGER: u8 = 2;
const REAL: u8 = 3;
/// Mark of a text that is in the index and should not be. Marks follow all entries.
pub(super) const STALE: u8 = 4;
/// Mark: none of the texts that a path should have are in the index. Without a value.
pub(super) const ALL_MISSING: u8 = 5;
/// Mark of a text that should be in the index and is not, while others at its path are.
pub(super) const MISSING: u8 = 6;

/// Bytes of an entry before its value: the tag and the path.
pub(super) const HEAD_BYTES: usize = 5;

/// Capacity reserved for the mark of a deferred row: most values are times.
const STANDS_BYTES_USUAL: usize = 40;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum IndexEntry {
    /// A row of `unique_keys`.
    Unique {
        /// The number of the path.
        path: NameNumber,
        /// The value.
        value: String,
    },
    /// A row of `indexed`.
    Indexed {
        /// The number of the path.
        path: NameNumber,
        /// The value.
        value: Value,
    },
}

/// Returns a value as stored in `indexed`, or `None` if it cannot be indexed. Equal amounts have one stored form,
/// because the index treats 1 and 1.0 as the same value.
pub(super) fn index_value(value: &IndexValue) -> Option<Value> {
    match value {
        IndexValue::Text(text) => Some(Value::Text(text.clone())),
        IndexValue::Integer(number) => Some(Value::Integer(*number)),
        IndexValue::Real(number) if !number.is_finite() => None,
        // The conversion is exact in this range.
        IndexValue::Real(number) if number.fract() == 0.0 && number.abs() <= WHOLE_REAL_MAX => {
            Some(Value::Integer(*number as i64))
        }
        IndexValue::Real(number) => Some(Value::Real(*number)),
    }
}

/// Returns the bytes of a value in a list.
pub(super) fn value_bytes(value: &IndexValue) -> usize {
    match value {
        IndexValue::Text(text) => text.len(),
        IndexValue::Integer(_) | IndexValue::Real(_) => 8,
    }
}

/// Builds a list.
#[derive(Debug, Default)]
pub(super) struct EntryListBuilder {
    bytes: Vec<u8>,
    /// The range of each entry in the bytes.
    places: Vec<Range<usize>>,
}

impl EntryListBuilder {
    /// Reserves memory for this many rows and bytes of values.
    pub(super) fn with_capacity(rows: usize, bytes: usize) -> Self {
        let bytes = Vec::with_capacity(bytes + rows * HEAD_BYTES);
        EntryListBuilder { bytes, places: Vec::with_capacity(rows) }
    }

    /// Adds a row of `unique_keys`.
    pub(super) fn add_unique(&mut self, path: NameNumber, value: &str) {
        self.push(UNIQUE, path, value.as_bytes());
    }

    /// Adds a row of `indexed`.
    pub(super) fn add_indexed(&mut self, path: NameNumber, value: &IndexValue) {
        if let IndexValue::Text(text) = value {
            return self.push(TEXT, path, text.as_bytes());
        }
        match index_value(value) {
            Some(Value::Integer(number)) => self.push(INTEGER, path, &number.to_be_bytes()),
            Some(Value::Real(number)) => self.push(REAL, path, &number.to_be_bytes()),
            Some(Value::Text(_) | Value::Null | Value::Blob(_)) | None => {}
        }
    }

    fn push(&mut self, tag: u8, path: NameNumber, value: &[u8]) {
        let start = self.bytes.len();
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&path.to_be_bytes());
        self.bytes.extend_from_slice(value);
        self.places.push(start..self.bytes.len());
    }

    /// Returns the list: sorted, without duplicates.
    pub(super) fn build(self) -> Vec<u8> {
        let mut entries: Vec<&[u8]> =
            self.places.into_iter().filter_map(|place| self.bytes.get(place)).collect();
        entries.sort_unstable();
        entries.dedup();
        let bytes: usize = entries.iter().map(|entry| entry.len() + 4).sum();
        let mut list = Vec::with_capacity(bytes + STANDS_BYTES_USUAL);
        for entry in entries {
            // A document, and so each of its values, is far below 4 GB.
            list.extend_from_slice(&(entry.len() as u32).to_be_bytes());
            list.extend_from_slice(entry);
        }
        list
    }
}

/// Returns the rows that the document should have.
pub(super) fn rows(list: &[u8]) -> impl Iterator<Item = Result<IndexEntry>> {
    EntryIter(split_marks(list).0).map(decode)
}

/// Splits a list into its entries and the marks of deferred rows.
pub(super) fn split_marks(list: &[u8]) -> (&[u8], &[u8]) {
    let mut entries = EntryIter(list);
    loop {
        let rest = entries.0;
        match entries.next() {
            Some([STALE | ALL_MISSING | MISSING, ..]) | None => {
                return list.split_at(list.len() - rest.len());
            }
            Some(_) => {}
        }
    }
}

/// Returns the texts that a path should have.
pub(super) fn texts_at(wanted: &[u8], path: NameNumber) -> impl Iterator<Item = &[u8]> {
    EntryIter(wanted)
        .filter(move |entry| is_text(entry) && split_entry(entry).is_ok_and(|(at, _)| at == path))
}

/// Returns whether an entry is a text that the index should have.
pub(super) fn is_text(entry: &[u8]) -> bool {
    is_tagged(entry, TEXT)
}

pub(super) fn is_tagged(entry: &[u8], tag: u8) -> bool {
    entry.first() == Some(&tag)
}

/// Returns the encoded path and value of an entry or mark, which identify its row.
pub(super) fn row_key(entry: &[u8]) -> &[u8] {
    entry.get(1..).unwrap_or_default()
}

/// Returns a list with other numbers for its paths. The list must have no marks.
pub(super) fn renumber(list: &[u8], number: impl Fn(NameNumber) -> Result<NameNumber>) -> Result<Vec<u8>> {
    let mut renumbered = EntryListBuilder::default();
    for entry in EntryIter(split_marks(list).0) {
        match decode(entry)? {
            IndexEntry::Unique { path, value } => renumbered.add_unique(number(path)?, &value),
            IndexEntry::Indexed { path, .. } => {
                let tag = entry.first().copied().unwrap_or(TEXT);
                renumbered.push(tag, number(path)?, entry.get(HEAD_BYTES..).unwrap_or_default());
            }
        }
    }
    Ok(renumbered.build())
}

/// Returns whether a list has a row of `unique_keys`.
pub(super) fn has_unique(list: &[u8], path: NameNumber, value: &str) -> bool {
    let is_it = |entry: &[u8]| {
        is_tagged(entry, UNIQUE) && split_entry(entry).is_ok_and(|found| found == (path, value.as_bytes()))
    };
    EntryIter(list).any(is_it)
}

/// An iterator over the encoded entries of a list.
pub(super) struct EntryIter<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for EntryIter<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let length = (u32::from_be_bytes(*length) as usize).min(rest.len());
        let (entry, rest) = rest.split_at(length);
        self.0 = rest;
        Some(entry)
    }
}

pub(super) fn damaged_entries() -> crate::Error {
    crate::Error::Damaged("the entries of a document")
}

/// Appends an entry to a list.
pub(super) fn push(list: &mut Vec<u8>, tag: u8, path: NameNumber, value: &[u8]) {
    list.extend_from_slice(&((HEAD_BYTES + value.len()) as u32).to_be_bytes());
    list.push(tag);
    list.extend_from_slice(&path.to_be_bytes());
    list.extend_from_slice(value);
}

/// Returns path and value of an entry.
pub(super) fn split_entry(entry: &[u8]) -> Result<(NameNumber, &[u8])> {
    let (head, value) = entry.split_first_chunk::<HEAD_BYTES>().ok_or_else(damaged_entries)?;
    let [_, path @ ..] = *head;
    Ok((NameNumber::from_be_bytes(path), value))
}

pub(super) fn text(value: &[u8]) -> Result<String> {
    str::from_utf8(value).map(str::to_owned).map_err(|_| damaged_entries())
}

pub(super) fn decode(entry: &[u8]) -> Result<IndexEntry> {
    let (path, value) = split_entry(entry)?;
    let eight = || <[u8; 8]>::try_from(value).map_err(|_| damaged_entries());
    Ok(match entry.first().copied().unwrap_or(u8::MAX) {
        UNIQUE => IndexEntry::Unique { path, value: text(value)? },
        TEXT | STALE | MISSING => IndexEntry::Indexed { path, value: Value::Text(text(value)?) },
        INTEGER => IndexEntry::Indexed { path, value: Value::Integer(i64::from_be_bytes(eight()?)) },
        REAL => IndexEntry::Indexed { path, value: Value::Real(f64::from_be_bytes(eight()?)) },
        _ => return Err(damaged_entries()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[(u32, IndexValue)]) -> Vec<u8> {
        let mut builder = EntryListBuilder::default();
        for (path, value) in entries {
            builder.add_indexed(*path, value);
        }
        builder.build()
    }

    #[test]
    fn one_amount_is_one_entry() {
        assert_eq!(list(&[(1, 1.into())]), list(&[(1, 1.0.into()), (1, 1.into())]));
        assert_ne!(list(&[(1, 1.into())]), list(&[(1, 1.5.into())]));
        assert_eq!(list(&[(1, f64::NAN.into())]), list(&[]));
    }

    #[test]
    fn renumbering_keeps_values() {
        let renumbered = renumber(&list(&[(1, "a".into()), (2, 1.5.into())]), |path| Ok(10 - path)).unwrap();
        assert_eq!(renumbered, list(&[(9, "a".into()), (8, 1.5.into())]));
    }
}
