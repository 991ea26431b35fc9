//! The list of a document's rows in `unique_keys` and `indexed`, as it stands in `documents.entries`.
//!
//! Each entry is a string of bytes; the list holds them sorted, each once, each behind its length. Two lists
//! are compared without looking into the entries, and equal lists are equal bytes: the usual case, in which
//! a write has no rows to touch.

use std::ops::Range;

use rusqlite::types::Value;

use super::names::Number;
use crate::{IndexValue, Result};

const UNIQUE: u8 = 0;
const TEXT: u8 = 1;
const INTEGER: u8 = 2;
const REAL: u8 = 3;

/// Reals up to this amount are whole numbers without loss, where they have no fraction.
const WHOLE_REAL_MAX: f64 = 9_007_199_254_740_992.0;

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

/// Writes a list.
#[derive(Debug, Default)]
pub(super) struct EntryListBuilder {
    bytes: Vec<u8>,
    /// Where each entry stands in the bytes.
    places: Vec<Range<usize>>,
}

impl EntryListBuilder {
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
        let mut list = Vec::with_capacity(entries.iter().map(|entry| entry.len() + 4).sum());
        for entry in entries {
            // A document is far below 4 GB, and so is each of its values.
            list.extend_from_slice(&(entry.len() as u32).to_be_bytes());
            list.extend_from_slice(entry);
        }
        list
    }
}

/// The entries that are only in the first list, and those that are only in the second.
pub(super) fn difference(old: &[u8], new: &[u8]) -> Result<(Vec<Entry>, Vec<Entry>)> {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    if old == new {
        return Ok((removed, added));
    }
    let (mut old_entries, mut new_entries) = (Split(old), Split(new));
    let (mut left, mut right) = (old_entries.next(), new_entries.next());
    loop {
        match (left, right) {
            (None, None) => return Ok((removed, added)),
            (Some(entry), None) => {
                removed.push(decode(entry)?);
                left = old_entries.next();
            }
            (None, Some(entry)) => {
                added.push(decode(entry)?);
                right = new_entries.next();
            }
            (Some(before), Some(after)) => match before.cmp(after) {
                std::cmp::Ordering::Less => {
                    removed.push(decode(before)?);
                    left = old_entries.next();
                }
                std::cmp::Ordering::Greater => {
                    added.push(decode(after)?);
                    right = new_entries.next();
                }
                std::cmp::Ordering::Equal => {
                    left = old_entries.next();
                    right = new_entries.next();
                }
            },
        }
    }
}

/// The same list with other numbers for its paths.
pub(super) fn renumber(list: &[u8], number: impl Fn(Number) -> Result<Number>) -> Result<Vec<u8>> {
    let mut renumbered = EntryListBuilder::default();
    for entry in Split(list) {
        match decode(entry)? {
            Entry::Unique { path, value } => renumbered.unique(number(path)?, &value),
            Entry::Indexed { path, .. } => {
                let tag = entry.first().copied().unwrap_or(TEXT);
                renumbered.push(tag, number(path)?, entry.get(5..).unwrap_or_default());
            }
        }
    }
    Ok(renumbered.build())
}

/// The entries of a list.
struct Split<'a>(&'a [u8]);

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

fn decode(entry: &[u8]) -> Result<Entry> {
    let damaged = || crate::Error::Damaged("the entries of a document");
    let (head, value) = entry.split_first_chunk::<5>().ok_or_else(damaged)?;
    let [tag, path @ ..] = *head;
    let path = Number::from_be_bytes(path);
    let text = || String::from_utf8(value.to_vec()).map_err(|_| damaged());
    let eight = || <[u8; 8]>::try_from(value).map_err(|_| damaged());
    Ok(match tag {
        UNIQUE => Entry::Unique { path, value: text()? },
        TEXT => Entry::Indexed { path, value: Value::Text(text()?) },
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
    fn only_what_changed_is_touched() {
        let old = list(&[(1, "a".into()), (1, "b".into()), (2, 5.into())]);
        let new = list(&[(1, "b".into()), (1, "c".into()), (2, 5.into())]);
        let (removed, added) = difference(&old, &new).unwrap();
        assert_eq!(removed, [Entry::Indexed { path: 1, value: Value::Text("a".into()) }]);
        assert_eq!(added, [Entry::Indexed { path: 1, value: Value::Text("c".into()) }]);
    }

    #[test]
    fn a_path_and_a_unique_key_of_the_same_name_are_two_rows() {
        let mut builder = EntryListBuilder::default();
        builder.unique(1, "a");
        builder.indexed(1, &"a".into());
        let (removed, added) = difference(&[], &builder.build()).unwrap();
        assert!(removed.is_empty());
        assert_eq!(added.len(), 2);
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

    #[test]
    fn damaged_lists_are_told() {
        assert!(difference(&[0, 0, 0, 2, 9, 9], &[]).is_err());
    }
}
