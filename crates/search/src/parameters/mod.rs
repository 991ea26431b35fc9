//! The older search language: a search as parameters of a query or a form.
//!
//! ```text
//! text.en=shoe & filter.query=categories.id:"x" & facet=variants.attributes.color.key as color & sort=name.en asc
//! ```
//!
//! What is wrong is `InvalidInput`, and the message names the parameter.
//!
//! Source: public documentation, Product Projection Search; reference type `ProductProjectionPagedSearchResponse`.

mod expression;
mod facets;
mod filters;
mod texts;

pub use facets::{AskedFacet, write};

use crate::{Fields, Query, Request, Sort, SortBy, SortMode};
use filters::Filters;
use kontor_errors::{ApiError, ApiResult, shortened};
use serde_json::Value as Json;

/// Most hits of a page.
const LIMIT_MAX: usize = 500;
/// Hits of a page where nothing is said.
const LIMIT_DEFAULT: usize = 20;
/// Most hits that are skipped.
const OFFSET_MAX: usize = 10_000;
/// Most values of one parameter that may be repeated.
const REPEATED_MAX: usize = 100;

/// A search that was read.
#[derive(Debug)]
pub struct Parsed {
    /// What the index is asked.
    pub request: Request,
    /// The facets that were asked for; each is several of the index.
    pub facets: Vec<AskedFacet>,
}

/// Reads a search.
pub fn read(parameters: &[(String, String)], fields: &dyn Fields) -> ApiResult<Parsed> {
    let reader = Filters { fields, parameters };
    let mut query = texts::read(parameters, fields)?;
    query.extend(reader.all("filter.query")?);
    let mut post = reader.all("filter")?;
    let (facets, counted) = facets::read(&reader)?;
    if counted.is_empty() {
        // Nothing is counted between the two, and what matches is what both say.
        query.append(&mut post);
    }
    let request = Request {
        query: all_of(query),
        post_filter: all_of(post),
        sort: sorts(&reader)?,
        facets: counted,
        offset: bounded(parameters, "offset", OFFSET_MAX, 0)?,
        limit: bounded(parameters, "limit", LIMIT_MAX, LIMIT_DEFAULT)?,
        mark_matching: flag(parameters, "markMatchingVariants")?,
    };
    Ok(Parsed { request, facets })
}

/// The words that stand before what is wrong with a parameter.
pub(crate) fn malformed(name: &str, why: impl std::fmt::Display) -> ApiError {
    ApiError::invalid_input(format!("Malformed parameter: {name}: {why}."))
}

fn sent(text: &str) -> String {
    shortened(&Json::String(text.to_owned())).to_string()
}

fn all_of(mut queries: Vec<Query>) -> Option<Query> {
    match queries.len() {
        0 | 1 => queries.pop(),
        _ => Some(Query::And(queries)),
    }
}

/// All values of a parameter that may be repeated.
fn repeated<'p>(parameters: &'p [(String, String)], name: &str) -> ApiResult<Vec<&'p str>> {
    let all: Vec<&str> =
        parameters.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
    if all.len() > REPEATED_MAX {
        return Err(malformed(name, format_args!("at most {REPEATED_MAX} are allowed, found {}", all.len())));
    }
    Ok(all)
}

fn one<'p>(parameters: &'p [(String, String)], name: &str) -> ApiResult<Option<&'p str>> {
    match repeated(parameters, name)?.as_slice() {
        [] => Ok(None),
        [value] => Ok(Some(value)),
        _ => Err(malformed(name, "it stands more than once")),
    }
}

pub(crate) fn flag(parameters: &[(String, String)], name: &str) -> ApiResult<bool> {
    let Some(text) = one(parameters, name)? else { return Ok(false) };
    truth(text)
        .ok_or_else(|| malformed(name, format_args!("{} was sent, expected true or false", sent(text))))
}

/// `true` or `false` as parameters have them: in the case that the client's language writes them in.
pub fn truth(text: &str) -> Option<bool> {
    match text {
        text if text.eq_ignore_ascii_case("true") => Some(true),
        text if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

pub(crate) fn bounded(
    parameters: &[(String, String)],
    name: &str,
    max: usize,
    default: usize,
) -> ApiResult<usize> {
    let Some(text) = one(parameters, name)? else { return Ok(default) };
    let value = text.parse::<usize>().ok().filter(|value| *value <= max);
    value.ok_or_else(|| malformed(name, format_args!("{} was sent, expected 0 to {max}", sent(text))))
}

/// `sort`: `name.en desc`, `price asc.max`, `score desc`.
fn sorts(reader: &Filters<'_>) -> ApiResult<Vec<Sort>> {
    let mut sorts = Vec::new();
    for text in repeated(reader.parameters, "sort")? {
        let mut words = text.split_whitespace();
        let (name, direction) = (words.next().unwrap_or_default(), words.next().unwrap_or("asc"));
        let (direction, mode) = match direction.split_once('.') {
            Some((direction, "min")) => (direction, Some(SortMode::Min)),
            Some((direction, "max")) => (direction, Some(SortMode::Max)),
            _ => (direction, None),
        };
        let descending = match (direction, words.next()) {
            ("asc", None) => false,
            ("desc", None) => true,
            _ => {
                let why = format!("{} was sent, expected a field and asc or desc", sent(text));
                return Err(malformed("sort", why));
            }
        };
        if name == "score" {
            sorts.push(Sort { by: SortBy::Score, descending, mode: None, filter: None });
            continue;
        }
        let name = name.replace('`', "");
        let found = reader.found(&name, "sort")?;
        if found.is_localized && found.field.language.is_none() {
            return Err(malformed("sort", format_args!("the field {} needs a language", sent(&name))));
        }
        let filter = reader.fields.within(&name, reader.parameters);
        sorts.push(Sort { by: SortBy::Field(found.field), descending, mode, filter });
    }
    Ok(sorts)
}

#[cfg(test)]
mod tests;
