//! Converts filter expressions of Product Projection Search into queries.

use super::expression::{Expression, Item};
use super::values::{few, malformed, sent};
use crate::json::Place;
use crate::language::typed;
use crate::{Expressions, Field, FieldProblem, FieldUse, Fields, Found, Kind, Leaf, Query, Test, Value};
use kontor_errors::ApiResult;
use kontor_json::Value as Json;
use std::ops::Bound;

/// The context for parsing filters.
pub(super) struct Filters<'a> {
    pub(super) fields: &'a dyn Fields,
    /// The parameters for the presentation of documents, e.g. the price selection.
    pub(super) shown: &'a [(String, String)],
}

impl Filters<'_> {
    /// Converts all filters of a parameter.
    pub(super) fn all(&self, filters: &[Expression], parameter: &str) -> ApiResult<Vec<Query>> {
        few(filters.len(), parameter)?;
        let query = |filter: &Expression| {
            if filter.items().is_empty() {
                let why = format!("{} was sent, expected a value behind the field", sent(filter.path()));
                return Err(malformed(parameter, why));
            }
            self.query(filter.path(), filter.items(), parameter)
        };
        filters.iter().map(query).collect()
    }

    /// Returns the field of a path.
    pub(super) fn found(&self, path: &str, parameter: &str) -> ApiResult<Found> {
        self.look(path)
            .map_err(|_| malformed(parameter, format_args!("the field {} is not known", sent(path))))
    }

    pub(super) fn look(&self, path: &str) -> Result<Found, FieldProblem> {
        self.fields.find(&FieldUse { name: path, language: None, field_type: None })
    }

    /// Returns the query for a path: at least one of the items must match.
    pub(super) fn query(&self, path: &str, items: &[Item], parameter: &str) -> ApiResult<Query> {
        let (mut any, mut none) = (Vec::new(), Vec::new());
        let mut values = Vec::new();
        for item in items {
            match item {
                Item::Value(text) => {
                    let found = self.in_language(path, parameter)?;
                    values.push(value(text, &found, parameter)?);
                }
                Item::Range(from, to) => {
                    any.push(self.range(path, (from.as_deref(), to.as_deref()), parameter)?)
                }
                Item::Subtree(id) => {
                    let found = self.found(&format!("{path}.subtree"), parameter)?;
                    let values = vec![value(id, &found, parameter)?];
                    any.push(leaf(found.field, Test::Exact { values, case_insensitive: false }));
                }
                Item::Exists => any.push(self.exists(path, parameter)?),
                // The additional condition of the path applies to the missing value, inside of the negation.
                Item::Missing => {
                    none.push(Query::Not(vec![self.within(path, self.exists(path, parameter)?)]))
                }
            }
        }
        if !values.is_empty() {
            let field = self.in_language(path, parameter)?.field;
            any.push(leaf(field, Test::Exact { values, case_insensitive: false }));
        }
        let any = match any.len() {
            0 => None,
            1 => any.pop(),
            _ => Some(Query::Or(any)),
        };
        none.extend(any.map(|any| self.within(path, any)));
        Ok(if none.len() == 1 { none.pop().unwrap_or(Query::Or(Vec::new())) } else { Query::Or(none) })
    }

    /// Adds the additional condition of a path to its query.
    pub(super) fn within(&self, path: &str, query: Query) -> Query {
        match self.fields.within(path, self.shown) {
            Some(within) => Query::And(vec![query, within]),
            None => query,
        }
    }

    /// Returns the query for entries with a value at the path.
    pub(super) fn exists(&self, path: &str, parameter: &str) -> ApiResult<Query> {
        let found = self.found(path, parameter)?;
        if found.is_localized && found.field.language.is_none() {
            let in_each = self.fields.languages().iter().map(|language| {
                leaf(Field { language: Some(language.clone()), ..found.field.clone() }, Test::Exists)
            });
            return Ok(Query::Or(in_each.collect()));
        }
        Ok(leaf(found.field, Test::Exists))
    }

    /// Returns the query for a range, both ends included.
    fn range(
        &self,
        path: &str,
        (from, to): (Option<&str>, Option<&str>),
        parameter: &str,
    ) -> ApiResult<Query> {
        let found = self.ordered(path, parameter)?;
        let end = |text: Option<&str>| -> ApiResult<Bound<Value>> {
            text.map_or(Ok(Bound::Unbounded), |text| value(text, &found, parameter).map(Bound::Included))
        };
        let bounds = (end(from)?, end(to)?);
        Ok(match bounds {
            (Bound::Unbounded, Bound::Unbounded) => leaf(found.field, Test::Exists),
            bounds => leaf(found.field, Test::Range(bounds)),
        })
    }

    /// Returns the field of a path whose values are ordered.
    pub(super) fn ordered(&self, path: &str, parameter: &str) -> ApiResult<Found> {
        let found = self.found(path, parameter)?;
        if found.expressions != Expressions::Ordered {
            return Err(malformed(parameter, format_args!("the field {} has no ranges", sent(path))));
        }
        Ok(found)
    }

    /// Returns the field of a path, which must name a language if the field is localized.
    pub(super) fn in_language(&self, path: &str, parameter: &str) -> ApiResult<Found> {
        let found = self.found(path, parameter)?;
        if found.is_localized && found.field.language.is_none() {
            return Err(malformed(parameter, format_args!("the field {} needs a language", sent(path))));
        }
        Ok(found)
    }
}

/// Returns the `and` of queries; `None` if there are none.
pub(super) fn all_of(mut queries: Vec<Query>) -> Option<Query> {
    match queries.len() {
        0 | 1 => queries.pop(),
        _ => Some(Query::And(queries)),
    }
}

/// Returns a query with one condition.
pub(super) fn leaf(field: Field, test: Test) -> Query {
    Query::Leaf(Leaf { field, boost: 1.0, test })
}

/// Parses a value of a field. Numbers and booleans have no quotes, all other values have; neither is required.
pub(super) fn value(text: &str, found: &Found, parameter: &str) -> ApiResult<Value> {
    let json = match found.field.kind {
        Kind::Boolean | Kind::Long | Kind::Double => {
            kontor_json::from_str(text).unwrap_or_else(|_| Json::String(text.to_owned()))
        }
        Kind::Time | Kind::Keyword | Kind::Id | Kind::Text => Json::String(text.to_owned()),
    };
    typed(&json, found, &Place::new(&format!("Malformed parameter: {parameter}")))
}
