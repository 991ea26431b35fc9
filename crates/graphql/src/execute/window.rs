//! Parts of stored lists and maps, filtered, sorted and cut by arguments.

use crate::exceptions::{CHOSEN, MapPage, PagedList};
use crate::json::Json;
use kontor_json::{Map, Value};
use std::borrow::Cow;

/// A part of a list.
pub(crate) struct Window<'d> {
    pub(super) limit: Option<usize>,
    pub(super) offset: Option<usize>,
    pub(super) total: usize,
    pub(super) elements: Vec<&'d Json<'d>>,
}

/// Returns the part of a list that the arguments choose. `paged` has the arguments that filter, if the list has such.
pub(super) fn window<'d>(
    list: Option<&'d Json<'d>>,
    paged: Option<&PagedList>,
    arguments: &Map,
) -> Window<'d> {
    let number = |name: &str| {
        arguments.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok())
    };
    let (limit, offset) = (number("limit"), number("offset"));
    let mut elements: Vec<&Json<'_>> = list.and_then(Json::as_list).unwrap_or(&[]).iter().collect();
    if let Some(paged) = paged {
        elements.retain(|element| {
            let name = element.get(paged.by).and_then(Json::as_str);
            name.is_none_or(|name| is_chosen(name, paged.arguments, arguments))
        });
        sort(&mut elements, arguments);
    }
    let total = elements.len();
    elements.drain(..offset.unwrap_or(0).min(total));
    elements.truncate(limit.unwrap_or(usize::MAX));
    Window { limit, offset, total, elements }
}

/// Returns a part of the entries of a stored object: `{limit, offset, total, results}`.
pub(super) fn map_page<'d>(value: &'d Json<'d>, page: &MapPage, arguments: &Map) -> Json<'d> {
    let whole = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let given = |name: &str| whole(name).map_or(Json::Null, number);
    let (total, results) = map_references(value, page, arguments);
    Json::Object(vec![
        ("limit".into(), given("limit")),
        ("offset".into(), given("offset")),
        ("total".into(), number(total as u64)),
        ("results".into(), Json::List(results)),
    ])
}

/// Returns the entries of a stored object that the arguments choose, as objects with a reference and the entry, and
/// their number without `limit` and `offset`.
pub(super) fn map_references<'d>(
    value: &'d Json<'d>,
    page: &MapPage,
    arguments: &Map,
) -> (usize, Vec<Json<'d>>) {
    let whole = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let (limit, offset) = (whole("limit"), whole("offset"));
    let entries = value.get(page.field).and_then(Json::as_object).unwrap_or_default().iter();
    let chosen: Vec<_> = entries.filter(|(id, _)| is_chosen(id, page.arguments, arguments)).collect();
    let (reference, type_id) = page.reference;
    let text = |text: &'static str| Json::Text(text.into());
    let object = |(id, entry): &&'d (Cow<'d, str>, Json<'d>)| {
        let id = Json::Text(id.clone());
        let target = Json::Object(vec![("typeId".into(), text(type_id)), ("id".into(), id)]);
        Json::Object(vec![(reference.into(), target), (page.value.into(), entry.clone())])
    };
    let at_most = |value: Option<u64>| value.map(|value| usize::try_from(value).unwrap_or(usize::MAX));
    let shown = chosen.iter().skip(at_most(offset).unwrap_or(0)).take(at_most(limit).unwrap_or(usize::MAX));
    (chosen.len(), shown.map(object).collect())
}

/// Returns true for names that `includeNames` lists (if given) and `excludeNames` does not.
pub(super) fn is_named(name: &str, arguments: &Map) -> bool {
    is_chosen(name, CHOSEN, arguments)
}

/// Returns true for names that the argument `include` lists (if given) and the argument `exclude` does not.
fn is_chosen(name: &str, (include, exclude): (&str, &str), arguments: &Map) -> bool {
    let lists = |argument: &str| match arguments.get(argument) {
        Some(Value::Array(names)) => Some(names.iter().any(|listed| listed == name)),
        _ => None,
    };
    lists(include) != Some(false) && lists(exclude) != Some(true)
}

/// Sorts by the strings in fields, e.g. `["label desc", "key"]`.
fn sort(elements: &mut [&Json<'_>], arguments: &Map) {
    let sort = arguments.get("sort").and_then(Value::as_array);
    for expression in sort.into_iter().flatten().rev().filter_map(Value::as_str) {
        let mut words = expression.split_whitespace();
        let Some(field) = words.next() else { continue };
        let text = |element: &Json<'_>| element.get(field).and_then(Json::as_str).map(str::to_owned);
        if words.next() == Some("desc") {
            elements.sort_by_key(|element| std::cmp::Reverse(text(element)));
        } else {
            elements.sort_by_key(|element| text(element));
        }
    }
}

/// Returns a JSON number.
pub(super) fn number(value: u64) -> Json<'static> {
    Json::Number(value.into())
}
