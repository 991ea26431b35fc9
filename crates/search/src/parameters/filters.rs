//! Converts filter expressions of Product Projection Search into queries.

use super::expression::{FilterExpression, FilterItem};
use super::values::{check_count, malformed_parameter, quoted_text};
use crate::json_members::BodyPosition;
use crate::language::typed_value;
use crate::{
    Expressions, FieldKind, FieldProblem, FieldUse, Leaf, LeafTest, SearchField, SearchQuery, SearchValue,
    SearchableField, SearchableFields,
};
use kontor_errors::ApiResult;
use kontor_json::Value as Json;
use std::ops::Bound;

/// The context for parsing filters.
pub(super) struct Filters<'a> {
    pub(super) fields: &'a dyn SearchableFields,
    /// The parameters of the price selection, e.g. `priceCurrency`.
    pub(super) shown: &'a [(String, String)],
}

impl Filters<'_> {
    /// Converts all filters of a parameter.
    pub(super) fn convert_all(
        &self,
        filters: &[FilterExpression],
        parameter: &str,
    ) -> ApiResult<Vec<SearchQuery>> {
        check_count(filters.len(), parameter)?;
        let query = |filter: &FilterExpression| {
            if filter.items().is_empty() {
                let why =
                    format!("{} was sent, expected a value behind the field", quoted_text(filter.path()));
                return Err(malformed_parameter(parameter, why));
            }
            self.query(filter.path(), filter.items(), parameter)
        };
        filters.iter().map(query).collect()
    }

    /// Returns the field of a path.
    pub(super) fn must_find_field(&self, path: &str, parameter: &str) -> ApiResult<SearchableField> {
        self.find_field(path).map_err(|_| {
            malformed_parameter(parameter, format_args!("the field {} is not known", quoted_text(path)))
        })
    }

    pub(super) fn find_field(&self, path: &str) -> Result<SearchableField, FieldProblem> {
        self.fields.find(&FieldUse { name: path, language: None, field_type: None })
    }

    /// Returns the query for a path: at least one of the items must match.
    pub(super) fn query(&self, path: &str, items: &[FilterItem], parameter: &str) -> ApiResult<SearchQuery> {
        let (mut any, mut none) = (Vec::new(), Vec::new());
        let mut values = Vec::new();
        for item in items {
            match item {
                FilterItem::Value(text) => {
                    let found = self.language_field(path, parameter)?;
                    values.push(value(text, &found, parameter)?);
                }
                FilterItem::Range(from, to) => {
                    any.push(self.range(path, (from.as_deref(), to.as_deref()), parameter)?)
                }
                FilterItem::Subtree(id) => {
                    let found = self.must_find_field(&format!("{path}.subtree"), parameter)?;
                    let values = vec![value(id, &found, parameter)?];
                    any.push(leaf_query(found.field, LeafTest::Exact { values, case_insensitive: false }));
                }
                FilterItem::Exists => any.push(self.exists_query(path, parameter)?),
                // The additional condition of the path applies to the missing value, inside of the negation.
                FilterItem::Missing => none.push(SearchQuery::Not(vec![
                    self.add_path_condition(path, self.exists_query(path, parameter)?),
                ])),
            }
        }
        if !values.is_empty() {
            let field = self.language_field(path, parameter)?.field;
            any.push(leaf_query(field, LeafTest::Exact { values, case_insensitive: false }));
        }
        let any = match any.len() {
            0 => None,
            1 => any.pop(),
            _ => Some(SearchQuery::Or(any)),
        };
        none.extend(any.map(|any| self.add_path_condition(path, any)));
        Ok(if none.len() == 1 {
            none.pop().unwrap_or(SearchQuery::Or(Vec::new()))
        } else {
            SearchQuery::Or(none)
        })
    }

    /// Adds the condition of a path that the price selection requires, e.g. the currency for `variants.scopedPrice`.
    pub(super) fn add_path_condition(&self, path: &str, query: SearchQuery) -> SearchQuery {
        match self.fields.scope_condition(path, self.shown) {
            Some(within) => SearchQuery::And(vec![query, within]),
            None => query,
        }
    }

    /// Returns the query for entries with a value at the path.
    pub(super) fn exists_query(&self, path: &str, parameter: &str) -> ApiResult<SearchQuery> {
        let found = self.must_find_field(path, parameter)?;
        if found.is_localized && found.field.language.is_none() {
            let in_each = self.fields.languages().iter().map(|language| {
                leaf_query(
                    SearchField { language: Some(language.clone()), ..found.field.clone() },
                    LeafTest::Exists,
                )
            });
            return Ok(SearchQuery::Or(in_each.collect()));
        }
        Ok(leaf_query(found.field, LeafTest::Exists))
    }

    /// Returns the query for a range, both ends included.
    fn range(
        &self,
        path: &str,
        (from, to): (Option<&str>, Option<&str>),
        parameter: &str,
    ) -> ApiResult<SearchQuery> {
        let found = self.ordered_field(path, parameter)?;
        let end = |text: Option<&str>| -> ApiResult<Bound<SearchValue>> {
            text.map_or(Ok(Bound::Unbounded), |text| value(text, &found, parameter).map(Bound::Included))
        };
        let bounds = (end(from)?, end(to)?);
        Ok(match bounds {
            (Bound::Unbounded, Bound::Unbounded) => leaf_query(found.field, LeafTest::Exists),
            bounds => leaf_query(found.field, LeafTest::Range(bounds)),
        })
    }

    /// Returns the field of a path whose values are ordered.
    pub(super) fn ordered_field(&self, path: &str, parameter: &str) -> ApiResult<SearchableField> {
        let found = self.must_find_field(path, parameter)?;
        if found.expressions != Expressions::Ordered {
            return Err(malformed_parameter(
                parameter,
                format_args!("the field {} has no ranges", quoted_text(path)),
            ));
        }
        Ok(found)
    }

    /// Returns the field of a path, which must name a language if the field is localized.
    pub(super) fn language_field(&self, path: &str, parameter: &str) -> ApiResult<SearchableField> {
        let found = self.must_find_field(path, parameter)?;
        if found.is_localized && found.field.language.is_none() {
            return Err(malformed_parameter(
                parameter,
                format_args!("the field {} needs a language", quoted_text(path)),
            ));
        }
        Ok(found)
    }
}

/// Returns the `and` of queries; `None` if there are none.
pub(super) fn and_query(mut queries: Vec<SearchQuery>) -> Option<SearchQuery> {
    match queries.len() {
        0 | 1 => queries.pop(),
        _ => Some(SearchQuery::And(queries)),
    }
}

/// Returns a query with one condition.
pub(super) fn leaf_query(field: SearchField, test: LeafTest) -> SearchQuery {
    SearchQuery::Leaf(Leaf { field, boost: 1.0, test })
}

/// Parses a value of a field. Numbers and booleans have no quotes, all other values have; neither is required.
pub(super) fn value(
    text: &str,
    searchable_field: &SearchableField,
    parameter: &str,
) -> ApiResult<SearchValue> {
    let json = match searchable_field.field.kind {
        FieldKind::Boolean | FieldKind::Long | FieldKind::Double => {
            kontor_json::from_str(text).unwrap_or_else(|_| Json::String(text.to_owned()))
        }
        FieldKind::Time | FieldKind::Keyword | FieldKind::Id | FieldKind::Text => {
            Json::String(text.to_owned())
        }
    };
    typed_value(&json, searchable_field, &BodyPosition::new(&format!("Malformed parameter: {parameter}")))
}
