//! Splits a query into cases by its conditions on one level: those that hold there, those that do not, and
//! the rest for the levels below.
//!
//! No node is in two cases, so the counts of all cases add up.

use crate::formula::{LevelSet, always, never, nodes_query, simplify};
use kontor_json::{Value as Json, json};
use kontor_search::{FieldLevel, IndexError, SearchQuery};

/// Maximum number of a query's conditions on a level. Each one doubles the number of cases.
const CONDITIONS_MAX: usize = 4;

/// One case of a query.
#[derive(Debug, Clone)]
pub(crate) struct QueryCase {
    /// The filter for nodes of the level that belong to the case.
    pub(crate) nodes: Json,
    /// The query for the nodes below, without conditions on this level.
    pub(crate) rest: SearchQuery,
}

/// Returns the cases in which a simplified query can match; `None` if there are too many.
pub(crate) fn cases(query: &SearchQuery, level: FieldLevel) -> Result<Option<Vec<QueryCase>>, IndexError> {
    let mut conditions: Vec<&SearchQuery> = Vec::new();
    collect(query, level, &mut conditions);
    if conditions.len() > CONDITIONS_MAX {
        return Ok(None);
    }
    let requested =
        conditions.iter().map(|condition| nodes_query(condition, level)).collect::<Result<Vec<_>, _>>()?;
    let mut cases = Vec::new();
    for holds in 0..1_u32 << conditions.len() {
        let does_hold = |at: usize| holds >> at & 1 == 1;
        let rest = simplify(&replaced(query, &|part| {
            conditions.iter().position(|condition| *condition == part).map(does_hold)
        }));
        if rest == never() {
            continue;
        }
        let of = |does: bool| -> Vec<&Json> {
            requested
                .iter()
                .enumerate()
                .filter(|(at, _)| does_hold(*at) == does)
                .map(|(_, requested)| requested)
                .collect()
        };
        cases.push(QueryCase { nodes: json!({"bool": {"filter": of(true), "must_not": of(false)}}), rest });
    }
    Ok(Some(cases))
}

/// Collects the largest parts of a query that concern only a level, each once.
fn collect<'q>(query: &'q SearchQuery, level: FieldLevel, conditions: &mut Vec<&'q SearchQuery>) {
    let levels = LevelSet::of_query(query);
    if levels == LevelSet::from_level(level) {
        if !conditions.contains(&query) {
            conditions.push(query);
        }
        return;
    }
    if levels.contains(level)
        && let SearchQuery::And(parts) | SearchQuery::Or(parts) | SearchQuery::Filter(parts) = query
    {
        parts.iter().for_each(|part| collect(part, level, conditions));
    }
}

/// Replaces parts of a query by their known results.
fn replaced(query: &SearchQuery, known: &impl Fn(&SearchQuery) -> Option<bool>) -> SearchQuery {
    if let Some(holds) = known(query) {
        return if holds { always() } else { never() };
    }
    let each = |parts: &[SearchQuery]| parts.iter().map(|part| replaced(part, known)).collect();
    match query {
        SearchQuery::And(parts) => SearchQuery::And(each(parts)),
        SearchQuery::Or(parts) => SearchQuery::Or(each(parts)),
        SearchQuery::Filter(parts) => SearchQuery::Filter(each(parts)),
        SearchQuery::Not(_) | SearchQuery::Leaf(_) => query.clone(),
    }
}
