//! Chooses elements of stored lists by arguments (SKU, key, stock, images), and converts lists of `{name, value}`.

use super::list_window::is_named;
use super::object_source::ObjectSource;
use crate::borrowed_json::BorrowedJson;
use kontor_json::{Map, Value};

/// Returns the elements that the arguments choose, from the element in the field `first` and those in `list`:
/// `skus` (any of them), `isOnStock` (in any of the Channels `stockChannelIds`; without that argument regardless of
/// Channels), `hasImages`, `onlyMatching` (elements that a search has marked as matching).
pub(super) fn choose_elements<'d>(
    holder: &'d BorrowedJson<'d>,
    first: Option<&str>,
    list: &str,
    arguments: &Map,
) -> impl Iterator<Item = &'d BorrowedJson<'d>> {
    let flag = |name: &str| arguments.get(name).and_then(Value::as_bool);
    let texts = |name: &str| match arguments.get(name) {
        Some(Value::Array(texts)) => {
            Some(texts.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<String>>())
        }
        _ => None,
    };
    let (skus, channels) = (texts("skus"), texts("stockChannelIds"));
    let (on_stock, with_images, matching) = (flag("isOnStock"), flag("hasImages"), flag("onlyMatching"));
    all(holder, first, list).filter(move |element| {
        let sku = element.get("sku").and_then(BorrowedJson::as_str);
        skus.as_ref().is_none_or(|skus| sku.is_some_and(|sku| skus.iter().any(|wanted| wanted == sku)))
            && on_stock.is_none_or(|wanted| is_on_stock(element, channels.as_deref()) == wanted)
            && with_images.is_none_or(|wanted| {
                let images = element.get("images").and_then(BorrowedJson::as_list);
                images.is_some_and(|images| !images.is_empty()) == wanted
            })
            && (matching != Some(true)
                || element.get("isMatchingVariant") != Some(&BorrowedJson::Bool(false)))
    })
}

/// Returns the element with the `sku` or the `key` of the arguments.
pub(super) fn find_named<'d>(
    holder: &'d BorrowedJson<'d>,
    first: Option<&str>,
    list: &str,
    arguments: &Map,
) -> Option<&'d BorrowedJson<'d>> {
    let (name, wanted) =
        ["sku", "key"].iter().find_map(|name| Some((*name, arguments.get(*name)?.as_str()?)))?;
    all(holder, first, list).find(|element| element.get(name).and_then(BorrowedJson::as_str) == Some(wanted))
}

fn all<'d>(
    holder: &'d BorrowedJson<'d>,
    first: Option<&str>,
    list: &str,
) -> impl Iterator<Item = &'d BorrowedJson<'d>> {
    let first = first.and_then(|first| holder.get(first));
    first.into_iter().chain(holder.get(list).and_then(BorrowedJson::as_list).into_iter().flatten())
}

fn is_on_stock(element: &BorrowedJson<'_>, channels: Option<&[String]>) -> bool {
    let is_on_stock = |stock: Option<&BorrowedJson<'_>>| {
        stock.and_then(|stock| stock.get("isOnStock")) == Some(&BorrowedJson::Bool(true))
    };
    let availability = element.get("availability");
    let by_channel = availability.and_then(|availability| availability.get("channels"));
    match channels {
        None => is_on_stock(availability),
        Some(channels) => channels
            .iter()
            .any(|channel| is_on_stock(by_channel.and_then(|by_channel| by_channel.get(channel)))),
    }
}

/// Returns each text at the paths once, in the order of the paths.
pub(super) fn distinct_texts<'d>(value: &'d BorrowedJson<'d>, paths: &[Vec<String>]) -> BorrowedJson<'d> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for path in paths {
        visit(value, path, &mut |scalar| {
            if let Some(text) = scalar.as_str()
                && seen.insert(text)
            {
                found.push(BorrowedJson::Text(text.into()));
            }
        });
    }
    BorrowedJson::List(found)
}

fn visit<'d>(value: &'d BorrowedJson<'d>, path: &[String], each: &mut impl FnMut(&'d BorrowedJson<'d>)) {
    match (value, path.split_first()) {
        (BorrowedJson::List(elements), _) => elements.iter().for_each(|element| visit(element, path, each)),
        (value, None) => each(value),
        (value, Some((first, rest))) => {
            if let Some(inner) = value.get(first) {
                visit(inner, rest, each);
            }
        }
    }
}

/// Returns the elements of a list of `{name, value}` as entries.
pub(super) fn named_values<'d>(list: Option<&'d BorrowedJson<'d>>, arguments: &Map) -> Vec<ObjectSource<'d>> {
    let elements = list.and_then(BorrowedJson::as_list).into_iter().flatten();
    elements
        .filter_map(|element| Some((element.get("name")?.as_str()?, element.get("value")?)))
        .filter(|(name, _)| is_named(name, arguments))
        .map(|(name, value)| ObjectSource::Entry(name, value))
        .collect()
}

/// Returns true for a list whose elements are all `{name, value}`, e.g. a nested Attribute.
pub(super) fn are_named_values(value: &BorrowedJson<'_>) -> bool {
    let is_one = |element: &BorrowedJson<'_>| {
        element.get("name").and_then(BorrowedJson::as_str).is_some() && element.get("value").is_some()
    };
    value.as_list().is_some_and(|elements| !elements.is_empty() && elements.iter().all(is_one))
}
