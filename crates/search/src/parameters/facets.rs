//! Facets of Product Projection Search: terms, ranges, and filters. Start at [`read`].
//!
//! One facet of a request becomes several of the index: the total, the number of documents with the field,
//! the number for each value.

use super::expression::FilterItem;
use super::filters::{Filters, and_query, leaf_query, value};
use super::values::{check_count, malformed_parameter, quoted_text};
use super::{FacetExpression, ParameterSearchRequest};
use crate::json_response::day_of;
use crate::{
    Bucket, BucketOrder, CountedNodes, Facet, FacetKind, FacetResult, FacetScope, FieldKind, FieldLevel,
    LeafTest, NamedFacetResult, SearchField, SearchQuery, SearchValue, SearchableField, Stats, limits,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value as Json, json};
use std::collections::HashMap;
use std::ops::Bound;

/// The first time of day.
const MIDNIGHT: &str = "00:00:00.000";

/// A requested facet.
#[derive(Debug)]
pub struct RequestedFacet {
    name: String,
    /// Whether entries are counted in addition to their children.
    counts_entries: bool,
    kind: RequestedFacetKind,
}

#[derive(Debug)]
enum RequestedFacetKind {
    Terms { kind: FieldKind, data_type: &'static str },
    Ranges { kind: FieldKind, ends: Vec<(Option<SearchValue>, Option<SearchValue>)> },
    Filtered,
}

/// Returns the facets of a request, and the facets that the index must count for them, in the same order.
pub(super) fn read(
    search: &ParameterSearchRequest,
    reader: &Filters<'_>,
) -> ApiResult<(Vec<RequestedFacet>, Vec<Facet>)> {
    let filters = reader.convert_all(&search.facet_filters, "filter.facets")?;
    check_count(search.facets.len(), "facet")?;
    let (mut requested, mut counted) = (Vec::new(), Vec::new());
    for FacetExpression { expression, alias, counts_entries } in &search.facets {
        let (path, counts_entries) = (expression.path(), *counts_entries);
        if reader.find_field(path).is_err() {
            return Err(ApiError::new(
                Code::SearchFacetPathNotFound,
                format!("Facet path {path} not found."),
            ));
        }
        // All filters except those of its own field restrict the facet.
        let filters = search.facet_filters.iter().zip(&filters);
        let others = filters.filter(|(of, _)| of.path() != path).map(|(_, query)| query.clone()).collect();
        let mut counting =
            FacetCounting { counts_entries, others, level: FieldLevel::Root, counted: &mut counted };
        let name = alias.as_deref().unwrap_or(path).to_owned();
        let asked_of = counting.facet(reader, path, expression.items())?;
        requested.push(RequestedFacet { name, counts_entries, kind: asked_of });
    }
    Ok((requested, counted))
}

struct FacetCounting<'c> {
    counts_entries: bool,
    others: Vec<SearchQuery>,
    level: FieldLevel,
    counted: &'c mut Vec<Facet>,
}

impl FacetCounting<'_> {
    fn facet(
        &mut self,
        reader: &Filters<'_>,
        path: &str,
        items: &[FilterItem],
    ) -> ApiResult<RequestedFacetKind> {
        if items.is_empty() {
            let found = reader.language_field(path, "facet")?;
            let field = found.field;
            self.level = field.level;
            self.terms(reader, path, &field);
            let data_type =
                data_type(reader, path, field.kind, found.expressions == crate::Expressions::Ordered);
            return Ok(RequestedFacetKind::Terms { kind: field.kind, data_type });
        }
        let ranges: Vec<(&Option<String>, &Option<String>)> = items
            .iter()
            .filter_map(|item| match item {
                FilterItem::Range(from, to) => Some((from, to)),
                _ => None,
            })
            .collect();
        if ranges.is_empty() {
            self.level = reader.must_find_field(path, "facet")?.field.level;
            let query = reader.query(path, items, "facet")?;
            self.count(Some(query), FacetKind::Count);
            return Ok(RequestedFacetKind::Filtered);
        }
        if ranges.len() < items.len() || ranges.len() > limits::FACET_VALUES_MAX {
            return Err(malformed_parameter(
                "facet",
                format_args!("the ranges of {} are combined with values", quoted_text(path)),
            ));
        }
        let found = reader.ordered_field(path, "facet")?;
        self.level = found.field.level;
        let mut ends = Vec::new();
        for (from, to) in ranges {
            let end = |text: &Option<String>| text.as_ref().map(|text| end_of(text, &found)).transpose();
            let (from, to) = (end(from)?, end(to)?);
            self.range(reader, path, &found.field, (&from, &to));
            ends.push((from, to));
        }
        Ok(RequestedFacetKind::Ranges { kind: found.field.kind, ends })
    }

    fn terms(&mut self, reader: &Filters<'_>, path: &str, field: &SearchField) {
        let has_value = reader.add_path_condition(path, leaf_query(field.clone(), LeafTest::Exists));
        let distinct = FacetKind::Distinct {
            field: field.clone(),
            includes: None,
            order: BucketOrder::Count,
            descending: true,
            limit: usize::MAX,
            missing: None,
        };
        self.add_facet(None, self.children(), FacetKind::Count);
        self.add_facet(Some(has_value.clone()), self.children(), FacetKind::Count);
        self.count(Some(has_value), distinct);
    }

    /// Adds the values in a range: its lower bound is included, its upper bound is not.
    fn range(
        &mut self,
        reader: &Filters<'_>,
        path: &str,
        field: &SearchField,
        (from, to): (&Option<SearchValue>, &Option<SearchValue>),
    ) {
        let lower = from.clone().map_or(Bound::Unbounded, Bound::Included);
        let upper = to.clone().map_or(Bound::Unbounded, Bound::Excluded);
        let test = match (&lower, &upper) {
            (Bound::Unbounded, Bound::Unbounded) => LeafTest::Exists,
            _ => LeafTest::Range((lower, upper)),
        };
        let within = reader.add_path_condition(path, leaf_query(field.clone(), test));
        self.add_facet(
            Some(within.clone()),
            CountedNodes::Entries,
            FacetKind::Stats { field: field.clone() },
        );
        self.count(Some(within), FacetKind::Count);
    }

    /// Adds a count, and a count of entries if both are requested.
    fn count(&mut self, filter: Option<SearchQuery>, kind: FacetKind) {
        self.add_facet(filter.clone(), self.children(), kind.clone());
        if self.counts_entries {
            self.add_facet(filter, CountedNodes::Entries, kind);
        }
    }

    /// Fields of the entry itself are counted by entries, others by children.
    fn children(&self) -> CountedNodes {
        if self.level == FieldLevel::Root { CountedNodes::Entries } else { CountedNodes::Children }
    }

    fn add_facet(&mut self, filter: Option<SearchQuery>, counted: CountedNodes, kind: FacetKind) {
        let mut all = self.others.clone();
        all.extend(filter);
        let name = self.counted.len().to_string();
        let filter = and_query(all);
        self.counted.push(Facet { name, scope: FacetScope::Query, filter, counted, kind, holds_days: false });
    }
}

/// Returns the data type in the response. Reference type `TermFacetResultType`.
fn data_type(reader: &Filters<'_>, path: &str, kind: FieldKind, is_ordered: bool) -> &'static str {
    match kind {
        FieldKind::Boolean => "boolean",
        FieldKind::Long | FieldKind::Double => "number",
        FieldKind::Time if reader.fields.holds_days(path) => "date",
        FieldKind::Time => "datetime",
        FieldKind::Keyword if is_ordered => "time",
        FieldKind::Keyword | FieldKind::Id | FieldKind::Text => "text",
    }
}

/// The results of a request's facets.
#[derive(Debug)]
pub struct FacetResponse {
    /// The requested facets.
    pub requested: Vec<RequestedFacet>,
    /// The counts of the index for them.
    pub counted: Vec<NamedFacetResult>,
    /// The name of the number of entries in the response, next to that of their children: `productCount`.
    pub entry_count: String,
}

impl FacetResponse {
    /// Returns the JSON of the reference type `FacetResults`.
    pub fn into_json(self) -> Json {
        let mut writer = FacetWriter { entry_count: &self.entry_count, counted: self.counted.into_iter() };
        Json::Object(self.requested.iter().map(|facet| (facet.name.clone(), writer.facet(facet))).collect())
    }
}

/// Converts the counts of the index to JSON, one after the other.
struct FacetWriter<'w> {
    entry_count: &'w str,
    counted: std::vec::IntoIter<NamedFacetResult>,
}

impl FacetWriter<'_> {
    fn facet(&mut self, facet: &RequestedFacet) -> Json {
        match &facet.kind {
            RequestedFacetKind::Filtered => {
                let mut json = json!({"type": "filter", "count": self.number()});
                self.add_entry_count(facet, &mut json);
                json
            }
            RequestedFacetKind::Terms { kind, data_type } => self.terms(facet, *kind, data_type),
            RequestedFacetKind::Ranges { kind, ends } => {
                let ranges: Vec<Json> = ends.iter().map(|ends| self.range(facet, *kind, ends)).collect();
                json!({"type": "range", "dataType": range_type(*kind), "ranges": ranges})
            }
        }
    }

    fn terms(&mut self, facet: &RequestedFacet, kind: FieldKind, data_type: &str) -> Json {
        let (things, with_value) = (self.number(), self.number());
        let mut terms: Vec<(String, u64, u64)> =
            self.buckets().map(|bucket| (bucket.key, bucket.count, 0)).collect();
        if facet.counts_entries {
            let entries: HashMap<String, u64> =
                self.buckets().map(|bucket| (bucket.key, bucket.count)).collect();
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
                    term[self.entry_count] = json!(of_entries);
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

    /// Writes the reference type `FacetRange`. An open end is 0 and an empty text.
    fn range(
        &mut self,
        facet: &RequestedFacet,
        kind: FieldKind,
        (from, to): &(Option<SearchValue>, Option<SearchValue>),
    ) -> Json {
        let stats = match self.next() {
            Some(FacetResult::Stats(stats)) => stats,
            _ => Stats::default(),
        };
        let number_of =
            |value: &Option<SearchValue>| value.as_ref().map_or_else(|| zero_of_kind(kind), figure);
        let text_of = |value: &Option<SearchValue>| value.as_ref().map(end_text).unwrap_or_default();
        let mut range = json!({
            "type": range_type(kind),
            "from": number_of(from),
            "fromStr": text_of(from),
            "to": number_of(to),
            "toStr": text_of(to),
            "count": self.number(),
            "totalCount": stats.count,
            "total": total(kind, stats.sum),
            "min": number_of(&stats.min),
            "max": number_of(&stats.max),
            "mean": total(kind, stats.mean),
        });
        self.add_entry_count(facet, &mut range);
        range
    }

    fn add_entry_count(&mut self, facet: &RequestedFacet, json: &mut Json) {
        if facet.counts_entries {
            json[self.entry_count] = json!(self.number());
        }
    }

    fn next(&mut self) -> Option<FacetResult> {
        self.counted.next().map(|facet| facet.result)
    }

    fn number(&mut self) -> u64 {
        match self.next() {
            Some(FacetResult::Count(count)) => count,
            _ => 0,
        }
    }

    fn buckets(&mut self) -> impl Iterator<Item = Bucket> + use<> {
        let buckets = match self.next() {
            Some(FacetResult::Buckets(buckets)) => buckets,
            _ => Vec::new(),
        };
        buckets.into_iter()
    }
}

/// Parses an end of a range. For times and times of day, `0` is valid too: the beginning of milliseconds.
fn end_of(text: &str, searchable_field: &SearchableField) -> ApiResult<SearchValue> {
    match searchable_field.field.kind {
        FieldKind::Time if text == "0" => Ok(SearchValue::Time(0)),
        FieldKind::Keyword if text == "0" => Ok(SearchValue::Text(MIDNIGHT.to_owned())),
        _ => value(text, searchable_field, "facet"),
    }
}

/// Converts a time of day to milliseconds of the day.
fn milliseconds_of(time: &str) -> Option<i64> {
    let since = time.parse::<jiff::civil::Time>().ok()?.duration_since(jiff::civil::Time::midnight());
    i64::try_from(since.as_millis()).ok()
}

/// Returns the text of a term: numbers of Attributes are decimals, dates have no time, times have their offset in
/// digits.
fn term_of(key: String, kind: FieldKind, data_type: &str) -> String {
    match kind {
        FieldKind::Double if !key.contains(['.', 'e']) => format!("{key}.0"),
        FieldKind::Time if data_type == "date" => day_of(&key).to_owned(),
        FieldKind::Time => key.strip_suffix('Z').map_or(key.clone(), |moment| format!("{moment}+0000")),
        _ => key,
    }
}

fn range_type(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Time => "dateTime",
        FieldKind::Keyword => "time",
        _ => "double",
    }
}

/// Converts a value to a number: numbers are decimals (`5.0`), whatever the type of the field is, as the platform
/// prints them. Times are milliseconds since 1970, times of day those since midnight.
fn figure(value: &SearchValue) -> Json {
    match value {
        SearchValue::Time(value) => json!(value),
        SearchValue::Long(value) => json!(*value as f64),
        SearchValue::Double(value) => json!(value),
        SearchValue::Text(time) => json!(milliseconds_of(time).unwrap_or_default()),
        SearchValue::Boolean(_) => json!(0),
    }
}

/// Returns the text of an end of a range: `5.0` for numbers.
fn end_text(value: &SearchValue) -> String {
    match figure(value) {
        number if number.is_f64() => number.to_string(),
        _ => value.key(),
    }
}

/// Returns the number of an open end, or of missing values.
fn zero_of_kind(kind: FieldKind) -> Json {
    match kind {
        FieldKind::Time | FieldKind::Keyword => json!(0),
        _ => json!(0.0),
    }
}

/// Returns the sum or the mean of values of a kind.
fn total(kind: FieldKind, value: Option<f64>) -> Json {
    match (kind, value) {
        (_, None) => zero_of_kind(kind),
        (FieldKind::Time | FieldKind::Keyword, Some(value)) => shortest_number(value),
        (_, Some(value)) => json!(value),
    }
}

/// Converts a number, without needless digits.
fn shortest_number(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}
