//! Converts a query over rows into a query over nested documents.
//!
//! A nested document is queried from its parent, which then knows that there is a match, but not which one.
//! So conditions of two levels that must hold for one row are nested in each other, `nested(child and
//! nested(grandchild))`, and an `or` between levels under an `and` is expanded: `a and (b or c)` becomes `(a
//! and b) or (a and c)`. All conditions are positive, apart from `not`, which applies to whole entries; so
//! there is a row wherever each level has its part.

use crate::column;
use crate::condition::{all, any, leaf_query};
use kontor_json::{Value as Json, json};
use kontor_search::{FieldLevel, IndexError, LeafTest, SearchQuery};
use std::cell::Cell;

/// Maximum number of alternatives that all `or`s between levels are expanded to.
const ALTERNATIVES_MAX: usize = 512;

/// The set of levels that a query has conditions on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LevelSet(u8);

impl LevelSet {
    pub(crate) fn of_query(query: &SearchQuery) -> Self {
        match query {
            SearchQuery::And(parts) | SearchQuery::Or(parts) | SearchQuery::Filter(parts) => {
                Self(parts.iter().fold(0, |levels, part| levels | Self::of_query(part).0))
            }
            // A `not` applies to whole entries.
            SearchQuery::Not(_) => Self::from_level(FieldLevel::Root),
            SearchQuery::Leaf(leaf) => Self::from_level(leaf.field.level),
        }
    }

    pub(crate) fn from_level(level: FieldLevel) -> Self {
        Self(1 << level as u8)
    }

    pub(crate) fn contains(self, level: FieldLevel) -> bool {
        self.0 & Self::from_level(level).0 != 0
    }

    /// Returns whether there is no condition below a level.
    fn is_at_most(self, level: FieldLevel) -> bool {
        self.0 >> (level as u8 + 1) == 0
    }
}

/// Returns a query that matches everything.
pub(crate) fn always() -> SearchQuery {
    SearchQuery::And(Vec::new())
}

/// Returns a query that matches nothing.
pub(crate) fn never() -> SearchQuery {
    SearchQuery::Or(Vec::new())
}

/// Removes parts that always or never match. Returns [`always`], [`never`], or a query without either.
pub(crate) fn simplify(query: &SearchQuery) -> SearchQuery {
    let (always, never) = (always(), never());
    match query {
        SearchQuery::Leaf(leaf) if leaf.test == LeafTest::Never => never,
        SearchQuery::Leaf(_) => query.clone(),
        SearchQuery::And(parts) => simplify_parts(parts, &always, &never).map_or(never, SearchQuery::And),
        SearchQuery::Or(parts) => simplify_parts(parts, &never, &always).map_or(always, SearchQuery::Or),
        SearchQuery::Filter(parts) => match simplify_parts(parts, &always, &never) {
            None => never,
            Some(parts) if parts.is_empty() => always,
            Some(parts) => SearchQuery::Filter(parts),
        },
        SearchQuery::Not(parts) => match simplify_parts(parts, &never, &always) {
            None => never,
            Some(parts) if parts.is_empty() => always,
            Some(parts) => SearchQuery::Not(parts),
        },
    }
}

/// Returns the simplified parts without the neutral ones; `None` if one of them decides the result.
fn simplify_parts(
    parts: &[SearchQuery],
    saying_nothing: &SearchQuery,
    deciding: &SearchQuery,
) -> Option<Vec<SearchQuery>> {
    let mut parts: Vec<SearchQuery> = parts.iter().map(simplify).collect();
    parts.retain(|part| part != saying_nothing);
    (!parts.contains(deciding)).then_some(parts)
}

/// Returns the query for entries with a row that matches; `None` matches all entries.
pub(crate) fn entries_query(query: Option<&SearchQuery>) -> Result<Json, IndexError> {
    query.map_or_else(|| Ok(all(Vec::new())), |query| nodes_query(&simplify(query), FieldLevel::Root))
}

/// Returns the query for nodes of a level on a row that matches a simplified query without conditions on higher levels.
/// Fails with [`IndexError::Refused`] if it would need too many alternatives.
pub(crate) fn nodes_query(query: &SearchQuery, level: FieldLevel) -> Result<Json, IndexError> {
    QueryConverter { alternatives: Cell::new(0) }.exists(query, level)
}

struct QueryConverter {
    alternatives: Cell<usize>,
}

impl QueryConverter {
    fn exists(&self, query: &SearchQuery, level: FieldLevel) -> Result<Json, IndexError> {
        let levels = LevelSet::of_query(query);
        let Some(next) = next_level(level).filter(|_| !levels.is_at_most(level)) else {
            return self.convert_single_level(query);
        };
        if !levels.contains(level) {
            return Ok(nested(next, self.exists(query, next)?));
        }
        match query {
            SearchQuery::Or(parts) => {
                let parts = parts.iter().map(|part| self.exists(part, level));
                Ok(any(parts.collect::<Result<_, _>>()?))
            }
            _ => self.convert_and(query, level, next),
        }
    }

    /// Converts an `and` over several levels.
    fn convert_and(
        &self,
        query: &SearchQuery,
        level: FieldLevel,
        next: FieldLevel,
    ) -> Result<Json, IndexError> {
        let mut parts = Vec::new();
        flatten(query, false, &mut parts);
        let is_mixed = |part: &SearchQuery| {
            let levels = LevelSet::of_query(part);
            levels.contains(level) && !levels.is_at_most(level)
        };
        if let Some(at) = parts.iter().position(is_mixed) {
            let mixed = parts.remove(at);
            let alternatives = alternatives(&mixed, level);
            self.alternatives.set(self.alternatives.get() + alternatives.len());
            if self.alternatives.get() > ALTERNATIVES_MAX {
                return Err(IndexError::Refused(format!(
                    "Malformed parameter: query: more than {ALTERNATIVES_MAX} combinations of conditions on the resource and on its parts \
                     in 'or' expressions inside of 'and' expressions are too many."
                )));
            }
            let each = alternatives.into_iter().map(|alternative| {
                let mut parts = parts.clone();
                parts.push(alternative);
                self.exists(&SearchQuery::And(parts), level)
            });
            return Ok(any(each.collect::<Result<_, _>>()?));
        }
        let (own, deeper): (Vec<SearchQuery>, Vec<SearchQuery>) =
            parts.into_iter().partition(|part| LevelSet::of_query(part).contains(level));
        let mut requested =
            own.iter().map(|part| self.convert_single_level(part)).collect::<Result<Vec<_>, _>>()?;
        if !deeper.is_empty() {
            requested.push(nested(next, self.exists(&SearchQuery::And(deeper), next)?));
        }
        Ok(all(requested))
    }

    /// Converts a query with conditions on a single level.
    fn convert_single_level(&self, query: &SearchQuery) -> Result<Json, IndexError> {
        let each = |parts: &[SearchQuery]| {
            parts.iter().map(|part| self.convert_single_level(part)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match query {
            SearchQuery::Leaf(leaf) => leaf_query(leaf),
            SearchQuery::And(parts) => all(each(parts)?),
            SearchQuery::Or(parts) => any(each(parts)?),
            SearchQuery::Filter(parts) => json!({"bool": {"filter": each(parts)?}}),
            SearchQuery::Not(parts) => {
                let parts = parts.iter().map(|part| self.exists(part, FieldLevel::Root));
                json!({"bool": {"must_not": parts.collect::<Result<Vec<_>, _>>()?}})
            }
        })
    }
}

/// Flattens nested `and`s. The parts of a filter stay in one.
fn flatten(query: &SearchQuery, is_filter: bool, parts: &mut Vec<SearchQuery>) {
    match query {
        SearchQuery::And(inner) => inner.iter().for_each(|part| flatten(part, is_filter, parts)),
        SearchQuery::Filter(inner) => inner.iter().for_each(|part| flatten(part, true, parts)),
        // An `or` is expanded later; a filter around it only affects the score.
        SearchQuery::Or(_) => parts.push(query.clone()),
        other if is_filter => parts.push(SearchQuery::Filter(vec![other.clone()])),
        other => parts.push(other.clone()),
    }
}

/// Returns the parts of an `or` over several levels, with parts of the same levels combined.
fn alternatives(mixed: &SearchQuery, level: FieldLevel) -> Vec<SearchQuery> {
    let SearchQuery::Or(parts) = mixed else { return vec![mixed.clone()] };
    let (mut own, mut deeper, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts.iter().cloned() {
        let levels = LevelSet::of_query(&part);
        match (levels.contains(level), levels.is_at_most(level)) {
            (_, true) => own.push(part),
            (false, _) => deeper.push(part),
            _ => others.push(part),
        }
    }
    for mut same in [own, deeper] {
        match same.len() {
            0 => {}
            1 => others.append(&mut same),
            _ => others.push(SearchQuery::Or(same)),
        }
    }
    others
}

/// Returns the next lower level.
pub(crate) fn next_level(level: FieldLevel) -> Option<FieldLevel> {
    match level {
        FieldLevel::Root => Some(FieldLevel::Child),
        FieldLevel::Child => Some(FieldLevel::Grandchild),
        FieldLevel::Grandchild => None,
    }
}

fn nested(level: FieldLevel, query: Json) -> Json {
    json!({"nested": {"path": column::path(level), "query": query, "score_mode": "max"}})
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use kontor_search::{FieldKind, Leaf, SearchField};

    fn exists_condition(name: &str, level: FieldLevel) -> SearchQuery {
        let field = SearchField { name: name.into(), language: None, level, kind: FieldKind::Keyword };
        SearchQuery::Leaf(Leaf { field, boost: 1.0, test: LeafTest::Exists })
    }

    /// Returns a query in short form: `root`, `[child]`, `[[grandchild]]`.
    fn short(query: &Json) -> String {
        let list = |parts: &Json| parts.as_array().unwrap().iter().map(short).collect::<Vec<_>>();
        if let Some(bool) = query.get("bool") {
            return match bool {
                _ if bool.get("should").is_some() => format!("({})", list(&bool["should"]).join(" or ")),
                _ if bool.get("must").is_some() => list(&bool["must"]).join(" and "),
                _ if bool.get("filter").is_some() => {
                    format!("filter {}", list(&bool["filter"]).join(" and "))
                }
                _ => format!("not {}", list(&bool["must_not"]).join(" and ")),
            };
        }
        if let Some(nested) = query.get("nested") {
            return format!("[{}]", short(&nested["query"]));
        }
        match query.get("term") {
            Some(term) => {
                term.as_object().unwrap().values().next().unwrap()["value"].as_str().unwrap().to_owned()
            }
            None => query.as_object().unwrap().keys().next().unwrap().to_string(),
        }
    }

    fn query_text(query: &SearchQuery) -> String {
        short(&entries_query(Some(query)).unwrap())
    }

    #[test]
    fn nests_conditions_of_one_row() {
        use SearchQuery::{And, Filter, Not, Or};
        let (a, b) =
            (|| exists_condition("a", FieldLevel::Root), || exists_condition("b", FieldLevel::Child));
        let (c, d) =
            (|| exists_condition("c", FieldLevel::Grandchild), || exists_condition("d", FieldLevel::Child));
        for (query, expected) in [
            (And(vec![a(), b(), c(), d()]), "a and [b and d and [c]]"),
            (Or(vec![a(), b(), c()]), "(a or [b] or [[c]])"),
            (And(vec![b(), Or(vec![a(), d()])]), "(a and [b] or [b and d])"),
            (And(vec![c(), Or(vec![b(), c()])]), "[(b and [c] or [c and c])]"),
            (And(vec![b(), Not(vec![And(vec![d(), c()])])]), "not [d and [c]] and [b]"),
            (Filter(vec![a(), b()]), "filter a and [filter b]"),
            (Or(vec![And(vec![]), b()]), "match_all"),
            (And(vec![Or(vec![]), b()]), "match_none"),
            (Not(vec![]), "match_all"),
        ] {
            assert_eq!(query_text(&query), expected);
        }
    }

    #[test]
    fn refuses_too_many_alternatives() {
        let mixed = |number: u32| {
            SearchQuery::Or(vec![
                exists_condition(&format!("a{number}"), FieldLevel::Root),
                exists_condition(&format!("b{number}"), FieldLevel::Child),
            ])
        };
        assert!(entries_query(Some(&SearchQuery::And((0..4).map(mixed).collect()))).is_ok());
        let refused = entries_query(Some(&SearchQuery::And((0..20).map(mixed).collect())));
        assert!(matches!(refused, Err(IndexError::Refused(_))));
    }
}
