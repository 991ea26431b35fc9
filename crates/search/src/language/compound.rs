//! Parses the compound expressions `and`, `or`, `not` and `filter`.

use super::QueryParser;
use super::level_validation::{CompoundPart, LevelsShape, combine_levels};
use crate::SearchQuery;
use crate::json_members::{BodyPosition, list};
use kontor_errors::ApiResult;
use kontor_json::Value as Json;

impl QueryParser<'_> {
    /// Parses the parts of a compound expression, and validates the combination of their levels. Each has at least one
    /// part; the platform refuses `{"and": []}` (recorded).
    pub(super) fn parse_compound(
        &mut self,
        kind: &str,
        body: &Json,
        position: &BodyPosition,
    ) -> ApiResult<(SearchQuery, Option<LevelsShape>)> {
        let mut queries = Vec::new();
        let mut parts = Vec::new();
        let sent = list(body, position)?;
        if sent.is_empty() {
            return Err(position.invalid_value("expected at least one expression, found an empty list"));
        }
        for (index, json) in sent.iter().enumerate() {
            let position = position.element(index);
            let (query, shape) = self.expression(json, &position)?;
            queries.push(query);
            parts.extend(shape.map(|shape| CompoundPart { json, place: position, shape }));
        }
        let shape = combine_levels(position, &parts)?;
        let query = match kind {
            "or" => SearchQuery::Or(queries),
            "not" => SearchQuery::Not(queries),
            "filter" => SearchQuery::Filter(queries),
            _ => SearchQuery::And(queries),
        };
        Ok((query, shape))
    }
}
