//! Conditions on ids: nearly unique words, of which only the endings have posting lists.
//!
//! The usual condition, one id, is searched among the ids with the same ending. Patterns and case-insensitive
//! ids are searched in the dictionary of the column, and their documents by scanning the column.

use super::failed;
use super::schema::{id_suffix, index_form, without_cut_mark};
use super::segment::IndexSegment;
use super::values::ColumnValues;
use super::vocabulary::{Vocabulary, WordCondition};
use crate::analysis::fold_case;
use crate::{IndexError, SearchField, SearchValue};
use tantivy::columnar::StrColumn;

/// Returns the documents with one of these ids.
pub(super) fn find_exact(
    field: &SearchField,
    values: &[SearchValue],
    folded: bool,
    segment: &IndexSegment,
) -> Result<Vec<u32>, IndexError> {
    let Some(ColumnValues::Words(column)) = segment.values(field)? else { return Ok(Vec::new()) };
    let texts = values.iter().filter_map(|value| match value {
        SearchValue::Text(text) => Some(text.as_str()),
        _ => None,
    });
    if folded {
        let requested: Vec<String> = texts.map(|text| index_form(&fold_case(text)).into_owned()).collect();
        return going_through(&column, |id| requested.contains(&fold_case(id)));
    }
    let endings = Vocabulary::new(segment, segment.columns.endings, field)?;
    let mut docs = Vec::new();
    for text in texts {
        let ordinal = column.dictionary().term_ord(index_form(text).as_bytes()).map_err(failed)?;
        let Some(ordinal) = ordinal else { continue };
        for list in endings.get(id_suffix(text))? {
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
pub(super) fn find_matching(
    field: &SearchField,
    look: &WordCondition<'_>,
    folded: bool,
    segment: &IndexSegment,
) -> Result<Vec<u32>, IndexError> {
    let Some(ColumnValues::Words(column)) = segment.values(field)? else { return Ok(Vec::new()) };
    let looks = |id: &str| match look {
        WordCondition::Prefix(text) => id.starts_with(text),
        WordCondition::Wildcard(pattern) => pattern.matches(without_cut_mark(id)),
        // Ids have no terms for a fuzzy search.
        WordCondition::Like { .. } => false,
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
