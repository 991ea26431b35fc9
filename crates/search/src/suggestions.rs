//! Search term suggestions: completes an input from the keywords of entries.
//!
//! An index has a value for each word of a keyword that can be completed: the word in lower case, a separator
//! and the keyword. Keywords with the input as prefix, or similar to it, are suggested, the most frequent
//! first.
//!
//! Source: public documentation, Search Term Suggestions; reference type `SuggestionResult`.

use crate::analysis::fuzziness;
use crate::limits::{FUZZY_LEVEL_MAX, INPUTS_MAX, SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX, VALUE_CHARS_MAX};
use crate::parameters::{bool_parameter, bounded_number, expected_range, malformed_parameter, number};
use crate::{
    BucketOrder, CountedNodes, Facet, FacetKind, FacetResult, FacetScope, FieldUse, IndexRequest, Leaf,
    LeafTest, NamedFacetResult, SearchQuery, SearchableFields,
};
use kontor_errors::{ApiError, ApiResult};
use std::collections::HashSet;

/// The field with the suggested keywords.
pub const FIELD: &str = "suggestions";
/// The prefix of input parameters; the language follows.
pub const INPUT: &str = "searchKeywords.";
/// Separates a word and its keyword; it does not occur in inputs.
const SEPARATOR: char = '\u{1}';

/// Returns the indexed value of a word and its keyword.
#[must_use]
pub fn value(word: &str, keyword: &str) -> String {
    format!("{}{SEPARATOR}{keyword}", word.to_lowercase())
}

/// A request for suggestions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuggestionSearch {
    /// The inputs with their languages.
    pub inputs: Vec<(String, String)>,
    /// Whether similar words match too.
    pub fuzzy: bool,
    /// The maximum number of keywords for an input.
    pub limit: Option<i64>,
}

/// The suggestions in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageSuggestions {
    /// The language.
    pub language: String,
    /// The keywords, for each input the most frequent first.
    pub keywords: Vec<String>,
}

/// A parsed input, and its request to the index.
#[derive(Debug)]
pub struct InputCompletion {
    /// The request to the index, whose facet counts the keywords to suggest.
    pub request: IndexRequest,
    language: String,
    /// The input in lower case.
    input: String,
    /// The number of characters that may differ.
    edits: u8,
    limit: usize,
}

impl SuggestionSearch {
    /// Parses the parameters of a request. Parameters that do not belong to suggestions are ignored. Fails with 400 for
    /// an invalid value.
    pub fn read(parameters: &[(String, String)]) -> ApiResult<Self> {
        let inputs = parameters.iter().filter_map(|(name, input)| {
            name.strip_prefix(INPUT).map(|language| (language.to_owned(), input.clone()))
        });
        Ok(Self {
            inputs: inputs.collect(),
            fuzzy: bool_parameter(parameters, "fuzzy")?,
            limit: number(parameters, "limit", expected_range(SUGGESTIONS_MAX))?,
        })
    }

    /// Returns the requests to the index, for each input. Fails with 400 for an unknown language, or a limit that is
    /// too large.
    pub fn completions(&self, fields: &dyn SearchableFields) -> ApiResult<Vec<InputCompletion>> {
        let limit = bounded_number("limit", self.limit, SUGGESTIONS_MAX, SUGGESTIONS_DEFAULT)?;
        let inputs = self.inputs.iter().enumerate();
        inputs.map(|(index, input)| self.completion(index, input, limit, fields)).collect()
    }

    fn completion(
        &self,
        index: usize,
        (language, input): &(String, String),
        limit: usize,
        fields: &dyn SearchableFields,
    ) -> ApiResult<InputCompletion> {
        if input.chars().count() > VALUE_CHARS_MAX || index == INPUTS_MAX {
            let why = format!("at most {VALUE_CHARS_MAX} characters and {INPUTS_MAX} inputs are allowed");
            return Err(malformed_parameter(&format!("{INPUT}{language}"), why));
        }
        let input = input.trim().to_lowercase();
        let edits = if self.fuzzy { fuzziness(FUZZY_LEVEL_MAX, &input) } else { 0 };
        let used = FieldUse { name: FIELD, language: Some(language), field_type: None };
        let field = fields.find(&used);
        let field = field.map_err(|_| ApiError::bug(format!("no field {FIELD} can be searched")))?.field;
        let is_spoken = fields.languages().iter().any(|known| known.eq_ignore_ascii_case(language));
        let test = match edits {
            _ if input.is_empty() || !is_spoken => LeafTest::Never,
            0 => LeafTest::Prefix { text: input.clone(), case_insensitive: false },
            _ => LeafTest::Exists,
        };
        let kind = FacetKind::Distinct {
            field: field.clone(),
            includes: None,
            order: BucketOrder::Count,
            descending: true,
            limit: usize::MAX,
            missing: None,
        };
        let facet = Facet {
            name: language.clone(),
            scope: FacetScope::Query,
            filter: None,
            counted: CountedNodes::Entries,
            kind,
            holds_days: false,
        };
        let query = Some(SearchQuery::Leaf(Leaf { field, boost: 1.0, test }));
        let request = IndexRequest { query, facets: vec![facet], ..IndexRequest::default() };
        Ok(InputCompletion { request, language: language.clone(), input, edits, limit })
    }
}

impl InputCompletion {
    /// Adds the suggestions from the counts of the index. Each language occurs once.
    pub fn add_to(self, all: &mut Vec<LanguageSuggestions>, counted: Vec<NamedFacetResult>) {
        let mut known = HashSet::new();
        let mut keywords = Vec::new();
        for bucket in counted.into_iter().flat_map(|facet| match facet.result {
            FacetResult::Buckets(buckets) => buckets,
            _ => Vec::new(),
        }) {
            let Some((word, keyword)) = bucket.key.split_once(SEPARATOR) else { continue };
            let is_meant = word.starts_with(self.input.as_str())
                || (self.edits > 0 && is_like(word, &self.input, self.edits));
            if is_meant && keywords.len() < self.limit && known.insert(keyword.to_owned()) {
                keywords.push(keyword.to_owned());
            }
        }
        match all.iter_mut().find(|suggested| suggested.language == self.language) {
            Some(suggested) => suggested.keywords.extend(keywords),
            None => all.push(LanguageSuggestions { language: self.language, keywords }),
        }
    }
}

/// Whether a prefix of the word is within an edit distance of the input.
fn is_like(word: &str, input: &str, edits: u8) -> bool {
    let input: Vec<char> = input.chars().collect();
    let mut row: Vec<usize> = (0..=input.len()).collect();
    let is_near = |row: &[usize]| row.last().is_some_and(|distance| *distance <= usize::from(edits));
    if is_near(&row) {
        return true;
    }
    for (at, letter) in word.chars().enumerate().take(input.len() + usize::from(edits)) {
        let mut next = vec![at + 1];
        for (index, other) in input.iter().enumerate() {
            let replaced = row.get(index).copied().unwrap_or(usize::MAX - 1) + usize::from(*other != letter);
            let dropped = row.get(index + 1).copied().unwrap_or(usize::MAX - 1) + 1;
            let inserted = next.last().copied().unwrap_or(usize::MAX - 1) + 1;
            next.push(replaced.min(dropped).min(inserted));
        }
        row = next;
        if is_near(&row) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_like_an_input_with_a_slip() {
        assert!(is_like("knife", "knofe", 1) && is_like("knife", "knfe", 1) && is_like("knives", "knife", 1));
        assert!(!is_like("knife", "spoon", 2));
    }
}
