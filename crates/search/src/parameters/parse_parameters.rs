//! Parses the parameters of a Product Projection Search request.

use super::expression::FilterExpression;
use super::values::{LEVELS, bool_parameter, expected_range, malformed_parameter, number, quoted_text};
use super::{FacetExpression, ParameterSearchRequest, ParameterSort, ParameterWords};
use crate::{SortMode, limits};
use kontor_errors::ApiResult;

/// The prefix of text parameters; the language follows.
const TEXT: &str = "text.";

impl ParameterSearchRequest {
    /// Parses the parameters of a request. Parameters that do not belong to a search are ignored. Fails with 400 for an
    /// invalid value.
    pub fn read(parameters: &[(String, String)], words: &ParameterWords<'_>) -> ApiResult<Self> {
        let mut read = Self {
            fuzzy: bool_parameter(parameters, "fuzzy")?,
            fuzzy_level: number(parameters, "fuzzyLevel", LEVELS)?,
            offset: number(parameters, "offset", expected_range(limits::WINDOW))?,
            limit: number(parameters, "limit", expected_range(limits::PARAMETER_LIMIT_MAX))?,
            mark_matching: bool_parameter(parameters, words.mark)?,
            ..Self::default()
        };
        // Clients send an unused filter, facet or sort as an empty value.
        let expressions = ["filter.query", "filter", "filter.facets", "facet", "sort"];
        let is_unused = |name: &str, text: &str| expressions.contains(&name) && text.trim().is_empty();
        for (name, text) in parameters.iter().filter(|(name, text)| !is_unused(name, text)) {
            match name.as_str() {
                "filter.query" => read.query_filters.push(FilterExpression::read(text, name)?),
                "filter" => read.filters.push(FilterExpression::read(text, name)?),
                "filter.facets" => read.facet_filters.push(FilterExpression::read(text, name)?),
                "facet" => read.facets.push(FacetExpression::read(text, words.entries)?),
                "sort" => read.sorts.push(ParameterSort::read(text)?),
                _ => {
                    let language = name.strip_prefix(TEXT).map(str::to_owned);
                    read.texts.extend(language.map(|language| (language, text.clone())));
                }
            }
        }
        Ok(read)
    }
}

impl FacetExpression {
    /// Parses `path: ranges as alias counting products`. `entries` is the name of entries, e.g. `products`. Fails with
    /// 400 for an invalid expression.
    pub fn read(text: &str, entries: &str) -> ApiResult<Self> {
        let counting = text.trim_end().strip_suffix(entries).and_then(|rest| rest.strip_suffix("counting "));
        let (text, counts_entries) = counting.map_or((text, false), |rest| (rest, true));
        let (text, alias) = aliased(text.trim());
        let expression = FilterExpression::read(text, "facet")?;
        Ok(Self { expression, alias: alias.map(str::to_owned), counts_entries })
    }
}

/// Splits an expression from its alias after ` as `.
fn aliased(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(" as ") {
        Some((before, name)) if !name.contains(['"', ')', '(', ',']) && !name.trim().is_empty() => {
            (before.trim_end(), Some(name.trim()))
        }
        _ => (text, None),
    }
}

impl ParameterSort {
    /// Parses `name.en desc`, `price asc.max`, `score desc`. Fails with 400 for another direction than `asc` or `desc`.
    pub fn read(text: &str) -> ApiResult<Self> {
        let mut words = text.split_whitespace();
        let (path, direction) = (words.next().unwrap_or_default(), words.next().unwrap_or("asc"));
        let (direction, mode) = match direction.split_once('.') {
            Some((direction, "min")) => (direction, Some(SortMode::Min)),
            Some((direction, "max")) => (direction, Some(SortMode::Max)),
            _ => (direction, None),
        };
        let descending = match (direction, words.next()) {
            ("asc", None) => false,
            ("desc", None) => true,
            _ => {
                let why = format!("{} was sent, expected a field and asc or desc", quoted_text(text));
                return Err(malformed_parameter("sort", why));
            }
        };
        Ok(Self { path: path.replace('`', ""), descending, mode })
    }
}
