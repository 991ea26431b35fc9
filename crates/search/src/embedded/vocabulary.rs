//! The words and terms of one field in one segment, and the search for matching ones. Start at
//! [`Vocabulary::matching_terms`].

use super::failed;
use super::found_term::FoundTerm;
use super::levenshtein::LevenshteinAutomaton;
use super::schema::{key, without_cut_mark};
use super::segment::IndexSegment;
use super::segment_cache::{CacheablePart as _, CachedDictionary, PART_BYTES_MAX};
use crate::analysis::{QueryTerm, fold_case};
use crate::{IndexError, PatternPiece, SearchField, WildcardPattern};
use std::sync::Arc;
use tantivy::Term;
use tantivy::index::InvertedIndexReader;
use tantivy::termdict::TermStreamer;
use tantivy_fst::Automaton;

/// A condition on words.
#[derive(Debug, Clone, Copy)]
pub(super) enum WordCondition<'a> {
    /// Words with this prefix.
    Prefix(&'a str),
    /// Words that match the pattern.
    Wildcard(&'a WildcardPattern),
    /// Words within an edit distance of one of the forms of a word.
    Like { term: &'a QueryTerm, most: u8 },
}

/// The dictionary of a field.
pub(super) struct Vocabulary<'a> {
    segment: &'a IndexSegment,
    inverted: Arc<InvertedIndexReader>,
    /// The prefix of its terms in tantivy: the path of the field and the marker of texts.
    base: Term,
    /// Whether words with capital letters are skipped, because they are also indexed in lower case.
    is_small: bool,
}

impl<'a> Vocabulary<'a> {
    pub(super) fn new(
        segment: &'a IndexSegment,
        column: tantivy::schema::Field,
        field: &SearchField,
    ) -> Result<Self, IndexError> {
        let mut base = Term::from_field_json_path(column, &key(field), false);
        base.append_type_and_str("");
        Ok(Self { segment, inverted: segment.inverted_index(column)?, base, is_small: false })
    }

    /// Skips words that have capital letters.
    pub(super) fn lowercase_only(self) -> Self {
        Self { is_small: true, ..self }
    }

    /// Returns the posting list of a word, if there is one.
    pub(super) fn get(&self, word: &str) -> Result<Vec<FoundTerm>, IndexError> {
        let mut term = self.base.clone();
        term.append_bytes(word.as_bytes());
        let found = self.inverted.get_term_info(&term).map_err(failed)?;
        Ok(found.into_iter().map(|term| self.found_term(term, 1.0)).collect())
    }

    fn found_term(&self, term: tantivy::postings::TermInfo, weight: f32) -> FoundTerm {
        FoundTerm { inverted: self.inverted.clone(), term, weight }
    }

    /// Returns whether a word is among the requested ones.
    fn is_meant(&self, word: &str) -> bool {
        !self.is_small || fold_case(word) == word
    }

    /// Returns the posting lists of the words that match.
    pub(super) fn matching_terms(&self, look: &WordCondition<'_>) -> Result<Vec<FoundTerm>, IndexError> {
        match look {
            WordCondition::Prefix(text) => self.terms_with_prefix(text, |_| Some(1.0)),
            WordCondition::Wildcard(pattern) => {
                let (beginning, is_all) = beginning(pattern);
                if is_all {
                    return self.get(&beginning);
                }
                if beginning.is_empty()
                    && let Some(words) = self.words()?
                {
                    return Ok(self.cached_matches(&words, pattern));
                }
                self.terms_with_prefix(&beginning, |word| {
                    pattern.matches(without_cut_mark(word)).then_some(1.0)
                })
            }
            WordCondition::Like { term, most: 0 } => {
                let mut found = self.get(&term.surface)?;
                if term.stem != term.surface {
                    found.extend(self.get(&term.stem)?);
                }
                Ok(found)
            }
            WordCondition::Like { term, most } => {
                let surface: Vec<char> = term.surface.chars().collect();
                let stem: Vec<char> = term.stem.chars().collect();
                let most = usize::from(*most);
                let mut rows = Vec::new();
                let base = self.base.serialized_value_bytes();
                let near = LevenshteinAutomaton::build(
                    base,
                    [&term.surface, &term.stem],
                    u8::try_from(most).unwrap_or(u8::MAX),
                );
                let near = near
                    .ok_or_else(|| IndexError::Failed(format!("words cannot differ in {most} characters")))?;
                let words = self.inverted.terms().search(near).into_stream().map_err(failed)?;
                self.weighted_terms(words, |other| {
                    let far = edit_distance(&surface, other, most, &mut rows);
                    let far = far.into_iter().chain(edit_distance(&stem, other, most, &mut rows)).min()?;
                    Some(1.0 / (1.0 + far as f32))
                })
            }
        }
    }

    /// Returns all words, if they are cached.
    fn words(&self) -> Result<Option<Arc<CachedDictionary>>, IndexError> {
        let base = self.base.serialized_value_bytes();
        let name = format!("words {:?} {}", self.base.field(), String::from_utf8_lossy(base));
        self.segment.get_or_build(name, || {
            let mut words = CachedDictionary::default();
            let terms = self.inverted.terms();
            let mut stream = terms.range().ge(base).into_stream().map_err(failed)?;
            while stream.advance() {
                let Some(word) = stream.key().strip_prefix(base) else { break };
                words.push(std::str::from_utf8(word).unwrap_or_default(), stream.value());
                if words.bytes() > PART_BYTES_MAX {
                    return Ok(None);
                }
            }
            words.shrink();
            Ok(Some(words))
        })
    }

    /// Returns the posting lists of the cached words that match a pattern.
    fn cached_matches(&self, words: &CachedDictionary, pattern: &WildcardPattern) -> Vec<FoundTerm> {
        let mut found = Vec::new();
        words.for_each_containing(&pattern.longest_text(), |number, word| {
            if pattern.matches(without_cut_mark(word)) && self.is_meant(word) {
                found.push(self.found_term(words.list(number), 1.0));
            }
        });
        found
    }

    /// Returns the posting lists of the words with a prefix to which `weight` assigns a weight.
    fn terms_with_prefix(
        &self,
        beginning: &str,
        weight: impl FnMut(&str) -> Option<f32>,
    ) -> Result<Vec<FoundTerm>, IndexError> {
        let base = self.base.serialized_value_bytes();
        let mut from = base.to_vec();
        from.extend_from_slice(beginning.as_bytes());
        let mut end = from.clone();
        // The first key after all words with the prefix: the markers before words are never the greatest
        // byte.
        while end.pop_if(|last| *last == u8::MAX).is_some() {}
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        let words = self.inverted.terms().range().ge(&from).lt(&end).into_stream().map_err(failed)?;
        self.weighted_terms(words, weight)
    }

    /// Returns the posting lists of the words in a stream to which `weight` assigns a weight.
    fn weighted_terms<A: Automaton>(
        &self,
        mut words: TermStreamer<'_, A>,
        mut weight: impl FnMut(&str) -> Option<f32>,
    ) -> Result<Vec<FoundTerm>, IndexError>
    where
        A::State: Clone,
    {
        let base = self.base.serialized_value_bytes();
        let mut found = Vec::new();
        while words.advance() {
            let word = words.key().get(base.len()..).and_then(|word| std::str::from_utf8(word).ok());
            let Some(word) = word else { continue };
            if let Some(weight) = weight(word)
                && self.is_meant(word)
            {
                found.push(self.found_term(words.value().clone(), weight));
            }
        }
        Ok(found)
    }
}

/// Returns the characters before the first star or question mark, and whether the pattern has neither.
fn beginning(pattern: &WildcardPattern) -> (String, bool) {
    let pieces = pattern.pieces();
    let beginning: Vec<char> = pieces
        .iter()
        .map_while(|piece| if let PatternPiece::Char(letter) = piece { Some(*letter) } else { None })
        .collect();
    (beginning.iter().collect(), beginning.len() == pieces.len())
}

/// Returns the edit distance of two words, with a swap of neighbours as one edit; `None` if it exceeds `most`.
pub(super) fn edit_distance(
    request: &[char],
    other: &str,
    most: usize,
    rows: &mut Vec<usize>,
) -> Option<usize> {
    let other: Vec<char> = other.chars().take(request.len() + most + 1).collect();
    if request.len().abs_diff(other.len()) > most {
        return None;
    }
    let width = request.len() + 1;
    rows.clear();
    rows.resize(3 * width, 0);
    for (at, cell) in rows[..width].iter_mut().enumerate() {
        *cell = at;
    }
    for (y, there) in other.iter().enumerate() {
        // Three rows are used in turn: this one, the previous one, the one before that.
        let (this, last, older) = ((y + 1) % 3 * width, y % 3 * width, (y + 2) % 3 * width);
        rows[this] = y + 1;
        let mut least = y + 1;
        for x in 0..request.len() {
            let swap = x > 0 && y > 0 && request[x] == other[y - 1] && request[x - 1] == *there;
            let mut cell = rows[last + x] + usize::from(request[x] != *there);
            cell = cell.min(rows[last + x + 1] + 1).min(rows[this + x] + 1);
            if swap {
                cell = cell.min(rows[older + x - 1] + 1);
            }
            rows[this + x + 1] = cell;
            least = least.min(cell);
        }
        if least > most {
            return None;
        }
    }
    Some(rows[other.len() % 3 * width + request.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn distances() {
        let of = |one: &str, other: &str, most| {
            edit_distance(&one.chars().collect::<Vec<_>>(), other, most, &mut Vec::new())
        };
        assert_eq!(of("shoe", "shoe", 2), Some(0));
        assert_eq!(of("shoe", "hsoe", 2), Some(1));
        assert_eq!(of("shoe", "shoes", 1), Some(1));
        assert_eq!(of("shoe", "sheos", 2), Some(2));
        assert_eq!(of("shoe", "boot", 2), None);
        assert_eq!(of("kitten", "sitting", 2), None);
    }
}
