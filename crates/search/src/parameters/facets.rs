//! Facets: terms, ranges, and what passes a filter.
//!
//! One facet of a request is several of the index: how many there are, how many have the field, how many have each value.

use super::expression::{self, Expression, Item, Token};
use super::filters::{Filters, leaf, value};
use super::{all_of, malformed, repeated, sent};
use crate::{
    BucketOrder, Counted, Facet, FacetAnswer, FacetKind, FacetResult, Field, FieldType, FieldUse, Kind,
    Level, Query, Scope, Stats, Test, Value, limits,
};
use kontor_errors::{ApiError, ApiResult, Code};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::ops::Bound;

/// What the keys of moments end with where they are the first of a day.
const MIDNIGHT: &str = "T00:00:00.000Z";

/// A facet that was asked for.
#[derive(Debug)]
pub struct AskedFacet {
    name: String,
    /// Entries are counted beside their children.
    counts_entries: bool,
    asked: Asked,
}

#[derive(Debug)]
enum Asked {
    Terms { kind: Kind, data_type: &'static str },
    Ranges { kind: Kind, ends: Vec<(Option<Value>, Option<Value>)> },
    Filtered,
}

/// The facets of a request, and what the index counts for them, in the same sequence.
pub(super) fn read(reader: &Filters<'_>) -> ApiResult<(Vec<AskedFacet>, Vec<Facet>)> {
    let filters = reader.all_with_paths("filter.facets")?;
    let (mut asked, mut counted) = (Vec::new(), Vec::new());
    for text in repeated(reader.parameters, "facet")? {
        let (text, counts_entries) = match text.trim_end().strip_suffix("counting products") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (text, alias) = aliased(text.trim());
        let Expression { path, items } = expression::read(text, "facet")?;
        if reader.look(&path).is_err() {
            return Err(ApiError::new(
                Code::SearchFacetPathNotFound,
                format!("Facet path {path} not found."),
            ));
        }
        // What narrows the facet: all filters but those of its own field.
        let others: Vec<Query> =
            filters.iter().filter(|(of, _)| *of != path).map(|(_, query)| query.clone()).collect();
        let mut counting = Counting { counts_entries, others, level: Level::Root, counted: &mut counted };
        let name = alias.map_or_else(|| path.clone(), str::to_owned);
        let asked_of = counting.facet(reader, &path, &items)?;
        asked.push(AskedFacet { name, counts_entries, asked: asked_of });
    }
    Ok((asked, counted))
}

/// What stands before ` as `, and the name behind it.
fn aliased(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(" as ") {
        Some((before, name)) if !name.contains(['"', ')', '(', ',']) && !name.trim().is_empty() => {
            (before.trim_end(), Some(name.trim()))
        }
        _ => (text, None),
    }
}

struct Counting<'c> {
    counts_entries: bool,
    others: Vec<Query>,
    level: Level,
    counted: &'c mut Vec<Facet>,
}

impl Counting<'_> {
    fn facet(&mut self, reader: &Filters<'_>, path: &str, items: &[Item]) -> ApiResult<Asked> {
        if items.is_empty() {
            let found = reader.in_language(path, "facet")?;
            let field = found.field;
            self.level = field.level;
            self.terms(reader, path, &field);
            let data_type =
                data_type(reader, path, field.kind, found.expressions == crate::Expressions::Ordered);
            return Ok(Asked::Terms { kind: field.kind, data_type });
        }
        let ranges: Vec<(&Option<Token>, &Option<Token>)> = items
            .iter()
            .filter_map(|item| match item {
                Item::Range(from, to) => Some((from, to)),
                _ => None,
            })
            .collect();
        if ranges.is_empty() {
            self.level = reader.found(path, "facet")?.field.level;
            let query = reader.query(path, items, "facet")?;
            self.count(Some(query), FacetKind::Count);
            return Ok(Asked::Filtered);
        }
        if ranges.len() < items.len() || ranges.len() > limits::FACET_VALUES_MAX {
            return Err(malformed("facet", format_args!("the ranges of {} stand beside values", sent(path))));
        }
        let found = reader.ordered(path, "facet")?;
        self.level = found.field.level;
        let mut ends = Vec::new();
        for (from, to) in ranges {
            let end =
                |token: &Option<Token>| token.as_ref().map(|token| value(token, &found, "facet")).transpose();
            let (from, to) = (end(from)?, end(to)?);
            self.range(reader, path, &found.field, (&from, &to));
            ends.push((from, to));
        }
        Ok(Asked::Ranges { kind: found.field.kind, ends })
    }

    fn terms(&mut self, reader: &Filters<'_>, path: &str, field: &Field) {
        let has_value = reader.within(path, leaf(field.clone(), Test::Exists));
        let distinct = FacetKind::Distinct {
            field: field.clone(),
            includes: None,
            order: BucketOrder::Count,
            descending: true,
            limit: usize::MAX,
            missing: None,
        };
        self.one(None, self.children(), FacetKind::Count);
        self.one(Some(has_value.clone()), self.children(), FacetKind::Count);
        self.count(Some(has_value), distinct);
    }

    /// What lies in a range: its beginning belongs to it, its end does not.
    fn range(
        &mut self,
        reader: &Filters<'_>,
        path: &str,
        field: &Field,
        (from, to): (&Option<Value>, &Option<Value>),
    ) {
        let lower = from.clone().map_or(Bound::Unbounded, Bound::Included);
        let upper = to.clone().map_or(Bound::Unbounded, Bound::Excluded);
        let test = match (&lower, &upper) {
            (Bound::Unbounded, Bound::Unbounded) => Test::Exists,
            _ => Test::Range((lower, upper)),
        };
        let within = reader.within(path, leaf(field.clone(), test));
        self.one(Some(within.clone()), Counted::Entries, FacetKind::Stats { field: field.clone() });
        self.count(Some(within), FacetKind::Count);
    }

    /// Counts, and counts entries beside that where both are asked for.
    fn count(&mut self, filter: Option<Query>, kind: FacetKind) {
        self.one(filter.clone(), self.children(), kind.clone());
        if self.counts_entries {
            self.one(filter, Counted::Entries, kind);
        }
    }

    /// What is of the entry itself is counted by entries.
    fn children(&self) -> Counted {
        if self.level == Level::Root { Counted::Entries } else { Counted::Children }
    }

    fn one(&mut self, filter: Option<Query>, counted: Counted, kind: FacetKind) {
        let mut all = self.others.clone();
        all.extend(filter);
        let name = self.counted.len().to_string();
        self.counted.push(Facet { name, scope: Scope::Query, filter: all_of(all), counted, kind });
    }
}

/// Reference type `TermFacetResultType`.
fn data_type(reader: &Filters<'_>, path: &str, kind: Kind, is_ordered: bool) -> &'static str {
    let is_day =
        || reader.fields.find(&FieldUse { name: path, language: None, field_type: Some(FieldType::Date) });
    match kind {
        Kind::Boolean => "boolean",
        Kind::Long | Kind::Double => "number",
        Kind::Time if path.contains(".attributes.") && is_day().is_ok() => "date",
        Kind::Time => "datetime",
        Kind::Keyword if is_ordered => "time",
        Kind::Keyword | Kind::Text => "text",
    }
}

/// The `facets` of an answer: reference type `FacetResults`.
#[must_use]
pub fn write(asked: &[AskedFacet], counted: Vec<FacetAnswer>) -> Json {
    let mut counted = counted.into_iter().map(|facet| facet.result);
    let mut facets = Map::new();
    for facet in asked {
        let json = match &facet.asked {
            Asked::Filtered => {
                let mut json = json!({"type": "filter", "count": number(counted.next())});
                if facet.counts_entries {
                    json["productCount"] = json!(number(counted.next()));
                }
                json
            }
            Asked::Terms { kind, data_type } => terms(facet, *kind, data_type, &mut counted),
            Asked::Ranges { kind, ends } => {
                let ranges: Vec<Json> =
                    ends.iter().map(|ends| range(facet, *kind, ends, &mut counted)).collect();
                json!({"type": "range", "dataType": range_type(*kind), "ranges": ranges})
            }
        };
        facets.insert(facet.name.clone(), json);
    }
    Json::Object(facets)
}

fn terms(
    facet: &AskedFacet,
    kind: Kind,
    data_type: &str,
    counted: &mut impl Iterator<Item = FacetResult>,
) -> Json {
    let (things, with_value) = (number(counted.next()), number(counted.next()));
    let mut terms: Vec<(String, u64, u64)> =
        buckets(counted.next()).into_iter().map(|(key, count)| (key, count, 0)).collect();
    if facet.counts_entries {
        let entries: HashMap<String, u64> = buckets(counted.next()).into_iter().collect();
        for (key, _, of_entries) in &mut terms {
            *of_entries = entries.get(key).copied().unwrap_or_default();
        }
        terms.sort_by_key(|(_, _, of_entries)| std::cmp::Reverse(*of_entries));
    }
    let total: u64 = terms.iter().map(|(_, count, _)| count).sum();
    terms.truncate(limits::BUCKETS_MAX);
    let shown: u64 = terms.iter().map(|(_, count, _)| count).sum();
    let terms: Vec<Json> = terms
        .into_iter()
        .map(|(key, count, of_entries)| {
            let mut term = json!({"term": term_of(key, kind, data_type), "count": count});
            if facet.counts_entries {
                term["productCount"] = json!(of_entries);
            }
            term
        })
        .collect();
    json!({
        "type": "terms",
        "dataType": data_type,
        "missing": things.saturating_sub(with_value),
        "total": total,
        "other": total - shown,
        "terms": terms,
    })
}

/// Numbers of Attributes are decimals, days have no time.
fn term_of(key: String, kind: Kind, data_type: &str) -> String {
    match kind {
        Kind::Double if !key.contains(['.', 'e']) => format!("{key}.0"),
        Kind::Time if data_type == "date" => key.strip_suffix(MIDNIGHT).unwrap_or(&key).to_owned(),
        _ => key,
    }
}

/// Reference type `FacetRange`. An end that is open is 0 and an empty text.
fn range(
    facet: &AskedFacet,
    kind: Kind,
    (from, to): &(Option<Value>, Option<Value>),
    counted: &mut impl Iterator<Item = FacetResult>,
) -> Json {
    let stats = match counted.next() {
        Some(FacetResult::Stats(stats)) => stats,
        _ => Stats::default(),
    };
    let number_of = |value: &Option<Value>| value.as_ref().map_or(json!(0), figure);
    let text_of = |value: &Option<Value>| value.as_ref().map(Value::key).unwrap_or_default();
    let mut range = json!({
        "type": range_type(kind),
        "from": number_of(from),
        "fromStr": text_of(from),
        "to": number_of(to),
        "toStr": text_of(to),
        "count": number(counted.next()),
        "totalCount": stats.count,
        "total": whole(stats.sum.unwrap_or_default()),
        "min": number_of(&stats.min),
        "max": number_of(&stats.max),
        "mean": whole(stats.mean.unwrap_or_default()),
    });
    if facet.counts_entries {
        range["productCount"] = json!(number(counted.next()));
    }
    range
}

fn range_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Time => "dateTime",
        Kind::Keyword => "time",
        _ => "double",
    }
}

/// A value as a number; moments are milliseconds since 1970.
fn figure(value: &Value) -> Json {
    match value {
        Value::Long(value) | Value::Time(value) => json!(value),
        Value::Double(value) => whole(*value),
        Value::Boolean(_) | Value::Text(_) => json!(0),
    }
}

/// A number without needless digits.
fn whole(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

fn number(result: Option<FacetResult>) -> u64 {
    match result {
        Some(FacetResult::Count(count)) => count,
        _ => 0,
    }
}

fn buckets(result: Option<FacetResult>) -> Vec<(String, u64)> {
    match result {
        Some(FacetResult::Buckets(buckets)) => {
            buckets.into_iter().map(|bucket| (bucket.key, bucket.count)).collect()
        }
        _ => Vec::new(),
    }
}
