//! Product Projection Search: converts the arguments of searches and suggestions, and returns their results. Start at
//! [`find`].

use super::ExecutionContext;
use super::document_loader::LoadedValue;
use super::side::parameters_of;
use crate::access_control::{DocumentReach, FieldOperation};
use crate::arguments::ArgumentValues;
use crate::borrowed_json::BorrowedJson;
use crate::exceptions::projection_search::{COUNTS_ENTRIES, INPUT, MARKS};
use crate::exceptions::{ParameterSearchQueries, STAGED};
use kontor_engine::ViewOptions;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_search::parameters::{
    FacetExpression, FilterExpression, FilterItem, ParameterSearchRequest, ParameterSort, unquote_text,
};
use kontor_search::suggestions::{LanguageSuggestions, SuggestionSearch};
use kontor_search_service::ParameterRequest;

/// Returns the page that a search finds. Blocks the thread.
pub(super) fn find(
    kind: KindId,
    root: &ParameterSearchQueries,
    arguments: &ArgumentValues,
    context: &ExecutionContext,
) -> ApiResult<LoadedValue> {
    let search_service = &context.search_service;
    let search = read_search(arguments, search_service.words(kind).entries)?;
    let known = &context.shop.model().kind(kind).parameters;
    let shown = parameters_of(known.iter().map(|name| (name.as_str(), name.as_str())), arguments);
    let selector = arguments.get("priceSelector").and_then(Value::as_object);
    let prices = selector.map(|selector| prices(selector, root.prices)).unwrap_or_default();
    let staged = authorize(kind, arguments, context)?;
    let view_options = ViewOptions {
        staged,
        parameters: shown.into_iter().chain(prices).collect(),
        ..ViewOptions::default()
    };
    let request = ParameterRequest { search, view_options, expand: Vec::new() };
    let found = search_service.find_by_parameters(&context.shop, kind, request, &context.meter)?;
    let facets = found
        .facets
        .map_or(BorrowedJson::Object(Vec::new()), |facets| BorrowedJson::from(facets.into_json()));
    let response = vec![
        ("offset".into(), BorrowedJson::Number(found.offset.into())),
        ("count".into(), BorrowedJson::Number(found.results.len().into())),
        ("total".into(), BorrowedJson::Number(found.total.into())),
        ("facets".into(), facets),
    ];
    Ok(LoadedValue::SearchResults { other_fields: response, results: found.results })
}

/// Returns suggestions for search keywords: `{searchKeywords: {locale: […]}}`. Blocks the thread.
pub(super) fn find_suggestions(
    kind: KindId,
    arguments: &ArgumentValues,
    context: &ExecutionContext,
) -> ApiResult<BorrowedJson<'static>> {
    let (list_of_inputs, input) = INPUT;
    let inputs = list(arguments.get(list_of_inputs)).iter();
    let search = SuggestionSearch {
        inputs: inputs
            .map(|requested| (text(requested, "locale").into(), text(requested, input).into()))
            .collect(),
        fuzzy: flag(arguments, "fuzzy"),
        limit: number(arguments, "limit"),
    };
    let staged = authorize(kind, arguments, context)?;
    let suggested = context.search_service.suggest(&context.shop, kind, &search, staged)?;
    let keyword = |text: String| BorrowedJson::Object(vec![("text".into(), BorrowedJson::Text(text.into()))]);
    let by_locale = suggested.into_iter().map(|LanguageSuggestions { language, keywords }| {
        (language.into(), BorrowedJson::List(keywords.into_iter().map(keyword).collect()))
    });
    Ok(BorrowedJson::Object(vec![(list_of_inputs.into(), BorrowedJson::Object(by_locale.collect()))]))
}

/// Returns whether the staged side is requested. The right to view the documents is the right to search for them.
fn authorize(kind: KindId, arguments: &ArgumentValues, context: &ExecutionContext) -> ApiResult<bool> {
    let staged = flag(arguments, STAGED.0);
    let operation = if staged { FieldOperation::ViewStaged } else { FieldOperation::View };
    context.access_control.authorize(&context.shop, kind, &DocumentReach::default(), operation)?;
    Ok(staged)
}

fn read_search(arguments: &ArgumentValues, entries: &str) -> ApiResult<ParameterSearchRequest> {
    let words = |name: &str| arguments.get(name).and_then(Value::as_str);
    let texts = match (words("text"), words("locale")) {
        (Some(words), Some(locale)) => vec![(locale.to_owned(), words.to_owned())],
        (Some(_), None) => {
            return Err(ApiError::invalid_input(
                "locale: expected together with text, whose language it names.",
            ));
        }
        (None, _) => Vec::new(),
    };
    let filters = |argument: &str, parameter: &str| {
        let filters = list(arguments.get(argument)).iter().enumerate();
        let filter = |(index, filter)| match read_expression(filter, &format!("{argument}[{index}]"))? {
            ExpressionInput::Text(text) => FilterExpression::read(text, parameter),
            ExpressionInput::Model(kind, model) => {
                FilterExpression::new(text(model, "path"), items(kind, model), parameter)
            }
        };
        filters.map(filter).collect::<ApiResult<Vec<_>>>()
    };
    let facet = |(index, facet)| match read_expression(facet, &format!("facets[{index}]"))? {
        ExpressionInput::Text(text) => FacetExpression::read(text, entries),
        ExpressionInput::Model("range", model) if list(model.get("ranges")).is_empty() => Err(
            ApiError::invalid_input(format!("facets[{index}].model.range.ranges: expected at least one.")),
        ),
        ExpressionInput::Model(kind, model) => Ok(FacetExpression {
            expression: FilterExpression::new(text(model, "path"), items(kind, model), "facet")?,
            alias: model.get("alias").and_then(Value::as_str).map(str::to_owned),
            counts_entries: model.get(COUNTS_ENTRIES).and_then(Value::as_bool) == Some(true),
        }),
    };
    let sorts = list(arguments.get("sorts")).iter().filter_map(Value::as_str);
    Ok(ParameterSearchRequest {
        texts,
        fuzzy: flag(arguments, "fuzzy"),
        fuzzy_level: number(arguments, "fuzzyLevel"),
        query_filters: filters("queryFilters", "filter.query")?,
        filters: filters("filters", "filter")?,
        facet_filters: filters("facetFilters", "filter.facets")?,
        facets: list(arguments.get("facets")).iter().enumerate().map(facet).collect::<ApiResult<_>>()?,
        sorts: sorts.map(ParameterSort::read).collect::<ApiResult<_>>()?,
        offset: number(arguments, "offset"),
        limit: number(arguments, "limit"),
        mark_matching: MARKS.iter().any(|name| flag(arguments, name)),
    })
}

/// Returns the parameters that select prices: strings, and the ids of references.
fn prices(selector: &ArgumentValues, names: &[(&str, &str)]) -> Vec<(String, String)> {
    let value = |name: &str| match selector.get(name)? {
        Value::String(text) => Some(text.clone()),
        reference => reference["id"].as_str().map(str::to_owned),
    };
    names.iter().filter_map(|(name, parameter)| Some(((*parameter).to_owned(), value(name)?))).collect()
}

/// An expression in one of its two forms.
enum ExpressionInput<'a> {
    /// As text.
    Text(&'a str),
    /// As an object: its sort (e.g. `range`), and its fields.
    Model(&'a str, &'a Value),
}

fn read_expression<'a>(given: &'a Value, place: &str) -> ApiResult<ExpressionInput<'a>> {
    if let (Some(text), None) =
        (given.get("string").and_then(Value::as_str), given.get("model").and_then(Value::as_object))
    {
        return Ok(ExpressionInput::Text(text));
    }
    let models = given.get("model").and_then(Value::as_object).filter(|_| given["string"].is_null());
    let mut models = models.into_iter().flatten().filter(|(_, value)| !value.is_null());
    match (models.next(), models.next()) {
        (Some((kind, model)), None) => Ok(ExpressionInput::Model(kind, model)),
        _ => Err(ApiError::invalid_input(format!(
            "{place}: exactly one of string and model, and one kind of model, is expected."
        ))),
    }
}

/// Returns the conditions of a filter or facet of this sort.
fn items(kind: &str, model: &Value) -> Vec<FilterItem> {
    let texts = |name: &str| list(model.get(name)).iter().filter_map(Value::as_str).map(unquote_text);
    let end = |range: &Value, name: &str| match text(range, name) {
        "*" => None,
        end => Some(unquote_text(end)),
    };
    match kind {
        "value" => texts("values").map(FilterItem::Value).collect(),
        "range" => {
            let ranges = list(model.get("ranges")).iter();
            ranges.map(|range| FilterItem::Range(end(range, "from"), end(range, "to"))).collect()
        }
        "missing" => vec![FilterItem::Missing],
        "exists" => vec![FilterItem::Exists],
        "tree" => {
            let below = texts("subTreeValues").map(FilterItem::Subtree);
            texts("rootValues").map(FilterItem::Value).chain(below).collect()
        }
        // `terms`: a facet of all values.
        _ => Vec::new(),
    }
}

fn flag(arguments: &ArgumentValues, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool) == Some(true)
}

fn number(arguments: &ArgumentValues, name: &str) -> Option<i64> {
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

    fn search(arguments: Value) -> ApiResult<ParameterSearchRequest> {
        read_search(arguments.as_object().unwrap(), "products")
    }

    fn read(text: &str) -> FilterExpression {
        FilterExpression::read(text, "filter").unwrap()
    }

    #[test]
    fn models_equal_text_expressions() {
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
            ParameterSearchRequest {
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
                sorts: vec![ParameterSort::read("name.en asc").unwrap()],
                offset: None,
                limit: Some(10),
                mark_matching: true,
            }
        );
    }

    #[test]
    fn rejects_empty_and_ambiguous_expressions() {
        assert!(search(json!({"text": "boots"})).is_err());
        assert!(search(json!({"filters": [{}]})).is_err());
        assert!(search(json!({"filters": [{"string": "a:1", "model": {"exists": {"path": "d"}}}]})).is_err());
        assert!(search(json!({"facets": [{"model": {}}]})).is_err());
        assert!(search(json!({"facets": [{"model": {"range": {"path": "a", "ranges": []}}}]})).is_err());
    }
}
