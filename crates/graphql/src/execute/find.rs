//! Where the value of a field is, of what an object shows.

use super::load::{Target, Wanted};
use super::references::{reference, referenced, target};
use super::resolve::Subject;
use super::window::{is_named, map_page, map_references, window};
use super::{Context, elements as stored};
use crate::derived::{PageField, Source};
use crate::json::Json;
use crate::languages::choose;
use serde_json::{Map, Value};
use std::rc::Rc;

/// Where the value of a field is.
pub(super) enum Found<'d> {
    Nothing,
    Json(&'d Json<'d>),
    Owned(Json<'d>),
    Text(&'d str),
    One(Subject<'d>),
    Many(Vec<Subject<'d>>),
    Later(Wanted),
}

/// Looks a source up.
pub(super) fn find<'d>(
    source: &'d Source,
    subject: &Subject<'d>,
    arguments: &Map<String, Value>,
    context: &Context,
) -> Found<'d> {
    let model = context.shop.model();
    match (source, subject) {
        (Source::Constant(value), _) => Found::Owned(Json::from(value)),
        (Source::Itself, Subject::Json(value)) => Found::Json(value),
        (Source::Having(field), Subject::Json(value)) => match value.get(field) {
            None | Some(Json::Null) => Found::Nothing,
            Some(_) => Found::Json(value),
        },
        (Source::MapPage(page), Subject::Json(value)) => Found::Owned(map_page(value, page, arguments)),
        (Source::MapReferences(page), Subject::Json(value)) => {
            Found::Owned(Json::List(map_references(value, page, arguments).1))
        }
        (Source::Stored(name, absent), Subject::Json(value)) => match (value.get(name), absent) {
            (Some(value), _) if *value != Json::Null => Found::Json(value),
            (_, Some(absent)) => Found::Owned(Json::from(absent)),
            _ => Found::Nothing,
        },
        (Source::Text(name), Subject::Json(value)) => match value.get(name).and_then(Json::as_object) {
            Some(texts) => choose(texts, arguments, || context.languages())
                .map_or(Found::Nothing, |(_, text)| Found::Text(text)),
            None => Found::Nothing,
        },
        (Source::Texts(name), Subject::Json(value)) => match value.get(name).and_then(Json::as_object) {
            Some(texts) => Found::Many(
                texts
                    .iter()
                    .filter_map(|(locale, text)| Some(Subject::Text(locale, text.as_str()?)))
                    .collect(),
            ),
            None => Found::Nothing,
        },
        (Source::TextLocale, Subject::Text(locale, _)) => Found::Text(locale),
        (Source::TextValue, Subject::Text(_, text)) => Found::Text(text),
        (Source::Reference(path), Subject::Json(value)) => reference(value, path),
        (Source::Target(path), Subject::Json(value)) => target(value, path, model),
        (Source::Entries(name), Subject::Json(value)) => match value.get(name).and_then(Json::as_object) {
            Some(entries) => Found::Many(
                entries
                    .iter()
                    .filter(|(name, _)| is_named(name, arguments))
                    .map(|(name, value)| Subject::Entry(name, value))
                    .collect(),
            ),
            None => Found::Many(Vec::new()),
        },
        (Source::EntryName, Subject::Entry(name, _)) => Found::Text(name),
        (Source::EntryValue, Subject::Entry(_, value)) => Found::Json(value),
        (Source::EntryTarget, Subject::Entry(_, value)) => match Target::of(value, model) {
            Some(target) => Found::Later(Wanted::Document(target)),
            None => Found::Nothing,
        },
        (Source::EntryTargets, Subject::Entry(_, Json::List(elements))) => Found::Later(Wanted::Documents(
            elements.iter().filter_map(|one| Target::of(one, model)).collect(),
        )),
        (Source::Named(name), Subject::Json(value)) => match value.get(name).and_then(Json::as_list) {
            Some(elements) => Found::Many(
                elements
                    .iter()
                    .filter(|element| {
                        element
                            .get("name")
                            .and_then(Json::as_str)
                            .is_none_or(|name| is_named(name, arguments))
                    })
                    .map(Subject::Json)
                    .collect(),
            ),
            None => Found::Nothing,
        },
        (Source::Elements { list, by }, Subject::Json(value)) => elements(value.get(list), value.get(by)),
        (Source::Window(name, paged), Subject::Json(value)) => {
            Found::One(Subject::Window(Rc::new(window(value.get(name), *paged, arguments))))
        }
        (Source::Scalars(paths), Subject::Json(value)) => Found::Owned(stored::scalars(value, paths)),
        (Source::Chosen(first, list), Subject::Json(value)) => {
            Found::Many(stored::chosen(value, first.as_deref(), list, arguments).map(Subject::Json).collect())
        }
        (Source::ChosenOne(first, list), Subject::Json(value)) => {
            match stored::named(value, first.as_deref(), list, arguments) {
                Some(element) => Found::Json(element),
                None => Found::Nothing,
            }
        }
        (Source::MapEntries(field, name, entry), Subject::Json(value)) => {
            let entries = value.get(field).and_then(Json::as_object).into_iter().flatten();
            let entries = entries.map(|(key, value)| {
                let key = Json::Text(key.clone());
                Json::Object(vec![(name.as_str().into(), key), (entry.as_str().into(), value.clone())])
            });
            Found::Owned(Json::List(entries.collect()))
        }
        (Source::MapEntry(field, argument), Subject::Json(value)) => {
            let name = arguments.get(argument).and_then(Value::as_str).unwrap_or_default();
            value.get(field).and_then(|entries| entries.get(name)).map_or(Found::Nothing, Found::Json)
        }
        (Source::NamedValues(name), Subject::Json(value)) => {
            Found::Many(stored::named_values(value.get(name), arguments))
        }
        (Source::EntryNamedValues, Subject::Entry(_, value)) if stored::are_named_values(value) => {
            Found::Many(stored::named_values(Some(value), arguments))
        }
        (Source::Ancestors(by), Subject::Json(value)) => {
            match value.get(by).and_then(|reference| Target::of(reference, model)) {
                Some(next) => Found::Later(Wanted::Chain { next, by: by.clone(), found: Vec::new() }),
                None => Found::Nothing,
            }
        }
        (Source::Referrers(kind, path), Subject::Json(value)) => match id_of(value) {
            Some(id) => Found::Later(Wanted::Referrers(*kind, path.clone(), id)),
            None => Found::Nothing,
        },
        (Source::CountOfReferrers(kind, path), Subject::Json(value)) => match (kind, id_of(value)) {
            (Some(kind), Some(id)) => Found::Later(Wanted::CountOfReferrers(*kind, path.clone(), id)),
            _ => Found::Owned(number(0)),
        },
        (Source::ReferencedResources, Subject::Json(value)) => referenced(value, arguments, model),
        (Source::ReferencedPath, Subject::Referenced(found)) => {
            Found::Owned(Json::Text(found.0.clone().into()))
        }
        (Source::ReferencedTargets, Subject::Referenced(found)) => {
            Found::Later(Wanted::Documents(found.1.clone()))
        }
        (Source::Page(part), Subject::Page(page)) => match part {
            PageField::Limit => Found::Owned(number(page.limit as u64)),
            PageField::Offset => Found::Owned(number(page.offset as u64)),
            PageField::Count => Found::Owned(number(page.count as u64)),
            PageField::Total => Found::Owned(number(page.total)),
            PageField::Exists => Found::Owned(Json::Bool(page.exists)),
            PageField::Results => Found::Many(page.results.iter().map(Subject::Json).collect()),
        },
        (Source::Page(part), Subject::Window(window)) => match part {
            PageField::Limit => {
                window.limit.map_or(Found::Nothing, |limit| Found::Owned(number(limit as u64)))
            }
            PageField::Offset => {
                window.offset.map_or(Found::Nothing, |offset| Found::Owned(number(offset as u64)))
            }
            PageField::Count => Found::Owned(number(window.elements.len() as u64)),
            PageField::Total => Found::Owned(number(window.total as u64)),
            PageField::Exists => Found::Owned(Json::Bool(window.total > 0)),
            PageField::Results => {
                Found::Many(window.elements.iter().map(|element| Subject::Json(element)).collect())
            }
        },
        // The schema gives every source only to types whose subjects it fits.
        _ => Found::Nothing,
    }
}

/// The elements with an id, or with one of several; what no element has is left out.
fn elements<'d>(list: Option<&'d Json<'d>>, ids: Option<&'d Json<'d>>) -> Found<'d> {
    let find = |id: &'d Json<'d>| {
        let elements = list.and_then(Json::as_list)?;
        elements.iter().find(|element| element.get("id") == Some(id)).map(Subject::Json)
    };
    match ids {
        Some(Json::List(ids)) => Found::Many(ids.iter().filter_map(find).collect()),
        Some(id) => find(id).map_or(Found::Nothing, Found::One),
        None => Found::Nothing,
    }
}

pub(super) fn id_of(value: &Json<'_>) -> Option<String> {
    value.get("id").and_then(Json::as_str).map(str::to_owned)
}

pub(super) fn number(value: u64) -> Json<'static> {
    Json::Number(value.into())
}
