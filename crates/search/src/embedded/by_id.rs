//! Conditions on ids: nearly unique words, of which only the endings have posting lists.
//!
//! The usual condition, one id, is searched among the ids with the same ending. Patterns and case-insensitive
//! ids are searched in the dictionary of the column, and their documents by scanning the column.

use super::failed;
use super::schema::{ending, uncut, whole};
use super::segment::Segment;
use super::values::Values;
use super::vocabulary::{Look, Vocabulary};
use crate::analysis::fold_case;
use crate::{Field, IndexError, Value};
use tantivy::columnar::StrColumn;

/// Returns the documents with one of these ids.
pub(super) fn exact(
    field: &Field,
    values: &[Value],
    folded: bool,
    segment: &Segment,
) -> Result<Vec<u32>, IndexError> {
    let Some(Values::Words(column)) = segment.values(field)? else { return Ok(Vec::new()) };
    let texts = values.iter().filter_map(|value| match value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    });
    if folded {
        let asked: Vec<String> = texts.map(|text| whole(&fold_case(text)).into_owned()).collect();
        return going_through(&column, |id| asked.contains(&fold_case(id)));
    }
    let endings = Vocabulary::new(segment, segment.columns.endings, field)?;
    let mut docs = Vec::new();
    for text in texts {
        let ordinal = column.dictionary().term_ord(whole(text).as_bytes()).map_err(failed)?;
        let Some(ordinal) = ordinal else { continue };
        for list in endings.get(ending(text))? {
            list.for_each_block(|block| {
                let has_it = |doc: &u32| column.term_ords(*doc).any(|other| other == ordinal);
                docs.extend(block.iter().copied().filter(has_it));
            })?;
        }
    }
    docs.sort_unstable();
    docs.dedup();
    Ok(docs)
}

/// Returns the documents whose id matches a pattern.
pub(super) fn matching(
    field: &Field,
    look: &Look<'_>,
    folded: bool,
    segment: &Segment,
) -> Result<Vec<u32>, IndexError> {
    let Some(Values::Words(column)) = segment.values(field)? else { return Ok(Vec::new()) };
    let looks = |id: &str| match look {
        Look::Prefix(text) => id.starts_with(text),
        Look::Wildcard(pattern) => pattern.matches(uncut(id)),
        // Ids have no terms for a fuzzy search.
        Look::Like { .. } => false,
    };
    going_through(&column, |id| if folded { looks(&fold_case(id)) } else { looks(id) })
}

/// Scans all ids and returns the documents whose id matches.
fn going_through(column: &StrColumn, is_meant: impl Fn(&str) -> bool) -> Result<Vec<u32>, IndexError> {
    let mut ordinals = Vec::new();
    let mut ids = column.dictionary().stream().map_err(failed)?;
    while ids.advance() {
        if std::str::from_utf8(ids.key()).is_ok_and(&is_meant) {
            ordinals.push(ids.term_ord());
        }
    }
    if ordinals.is_empty() {
        return Ok(Vec::new());
    }
    let has_one = |doc: &u32| column.term_ords(*doc).any(|ordinal| ordinals.binary_search(&ordinal).is_ok());
    Ok((0..column.num_rows()).filter(has_one).collect())
}
