//! Completing what somebody types, from the keywords of entries.
//!
//! An index has a value for each word of a keyword that is completed: the word in small letters, a separator and the
//! keyword. What begins with the input, or is like it, is suggested, what most entries have first.
//!
//! Source: public documentation, Search Term Suggestions; reference type `SuggestionResult`.

use crate::analysis::fuzziness;
use crate::limits::FUZZY_LEVEL_MAX;
use crate::parameters::{bounded, flag, malformed};
use crate::{
    BucketOrder, Counted, Facet, FacetAnswer, FacetKind, FacetResult, FieldUse, Fields, Leaf, Query, Request,
    Scope, Test,
};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Map, Value as Json, json};
use std::collections::HashSet;

/// The field that is asked.
pub const FIELD: &str = "suggestions";
/// What the names of the parameters begin with.
const PREFIX: &str = "searchKeywords.";
/// Between a word and its keyword; no text that is typed has it.
const SEPARATOR: char = '\u{1}';
const LIMIT_MAX: usize = 100;
const LIMIT_DEFAULT: usize = 10;
/// Most characters of an input.
const INPUT_CHARS_MAX: usize = 256;
/// Most inputs of a request.
const INPUTS_MAX: usize = 50;

/// The value of a word and its keyword.
#[must_use]
pub fn value(word: &str, keyword: &str) -> String {
    format!("{}{SEPARATOR}{keyword}", word.to_lowercase())
}

/// What is to be completed.
#[derive(Debug)]
pub struct Asked {
    /// The parameter, the input in small letters, and how many characters may differ.
    inputs: Vec<(String, String, u8)>,
    limit: usize,
}

/// Reads the parameters of a request; the requests are one for each input.
pub fn read(parameters: &[(String, String)], fields: &dyn Fields) -> ApiResult<(Asked, Vec<Request>)> {
    let limit = bounded(parameters, "limit", LIMIT_MAX, LIMIT_DEFAULT)?;
    let is_fuzzy = flag(parameters, "fuzzy")?;
    let (mut inputs, mut requests) = (Vec::new(), Vec::new());
    for (name, input) in parameters {
        let Some(language) = name.strip_prefix(PREFIX) else { continue };
        if input.chars().count() > INPUT_CHARS_MAX || inputs.len() == INPUTS_MAX {
            let why = format!("at most {INPUT_CHARS_MAX} characters and {INPUTS_MAX} inputs are allowed");
            return Err(malformed(name, why));
        }
        let input = input.trim().to_lowercase();
        let edits = if is_fuzzy { fuzziness(FUZZY_LEVEL_MAX, &input) } else { 0 };
        let used = FieldUse { name: FIELD, language: Some(language), field_type: None };
        let field = fields.find(&used).map_err(|_| ApiError::internal())?.field;
        let is_spoken = fields.languages().iter().any(|known| **known == *language);
        let test = match edits {
            _ if input.is_empty() || !is_spoken => Test::Never,
            0 => Test::Prefix { text: input.clone(), case_insensitive: false },
            _ => Test::Exists,
        };
        let kind = FacetKind::Distinct {
            field: field.clone(),
            includes: None,
            order: BucketOrder::Count,
            descending: true,
            limit: usize::MAX,
            missing: None,
        };
        requests.push(Request {
            query: Some(Query::Leaf(Leaf { field, boost: 1.0, test })),
            facets: vec![Facet {
                name: name.clone(),
                scope: Scope::Query,
                filter: None,
                counted: Counted::Entries,
                kind,
            }],
            ..Request::default()
        });
        inputs.push((name.clone(), input, edits));
    }
    Ok((Asked { inputs, limit }, requests))
}

/// The suggestions, from what the index counted for each input.
#[must_use]
pub fn write(asked: &Asked, counted: Vec<Vec<FacetAnswer>>) -> Json {
    let mut all: Map<String, Json> = Map::new();
    for ((name, input, edits), facets) in asked.inputs.iter().zip(counted) {
        let mut known = HashSet::new();
        let mut texts = Vec::new();
        for bucket in facets.into_iter().flat_map(|facet| match facet.result {
            FacetResult::Buckets(buckets) => buckets,
            _ => Vec::new(),
        }) {
            let Some((word, keyword)) = bucket.key.split_once(SEPARATOR) else { continue };
            let is_meant = word.starts_with(input.as_str()) || (*edits > 0 && is_like(word, input, *edits));
            if is_meant && texts.len() < asked.limit && known.insert(keyword.to_owned()) {
                texts.push(json!({"text": keyword}));
            }
        }
        match all.get_mut(name) {
            Some(Json::Array(more)) => more.extend(texts),
            _ => {
                all.insert(name.clone(), Json::Array(texts));
            }
        }
    }
    Json::Object(all)
}

/// Whether a beginning of the word becomes the input by at most so many edits.
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
