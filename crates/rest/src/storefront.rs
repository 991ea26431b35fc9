//! What searches for storefronts answer: ids, the parts that match, facets, and projections where they are asked for.
//!
//! Source: Document B, "ProductPagedSearchResponse", "ProductSearchProjectionParams".

use crate::answer::{self, Answer};
use crate::dispatch::blocking;
use axum::http::StatusCode;
use bytes::{BufMut, Bytes, BytesMut};
use kontor_engine::{Shop, Sight};
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_model::{KindId, Model, Search};
use kontor_search::{Answer as Found, write};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Projections that a search asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Projections {
    /// The kind of the projections.
    pub(crate) kind: KindId,
    /// How they are to be shown.
    pub(crate) sight: Sight,
    expand: Vec<String>,
    /// What they are called in the answer.
    name: String,
}

impl Projections {
    /// Reads what a request says; `None` where it asks for none.
    pub(crate) fn read(model: &Model, search: &Search, sent: &Value) -> ApiResult<Option<Self>> {
        let Some(kind) = search.projection else { return Ok(None) };
        let name = model.kind(kind).camel_name();
        let place = format!("{name}Parameters");
        let sent = match sent.get(&place) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(sent)) => sent,
            Some(other) => return Err(expected(&place, "an object", other)),
        };
        let known = &model.kind(kind).parameters;
        let mut parameters = Vec::new();
        for (parameter, value) in sent.iter().filter(|(parameter, _)| known.contains(parameter)) {
            for text in texts(value, &format!("{place}.{parameter}"))? {
                parameters.push((parameter.clone(), text));
            }
        }
        let staged = flag(sent, "staged", &place)?;
        let sight = Sight { staged, parameters, found: true, ..Sight::default() };
        let expand = sent.get("expand").map(|value| texts(value, &format!("{place}.expand")));
        Ok(Some(Self { kind, sight, expand: expand.transpose()?.unwrap_or_default(), name }))
    }
}

/// The page of a search, with projections read together.
pub(crate) async fn answer(
    found: Found,
    (offset, limit): (usize, usize),
    sent: &Value,
    projections: Option<Projections>,
    shop: &Arc<Shop>,
) -> ApiResult<Answer> {
    let mut shown = Vec::new();
    if let Some(asked) = projections.clone() {
        let shop = Arc::clone(shop);
        let ids: Vec<String> = found.hits.iter().map(|hit| hit.id.clone()).collect();
        shown = blocking(move || {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            shop.show_many(asked.kind, &ids, &asked.sight, &asked.expand)
        })
        .await?;
    }
    let name = projections.map(|asked| asked.name).unwrap_or_default();
    Ok(answer::json_bytes(StatusCode::OK, body(&found, (offset, limit), sent, &name, &shown)))
}

fn body(
    found: &Found,
    (offset, limit): (usize, usize),
    sent: &Value,
    name: &str,
    shown: &[Option<Bytes>],
) -> Bytes {
    let numbers = [("total", found.total), ("offset", offset as u64), ("limit", limit as u64)];
    // Document B: present when facets were requested.
    let asked = sent.get("facets").filter(|asked| !asked.is_null());
    let facets = asked.map(|asked| Value::Array(write::facets(&found.facets, asked)));
    let size = shown.iter().flatten().map(Bytes::len).sum();
    page(&numbers, facets.as_ref(), size, found.hits.iter().enumerate(), |body, (index, hit)| {
        body.put_slice(format!("{{\"id\":{}", json!(hit.id)).as_bytes());
        if let Some(matching) = &hit.matching {
            body.put_slice(format!(",\"matchingVariants\":{}", write::matching(matching)).as_bytes());
        }
        // What is gone since it was indexed has none.
        if let Some(Some(projection)) = shown.get(index) {
            body.put_slice(format!(",\"{name}\":").as_bytes());
            body.put_slice(projection);
        }
        body.put_u8(b'}');
    })
}

/// A page of what a search found: `{numbers…, facets?, results}`. `size`: about how many bytes the results have.
pub(crate) fn page<R>(
    numbers: &[(&str, u64)],
    facets: Option<&Value>,
    size: usize,
    results: impl Iterator<Item = R>,
    write: impl Fn(&mut BytesMut, R),
) -> Bytes {
    let mut body = BytesMut::with_capacity(size + 1024);
    for (index, (name, number)) in numbers.iter().enumerate() {
        let before = if index == 0 { "{" } else { "," };
        body.put_slice(format!("{before}\"{name}\":{number}").as_bytes());
    }
    if let Some(facets) = facets {
        body.put_slice(format!(",\"facets\":{facets}").as_bytes());
    }
    body.put_slice(b",\"results\":[");
    for (index, result) in results.enumerate() {
        if index > 0 {
            body.put_u8(b',');
        }
        write(&mut body, result);
    }
    body.put_slice(b"]}");
    body.freeze()
}

fn texts(value: &Value, place: &str) -> ApiResult<Vec<String>> {
    let elements = match value {
        Value::Null => &[],
        Value::Array(elements) => elements.as_slice(),
        one => std::slice::from_ref(one),
    };
    let text =
        |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| expected(place, "a text", value));
    elements.iter().map(text).collect()
}

fn flag(sent: &Map<String, Value>, name: &str, place: &str) -> ApiResult<bool> {
    match sent.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(expected(&format!("{place}.{name}"), "true or false", other)),
    }
}

fn expected(place: &str, expected: &str, found: &Value) -> ApiError {
    ApiError::invalid_json(format!("{place}: expected {expected}, found {}", shortened(found)))
}
