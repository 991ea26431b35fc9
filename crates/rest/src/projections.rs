//! Projections that a search returns in addition to ids.
//!
//! Source: Document B, "ProductSearchProjectionParams".

use kontor_engine::ViewOptions;
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::{Map, Value};
use kontor_model::{Model, Search};
use kontor_search_service::Projections;

/// Reads the projection parameters of a search; `None` if the request has none.
pub(crate) fn read_projections(model: &Model, search: &Search, sent: &Map) -> ApiResult<Option<Projections>> {
    let Some(kind) = search.projection.map(|kind| model.kind(kind)) else { return Ok(None) };
    let place = format!("{}Parameters", kind.camel_name());
    let sent = match sent.get(&place) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(sent)) => sent,
        Some(other) => return Err(unexpected_value(&place, "an object", other)),
    };
    let mut parameters = Vec::new();
    for (parameter, value) in
        sent.iter().filter(|(parameter, _)| kind.parameters.iter().any(|known| known == *parameter))
    {
        for text in texts(value, &format!("{place}.{parameter}"))? {
            parameters.push((parameter.to_string(), text));
        }
    }
    let staged = flag(sent, "staged", &place)?;
    let view_options = ViewOptions { staged, parameters, found: true, ..ViewOptions::default() };
    let expand = sent.get("expand").map(|value| texts(value, &format!("{place}.expand")));
    Ok(Some(Projections { view_options, expand: expand.transpose()?.unwrap_or_default() }))
}

fn texts(value: &Value, place: &str) -> ApiResult<Vec<String>> {
    let elements = match value {
        Value::Null => &[],
        Value::Array(elements) => elements.as_slice(),
        one => std::slice::from_ref(one),
    };
    let text = |value: &Value| {
        value.as_str().map(str::to_owned).ok_or_else(|| unexpected_value(place, "a text", value))
    };
    elements.iter().map(text).collect()
}

fn flag(sent: &Map, name: &str, place: &str) -> ApiResult<bool> {
    match sent.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(unexpected_value(&format!("{place}.{name}"), "true or false", other)),
    }
}

/// Returns a 400 for a value of the wrong type.
pub(crate) fn unexpected_value(place: &str, expected: &str, found: &Value) -> ApiError {
    ApiError::invalid_json(format!("{place}: expected {expected}, found {}", shortened(found)))
}
