//! `text.<locale>`: full-text search over all words of an entry.

use super::ParameterSearchRequest;
use super::filters::leaf_query;
use super::values::{LEVELS, malformed_parameter, unexpected_value};
use crate::analysis::query_terms;
use crate::{FieldUse, LeafTest, SearchQuery, SearchableFields, limits};
use kontor_errors::{ApiError, ApiResult};

/// The field with all words of an entry, of each language and without a language.
const TEXT: &str = "text";

/// Returns the conditions of all `text.<locale>`: each word must match, in the language or without a language.
pub(super) fn read(
    search: &ParameterSearchRequest,
    fields: &dyn SearchableFields,
) -> ApiResult<Vec<SearchQuery>> {
    let is_fuzzy = search.fuzzy;
    let level = search.fuzzy_level.map(level_of).transpose()?;
    let mut conditions = Vec::new();
    for (language, text) in &search.texts {
        if text.chars().count() > limits::VALUE_CHARS_MAX {
            let why = format_args!("at most {} characters are allowed", limits::VALUE_CHARS_MAX).to_string();
            return Err(malformed_parameter(&format!("text.{language}"), why));
        }
        let default = match text.chars().count() {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        if is_fuzzy && level.is_some_and(|level| level > default) {
            let why = format!("the level of a text with this length is at most {default}");
            return Err(malformed_parameter("fuzzyLevel", why));
        }
        let fuzzy = is_fuzzy.then(|| level.unwrap_or(limits::FUZZY_LEVEL_MAX));
        if text.trim().is_empty() {
            continue;
        }
        conditions.push(words(language, text, fuzzy, fields)?);
    }
    Ok(conditions)
}

fn level_of(sent: i64) -> ApiResult<u8> {
    let level = u8::try_from(sent).ok().filter(|level| *level <= limits::FUZZY_LEVEL_MAX);
    level.ok_or_else(|| unexpected_value("fuzzyLevel", &sent.to_string(), LEVELS))
}

fn words(
    language: &str,
    text: &str,
    fuzzy: Option<u8>,
    fields: &dyn SearchableFields,
) -> ApiResult<SearchQuery> {
    let field = |language: Option<&str>| {
        let found = fields.find(&FieldUse { name: TEXT, language, field_type: None });
        found.map(|found| found.field).map_err(|_| ApiError::bug(format!("no field {TEXT} can be searched")))
    };
    let Some(language) = fields.languages().iter().find(|known| known.eq_ignore_ascii_case(language)) else {
        return Ok(leaf_query(field(Some(language))?, LeafTest::Never));
    };
    let (localized, plain) = (field(Some(language))?, field(None)?);
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        if query_terms(Some(language), word).is_empty() {
            continue;
        }
        let test = match fuzzy {
            Some(level) => LeafTest::Fuzzy { text: word.to_owned(), level, all: true },
            None => LeafTest::FullText { text: word.to_owned(), all: true },
        };
        all.push(SearchQuery::Or(vec![
            leaf_query(localized.clone(), test.clone()),
            leaf_query(plain.clone(), test),
        ]));
    }
    // A text without any word finds nothing.
    Ok(if all.is_empty() { leaf_query(localized, LeafTest::Never) } else { SearchQuery::And(all) })
}
