//! Writes facets and matching parts as JSON.
//!
//! Source: Document B, "ProductPagedSearchResponse" and "Facets"; reference types
//! `ProductSearchFacetResult…`.

use crate::{FacetResult, MatchingChildren, NamedFacetResult, SearchValue, Stats};
use kontor_json::{Value as Json, json};

/// The end of the key of a time at midnight.
const MIDNIGHT: &str = "T00:00:00.000Z";
/// Integers up to here are exact as floating point numbers.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Returns the JSON result of a facet. `holds_days`: the counted times are dates, shown without a time.
#[must_use]
pub fn facet(NamedFacetResult { name, result }: &NamedFacetResult, holds_days: bool) -> Json {
    match result {
        FacetResult::Count(value) => json!({"name": name, "value": value}),
        FacetResult::Buckets(buckets) => {
            let buckets: Vec<Json> = buckets
                .iter()
                .map(|bucket| json!({"key": displayed_key(&bucket.key, holds_days), "count": bucket.count}))
                .collect();
            json!({"name": name, "buckets": buckets})
        }
        FacetResult::Stats(Stats { count, min, max, mean, sum }) => {
            let end = |value: &Option<SearchValue>| value.as_ref().map(|value| json_of(value, holds_days));
            let mut stats = json!({"name": name, "min": end(min), "max": end(max)});
            for (name, value) in [("mean", mean), ("sum", sum)] {
                if let Some(value) = value {
                    stats[name] = number(*value);
                }
            }
            stats["count"] = json!(count);
            stats
        }
    }
}

/// Converts a value to the type of its field.
fn json_of(value: &SearchValue, is_day: bool) -> Json {
    match value {
        SearchValue::Boolean(value) => json!(value),
        SearchValue::Long(value) => json!(value),
        SearchValue::Double(value) => number(*value),
        SearchValue::Time(_) => json!(displayed_key(&value.key(), is_day)),
        SearchValue::Text(text) => json!(text),
    }
}

/// Converts a number; without a fraction if it is an integer.
fn number(value: f64) -> Json {
    // Within these bounds the cast is exact.
    if value.fract() == 0.0 && value.abs() <= WHOLE_MAX { json!(value as i64) } else { json!(value) }
}

fn displayed_key(key: &str, holds_days: bool) -> &str {
    if holds_days { day_of(key) } else { key }
}

/// Shortens the key of a time to that of its date.
pub(crate) fn day_of(key: &str) -> &str {
    key.strip_suffix(MIDNIGHT).unwrap_or(key)
}

/// Returns the matching children of an entry. Their labels are JSON; `matched` is the name of their list.
#[must_use]
pub fn matching_children(matching: &MatchingChildren, matched: &str) -> Json {
    let children = matching.labels.iter().filter_map(|label| kontor_json::from_str::<Json>(label).ok());
    json!({"allMatched": matching.all, matched: children.collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bucket;

    fn named_result(result: FacetResult) -> NamedFacetResult {
        NamedFacetResult { name: "f".into(), result }
    }

    #[test]
    fn each_kind_has_its_shape() {
        let stats = Stats {
            count: 3,
            min: Some(SearchValue::Long(100)),
            max: Some(SearchValue::Long(300)),
            mean: Some(200.0),
            sum: Some(600.5),
        };
        let bucket = Bucket { key: "white".into(), count: 37 };
        let found = [
            named_result(FacetResult::Count(2)),
            named_result(FacetResult::Buckets(vec![bucket])),
            named_result(FacetResult::Stats(stats)),
            named_result(FacetResult::Stats(Stats::default())),
        ];
        assert_eq!(
            found.each_ref().map(|found| facet(found, false)),
            [
                json!({"name": "f", "value": 2}),
                json!({"name": "f", "buckets": [{"key": "white", "count": 37}]}),
                json!({"name": "f", "min": 100, "max": 300, "mean": 200, "sum": 600.5, "count": 3}),
                json!({"name": "f", "min": null, "max": null, "count": 0}),
            ]
        );
    }

    #[test]
    fn days_are_days_where_the_field_holds_days() {
        let day = Stats {
            count: 1,
            min: Some(SearchValue::Time(0)),
            max: Some(SearchValue::Time(0)),
            ..Stats::default()
        };
        let bucket = Bucket { key: "1970-01-01T00:00:00.000Z".into(), count: 1 };
        let found = [named_result(FacetResult::Stats(day)), named_result(FacetResult::Buckets(vec![bucket]))];
        let of = |holds_days| {
            let [stats, buckets] = found.each_ref().map(|found| facet(found, holds_days));
            (stats["min"].clone(), buckets["buckets"][0]["key"].clone())
        };
        assert_eq!(of(true), (json!("1970-01-01"), json!("1970-01-01")));
        let moment = json!("1970-01-01T00:00:00.000Z");
        assert_eq!(of(false), (moment.clone(), moment));
    }

    #[test]
    fn labels_of_matching_children_are_json() {
        let some = MatchingChildren { all: false, labels: vec![r#"{"id":1,"sku":null}"#.into()] };
        assert_eq!(
            matching_children(&some, "matchedVariants"),
            json!({"allMatched": false, "matchedVariants": [{"id": 1, "sku": null}]})
        );
    }
}
