//! The list of a document's rows in `unique_keys` and `indexed`, as it stands in `documents.entries`.
//!
//! Each entry is a string of bytes; the list holds them sorted, each once, each behind its length. Two lists
//! are compared without looking into the entries, and equal lists are equal bytes: the usual case, in which
//! a write has no rows to touch.
//!
//! Behind them stand the rows that wait (see `late`): the entries say what should be in the index, and these how what is
//! there differs from it, exactly.

use std::ops::Range;

use rusqlite::types::Value;

use super::number::Number;
use crate::{IndexValue, Result, WHOLE_REAL_MAX};

const UNIQUE: u8 = 0;
const TEXT: u8 = 1;
const INTEGER: u8 = 2;
const REAL: u8 = 3;
/// A text that stands in the index and is not wanted. Behind all entries, as the next two.
pub(super) const STANDS: u8 = 4;
/// No text that is wanted at a path stands in the index. Without a value.
pub(super) const ALL_MISSING: u8 = 5;
/// A text that is wanted and does not stand in the index, where others at its path do.
pub(super) const MISSING: u8 = 6;

/// Bytes of an entry before its value: the tag and the path.
pub(super) const HEAD_BYTES: usize = 5;

/// Room for a row that waits: most are times.
const STANDS_BYTES_USUAL: usize = 40;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    /// A row of `unique_keys`.
    Unique {
        /// The number of the path.
        path: Number,
        /// The value.
        value: String,
    },
    /// A row of `indexed`.
    Indexed {
        /// The number of the path.
        path: Number,
        /// The value.
        value: Value,
    },
}

/// A value as it stands in `indexed`, or `None` where it has no place there. An amount is always stored in
/// the same way, because the index holds 1 and 1.0 for the same value.
pub(super) fn index_value(value: &IndexValue) -> Option<Value> {
    match value {
        IndexValue::Text(text) => Some(Value::Text(text.clone())),
        IndexValue::Integer(number) => Some(Value::Integer(*number)),
        IndexValue::Real(number) if !number.is_finite() => None,
        // In this range the conversion is exact.
        IndexValue::Real(number) if number.fract() == 0.0 && number.abs() <= WHOLE_REAL_MAX => {
            Some(Value::Integer(*number as i64))
        }
        IndexValue::Real(number) => Some(Value::Real(*number)),
    }
}

/// How many bytes a value takes in a list.
pub(super) fn bytes_of(value: &IndexValue) -> usize {
    match value {
        IndexValue::Text(text) => text.len(),
        IndexValue::Integer(_) | IndexValue::Real(_) => 8,
    }
}

/// Writes a list.
#[derive(Debug, Default)]
pub(super) struct EntryListBuilder {
    bytes: Vec<u8>,
    /// Where each entry stands in the bytes.
    places: Vec<Range<usize>>,
}

impl EntryListBuilder {
    /// Room for so many rows with so many bytes of values.
    pub(super) fn with_capacity(rows: usize, bytes: usize) -> Self {
        let bytes = Vec::with_capacity(bytes + rows * HEAD_BYTES);
        EntryListBuilder { bytes, places: Vec::with_capacity(rows) }
    }

    /// Adds a row of `unique_keys`.
    pub(super) fn unique(&mut self, path: Number, value: &str) {
        self.push(UNIQUE, path, value.as_bytes());
    }

    /// Adds a row of `indexed`.
    pub(super) fn indexed(&mut self, path: Number, value: &IndexValue) {
        if let IndexValue::Text(text) = value {
            return self.push(TEXT, path, text.as_bytes());
        }
        match index_value(value) {
            Some(Value::Integer(number)) => self.push(INTEGER, path, &number.to_be_bytes()),
            Some(Value::Real(number)) => self.push(REAL, path, &number.to_be_bytes()),
            Some(Value::Text(_) | Value::Null | Value::Blob(_)) | None => {}
        }
    }

    fn push(&mut self, tag: u8, path: Number, value: &[u8]) {
        let start = self.bytes.len();
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&path.to_be_bytes());
        self.bytes.extend_from_slice(value);
        self.places.push(start..self.bytes.len());
    }

    /// The list.
    pub(super) fn build(self) -> Vec<u8> {
        let mut entries: Vec<&[u8]> =
            self.places.into_iter().filter_map(|place| self.bytes.get(place)).collect();
        entries.sort_unstable();
        entries.dedup();
        let bytes: usize = entries.iter().map(|entry| entry.len() + 4).sum();
        let mut list = Vec::with_capacity(bytes + STANDS_BYTES_USUAL);
        for entry in entries {
            // A document is far below 4 GB, and so is each of its values.
            list.extend_from_slice(&(entry.len() as u32).to_be_bytes());
            list.extend_from_slice(entry);
        }
        list
    }
}

/// The rows of a list that are wanted.
pub(super) fn rows(list: &[u8]) -> impl Iterator<Item = Result<Entry>> {
    Split(part(list).0).map(decode)
}

/// The entries that are wanted, and the marks of rows that wait.
pub(super) fn part(list: &[u8]) -> (&[u8], &[u8]) {
    let mut entries = Split(list);
    loop {
        let rest = entries.0;
        match entries.next() {
            Some([STANDS | ALL_MISSING | MISSING, ..]) | None => {
                return list.split_at(list.len() - rest.len());
            }
            Some(_) => {}
        }
    }
}

/// The texts at a path that are wanted.
pub(super) fn texts_at(wanted: &[u8], path: Number) -> impl Iterator<Item = &[u8]> {
    Split(wanted).filter(move |entry| is_text(entry) && head(entry).is_ok_and(|(at, _)| at == path))
}

/// Whether an entry is a text that is wanted.
pub(super) fn is_text(entry: &[u8]) -> bool {
    is_tagged(entry, TEXT)
}

pub(super) fn is_tagged(entry: &[u8], tag: u8) -> bool {
    entry.first() == Some(&tag)
}

/// Path and value of an entry as they stand in it: which row it is, whatever is said of it.
pub(super) fn row(entry: &[u8]) -> &[u8] {
    entry.get(1..).unwrap_or_default()
}

/// The same list with other numbers for its paths. Of a list of which no row waits.
pub(super) fn renumber(list: &[u8], number: impl Fn(Number) -> Result<Number>) -> Result<Vec<u8>> {
    let mut renumbered = EntryListBuilder::default();
    for entry in Split(part(list).0) {
        match decode(entry)? {
            Entry::Unique { path, value } => renumbered.unique(number(path)?, &value),
            Entry::Indexed { path, .. } => {
                let tag = entry.first().copied().unwrap_or(TEXT);
                renumbered.push(tag, number(path)?, entry.get(HEAD_BYTES..).unwrap_or_default());
            }
        }
    }
    Ok(renumbered.build())
}

/// Whether a list has a row of `unique_keys`.
pub(super) fn has_unique(list: &[u8], path: Number, value: &str) -> bool {
    let is_it = |entry: &[u8]| {
        is_tagged(entry, UNIQUE) && head(entry).is_ok_and(|found| found == (path, value.as_bytes()))
    };
    Split(list).any(is_it)
}

/// The entries of a list.
pub(super) struct Split<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Split<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let length = (u32::from_be_bytes(*length) as usize).min(rest.len());
        let (entry, rest) = rest.split_at(length);
        self.0 = rest;
        Some(entry)
    }
}

pub(super) fn damaged() -> crate::Error {
    crate::Error::Damaged("the entries of a document")
}

/// Adds an entry at the end of a list.
pub(super) fn push(list: &mut Vec<u8>, tag: u8, path: Number, value: &[u8]) {
    list.extend_from_slice(&((HEAD_BYTES + value.len()) as u32).to_be_bytes());
    list.push(tag);
    list.extend_from_slice(&path.to_be_bytes());
    list.extend_from_slice(value);
}

/// Path and value of an entry.
pub(super) fn head(entry: &[u8]) -> Result<(Number, &[u8])> {
    let (head, value) = entry.split_first_chunk::<HEAD_BYTES>().ok_or_else(damaged)?;
    let [_, path @ ..] = *head;
    Ok((Number::from_be_bytes(path), value))
}

pub(super) fn text(value: &[u8]) -> Result<String> {
    str::from_utf8(value).map(str::to_owned).map_err(|_| damaged())
}

pub(super) fn decode(entry: &[u8]) -> Result<Entry> {
    let (path, value) = head(entry)?;
    let eight = || <[u8; 8]>::try_from(value).map_err(|_| damaged());
    Ok(match entry.first().copied().unwrap_or(u8::MAX) {
        UNIQUE => Entry::Unique { path, value: text(value)? },
        TEXT | STANDS | MISSING => Entry::Indexed { path, value: Value::Text(text(value)?) },
        INTEGER => Entry::Indexed { path, value: Value::Integer(i64::from_be_bytes(eight()?)) },
        REAL => Entry::Indexed { path, value: Value::Real(f64::from_be_bytes(eight()?)) },
        _ => return Err(damaged()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[(u32, IndexValue)]) -> Vec<u8> {
        let mut builder = EntryListBuilder::default();
        for (path, value) in entries {
            builder.indexed(*path, value);
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
