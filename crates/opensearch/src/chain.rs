//! Chains of nested aggregations: filters and steps down to the nodes whose values count. Start at [`chains`].

use crate::cases::cases;
use crate::column;
use crate::formula::{next_level, nodes_query, simplify};
use kontor_json::{Value as Json, json};
use kontor_search::{FieldLevel, IndexError, SearchQuery};

/// The name of an aggregation inside of another one.
const INNER: &str = "inner";

/// The steps from entries to the counted nodes: filters, and steps down to nested documents.
#[derive(Debug, Clone, Default)]
pub(crate) struct AggregationChain {
    steps: Vec<Json>,
    /// Whether the entry may belong to other cases of the child level, too.
    pub(crate) meets_others: bool,
}

impl AggregationChain {
    /// Returns the chain to some entries.
    pub(crate) fn from_entries(begin: &[Json], entries: Json) -> Self {
        Self { steps: begin.to_vec(), meets_others: false }.with_step(json!({"filter": entries}))
    }

    fn with_step(&self, step: Json) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps, ..*self }
    }

    /// Returns the aggregation with these steps, and `last` at their end.
    pub(crate) fn build(&self, last: Option<Json>) -> Json {
        let mut inner = last;
        for step in self.steps.iter().rev() {
            let mut step = step.clone();
            if let (Some(step), Some(inner)) = (step.as_object_mut(), inner.take()) {
                step.insert("aggs", json!({INNER: inner}));
            }
            inner = Some(step);
        }
        inner.unwrap_or_default()
    }

    /// Returns the result at the end of the steps; with `last`, of the final aggregation.
    pub(crate) fn result<'a>(&self, response: &'a Json, last: bool) -> &'a Json {
        let steps = self.steps.len().saturating_sub(1) + usize::from(last);
        (0..steps).fold(response, |response, _| inner(response))
    }
}

/// Returns the aggregation of a step down to a level.
pub(crate) fn nested_aggregation(level: FieldLevel) -> Json {
    json!({"nested": {"path": column::path(level)}})
}

/// Returns the aggregation of a step up to a level, with each of its nodes once.
pub(crate) fn reverse_nested_aggregation(to: FieldLevel) -> Json {
    match to {
        FieldLevel::Root => json!({"reverse_nested": {}}),
        _ => json!({"reverse_nested": {"path": column::path(to)}}),
    }
}

/// Returns the result of an inner aggregation.
pub(crate) fn inner(reply: &Json) -> &Json {
    reply.get(INNER).unwrap_or(&Json::Null)
}

/// Nests an aggregation in another one.
pub(crate) fn with_inner(mut outer: Json, inner: Json) -> Json {
    if let Some(outer) = outer.as_object_mut() {
        outer.insert("aggs", json!({INNER: inner}));
    }
    outer
}

/// Returns the chains to the nodes of a level on a row that matches a query. No node is at the end of two chains.
/// Returns `None` if there are too many.
pub(crate) fn chains(
    query: &SearchQuery,
    level: FieldLevel,
    begin: &[Json],
) -> Result<Option<Vec<AggregationChain>>, IndexError> {
    let query = simplify(query);
    let begin = AggregationChain { steps: begin.to_vec(), meets_others: false };
    descend(&query, FieldLevel::Root, level, &begin)
}

fn descend(
    query: &SearchQuery,
    at: FieldLevel,
    level: FieldLevel,
    chain: &AggregationChain,
) -> Result<Option<Vec<AggregationChain>>, IndexError> {
    if at == level {
        return Ok(Some(vec![chain.with_step(json!({"filter": nodes_query(query, at)?}))]));
    }
    let Some(next) = next_level(at) else { return Ok(None) };
    let Some(cases) = cases(query, at)? else { return Ok(None) };
    let meets_others = chain.meets_others || (at == FieldLevel::Child && cases.len() > 1);
    let mut all = Vec::new();
    for case in cases {
        let chain = AggregationChain {
            meets_others,
            ..chain.with_step(json!({"filter": case.nodes})).with_step(nested_aggregation(next))
        };
        match descend(&case.rest, next, level, &chain)? {
            Some(chains) => all.extend(chains),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}
