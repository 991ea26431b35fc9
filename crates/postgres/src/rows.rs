//! The rows of a document in `unique_keys` and `index_rows`, in the form stored with it in `documents.entries`. By this
//! list a write changes only differing rows, without reading them.

use std::sync::Arc;

use kontor_storage::{Error, Result};

/// One row of a document, without the project and the id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ValueRow {
    /// Whether the row is in `unique_keys`; otherwise it is in `index_rows`.
    pub(crate) is_unique: bool,
    /// The number of the path.
    pub(crate) path: i32,
    /// The value in its column form.
    pub(crate) value: Box<str>,
}

/// The rows of a document, sorted, without duplicates.
pub(crate) type ValueRows = Arc<[ValueRow]>;

/// Sorts rows, and removes duplicates.
pub(crate) fn sorted(mut rows: Vec<ValueRow>) -> ValueRows {
    rows.sort_unstable();
    rows.dedup();
    rows.into()
}

/// Returns the rows that are not among `others`. Both are sorted.
pub(crate) fn rows_not_in<'r>(
    rows: &'r [ValueRow],
    others: &'r [ValueRow],
) -> impl Iterator<Item = &'r ValueRow> {
    rows.iter().filter(|row| others.binary_search(row).is_err())
}

/// Encodes rows: for each, whether it is unique, the path, the length of the value, and the value.
pub(crate) fn encode(rows: &[ValueRow]) -> Vec<u8> {
    let bytes = rows.iter().map(|row| row.value.len() + 9).sum();
    let mut encoded = Vec::with_capacity(bytes);
    for row in rows {
        encoded.push(u8::from(row.is_unique));
        encoded.extend_from_slice(&row.path.to_be_bytes());
        // Values are truncated long before that.
        encoded.extend_from_slice(&u32::try_from(row.value.len()).unwrap_or(u32::MAX).to_be_bytes());
        encoded.extend_from_slice(row.value.as_bytes());
    }
    encoded
}

/// Decodes rows.
pub(crate) fn decode(mut bytes: &[u8]) -> Result<ValueRows> {
    let damaged = || Error::Damaged("the rows of a document");
    let mut rows = Vec::new();
    while let Some((is_unique, rest)) = bytes.split_first() {
        let (path, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (value, rest) =
            rest.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or_else(damaged)?;
        let value = str::from_utf8(value).map_err(|_| damaged())?.into();
        rows.push(ValueRow { is_unique: *is_unique == 1, path: i32::from_be_bytes(*path), value });
        bytes = rest;
    }
    Ok(rows.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: i32, value: &str) -> ValueRow {
        ValueRow { is_unique: path == 1, path, value: value.into() }
    }

    #[test]
    fn rows_come_back_sorted_and_once() {
        let rows = sorted(vec![row(2, "ä"), row(1, "b"), row(2, ""), row(2, "ä")]);
        assert_eq!(*rows, [row(2, ""), row(2, "ä"), row(1, "b")]);
        assert_eq!(decode(&encode(&rows)).unwrap(), rows);
        assert!(decode(&encode(&rows)[1..]).is_err());
    }

    #[test]
    fn only_what_changed_is_touched() {
        let (old, new) = (sorted(vec![row(1, "a"), row(2, "b")]), sorted(vec![row(1, "a"), row(2, "c")]));
        assert_eq!(rows_not_in(&old, &new).collect::<Vec<_>>(), [&row(2, "b")]);
        assert_eq!(rows_not_in(&new, &old).collect::<Vec<_>>(), [&row(2, "c")]);
    }
}
