//! The search query language: parses JSON into a typed, validated [`SearchQuery`].
//!
//! ```text
//! {"and": [{"fullText": {"field": "name", "language": "en", "value": "shoe"}},
//!          {"range": {"field": "variants.prices.centAmount", "gte": 1000, "lt": 5000}}]}
//! ```
//!
//! An expression is an object with one property, its kind. A wrong shape is `InvalidJsonInput`; a right shape
//! with an impossible meaning (an unknown field, a value of another type, contradictory levels, more than the
//! limits allow) is `InvalidInput`. Every message contains the position, the sent value and the expected one.
//! Unknown properties are ignored.
//!
//! Sources: document B, "Query expressions" and "Query validation (field levels)"; reference types `Search…`.

mod compound;
mod level_validation;
mod range_bounds;
mod resolve_field;
mod simple_expression;
mod value;

pub(crate) use resolve_field::{ResolvedField, find};
pub(crate) use value::typed_value;

use crate::json_members::{BodyPosition, object};
use crate::{FieldRank, RequestSpelling, SearchQuery, SearchableFields, limits};
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::Value as Json;

/// Parses the query at `place` of the body, e.g. `query`, `postFilter`, `facets[0].distinct.filter`. Fails with 400 for
/// an invalid query, at its position in the body.
pub fn read_query(
    json: &Json,
    place: &str,
    fields: &dyn SearchableFields,
    spelling: &RequestSpelling<'_>,
) -> ApiResult<SearchQuery> {
    Ok(read_ranked(json, &BodyPosition::new(place), fields, spelling)?.0)
}

/// Like [`read_query`], and also returns the lowest rank of its fields; `None` if it has no condition.
pub(crate) fn read_ranked(
    json: &Json,
    position: &BodyPosition,
    fields: &dyn SearchableFields,
    spelling: &RequestSpelling<'_>,
) -> ApiResult<(SearchQuery, Option<FieldRank>)> {
    let mut reader = QueryParser { fields, spelling, read: 0 };
    let (query, shape) = reader.expression(json, position)?;
    Ok((query, shape.map(|shape| shape.rank)))
}

/// The state of the parser.
struct QueryParser<'a> {
    fields: &'a dyn SearchableFields,
    spelling: &'a RequestSpelling<'a>,
    read: usize,
}

impl QueryParser<'_> {
    /// Parses one expression, simple or compound.
    fn expression(
        &mut self,
        json: &Json,
        position: &BodyPosition,
    ) -> ApiResult<(SearchQuery, Option<level_validation::LevelsShape>)> {
        self.read += 1;
        if self.read > limits::EXPRESSIONS_MAX {
            return Err(ApiError::invalid_input(format!(
                "{position}: a query has at most {} expressions, simple and compound ones together; this is number {}.",
                limits::EXPRESSIONS_MAX,
                self.read,
            )));
        }
        let members = object(json, position)?;
        let mut kinds = members.iter().filter(|(_, value)| !value.is_null());
        let (Some((kind, body)), None) = (kinds.next(), kinds.next()) else {
            return Err(ApiError::invalid_json(format!(
                "{position}: expected an expression with one of {}, found {}",
                KINDS.join(", "),
                shortened(json),
            )));
        };
        let position = position.member(kind);
        match kind.as_str() {
            "and" | "or" | "not" | "filter" => self.parse_compound(kind, body, &position),
            "range" => {
                let (position, range) = self.spelling.range(body, position)?;
                let (query, rank) = simple_expression::read(kind, range, &position, self.fields)?;
                Ok((query, Some(level_validation::LevelsShape { rank, is_multi: false })))
            }
            "exact" | "exists" | "fullText" | "fullTextPrefix" | "fuzzy" | "prefix" | "wildcard" => {
                let (query, rank) = simple_expression::read(kind, body, &position, self.fields)?;
                Ok((query, Some(level_validation::LevelsShape { rank, is_multi: false })))
            }
            _ => Err(ApiError::invalid_json(format!(
                "{position}: unknown expression {}; expected one of {}",
                shortened(&Json::from(kind.as_str())),
                KINDS.join(", "),
            ))),
        }
    }
}

/// All kinds of expressions.
const KINDS: [&str; 12] = [
    "and",
    "or",
    "not",
    "filter",
    "exact",
    "exists",
    "fullText",
    "fullTextPrefix",
    "fuzzy",
    "prefix",
    "range",
    "wildcard",
];

#[cfg(test)]
mod tests;
