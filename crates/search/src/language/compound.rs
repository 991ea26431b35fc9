//! Parses the compound expressions `and`, `or`, `not` and `filter`.

use super::Reader;
use super::levels::{LevelsShape, Part, combine};
use crate::Query;
use crate::json::{Place, list};
use kontor_errors::ApiResult;
use kontor_json::Value as Json;

impl Reader<'_> {
    /// Parses the parts of a compound expression, and validates the combination of their levels. `and`, `or` and
    /// `filter` have at least one part; the platform refuses `{"and": []}`.
    pub(super) fn compound(
        &mut self,
        kind: &str,
        body: &Json,
        place: &Place,
    ) -> ApiResult<(Query, Option<LevelsShape>)> {
        let mut queries = Vec::new();
        let mut parts = Vec::new();
        let sent = list(body, place)?;
        if sent.is_empty() && kind != "not" {
            return Err(place.refused("expected at least one expression, found an empty list"));
        }
        for (index, json) in sent.iter().enumerate() {
            let place = place.element(index);
            let (query, shape) = self.expression(json, &place)?;
            queries.push(query);
            parts.extend(shape.map(|shape| Part { json, place, shape }));
        }
        let shape = combine(place, &parts)?;
        let query = match kind {
            "or" => Query::Or(queries),
            "not" => Query::Not(queries),
            "filter" => Query::Filter(queries),
            _ => Query::And(queries),
        };
        Ok((query, shape))
    }
}
