//! The list of a document's rows in `unique_keys` and `indexed`, as it stands in `documents.entries`.
//!
//! Each entry is a string of bytes; the list holds them sorted, each once, each behind its length. Two lists
//! are compared without looking into the entries, and equal lists are equal bytes: the usual case, in which
//! a write has no rows to touch.
//!
//! Behind them stand the values that rows still have which wait (see `late`): the entries say what should be in the
//! index, these what is.

use std::{cmp::Ordering, ops::Range};

use rusqlite::types::Value;

use super::names::Number;
use crate::{IndexValue, Result};

const UNIQUE: u8 = 0;
const TEXT: u8 = 1;
const INTEGER: u8 = 2;
const REAL: u8 = 3;
/// The value that a row still has, where another one is wanted. Behind all others.
const STANDS: u8 = 4;

/// Bytes of an entry before its value: the tag and the path.
const HEAD_BYTES: usize = 5;

/// Room for a row that waits: most are times.
const STANDS_BYTES_USUAL: usize = 40;

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

/// The entries that are only in the first list, and those that are only in the second.
fn difference<'o, 'n>(old: &'o [u8], new: &'n [u8]) -> (Vec<&'o [u8]>, Vec<&'n [u8]>) {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (Split(old).peekable(), Split(new).peekable());
    loop {
        let ordering = match (old.peek(), new.peek()) {
            (None, None) => return (removed, added),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(before), Some(after)) => before.cmp(after),
        };
        match ordering {
            Ordering::Less => removed.extend(old.next()),
            Ordering::Greater => added.extend(new.next()),
            Ordering::Equal => drop((old.next(), new.next())),
        }
    }
}

/// What a write does to the rows of a document.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    pub(super) removed: Vec<Entry>,
    pub(super) added: Vec<Entry>,
    /// The list to be stored.
    pub(super) list: Vec<u8>,
    /// Whether a row waits.
    pub(super) waits: bool,
}

/// What is to be done to the rows of a document that had the list `old` and is to have `new`. Rows of the `old` list
/// that wait do so only where it `is_behind`. One row at a path where it `may_wait` stays as it is.
pub(super) fn change(
    old: &[u8],
    is_behind: bool,
    new: Vec<u8>,
    may_wait: impl Fn(Number) -> bool,
) -> Result<Changes> {
    if old == new {
        return Ok(Changes { list: new, ..Changes::default() });
    }
    let (wanted, stands) = part(old);
    let (mut removed, mut added) = difference(wanted, &new);
    for stands in Split(stands).filter(|_| is_behind) {
        let (path, value) = head(stands)?;
        match removed.iter_mut().find(|entry| is_text_at(entry, path)) {
            Some(removed) => *removed = stands,
            None => {
                // What was wanted is still wanted.
                removed.push(stands);
                added.extend(only(wanted, path));
            }
        }
        let is_same = |entry: &&[u8]| is_text_at(entry, path) && entry.get(HEAD_BYTES..) == Some(value);
        if let Some(same) = added.iter().position(is_same) {
            added.swap_remove(same);
            removed.retain(|entry| *entry != stands);
        }
    }
    let mut waiting = Vec::new();
    let mut failed = Ok(());
    removed.retain(|entry| {
        let path = match head(entry) {
            Ok((path, _)) => path,
            Err(error) => {
                failed = Err(error);
                return true;
            }
        };
        // Asked first: of the paths where rows may wait few have rows here, of the others perhaps very many.
        if !is_text_at(entry, path) || !may_wait(path) {
            return true;
        }
        match added.iter().position(|added| is_text_at(added, path)) {
            Some(other) if only(wanted, path).is_some() && only(&new, path).is_some() => {
                added.swap_remove(other);
                waiting.push(*entry);
                false
            }
            _ => true,
        }
    });
    failed?;
    let removed = removed.into_iter().map(decode).collect::<Result<_>>()?;
    let added = added.into_iter().map(decode).collect::<Result<_>>()?;
    let mut list = new;
    for entry in &waiting {
        let (path, value) = head(entry)?;
        push(&mut list, STANDS, path, value);
    }
    Ok(Changes { removed, added, list, waits: !waiting.is_empty() })
}

/// The rows of a list that wait: path, the value that stands in the index, and the one that is wanted.
pub(super) fn late(list: &[u8]) -> Result<Vec<(Number, String, Option<String>)>> {
    let (wanted, stands) = part(list);
    Split(stands)
        .map(|stands| {
            let (path, value) = head(stands)?;
            let wanted = only(wanted, path).map(|entry| head(entry).and_then(|(_, value)| text(value)));
            Ok((path, text(value)?, wanted.transpose()?))
        })
        .collect()
}

/// The entries that are wanted, and those that tell which rows wait.
fn part(list: &[u8]) -> (&[u8], &[u8]) {
    let mut entries = Split(list);
    loop {
        let rest = entries.0;
        match entries.next() {
            Some([STANDS, ..]) | None => return list.split_at(list.len() - rest.len()),
            Some(_) => {}
        }
    }
}

/// The only entry at a path, if it is a text.
fn only(list: &[u8], path: Number) -> Option<&[u8]> {
    let at = |entry: &&[u8]| {
        !matches!(entry.first(), Some(&UNIQUE)) && head(entry).is_ok_and(|(at, _)| at == path)
    };
    let mut entries = Split(list).filter(at);
    let first = entries.next().filter(|entry| is_text_at(entry, path));
    first.filter(|_| entries.next().is_none())
}

/// Whether an entry is a text at a path: one that is wanted, or one that stands.
fn is_text_at(entry: &[u8], path: Number) -> bool {
    matches!(entry.first(), Some(&(TEXT | STANDS))) && head(entry).is_ok_and(|(at, _)| at == path)
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

fn damaged() -> crate::Error {
    crate::Error::Damaged("the entries of a document")
}

/// Adds an entry at the end of a list.
fn push(list: &mut Vec<u8>, tag: u8, path: Number, value: &[u8]) {
    list.extend_from_slice(&((HEAD_BYTES + value.len()) as u32).to_be_bytes());
    list.push(tag);
    list.extend_from_slice(&path.to_be_bytes());
    list.extend_from_slice(value);
}

/// Path and value of an entry.
fn head(entry: &[u8]) -> Result<(Number, &[u8])> {
    let (head, value) = entry.split_first_chunk::<HEAD_BYTES>().ok_or_else(damaged)?;
    let [_, path @ ..] = *head;
    Ok((Number::from_be_bytes(path), value))
}

fn text(value: &[u8]) -> Result<String> {
    str::from_utf8(value).map(str::to_owned).map_err(|_| damaged())
}

fn decode(entry: &[u8]) -> Result<Entry> {
    let (path, value) = head(entry)?;
    let eight = || <[u8; 8]>::try_from(value).map_err(|_| damaged());
    Ok(match entry.first().copied().unwrap_or(u8::MAX) {
        UNIQUE => Entry::Unique { path, value: text(value)? },
        TEXT | STANDS => Entry::Indexed { path, value: Value::Text(text(value)?) },
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

    fn at(path: Number, value: &str) -> Entry {
        Entry::Indexed { path, value: Value::Text(value.into()) }
    }

    /// A list whose rows at 9 are `stands`, and are to be `wanted`.
    fn waiting(stands: &str, wanted: &str) -> Vec<u8> {
        let of = |value: &str| list(&[(1, "same".into()), (9, value.into())]);
        let changes = change(&of(stands), false, of(wanted), |path| path == 9).unwrap();
        assert!(changes.waits && changes.removed.is_empty() && changes.added.is_empty());
        changes.list
    }

    #[test]
    fn only_what_changed_is_touched() {
        let old = list(&[(1, "a".into()), (1, "b".into()), (2, 5.into())]);
        let new = list(&[(1, "b".into()), (1, "c".into()), (2, 5.into())]);
        let Changes { removed, added, list, waits } = change(&old, false, new.clone(), |_| false).unwrap();
        assert_eq!((removed, added), (vec![at(1, "a")], vec![at(1, "c")]));
        assert_eq!((list, waits), (new, false));
    }

    #[test]
    fn a_row_that_waits_is_remembered() {
        let list = waiting("a", "b");
        assert_eq!(late(&list).unwrap(), [(9, "a".to_owned(), Some("b".to_owned()))]);
    }

    #[test]
    fn a_row_that_waits_goes_on_waiting() {
        for new in ["b", "c"] {
            let of = list(&[(1, "other".into()), (9, new.into())]);
            let changes = change(&waiting("a", "b"), true, of, |path| path == 9).unwrap();
            assert_eq!((changes.removed, changes.added), (vec![at(1, "same")], vec![at(1, "other")]));
            assert_eq!(late(&changes.list).unwrap(), [(9, "a".to_owned(), Some(new.to_owned()))]);
        }
    }

    #[test]
    fn a_row_that_waits_follows_when_it_must() {
        for new in ["b", "c"] {
            let of = list(&[(1, "same".into()), (9, new.into())]);
            let changes = change(&waiting("a", "b"), true, of.clone(), |_| false).unwrap();
            assert_eq!((changes.removed, changes.added), (vec![at(9, "a")], vec![at(9, new)]));
            assert_eq!((changes.list, changes.waits), (of, false));
        }
        // It stands where it should again.
        let of = list(&[(1, "same".into()), (9, "a".into())]);
        let changes = change(&waiting("a", "b"), true, of.clone(), |path| path == 9).unwrap();
        assert_eq!(changes, Changes { list: of, ..Changes::default() });
        // The document goes, or holds nothing there any more, or several values.
        let changes = change(&waiting("a", "b"), true, Vec::new(), |path| path == 9).unwrap();
        assert_eq!((changes.removed, changes.added), (vec![at(1, "same"), at(9, "a")], vec![]));
        let of = list(&[(1, "same".into()), (9, "b".into()), (9, "c".into())]);
        let mut changes = change(&waiting("a", "b"), true, of, |path| path == 9).unwrap();
        changes.added.sort_by_key(|entry| format!("{entry:?}"));
        assert_eq!((changes.removed, changes.added), (vec![at(9, "a")], vec![at(9, "b"), at(9, "c")]));
    }

    #[test]
    fn a_row_that_has_followed_waits_no_more() {
        let of = list(&[(1, "same".into()), (9, "c".into())]);
        let changes = change(&waiting("a", "b"), false, of, |_| false).unwrap();
        assert_eq!((changes.removed, changes.added), (vec![at(9, "b")], vec![at(9, "c")]));
    }

    #[test]
    fn a_path_and_a_unique_key_of_the_same_name_are_two_rows() {
        let mut builder = EntryListBuilder::default();
        builder.unique(1, "a");
        builder.indexed(1, &"a".into());
        let changes = change(&[], false, builder.build(), |_| false).unwrap();
        assert!(changes.removed.is_empty());
        assert_eq!(changes.added.len(), 2);
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
        assert!(change(&[0, 0, 0, 2, 9, 9], false, Vec::new(), |_| false).is_err());
    }
}
