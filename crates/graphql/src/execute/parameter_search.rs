//! Product Projection Search: converts the arguments of searches and suggestions, and returns their results.

use super::Context;
use super::load::Loaded;
use super::side::parameters_of;
use crate::arguments::Arguments;
use crate::exceptions::projection_search::{COUNTS_ENTRIES, INPUT, MARKS};
use crate::exceptions::{ParameterRoot, STAGED};
use crate::gate::{Doing, Reach};
use crate::json::Json;
use kontor_engine::Sight;
use kontor_errors::{ApiError, ApiResult};
use kontor_finding::ParameterRequest;
use kontor_json::Value;
use kontor_model::KindId;
use kontor_search::parameters::{
    Expression, FacetExpression, Item, ParameterSearch, SortExpression, unquoted,
};
use kontor_search::suggestions::{Suggested, SuggestionSearch};

/// Returns the page that a search finds. Blocks the thread.
pub(super) fn find(
    kind: KindId,
    root: &ParameterRoot,
    arguments: &Arguments,
    context: &Context,
) -> ApiResult<Loaded> {
    let finder = &context.finder;
    let search = searched(arguments, finder.words(kind).entries)?;
    let known = &context.shop.model().kind(kind).parameters;
    let shown = parameters_of(known.iter().map(|name| (name.as_str(), name.as_str())), arguments);
    let selector = arguments.get("priceSelector").and_then(Value::as_object);
    let prices = selector.map(|selector| prices(selector, root.prices)).unwrap_or_default();
    let staged = admit(kind, arguments, context)?;
    let sight = Sight { staged, parameters: shown.into_iter().chain(prices).collect(), ..Sight::default() };
    let request = ParameterRequest { search, sight, expand: Vec::new() };
    let found = finder.find_by_parameters(&context.shop, kind, request, &context.meter)?;
    let facets = found.facets.map_or(Json::Object(Vec::new()), |facets| Json::from(facets.into_json()));
    let answer = vec![
        ("offset".into(), Json::Number(found.offset.into())),
        ("count".into(), Json::Number(found.results.len().into())),
        ("total".into(), Json::Number(found.total.into())),
        ("facets".into(), facets),
    ];
    Ok(Loaded::Found { answer, results: found.results })
}

/// Returns suggestions for search keywords: `{searchKeywords: {locale: […]}}`. Blocks the thread.
pub(super) fn suggest(kind: KindId, arguments: &Arguments, context: &Context) -> ApiResult<Json<'static>> {
    let (list_of_inputs, input) = INPUT;
    let inputs = list(arguments.get(list_of_inputs)).iter();
    let search = SuggestionSearch {
        inputs: inputs.map(|asked| (text(asked, "locale").into(), text(asked, input).into())).collect(),
        fuzzy: flag(arguments, "fuzzy"),
        limit: number(arguments, "limit"),
    };
    let staged = admit(kind, arguments, context)?;
    let suggested = context.finder.suggest(&context.shop, kind, &search, staged)?;
    let keyword = |text: String| Json::Object(vec![("text".into(), Json::Text(text.into()))]);
    let by_locale = suggested.into_iter().map(|Suggested { language, keywords }| {
        (language.into(), Json::List(keywords.into_iter().map(keyword).collect()))
    });
    Ok(Json::Object(vec![(list_of_inputs.into(), Json::Object(by_locale.collect()))]))
}

/// Returns whether the staged side is requested. The right to view the documents is the right to search for them.
fn admit(kind: KindId, arguments: &Arguments, context: &Context) -> ApiResult<bool> {
    let staged = flag(arguments, STAGED.0);
    let doing = if staged { Doing::Staged } else { Doing::Viewing };
    context.gate.admit(&context.shop, kind, &Reach::default(), doing)?;
    Ok(staged)
}

fn searched(arguments: &Arguments, entries: &str) -> ApiResult<ParameterSearch> {
    let words = |name: &str| arguments.get(name).and_then(Value::as_str);
    let texts = match (words("text"), words("locale")) {
        (Some(words), Some(locale)) => vec![(locale.to_owned(), words.to_owned())],
        (Some(_), None) => {
            return Err(ApiError::invalid_input(
                "locale: expected beside text, to say in which language it is.",
            ));
        }
        (None, _) => Vec::new(),
    };
    let filters = |argument: &str, parameter: &str| {
        let filters = list(arguments.get(argument)).iter().enumerate();
        let filter = |(index, filter)| match one_of(filter, &format!("{argument}[{index}]"))? {
            Given::Text(text) => Expression::read(text, parameter),
            Given::Model(kind, model) => Expression::new(text(model, "path"), items(kind, model), parameter),
        };
        filters.map(filter).collect::<ApiResult<Vec<_>>>()
    };
    let facet = |(index, facet)| match one_of(facet, &format!("facets[{index}]"))? {
        Given::Text(text) => FacetExpression::read(text, entries),
        Given::Model("range", model) if list(model.get("ranges")).is_empty() => Err(ApiError::invalid_input(
            format!("facets[{index}].model.range.ranges: expected at least one."),
        )),
        Given::Model(kind, model) => Ok(FacetExpression {
            expression: Expression::new(text(model, "path"), items(kind, model), "facet")?,
            alias: model.get("alias").and_then(Value::as_str).map(str::to_owned),
            counts_entries: model.get(COUNTS_ENTRIES).and_then(Value::as_bool) == Some(true),
        }),
    };
    let sorts = list(arguments.get("sorts")).iter().filter_map(Value::as_str);
    Ok(ParameterSearch {
        texts,
        fuzzy: flag(arguments, "fuzzy"),
        fuzzy_level: number(arguments, "fuzzyLevel"),
        query_filters: filters("queryFilters", "filter.query")?,
        filters: filters("filters", "filter")?,
        facet_filters: filters("facetFilters", "filter.facets")?,
        facets: list(arguments.get("facets")).iter().enumerate().map(facet).collect::<ApiResult<_>>()?,
        sorts: sorts.map(SortExpression::read).collect::<ApiResult<_>>()?,
        offset: number(arguments, "offset"),
        limit: number(arguments, "limit"),
        mark_matching: MARKS.iter().any(|name| flag(arguments, name)),
    })
}

/// Returns the parameters that select prices: strings, and the ids of references.
fn prices(selector: &Arguments, names: &[(&str, &str)]) -> Vec<(String, String)> {
    let value = |name: &str| match selector.get(name)? {
        Value::String(text) => Some(text.clone()),
        reference => reference["id"].as_str().map(str::to_owned),
    };
    names.iter().filter_map(|(name, parameter)| Some(((*parameter).to_owned(), value(name)?))).collect()
}

/// An expression in one of its two forms.
enum Given<'a> {
    /// As text.
    Text(&'a str),
    /// As an object: its sort (e.g. `range`), and its fields.
    Model(&'a str, &'a Value),
}

fn one_of<'a>(given: &'a Value, place: &str) -> ApiResult<Given<'a>> {
    if let (Some(text), None) =
        (given.get("string").and_then(Value::as_str), given.get("model").and_then(Value::as_object))
    {
        return Ok(Given::Text(text));
    }
    let models = given.get("model").and_then(Value::as_object).filter(|_| given["string"].is_null());
    let mut models = models.into_iter().flatten().filter(|(_, value)| !value.is_null());
    match (models.next(), models.next()) {
        (Some((kind, model)), None) => Ok(Given::Model(kind, model)),
        _ => Err(ApiError::invalid_input(format!(
            "{place}: exactly one of string and model, and one kind of model, is expected."
        ))),
    }
}

/// Returns the conditions of a filter or facet of this sort.
fn items(kind: &str, model: &Value) -> Vec<Item> {
    let texts = |name: &str| list(model.get(name)).iter().filter_map(Value::as_str).map(unquoted);
    let end = |range: &Value, name: &str| match text(range, name) {
        "*" => None,
        end => Some(unquoted(end)),
    };
    match kind {
        "value" => texts("values").map(Item::Value).collect(),
        "range" => {
            let ranges = list(model.get("ranges")).iter();
            ranges.map(|range| Item::Range(end(range, "from"), end(range, "to"))).collect()
        }
        "missing" => vec![Item::Missing],
        "exists" => vec![Item::Exists],
        "tree" => {
            let below = texts("subTreeValues").map(Item::Subtree);
            texts("rootValues").map(Item::Value).chain(below).collect()
        }
        // `terms`: a facet of all values.
        _ => Vec::new(),
    }
}

fn flag(arguments: &Arguments, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool) == Some(true)
}

fn number(arguments: &Arguments, name: &str) -> Option<i64> {
    arguments.get(name).and_then(Value::as_i64)
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
    use kontor_json::json;

    fn search(arguments: Value) -> ApiResult<ParameterSearch> {
        searched(arguments.as_object().unwrap(), "products")
    }

    fn read(text: &str) -> Expression {
        Expression::read(text, "filter").unwrap()
    }

    #[test]
    fn models_are_what_expressions_say() {
        let given = json!({"limit": 10, "fuzzy": false, "fuzzyLevel": null, "locale": "en", "text": "boots", "sorts": ["name.en asc"],
            "markMatchingVariant": true,
            "filters": [{"string": "a:1"}, {"model": {"value": {"path": "b", "values": ["x\"y", "\"z\""]}, "range": null}}],
            "queryFilters": [{"model": {"range": {"path": "c", "ranges": [{"from": "1", "to": "*"}]}}}, {"model": {"exists": {"path": "d"}}}],
            "facetFilters": [{"model": {"missing": {"path": "e"}}}, {"model": {"tree": {"path": "f", "rootValues": ["1"], "subTreeValues": ["2"]}}}],
            "facets": [{"model": {"terms": {"path": "g", "alias": "h", "countProducts": true}}},
                       {"model": {"range": {"path": "i", "ranges": [{"from": "0", "to": "5"}, {"from": "5", "to": "9"}], "countProducts": false}}}]});
        let facet = |text: &str| FacetExpression::read(text, "products").unwrap();
        assert_eq!(
            search(given).unwrap(),
            ParameterSearch {
                texts: vec![("en".to_owned(), "boots".to_owned())],
                fuzzy: false,
                fuzzy_level: None,
                filters: vec![read("a:1"), read("b: \"x\\\"y\", \"z\"")],
                query_filters: vec![read("c: range (\"1\" to *)"), read("d: exists")],
                facet_filters: vec![read("e: missing"), read("f: \"1\", subtree(\"2\")")],
                facets: vec![
                    facet("g as h counting products"),
                    facet("i: range (\"0\" to \"5\"), (\"5\" to \"9\")"),
                ],
                sorts: vec![SortExpression::read("name.en asc").unwrap()],
                offset: None,
                limit: Some(10),
                mark_matching: true,
            }
        );
    }

    #[test]
    fn what_says_nothing_or_two_things_is_refused() {
        assert!(search(json!({"text": "boots"})).is_err());
        assert!(search(json!({"filters": [{}]})).is_err());
        assert!(search(json!({"filters": [{"string": "a:1", "model": {"exists": {"path": "d"}}}]})).is_err());
        assert!(search(json!({"facets": [{"model": {}}]})).is_err());
        assert!(search(json!({"facets": [{"model": {"range": {"path": "a", "ranges": []}}}]})).is_err());
    }
}
