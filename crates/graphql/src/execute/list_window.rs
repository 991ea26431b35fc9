//! Parts of stored lists and maps, filtered, sorted and cut by arguments.

use crate::borrowed_json::BorrowedJson;
use crate::exceptions::{MapPage, NAME_FILTERS, PagedList};
use kontor_json::{Map, Value};
use std::borrow::Cow;

/// A part of a list.
pub(crate) struct ListWindow<'d> {
    pub(super) limit: Option<usize>,
    pub(super) offset: Option<usize>,
    pub(super) total: usize,
    pub(super) elements: Vec<&'d BorrowedJson<'d>>,
}

/// Returns the part of a list that the arguments choose. `paged` has the arguments that filter, if the list has such.
pub(super) fn window_list<'d>(
    list: Option<&'d BorrowedJson<'d>>,
    paged: Option<&PagedList>,
    arguments: &Map,
) -> ListWindow<'d> {
    let number = |name: &str| {
        arguments.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok())
    };
    let (limit, offset) = (number("limit"), number("offset"));
    let mut elements: Vec<&BorrowedJson<'_>> =
        list.and_then(BorrowedJson::as_list).unwrap_or(&[]).iter().collect();
    if let Some(paged) = paged {
        elements.retain(|element| {
            let name = element.get(paged.by).and_then(BorrowedJson::as_str);
            name.is_none_or(|name| is_chosen(name, paged.arguments, arguments))
        });
        sort(&mut elements, arguments);
    }
    let total = elements.len();
    elements.drain(..offset.unwrap_or(0).min(total));
    elements.truncate(limit.unwrap_or(usize::MAX));
    ListWindow { limit, offset, total, elements }
}

/// Returns a part of the entries of a stored object: `{limit, offset, total, results}`.
pub(super) fn map_page<'d>(value: &'d BorrowedJson<'d>, page: &MapPage, arguments: &Map) -> BorrowedJson<'d> {
    let whole = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let given = |name: &str| whole(name).map_or(BorrowedJson::Null, number);
    let (total, results) = map_references(value, page, arguments);
    BorrowedJson::Object(vec![
        ("limit".into(), given("limit")),
        ("offset".into(), given("offset")),
        ("total".into(), number(total as u64)),
        ("results".into(), BorrowedJson::List(results)),
    ])
}

/// Returns the entries of a stored object that the arguments choose, as objects with a reference and the entry, and
/// their number without `limit` and `offset`.
pub(super) fn map_references<'d>(
    value: &'d BorrowedJson<'d>,
    page: &MapPage,
    arguments: &Map,
) -> (usize, Vec<BorrowedJson<'d>>) {
    let whole = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let (limit, offset) = (whole("limit"), whole("offset"));
    let entries = value.get(page.field).and_then(BorrowedJson::as_object).unwrap_or_default().iter();
    let chosen: Vec<_> = entries.filter(|(id, _)| is_chosen(id, page.arguments, arguments)).collect();
    let (reference, type_id) = page.reference;
    let text = |text: &'static str| BorrowedJson::Text(text.into());
    let object = |(id, entry): &&'d (Cow<'d, str>, BorrowedJson<'d>)| {
        let id = BorrowedJson::Text(id.clone());
        let target = BorrowedJson::Object(vec![("typeId".into(), text(type_id)), ("id".into(), id)]);
        BorrowedJson::Object(vec![(reference.into(), target), (page.value.into(), entry.clone())])
    };
    let at_most = |value: Option<u64>| value.map(|value| usize::try_from(value).unwrap_or(usize::MAX));
    let shown = chosen.iter().skip(at_most(offset).unwrap_or(0)).take(at_most(limit).unwrap_or(usize::MAX));
    (chosen.len(), shown.map(object).collect())
}

/// Returns true for names that `includeNames` lists (if given) and `excludeNames` does not.
pub(super) fn is_named(name: &str, arguments: &Map) -> bool {
    is_chosen(name, NAME_FILTERS, arguments)
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
fn sort(elements: &mut [&BorrowedJson<'_>], arguments: &Map) {
    let sort = arguments.get("sort").and_then(Value::as_array);
    for expression in sort.into_iter().flatten().rev().filter_map(Value::as_str) {
        let mut words = expression.split_whitespace();
        let Some(field) = words.next() else { continue };
        let text =
            |element: &BorrowedJson<'_>| element.get(field).and_then(BorrowedJson::as_str).map(str::to_owned);
        if words.next() == Some("desc") {
            elements.sort_by_key(|element| std::cmp::Reverse(text(element)));
        } else {
            elements.sort_by_key(|element| text(element));
        }
    }
}

/// Returns a JSON number.
pub(super) fn number(value: u64) -> BorrowedJson<'static> {
    BorrowedJson::Number(value.into())
}
