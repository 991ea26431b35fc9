//! The changes of a document's index rows by a write, and the marks of deferred rows: they follow the entries
//! of a document, and describe the difference between the index and the entries. Start at [`change_rows`].

use std::{cmp::Ordering, collections::HashSet};

use quick_cache::DefaultHashBuilder;

use super::entries::{
    ALL_MISSING, EntryIter, IndexEntry, MISSING, STALE, damaged_entries, decode, is_tagged, is_text, push,
    row_key, split_entry, split_marks, text, texts_at,
};
use super::name_number::NameNumber;
use crate::Result;

/// The changes of a document's rows by a write.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RowChanges {
    pub(super) removed: Vec<IndexEntry>,
    pub(super) added: Vec<IndexEntry>,
    /// The list to store.
    pub(super) list: Vec<u8>,
    /// Whether a row is deferred.
    pub(super) has_deferred_row: bool,
}

/// Returns the changes of the rows of a document from the list `old` to the list `new`. Rows of the `old`
/// list are deferred only if it `is_behind`. Rows of texts at a path where they `may_wait` stay unchanged.
pub(super) fn change_rows(
    old: &[u8],
    is_behind: bool,
    new: Vec<u8>,
    may_wait: impl Fn(NameNumber) -> bool,
) -> Result<RowChanges> {
    if old == new {
        return Ok(RowChanges { list: new, ..RowChanges::default() });
    }
    let (wanted, marks) = split_marks(old);
    let (mut removed, mut added) = difference(wanted, &new);
    let marks = if is_behind { marks } else { &[] };
    if !marks.is_empty() {
        let waiting = MarkedRows::read(wanted, marks)?;
        let is_wanted: HashSet<&[u8], DefaultHashBuilder> =
            EntryIter(&new).filter(|entry| is_text(entry)).map(row_key).collect();
        // A row that was never written need not be removed, and one that still exists need not be added.
        removed.retain(|entry| !(is_text(entry) && waiting.missing.contains(row_key(entry))));
        added.retain(|entry| !(is_text(entry) && waiting.stands.contains(row_key(entry))));
        removed.extend(
            EntryIter(marks).filter(|mark| is_tagged(mark, STALE) && !is_wanted.contains(row_key(mark))),
        );
        let still = |entry: &&[u8]| {
            is_text(entry) && waiting.missing.contains(row_key(entry)) && is_wanted.contains(row_key(entry))
        };
        added.extend(EntryIter(wanted).filter(still));
    }
    let mut failed = None;
    let mut waits = |entry: &[u8]| {
        // Only texts are deferred: other values are mostly small and seldom change.
        (is_text(entry) || is_tagged(entry, STALE))
            && split_entry(entry).map(|(path, _)| may_wait(path)).unwrap_or_else(|error| {
                failed = Some(error);
                false
            })
    };
    let (stands, removed): (Vec<_>, Vec<_>) = removed.into_iter().partition(|entry| waits(entry));
    let (missing, added): (Vec<_>, Vec<_>) = added.into_iter().partition(|entry| waits(entry));
    if let Some(error) = failed {
        return Err(error);
    }
    let removed = removed.into_iter().map(decode).collect::<Result<_>>()?;
    let added = added.into_iter().map(decode).collect::<Result<_>>()?;
    let marks = encode_marks(&stands, &missing, &new)?;
    let has_deferred_row = !marks.is_empty();
    let mut list = new;
    list.extend(marks);
    Ok(RowChanges { removed, added, list, has_deferred_row })
}

/// The deferred rows of a document, by path and value in the form of its entries.
pub(super) struct MarkedRows<'l> {
    pub(super) stands: HashSet<&'l [u8], DefaultHashBuilder>,
    pub(super) missing: HashSet<&'l [u8], DefaultHashBuilder>,
}

impl<'l> MarkedRows<'l> {
    /// Reads the marks after a list's entries.
    pub(super) fn read(wanted: &'l [u8], marks: &'l [u8]) -> Result<Self> {
        let mut read = MarkedRows { stands: HashSet::default(), missing: HashSet::default() };
        for mark in EntryIter(marks) {
            match mark.first() {
                Some(&STALE) => drop(read.stands.insert(row_key(mark))),
                Some(&MISSING) => drop(read.missing.insert(row_key(mark))),
                Some(&ALL_MISSING) => {
                    read.missing.extend(texts_at(wanted, split_entry(mark)?.0).map(row_key))
                }
                _ => return Err(damaged_entries()),
            }
        }
        Ok(read)
    }
}

/// Returns the marks of deferred rows: texts in the index that should not be there, and texts of `new` that are
/// missing.
pub(super) fn encode_marks(stands: &[&[u8]], missing: &[&[u8]], new: &[u8]) -> Result<Vec<u8>> {
    let mut marks = Vec::new();
    for entry in stands {
        let (path, value) = split_entry(entry)?;
        push(&mut marks, STALE, path, value);
    }
    let mut missing: Vec<_> = missing.iter().map(|entry| split_entry(entry)).collect::<Result<_>>()?;
    // Sorting by path would do. Sorted by value, too, equal states have equal bytes.
    missing.sort_unstable();
    for rows in missing.chunk_by(|(one, _), (other, _)| one == other) {
        let Some((path, _)) = rows.first() else { continue };
        if texts_at(new, *path).count() == rows.len() {
            push(&mut marks, ALL_MISSING, *path, &[]);
            continue;
        }
        for (path, value) in rows {
            push(&mut marks, MISSING, *path, value);
        }
    }
    Ok(marks)
}

/// Returns the paths of a list's deferred rows.
pub(super) fn deferred_paths(list: &[u8]) -> impl Iterator<Item = NameNumber> {
    EntryIter(split_marks(list).1).filter_map(|mark| split_entry(mark).ok()).map(|(path, _)| path)
}

/// Path and value of rows.
pub(super) type TextRows = Vec<(NameNumber, String)>;

/// Returns a list's deferred rows: those to delete, and those to insert.
pub(super) fn deferred_rows(list: &[u8]) -> Result<(TextRows, TextRows)> {
    let (wanted, marks) = split_marks(list);
    let (mut removed, mut added) = (TextRows::new(), TextRows::new());
    let decoded = |entry: &[u8]| split_entry(entry).and_then(|(path, value)| Ok((path, text(value)?)));
    for mark in EntryIter(marks) {
        match mark.first() {
            Some(&STALE) => {
                removed.push(decoded(mark)?);
                // Lists of earlier releases have no mark for a single row that replaces another.
                let mut there = texts_at(wanted, split_entry(mark)?.0);
                if let (Some(only), None) = (there.next(), there.next()) {
                    added.push(decoded(only)?);
                }
            }
            Some(&MISSING) => added.push(decoded(mark)?),
            Some(&ALL_MISSING) => {
                for entry in texts_at(wanted, split_entry(mark)?.0) {
                    added.push(decoded(entry)?);
                }
            }
            _ => return Err(damaged_entries()),
        }
    }
    added.sort_unstable();
    added.dedup();
    Ok((removed, added))
}

/// Returns the entries that are only in the first list, and those that are only in the second.
fn difference<'o, 'n>(old: &'o [u8], new: &'n [u8]) -> (Vec<&'o [u8]>, Vec<&'n [u8]>) {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (EntryIter(old).peekable(), EntryIter(new).peekable());
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

#[cfg(test)]
mod tests {
    use super::super::entries::{EntryListBuilder, HEAD_BYTES};
    use super::*;
    use crate::IndexValue;
    use rusqlite::types::Value;

    fn list(entries: &[(u32, IndexValue)]) -> Vec<u8> {
        let mut builder = EntryListBuilder::default();
        for (path, value) in entries {
            builder.add_indexed(*path, value);
        }
        builder.build()
    }

    fn text_entry(path: NameNumber, value: &str) -> IndexEntry {
        IndexEntry::Indexed { path, value: Value::Text(value.into()) }
    }

    /// Rows at the path 9.
    fn rows<const N: usize>(values: [&str; N]) -> TextRows {
        values.map(|value| (9, value.to_owned())).to_vec()
    }

    /// Returns a list whose rows at path 9 are `stands` in the index and should be `wanted`.
    fn waiting(stands: &str, wanted: &str) -> Vec<u8> {
        let of = |value: &str| list(&[(1, "same".into()), (9, value.into())]);
        let changes = change_rows(&of(stands), false, of(wanted), |path| path == 9).unwrap();
        assert!(changes.has_deferred_row && changes.removed.is_empty() && changes.added.is_empty());
        changes.list
    }

    #[test]
    fn only_what_changed_is_touched() {
        let old = list(&[(1, "a".into()), (1, "b".into()), (2, 5.into())]);
        let new = list(&[(1, "b".into()), (1, "c".into()), (2, 5.into())]);
        let RowChanges { removed, added, list, has_deferred_row } =
            change_rows(&old, false, new.clone(), |_| false).unwrap();
        assert_eq!((removed, added), (vec![text_entry(1, "a")], vec![text_entry(1, "c")]));
        assert_eq!((list, has_deferred_row), (new, false));
    }

    #[test]
    fn remembers_deferred_rows() {
        assert_eq!(deferred_rows(&waiting("a", "b")).unwrap(), (rows(["a"]), rows(["b"])));
    }

    #[test]
    fn defers_a_row_again() {
        for new in ["b", "c"] {
            let of = list(&[(1, "other".into()), (9, new.into())]);
            let changes = change_rows(&waiting("a", "b"), true, of, |path| path == 9).unwrap();
            assert_eq!(
                (changes.removed, changes.added),
                (vec![text_entry(1, "same")], vec![text_entry(1, "other")])
            );
            assert_eq!(deferred_rows(&changes.list).unwrap(), (rows(["a"]), rows([new])));
        }
    }

    #[test]
    fn writes_a_deferred_row_when_required() {
        for new in ["b", "c"] {
            let of = list(&[(1, "same".into()), (9, new.into())]);
            let changes = change_rows(&waiting("a", "b"), true, of.clone(), |_| false).unwrap();
            assert_eq!(
                (changes.removed, changes.added),
                (vec![text_entry(9, "a")], vec![text_entry(9, new)])
            );
            assert_eq!((changes.list, changes.has_deferred_row), (of, false));
        }
        // The row is right again.
        let of = list(&[(1, "same".into()), (9, "a".into())]);
        let changes = change_rows(&waiting("a", "b"), true, of.clone(), |path| path == 9).unwrap();
        assert_eq!(changes, RowChanges { list: of, ..RowChanges::default() });
        // The document is deleted.
        let changes = change_rows(&waiting("a", "b"), true, Vec::new(), |_| false).unwrap();
        assert_eq!(
            (changes.removed, changes.added),
            (vec![text_entry(1, "same"), text_entry(9, "a")], vec![])
        );
    }

    #[test]
    fn forgets_written_rows() {
        let of = list(&[(1, "same".into()), (9, "c".into())]);
        let changes = change_rows(&waiting("a", "b"), false, of, |_| false).unwrap();
        assert_eq!((changes.removed, changes.added), (vec![text_entry(9, "b")], vec![text_entry(9, "c")]));
    }

    #[test]
    fn defers_rows_of_a_new_document_compactly() {
        let of = list(&[(1, "same".into()), (9, "a".into()), (9, "b".into())]);
        let changes = change_rows(&[], false, of.clone(), |path| path == 9).unwrap();
        assert_eq!(changes.added, [text_entry(1, "same")]);
        assert_eq!(changes.list.len(), of.len() + HEAD_BYTES + 4);
        assert_eq!(deferred_rows(&changes.list).unwrap(), (rows([]), rows(["a", "b"])));
    }

    #[test]
    fn reads_marks_of_earlier_releases() {
        let mut list = list(&[(9, "b".into())]);
        push(&mut list, STALE, 9, b"a");
        assert_eq!(deferred_rows(&list).unwrap(), (rows(["a"]), rows(["b"])));
    }

    proptest::proptest! {
        /// After any changes in any order, with rows deferred or written at any time, the index equals the
        /// entries.
        #[test]
        fn index_equals_entries_after_any_changes(
            steps in proptest::collection::vec(
                (proptest::collection::btree_set((8_u32..11, "[a-c]"), 0..5), 0..3_u8),
                1..12,
            )
        ) {
            let (mut index, mut kept, mut is_behind) = (std::collections::BTreeSet::new(), Vec::new(), false);
            for (wanted, how) in steps {
                let entries: Vec<_> =
                    wanted.iter().map(|(path, value)| (*path, IndexValue::from(value.as_str()))).collect();
                let changes = change_rows(&kept, is_behind, list(&entries), |path| how > 0 && path > 8).unwrap();
                for entry in changes.removed {
                    let IndexEntry::Indexed { path, value: Value::Text(value) } = entry else { unreachable!() };
                    proptest::prop_assert!(index.remove(&(path, value)));
                }
                for entry in changes.added {
                    let IndexEntry::Indexed { path, value: Value::Text(value) } = entry else { unreachable!() };
                    proptest::prop_assert!(index.insert((path, value)));
                }
                (kept, is_behind) = (changes.list, changes.has_deferred_row);
                if how == 2 {
                    let (removed, added) = deferred_rows(&kept).unwrap();
                    index.retain(|row| !removed.contains(row));
                    index.extend(added);
                    is_behind = false;
                }
                if !is_behind {
                    proptest::prop_assert_eq!(&index, &wanted);
                }
            }
        }
    }

    #[test]
    fn a_path_and_a_unique_key_of_the_same_name_are_two_rows() {
        let mut builder = EntryListBuilder::default();
        builder.add_unique(1, "a");
        builder.add_indexed(1, &"a".into());
        let changes = change_rows(&[], false, builder.build(), |_| false).unwrap();
        assert!(changes.removed.is_empty());
        assert_eq!(changes.added.len(), 2);
    }

    #[test]
    fn rejects_damaged_lists() {
        assert!(change_rows(&[0, 0, 0, 2, 9, 9], false, Vec::new(), |_| false).is_err());
    }
}
