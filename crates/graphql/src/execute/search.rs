//! What is asked of a search, in the form that the other face takes.

use crate::exceptions::searches::{COUNT_FACET, RANGE_KINDS};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Map, Value, json};

/// The body of a search. `null` is as absent; ranges say the kind of their values here and do not there.
pub(super) fn body(arguments: &Map<String, Value>) -> ApiResult<Value> {
    let mut body = object(arguments)?;
    if let Some(Value::Array(facets)) = body.get_mut("facets") {
        let (count, scope) = COUNT_FACET;
        for facet in facets.iter_mut().filter_map(|facet| facet.get_mut(count)?.as_object_mut()) {
            facet.entry("scope").or_insert_with(|| json!(scope));
        }
    }
    Ok(Value::Object(body))
}

fn object(given: &Map<String, Value>) -> ApiResult<Map<String, Value>> {
    let mut converted = Map::new();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        let value = match (name.as_str(), value) {
            ("range" | "ranges", Value::Object(range)) if is_of_kind(range) => one(name, range)?,
            (_, value) => any(value)?,
        };
        converted.insert(name.clone(), value);
    }
    Ok(converted)
}

fn any(value: &Value) -> ApiResult<Value> {
    Ok(match value {
        Value::Object(inner) => Value::Object(object(inner)?),
        Value::Array(elements) => Value::Array(elements.iter().map(any).collect::<ApiResult<_>>()?),
        other => other.clone(),
    })
}

fn is_of_kind(range: &Map<String, Value>) -> bool {
    range.keys().all(|name| RANGE_KINDS.contains(&name.as_str()))
}

/// The one range (or the one list of ranges) that is given.
fn one(place: &str, range: &Map<String, Value>) -> ApiResult<Value> {
    let mut given = range.values().filter(|value| !value.is_null());
    match (given.next(), given.next()) {
        (Some(value), None) => any(value),
        _ => Err(ApiError::invalid_input(format!(
            "{place}: exactly one of {} is expected.",
            RANGE_KINDS.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(arguments: Value) -> ApiResult<Value> {
        body(arguments.as_object().unwrap())
    }

    #[test]
    fn ranges_lose_the_kind_of_their_values() {
        let given = json!({"limit": null, "query": {"and": [
            {"range": {"long": {"field": "n", "gte": 1, "lt": null}, "date": null}, "exact": null}]}});
        let expected = json!({"query": {"and": [{"range": {"field": "n", "gte": 1}}]}});
        assert_eq!(converted(given).unwrap(), expected);
        let facets = json!({"facets": [
            {"ranges": {"name": "r", "field": "n", "ranges": {"long": [{"from": 1}]}}}, {"count": {"name": "c"}}]});
        let expected = json!({"facets": [
            {"ranges": {"name": "r", "field": "n", "ranges": [{"from": 1}]}}, {"count": {"name": "c", "scope": "all"}}]});
        assert_eq!(converted(facets).unwrap(), expected);
        assert!(converted(json!({"query": {"range": {"long": {}, "date": {}}}})).is_err());
        assert!(converted(json!({"query": {"range": {}}})).is_err());
    }
}
