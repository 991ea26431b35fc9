//! What is asked of a search with parameters, as the parameters that the other face takes.

use super::Context;
use super::side::parameters_of;
use crate::exceptions::{ParameterRoot, STAGED};
use bytes::Bytes;
use kontor_engine::Sight;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;
use serde_json::{Map, Value, json};

type Arguments = Map<String, Value>;
type Parameters = Vec<(String, String)>;

/// Arguments that are parameters by their own name.
const SAME: [&str; 4] = ["limit", "offset", "fuzzy", "fuzzyLevel"];
/// Arguments of filters and facets, and the parameters that they are.
const FILTERS: [(&str, &str); 3] =
    [("filters", "filter"), ("queryFilters", "filter.query"), ("facetFilters", "filter.facets")];
/// The argument that marks what matches, its former name, and the parameter.
const MARKS: ([&str; 2], &str) = (["markMatchingVariants", "markMatchingVariant"], "markMatchingVariants");

/// The page that a search finds.
pub(super) fn find(
    kind: KindId,
    root: &ParameterRoot,
    arguments: &Arguments,
    context: &Context,
) -> ApiResult<Bytes> {
    let parameters = searched(arguments)?;
    let known = &context.shop.model().kind(kind).parameters;
    let shown = parameters_of(known.iter().map(|name| (name.as_str(), name.as_str())), arguments);
    let selector = arguments.get("priceSelector").and_then(Value::as_object);
    let prices = selector.map(|selector| prices(selector, root.prices)).unwrap_or_default();
    let sight = Sight {
        staged: arguments.get(STAGED.0).and_then(Value::as_bool) == Some(true),
        store: None,
        parameters: shown.into_iter().chain(prices).collect(),
        found: true,
        found_by_parameters: true,
    };
    // What selects prices also says which price is filtered by.
    let all: Parameters = parameters.into_iter().chain(sight.parameters.iter().cloned()).collect();
    context.gate.find_by_parameters(&context.shop, kind, &all, sight)
}

/// How search keywords go on: `{searchKeywords: {locale: […]}}`.
pub(super) fn suggest(kind: KindId, arguments: &Arguments, context: &Context) -> ApiResult<Bytes> {
    let mut parameters = same(arguments);
    for asked in list(arguments.get("searchKeywords")) {
        parameters
            .push((format!("searchKeywords.{}", text(asked, "locale")), text(asked, "searchKeyword").into()));
    }
    let staged = arguments.get(STAGED.0).and_then(Value::as_bool) == Some(true);
    let answer = context.gate.suggest(&context.shop, kind, &parameters, staged)?;
    let by_locale: Map<String, Value> = match answer {
        Value::Object(answer) => answer
            .into_iter()
            .filter_map(|(name, found)| Some((name.strip_prefix("searchKeywords.")?.to_owned(), found)))
            .collect(),
        _ => return Err(ApiError::internal()),
    };
    Ok(json!({"searchKeywords": by_locale}).to_string().into())
}

fn same(arguments: &Arguments) -> Parameters {
    let given = SAME.iter().filter_map(|name| Some((*name, arguments.get(*name)?)));
    given
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .collect()
}

fn searched(arguments: &Arguments) -> ApiResult<Parameters> {
    let mut parameters = same(arguments);
    match (arguments.get("text").and_then(Value::as_str), arguments.get("locale").and_then(Value::as_str)) {
        (Some(words), Some(locale)) => parameters.push((format!("text.{locale}"), words.to_owned())),
        (Some(_), None) => {
            return Err(ApiError::invalid_input(
                "locale: expected beside text, to say in which language it is.",
            ));
        }
        (None, _) => {}
    }
    for (argument, parameter) in FILTERS {
        for (index, filter) in list(arguments.get(argument)).iter().enumerate() {
            let place = format!("{argument}[{index}]");
            parameters.push((parameter.to_owned(), one_of(filter, &place, filter_of)?));
        }
    }
    for (index, facet) in list(arguments.get("facets")).iter().enumerate() {
        parameters.push(("facet".to_owned(), one_of(facet, &format!("facets[{index}]"), facet_of)?));
    }
    for sort in list(arguments.get("sorts")).iter().filter_map(Value::as_str) {
        parameters.push(("sort".to_owned(), sort.to_owned()));
    }
    let (names, parameter) = MARKS;
    if names.iter().any(|name| arguments.get(*name).and_then(Value::as_bool) == Some(true)) {
        parameters.push((parameter.to_owned(), "true".to_owned()));
    }
    Ok(parameters)
}

/// What selects prices: texts, and ids of what is referred to.
fn prices(selector: &Arguments, names: &[(&str, &str)]) -> Parameters {
    let value = |name: &str| match selector.get(name)? {
        Value::String(text) => Some(text.clone()),
        reference => reference["id"].as_str().map(str::to_owned),
    };
    names.iter().filter_map(|(name, parameter)| Some(((*parameter).to_owned(), value(name)?))).collect()
}

/// An expression as it stands, or from its parts.
fn one_of(given: &Value, place: &str, parts: fn(&str, &Value) -> Option<String>) -> ApiResult<String> {
    let expected = || {
        ApiError::invalid_input(format!(
            "{place}: exactly one of string and model, and one kind of model, is expected."
        ))
    };
    match (given.get("string").and_then(Value::as_str), given.get("model").and_then(Value::as_object)) {
        (Some(text), None) => Ok(text.to_owned()),
        (None, Some(model)) => {
            let mut models = model.iter().filter(|(_, value)| !value.is_null());
            match (models.next(), models.next()) {
                (Some((name, model)), None) => parts(name, model).ok_or_else(expected),
                _ => Err(expected()),
            }
        }
        _ => Err(expected()),
    }
}

fn filter_of(name: &str, model: &Value) -> Option<String> {
    let path = text(model, "path");
    let values =
        |name: &str| list(model.get(name)).iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>();
    let behind = match name {
        "value" => values("values").join(", "),
        "range" => ranges(model),
        "missing" => "missing".to_owned(),
        "exists" => "exists".to_owned(),
        "tree" => {
            let below = values("subTreeValues").into_iter().map(|id| format!("subtree({id})"));
            values("rootValues").into_iter().chain(below).collect::<Vec<_>>().join(", ")
        }
        _ => return None,
    };
    Some(format!("{path}: {behind}"))
}

fn facet_of(name: &str, model: &Value) -> Option<String> {
    let mut facet = text(model, "path").to_owned();
    match name {
        "terms" => {}
        "range" => facet = format!("{facet}: {}", ranges(model)),
        _ => return None,
    }
    if let Some(alias) = model.get("alias").and_then(Value::as_str) {
        facet = format!("{facet} as {alias}");
    }
    if model.get("countProducts").and_then(Value::as_bool) == Some(true) {
        facet.push_str(" counting products");
    }
    Some(facet)
}

fn ranges(model: &Value) -> String {
    let end = |range: &Value, name: &str| match text(range, name) {
        "*" => "*".to_owned(),
        end => quoted(end),
    };
    let ranges = list(model.get("ranges")).iter();
    let ranges = ranges.map(|range| format!("({} to {})", end(range, "from"), end(range, "to")));
    format!("range {}", ranges.collect::<Vec<_>>().join(", "))
}

/// A value in quotes, which numbers need not be without. What comes in quotes keeps them.
fn quoted(value: &str) -> String {
    let is_quoted = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
    if is_quoted { value.to_owned() } else { Value::from(value).to_string() }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(arguments: Value) -> ApiResult<Vec<(String, String)>> {
        searched(arguments.as_object().unwrap())
    }

    fn expected(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn models_become_expressions() {
        let given = json!({"limit": 10, "fuzzy": false, "fuzzyLevel": null, "locale": "en", "text": "boots", "sorts": ["name.en asc"],
            "markMatchingVariant": true,
            "filters": [{"string": "a:1"}, {"model": {"value": {"path": "b", "values": ["x\"y", "\"z\""]}, "range": null}}],
            "queryFilters": [{"model": {"range": {"path": "c", "ranges": [{"from": "1", "to": "*"}]}}}, {"model": {"exists": {"path": "d"}}}],
            "facetFilters": [{"model": {"missing": {"path": "e"}}}, {"model": {"tree": {"path": "f", "rootValues": ["1"], "subTreeValues": ["2"]}}}],
            "facets": [{"model": {"terms": {"path": "g", "alias": "h", "countProducts": true}}},
                       {"model": {"range": {"path": "i", "ranges": [{"from": "0", "to": "5"}, {"from": "5", "to": "9"}], "countProducts": false}}}]});
        assert_eq!(
            parameters(given).unwrap(),
            expected(&[
                ("limit", "10"),
                ("fuzzy", "false"),
                ("text.en", "boots"),
                ("filter", "a:1"),
                ("filter", "b: \"x\\\"y\", \"z\""),
                ("filter.query", "c: range (\"1\" to *)"),
                ("filter.query", "d: exists"),
                ("filter.facets", "e: missing"),
                ("filter.facets", "f: \"1\", subtree(\"2\")"),
                ("facet", "g as h counting products"),
                ("facet", "i: range (\"0\" to \"5\"), (\"5\" to \"9\")"),
                ("sort", "name.en asc"),
                ("markMatchingVariants", "true"),
            ])
        );
        assert!(parameters(json!({"text": "boots"})).is_err());
        assert!(parameters(json!({"filters": [{}]})).is_err());
        assert!(
            parameters(json!({"filters": [{"string": "a:1", "model": {"exists": {"path": "d"}}}]})).is_err()
        );
        assert!(parameters(json!({"facets": [{"model": {}}]})).is_err());
    }
}
