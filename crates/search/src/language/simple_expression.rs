//! Parses simple expressions: one test of one field, e.g. `{"exact": {"field": "key", "value": "a"}}`. Start at
//! [`read`].

use super::resolve_field::{ResolvedField, find, find_any};
use super::{range_bounds, typed_value};
use crate::json_members::{BodyPosition, bool_member, choice_member, integer_member, list, member, object};
use crate::{
    Expressions, FieldRank, Leaf, LeafTest, SearchQuery, SearchValue, SearchableField, SearchableFields,
    limits,
};
use kontor_errors::{ApiResult, shortened};
use kontor_json::{Map, Value as Json};

/// Parses the body of a simple expression.
pub(super) fn read(
    kind: &str,
    body: &Json,
    position: &BodyPosition,
    fields: &dyn SearchableFields,
) -> ApiResult<(SearchQuery, FieldRank)> {
    let members = object(body, position)?;
    let boost = boost(members, position)?;
    if kind == "exists" {
        return exists(members, position, fields, boost);
    }
    let ResolvedField { found, is_spoken, .. } = find(members, position, fields)?;
    allowed(kind, &found, position)?;
    let test = test(kind, members, &found, position)?;
    let test = if is_spoken { test } else { LeafTest::Never };
    Ok((SearchQuery::Leaf(Leaf { field: found.field, boost, test }), found.rank))
}

/// Parses `exists`. For a localized field without a language, any language of the project matches.
fn exists(
    members: &Map,
    position: &BodyPosition,
    fields: &dyn SearchableFields,
    boost: f32,
) -> ApiResult<(SearchQuery, FieldRank)> {
    let (found, language, _) = find_any(members, position, fields)?;
    let leaf = |field, test| SearchQuery::Leaf(Leaf { field, boost, test });
    if found.is_localized && language.is_none() {
        let in_each = fields.languages().iter().map(|language| {
            let field = crate::SearchField { language: Some(language.clone()), ..found.field.clone() };
            leaf(field, LeafTest::Exists)
        });
        return Ok((SearchQuery::Or(in_each.collect()), found.rank));
    }
    let is_spoken = !found.is_localized
        || language.is_some_and(|language| fields.languages().iter().any(|known| **known == *language));
    Ok((leaf(found.field, if is_spoken { LeafTest::Exists } else { LeafTest::Never }), found.rank))
}

/// Refuses an expression that the field does not support.
fn allowed(kind: &str, searchable_field: &SearchableField, position: &BodyPosition) -> ApiResult<()> {
    let kinds: &[&str] = match searchable_field.expressions {
        Expressions::Boolean => &["exact", "exists"],
        Expressions::Ordered => &["exact", "exists", "range"],
        Expressions::Keyword => &["exact", "prefix", "wildcard", "exists"],
        Expressions::Text => {
            &["exact", "fullText", "fullTextPrefix", "fuzzy", "prefix", "wildcard", "exists"]
        }
        Expressions::TextWithoutWildcard => {
            &["exact", "fullText", "fullTextPrefix", "fuzzy", "prefix", "exists"]
        }
    };
    if kinds.contains(&kind) {
        return Ok(());
    }
    Err(position.invalid_value(format_args!(
        "the field {} cannot be used in {kind}, only in {}",
        searchable_field.field.name,
        kinds.join(", ")
    )))
}

fn test(kind: &str, members: &Map, field: &SearchableField, position: &BodyPosition) -> ApiResult<LeafTest> {
    Ok(match kind {
        "exact" => LeafTest::Exact {
            values: values(members, field, position)?,
            case_insensitive: bool_member(members, "caseInsensitive", position)?,
        },
        "fullText" => {
            LeafTest::FullText { text: text(members, field, position)?, all: all(members, position)? }
        }
        "fullTextPrefix" => {
            LeafTest::FullTextPrefix { text: text(members, field, position)?, all: all(members, position)? }
        }
        "fuzzy" => {
            let text = text(members, field, position)?;
            let level = integer_member(members, "level", position)?
                .ok_or_else(|| position.member("level").missing_value())?;
            let level = u8::try_from(level)
                .ok()
                .filter(|level| *level <= limits::FUZZY_LEVEL_MAX)
                .ok_or_else(|| {
                    position.member("level").invalid_value(format_args!("expected 0, 1 or 2, found {level}"))
                })?;
            LeafTest::Fuzzy { text, level, all: all(members, position)? }
        }
        "prefix" => LeafTest::Prefix {
            text: text(members, field, position)?,
            case_insensitive: bool_member(members, "caseInsensitive", position)?,
        },
        "wildcard" => LeafTest::Wildcard {
            pattern: text(members, field, position)?,
            case_insensitive: bool_member(members, "caseInsensitive", position)?,
        },
        _ => range_bounds::read(members, field, position)?,
    })
}

/// Parses `value`, or `values`.
fn values(members: &Map, field: &SearchableField, position: &BodyPosition) -> ApiResult<Vec<SearchValue>> {
    match (member(members, "value"), member(members, "values")) {
        (Some(_), Some(_)) => Err(position.invalid_value("value and values exclude each other")),
        (None, None) => Err(position.member("value").missing_value()),
        (Some(value), None) => Ok(vec![typed_value(value, field, &position.member("value"))?]),
        (None, Some(values)) => {
            let position = position.member("values");
            let values = list(values, &position)?;
            if values.is_empty() || values.len() > limits::VALUES_MAX {
                return Err(position.invalid_value(format_args!(
                    "expected 1 to {} values, found {}",
                    limits::VALUES_MAX,
                    values.len()
                )));
            }
            values
                .iter()
                .enumerate()
                .map(|(index, value)| typed_value(value, field, &position.element(index)))
                .collect()
        }
    }
}

/// Parses `value`, which must be a text.
fn text(members: &Map, field: &SearchableField, position: &BodyPosition) -> ApiResult<String> {
    let position = position.member("value");
    let value = member(members, "value").ok_or_else(|| position.missing_value())?;
    match typed_value(value, field, &position)? {
        SearchValue::Text(text) => Ok(text),
        _ => Err(super::value::type_mismatch(value, field, &position)),
    }
}

/// Parses `mustMatch`: whether all terms must match.
fn all(members: &Map, position: &BodyPosition) -> ApiResult<bool> {
    Ok(choice_member(members, "mustMatch", position, &[("all", true), ("any", false)])?.unwrap_or(true))
}

fn boost(members: &Map, position: &BodyPosition) -> ApiResult<f32> {
    let Some(value) = member(members, "boost") else { return Ok(1.0) };
    let boost = value.as_f64().ok_or_else(|| position.member("boost").unexpected_value("a number", value))?;
    if !(0.0..=limits::BOOST_MAX).contains(&boost) {
        return Err(position.member("boost").invalid_value(format_args!(
            "expected a number from 0 to {}, found {}",
            limits::BOOST_MAX,
            shortened(value)
        )));
    }
    // The value is within the range of `f32`; the lost digits do not matter for a score.
    Ok(boost as f32)
}
