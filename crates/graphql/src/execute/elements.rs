//! Elements of stored lists, chosen by arguments: by SKU or key, by stock, by images; and lists of `{name, value}`.

use super::resolve::{Subject, is_named};
use serde_json::{Map, Value};

/// The elements of a list, behind the one that is stored apart, as far as the arguments choose them:
/// `skus` (any of them), `isOnStock` (in any of the Channels `stockChannelIds`; without these regardless of
/// Channels), `hasImages`, `onlyMatching` (those that a search has marked).
pub(super) fn chosen<'d>(
    holder: &'d Value,
    first: Option<&str>,
    list: &str,
    arguments: &Map<String, Value>,
) -> impl Iterator<Item = &'d Value> {
    let flag = |name: &str| arguments.get(name).and_then(Value::as_bool);
    let texts = |name: &str| match arguments.get(name) {
        Some(Value::Array(texts)) => Some(texts.clone()),
        _ => None,
    };
    let (skus, channels) = (texts("skus"), texts("stockChannelIds"));
    let (on_stock, with_images, matching) = (flag("isOnStock"), flag("hasImages"), flag("onlyMatching"));
    all(holder, first, list).filter(move |element| {
        skus.as_ref().is_none_or(|skus| element.get("sku").is_some_and(|sku| skus.contains(sku)))
            && on_stock.is_none_or(|wanted| is_on_stock(element, channels.as_deref()) == wanted)
            && with_images.is_none_or(|wanted| {
                element["images"].as_array().is_some_and(|images| !images.is_empty()) == wanted
            })
            && (matching != Some(true) || element["isMatchingVariant"] != false)
    })
}

/// The element with the `sku` or the `key` of the arguments.
pub(super) fn named<'d>(
    holder: &'d Value,
    first: Option<&str>,
    list: &str,
    arguments: &Map<String, Value>,
) -> Option<&'d Value> {
    let (name, wanted) = ["sku", "key"]
        .iter()
        .find_map(|name| Some((*name, arguments.get(*name).filter(|text| !text.is_null())?)))?;
    all(holder, first, list).find(|element| element.get(name) == Some(wanted))
}

fn all<'d>(holder: &'d Value, first: Option<&str>, list: &str) -> impl Iterator<Item = &'d Value> {
    let first = first.and_then(|first| holder.get(first));
    first.into_iter().chain(holder.get(list).and_then(Value::as_array).into_iter().flatten())
}

fn is_on_stock(element: &Value, channels: Option<&[Value]>) -> bool {
    let availability = &element["availability"];
    match channels {
        None => availability["isOnStock"] == true,
        Some(channels) => channels
            .iter()
            .filter_map(Value::as_str)
            .any(|channel| availability["channels"][channel]["isOnStock"] == true),
    }
}

/// Each text at the paths once, in the sequence of the paths.
pub(super) fn scalars(value: &Value, paths: &[Vec<String>]) -> Value {
    let mut found: Vec<Value> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for path in paths {
        visit(value, path, &mut |scalar| {
            if scalar.as_str().is_some_and(|text| seen.insert(text.to_owned())) {
                found.push(scalar.clone());
            }
        });
    }
    Value::Array(found)
}

fn visit(value: &Value, path: &[String], each: &mut impl FnMut(&Value)) {
    match (value, path.split_first()) {
        (Value::Array(elements), _) => elements.iter().for_each(|element| visit(element, path, each)),
        (value, None) => each(value),
        (value, Some((first, rest))) => {
            if let Some(inner) = value.get(first) {
                visit(inner, rest, each);
            }
        }
    }
}

/// A list of `{name, value}` as entries.
pub(super) fn named_values<'d>(list: Option<&'d Value>, arguments: &Map<String, Value>) -> Vec<Subject<'d>> {
    let elements = list.and_then(Value::as_array).into_iter().flatten();
    elements
        .filter_map(|element| Some((element.get("name")?.as_str()?, element.get("value")?)))
        .filter(|(name, _)| is_named(name, arguments))
        .map(|(name, value)| Subject::Entry(name, value))
        .collect()
}

/// True for a list of which every element is `{name, value}`, such as a nested Attribute.
pub(super) fn are_named_values(value: &Value) -> bool {
    let is_one =
        |element: &Value| element.get("name").is_some_and(Value::is_string) && element.get("value").is_some();
    value.as_array().is_some_and(|elements| !elements.is_empty() && elements.iter().all(is_one))
}
