//! Converts one condition on a field into an OpenSearch query of the documents on its level.

use crate::{column, token};
use kontor_json::{Value as Json, json};
use kontor_search::analysis::{QueryTerm, fold_case, fuzziness, query_terms};
use kontor_search::{
    FieldKind, Leaf, LeafTest, PatternPiece, SearchField, SearchValue, ValueBounds, WildcardPattern,
};
use std::ops::Bound;

/// Returns a query that matches nothing.
pub(crate) fn match_none() -> Json {
    json!({"match_none": {}})
}

/// Returns the query of a condition.
pub(crate) fn leaf_query(leaf: &Leaf) -> Json {
    let field = &leaf.field;
    let requested = match &leaf.test {
        LeafTest::Never => return match_none(),
        LeafTest::Exists => has_value(field),
        LeafTest::Lacks { values } => {
            json!({"bool": {"filter": [has_value(field)], "must_not": [exact(field, values, false)]}})
        }
        LeafTest::Exact { values, case_insensitive } => exact(field, values, *case_insensitive),
        LeafTest::Range(bounds) => range(field, bounds),
        LeafTest::Prefix { text, case_insensitive } => match text_field(field, text, *case_insensitive) {
            Some((place, text)) => json!({"prefix": {place: {"value": token::text(field, &text)}}}),
            None => return match_none(),
        },
        LeafTest::Wildcard { pattern, case_insensitive } => {
            match text_field(field, pattern, *case_insensitive) {
                Some((place, pattern)) => json!({"wildcard": {place: {"value": wildcard(field, &pattern)}}}),
                None => return match_none(),
            }
        }
        LeafTest::FullText { text, all } => term_queries(field, text, *all, |term, _| {
            vec![json!({"term": {terms_path(field): {"value": token::text(field, &term.stem)}}})]
        }),
        LeafTest::FullTextPrefix { text, all } => term_queries(field, text, *all, |term, is_last| {
            let place = terms_path(field);
            let mut either = vec![json!({"term": {&place: {"value": token::text(field, &term.stem)}}})];
            if is_last {
                either.push(json!({"prefix": {place: {"value": token::text(field, &term.surface)}}}));
            }
            either
        }),
        LeafTest::Fuzzy { text, level, all } => {
            term_queries(field, text, *all, |term, _| fuzzy(field, term, *level))
        }
    };
    boosted(requested, leaf.boost)
}

/// Returns a query for nodes with a value of the field.
fn has_value(field: &SearchField) -> Json {
    json!({"term": {column::field_path(field.level, "fields"): {"value": token::name(field)}}})
}

/// Returns the path of the field that holds terms.
fn terms_path(field: &SearchField) -> String {
    column::field_path(field.level, "terms")
}

fn boosted(request: Json, boost: f32) -> Json {
    // The usual boost of 1 is omitted.
    if (boost - 1.0).abs() < f32::EPSILON {
        request
    } else {
        json!({"bool": {"must": [request], "boost": boost}})
    }
}

fn exact(field: &SearchField, values: &[SearchValue], case_insensitive: bool) -> Json {
    let is_folded =
        case_insensitive && matches!(field.kind, FieldKind::Keyword | FieldKind::Id | FieldKind::Text);
    let mut words = values.iter().map(|value| match value {
        SearchValue::Text(text) if is_folded => token::text(field, &fold_case(text)),
        other => token::value(field, other),
    });
    let place = column::field_path(field.level, if is_folded { "folded" } else { "values" });
    match (words.len(), words.next()) {
        (1, Some(word)) => json!({"term": {place: {"value": word}}}),
        (_, first) => json!({"terms": {place: first.into_iter().chain(words).collect::<Vec<_>>()}}),
    }
}

fn range(field: &SearchField, (lower, upper): &ValueBounds) -> Json {
    let mut bounds = json!({"gte": token::text(field, ""), "lt": token::end_of_field(field)});
    match lower {
        Bound::Unbounded => {}
        Bound::Included(from) => bounds["gte"] = token::value(field, from).into(),
        Bound::Excluded(from) => bounds = json!({"gt": token::value(field, from), "lt": bounds["lt"]}),
    }
    match upper {
        Bound::Unbounded => {}
        Bound::Excluded(to) => bounds["lt"] = token::value(field, to).into(),
        Bound::Included(to) => {
            if let Some(bounds) = bounds.as_object_mut() {
                bounds.remove("lt");
                bounds.insert("lte", token::value(field, to).into());
            }
        }
    }
    json!({"range": {column::field_path(field.level, "values"): bounds}})
}

/// Returns the path of a field's texts and the text to compare; `None` for fields without texts.
fn text_field(field: &SearchField, text: &str, case_insensitive: bool) -> Option<(String, String)> {
    if !matches!(field.kind, FieldKind::Keyword | FieldKind::Id | FieldKind::Text) {
        return None;
    }
    let (name, text) =
        if case_insensitive { ("folded", fold_case(text)) } else { ("values", text.to_owned()) };
    Some((column::field_path(field.level, name), text))
}

/// Returns a wildcard pattern in Lucene's syntax, prefixed with the name of its field.
fn wildcard(field: &SearchField, pattern: &str) -> String {
    let name = token::text(field, "");
    let pattern = WildcardPattern::new(pattern, false);
    let pieces = name.chars().map(PatternPiece::Char).chain(pattern.pieces().iter().copied());
    let mut written = String::new();
    for piece in pieces {
        match piece {
            PatternPiece::Char(letter) => {
                if matches!(letter, '*' | '?' | '\\') {
                    written.push('\\');
                }
                written.push(letter);
            }
            PatternPiece::One => written.push('?'),
            PatternPiece::Any => written.push('*'),
        }
    }
    written
}

/// Returns queries for terms that are similar to a term or its stem.
fn fuzzy(field: &SearchField, term: &QueryTerm, level: u8) -> Vec<Json> {
    let edits = fuzziness(level, &term.surface);
    let untouched = token::text(field, "").chars().count();
    let like = |text: &str| {
        let word = token::text(field, text);
        if edits == 0 {
            return json!({"term": {terms_path(field): {"value": word}}});
        }
        // This rewrite method considers all similar terms, however many.
        json!({"fuzzy": {terms_path(field): {
            "value": word, "fuzziness": edits, "prefix_length": untouched, "transpositions": true, "rewrite": "constant_score",
        }}})
    };
    match term.surface == term.stem {
        true => vec![like(&term.surface)],
        false => vec![like(&term.surface), like(&term.stem)],
    }
}

/// Combines the queries of each term in a text: all of them must match, or any. A text without terms matches nothing.
fn term_queries(
    field: &SearchField,
    text: &str,
    all: bool,
    ask: impl Fn(&QueryTerm, bool) -> Vec<Json>,
) -> Json {
    if field.kind != FieldKind::Text {
        return match_none();
    }
    let requested = query_terms(field.language.as_deref(), text);
    let last = requested.len().saturating_sub(1);
    let parts = requested.iter().enumerate().map(|(at, term)| any(ask(term, at == last)));
    let parts: Vec<Json> = parts.collect();
    if all && !parts.is_empty() { self::all(parts) } else { any(parts) }
}

/// Combines queries of which one must match.
pub(crate) fn any(mut parts: Vec<Json>) -> Json {
    match parts.len() {
        0 => match_none(),
        1 => parts.remove(0),
        _ => json!({"bool": {"should": parts, "minimum_should_match": 1}}),
    }
}

/// Combines queries that all must match.
pub(crate) fn all(mut parts: Vec<Json>) -> Json {
    match parts.len() {
        0 => json!({"match_all": {}}),
        1 => parts.remove(0),
        _ => json!({"bool": {"must": parts}}),
    }
}
