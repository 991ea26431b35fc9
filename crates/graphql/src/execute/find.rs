//! Finds the value of a field in the object that is shown ([`find`]): the value itself, or the documents to load for
//! it.

use super::found::Found;
use super::load::{Page, Target, Wanted};
use super::references::{reference, referenced, target};
use super::subject::Subject;
use super::window::{Window, is_named, map_page, map_references, number, window};
use super::{Context, elements as stored};
use crate::derived::{PageField, Source};
use crate::json::Json;
use crate::languages::choose;
use kontor_json::{Map, Value};
use kontor_model::{KindId, Model};
use std::rc::Rc;

/// The object of the model that amounts are completed by.
const AMOUNT: &str = "money";

/// Returns the value of a source in `subject`, or what must be loaded to know it.
pub(super) fn find<'d>(
    source: &'d Source,
    subject: &Subject<'d>,
    arguments: &Map,
    context: &Context,
) -> Found<'d> {
    match (source, subject) {
        (Source::Constant(value), _) => Found::Owned(Json::from(value)),
        (_, Subject::Json(value)) => of_value(source, value, arguments, context),
        (_, Subject::Entry(name, value)) => of_entry(source, name, value, arguments, context),
        (Source::TextLocale, Subject::Text(locale, _)) => Found::Text(locale),
        (Source::TextValue, Subject::Text(_, text)) => Found::Text(text),
        (Source::ReferencedPath, Subject::Referenced(found)) => {
            Found::Owned(Json::Text(found.0.clone().into()))
        }
        (Source::ReferencedTargets, Subject::Referenced(found)) => {
            Found::Later(Wanted::Documents(found.1.clone()))
        }
        (Source::Page(part), Subject::Page(page)) => of_page(*part, page),
        (Source::Page(part), Subject::Window(window)) => of_window(*part, window),
        // The schema gives every source only to types whose subjects it fits.
        (_, Subject::Text(..) | Subject::Referenced(_) | Subject::Page(_) | Subject::Window(_)) => {
            Found::Nothing
        }
        (_, Subject::Reach(_)) => Found::Nothing,
    }
}

/// Returns the value at a path.
fn at<'d>(value: &'d Json<'d>, path: &[String]) -> Found<'d> {
    let found = path.iter().try_fold(value, |value, step| value.get(step));
    present(found).map_or(Found::Nothing, Found::Json)
}

/// Finds a source in a document or a part of one. The match has no wildcard, so that a new source must be handled here.
fn of_value<'d>(source: &'d Source, value: &'d Json<'d>, arguments: &Map, context: &Context) -> Found<'d> {
    let model = context.shop.model();
    match source {
        Source::Constant(constant) => Found::Owned(Json::from(constant)),
        Source::Itself => Found::Json(value),
        Source::Having(field) => present(value.get(field)).map_or(Found::Nothing, |_| Found::Json(value)),
        Source::MapPage(page) => Found::Owned(map_page(value, page, arguments)),
        Source::MapReferences(page) => Found::Owned(Json::List(map_references(value, page, arguments).1)),
        Source::Stored(name, absent) => present(value.get(name)).map_or_else(|| instead(absent), Found::Json),
        Source::At(path) => at(value, path),
        Source::Text(name) => text(value.get(name), arguments, context),
        Source::Texts(name, absent) => {
            present(value.get(name)).map_or_else(|| instead(absent), |value| texts(Some(value)))
        }
        Source::Reference(path) => reference(value, path),
        Source::Target(path) => target(value, path, model),
        Source::TargetById(kind, field) => by_id(*kind, value.get(field)),
        Source::Kept(name, absent) => present(value.get(name))
            .map_or_else(|| instead(absent), |value| Found::Owned(kept(value.clone(), context))),
        Source::Identified(name) => identified(value.get(name), arguments),
        Source::Entries(name) => entries(value.get(name), arguments),
        Source::Named(name) => named(value.get(name), arguments),
        Source::Elements { list, by } => elements(value.get(list), value.get(by)),
        Source::Window(name, paged) => {
            Found::One(Subject::Window(Rc::new(window(value.get(name), *paged, arguments))))
        }
        Source::Scalars(paths) => Found::Owned(stored::scalars(value, paths)),
        Source::Chosen(first, list) => {
            Found::Many(stored::chosen(value, first.as_deref(), list, arguments).map(Subject::Json).collect())
        }
        Source::ChosenOne(first, list) => {
            stored::named(value, first.as_deref(), list, arguments).map_or(Found::Nothing, Found::Json)
        }
        Source::MapEntries(field, name, entry) => map_entries(value.get(field), name, entry),
        Source::MapEntry(field, argument) => map_entry(value.get(field), arguments.get(argument)),
        Source::NamedValues(name) => Found::Many(stored::named_values(value.get(name), arguments)),
        Source::Ancestors(by) => ancestors(value, by, model),
        Source::Referrers(kind, path) => {
            id_of(value).map_or(Found::Nothing, |id| Found::Later(Wanted::Referrers(*kind, path.clone(), id)))
        }
        Source::CountOfReferrers(kind, path) => count_of_referrers(*kind, path, value),
        Source::ReferencedResources => referenced(value, arguments, model),
        // Sources of other subjects.
        Source::EntryName
        | Source::EntryValue
        | Source::EntryTarget
        | Source::EntryTargets
        | Source::EntryNamedValues
        | Source::TextLocale
        | Source::TextValue
        | Source::ReferencedPath
        | Source::ReferencedTargets
        | Source::Page(_) => Found::Nothing,
        // Sources that need more than the document; `resolve` handles them.
        Source::Below(..)
        | Source::Found(_)
        | Source::Spliced(..)
        | Source::EntryDefinition(_)
        | Source::Counted(..)
        | Source::Limit(_)
        | Source::Root(_) => Found::Nothing,
    }
}

/// Returns the replacement for an absent value.
fn instead(absent: &Option<Value>) -> Found<'_> {
    absent.as_ref().map_or(Found::Nothing, |absent| Found::Owned(Json::from(absent)))
}

/// Returns the document of a kind with this id.
fn by_id<'d>(kind: KindId, id: Option<&Json<'_>>) -> Found<'d> {
    let id = id.and_then(Json::as_str).map(str::to_owned);
    id.map_or(Found::Nothing, |id| Found::Later(Wanted::Document(Target { kind, by_key: false, id })))
}

/// Returns the entry of this name in any case: names may be languages, e.g. `de-at`. Ids differ in more than case.
fn map_entry<'d>(entries: Option<&'d Json<'d>>, name: Option<&Value>) -> Found<'d> {
    let (Some(entries), Some(name)) = (entries.and_then(Json::as_object), name.and_then(Value::as_str))
    else {
        return Found::Nothing;
    };
    let found = entries.iter().find(|(there, _)| there.eq_ignore_ascii_case(name));
    found.map_or(Found::Nothing, |(_, entry)| Found::Json(entry))
}

/// Returns the number of documents of a kind that refer to this one; 0 while the kind is not served.
fn count_of_referrers<'d>(kind: Option<KindId>, path: &str, value: &Json<'_>) -> Found<'d> {
    match (kind, id_of(value)) {
        (Some(kind), Some(id)) => Found::Later(Wanted::CountOfReferrers(kind, path.to_owned(), id)),
        _ => Found::Owned(number(0)),
    }
}

/// Finds a source in a named value.
fn of_entry<'d>(
    source: &'d Source,
    name: &'d str,
    value: &'d Json<'d>,
    arguments: &Map,
    context: &Context,
) -> Found<'d> {
    let model = context.shop.model();
    match (source, value) {
        (Source::EntryName, _) => Found::Text(name),
        (Source::EntryValue, _) => Found::Json(value),
        (Source::EntryTarget, _) => {
            Target::of(value, model).map_or(Found::Nothing, |target| Found::Later(Wanted::Document(target)))
        }
        (Source::EntryTargets, Json::List(elements)) => Found::Later(Wanted::Documents(
            elements.iter().filter_map(|one| Target::of(one, model)).collect(),
        )),
        (Source::EntryNamedValues, _) if stored::are_named_values(value) => {
            Found::Many(stored::named_values(Some(value), arguments))
        }
        // Values of entries differ in shape: a value lacks the fields of its type that do not fit it.
        _ => Found::Nothing,
    }
}

fn of_page<'d>(part: PageField, page: &'d Page<Json<'d>>) -> Found<'d> {
    match part {
        PageField::Limit => Found::Owned(number(page.limit as u64)),
        PageField::Offset => Found::Owned(number(page.offset as u64)),
        PageField::Count => Found::Owned(number(page.count as u64)),
        PageField::Total => Found::Owned(number(page.total)),
        PageField::Exists => Found::Owned(Json::Bool(page.exists)),
        PageField::Results => Found::Many(page.results.iter().map(Subject::Json).collect()),
    }
}

fn of_window<'d>(part: PageField, window: &Window<'d>) -> Found<'d> {
    let optional =
        |size: Option<usize>| size.map_or(Found::Nothing, |size| Found::Owned(number(size as u64)));
    match part {
        PageField::Limit => optional(window.limit),
        PageField::Offset => optional(window.offset),
        PageField::Count => Found::Owned(number(window.elements.len() as u64)),
        PageField::Total => Found::Owned(number(window.total as u64)),
        PageField::Exists => Found::Owned(Json::Bool(window.total > 0)),
        PageField::Results => {
            Found::Many(window.elements.iter().map(|element| Subject::Json(element)).collect())
        }
    }
}

fn present<'d>(value: Option<&'d Json<'d>>) -> Option<&'d Json<'d>> {
    value.filter(|value| **value != Json::Null)
}

fn text<'d>(value: Option<&'d Json<'d>>, arguments: &Map, context: &Context) -> Found<'d> {
    let texts = value.and_then(Json::as_object);
    let chosen = texts.and_then(|texts| choose(texts, arguments, || context.languages()));
    chosen.map_or(Found::Nothing, |(_, text)| Found::Text(text))
}

fn texts<'d>(value: Option<&'d Json<'d>>) -> Found<'d> {
    let Some(texts) = value.and_then(Json::as_object) else { return Found::Nothing };
    let text = texts.iter().filter_map(|(locale, text)| Some(Subject::Text(locale, text.as_str()?)));
    Found::Many(text.collect())
}

fn entries<'d>(value: Option<&'d Json<'d>>, arguments: &Map) -> Found<'d> {
    let entries = value.and_then(Json::as_object).into_iter().flatten();
    let entries = entries.filter(|(name, _)| is_named(name, arguments));
    Found::Many(entries.map(|(name, value)| Subject::Entry(name, value)).collect())
}

fn named<'d>(value: Option<&'d Json<'d>>, arguments: &Map) -> Found<'d> {
    let Some(elements) = value.and_then(Json::as_list) else { return Found::Nothing };
    let is_meant = |element: &&Json<'_>| {
        element.get("name").and_then(Json::as_str).is_none_or(|name| is_named(name, arguments))
    };
    Found::Many(elements.iter().filter(is_meant).map(Subject::Json).collect())
}

fn identified<'d>(value: Option<&'d Json<'d>>, arguments: &Map) -> Found<'d> {
    let Some(elements) = value.and_then(Json::as_list) else { return Found::Nothing };
    let wanted = arguments.get("id").and_then(Value::as_str);
    let is_meant = |element: &&Json<'_>| {
        wanted.is_none_or(|wanted| element.get("id").and_then(Json::as_str) == Some(wanted))
    };
    Found::Many(elements.iter().filter(is_meant).map(Subject::Json).collect())
}

/// Returns a sent value with its amounts in the stored form, because a sent amount may lack its `type`.
fn kept<'d>(value: Json<'d>, context: &Context) -> Json<'d> {
    match value {
        Json::List(elements) => {
            Json::List(elements.into_iter().map(|element| kept(element, context)).collect())
        }
        Json::Object(fields) if fields.iter().any(|(name, _)| name == "currencyCode") => {
            let sent = Json::Object(fields).into_value();
            Json::from(context.shop.as_stored(AMOUNT, sent))
        }
        Json::Object(fields) => {
            Json::Object(fields.into_iter().map(|(name, value)| (name, kept(value, context))).collect())
        }
        value => value,
    }
}

fn map_entries<'d>(value: Option<&'d Json<'d>>, name: &'d str, entry: &'d str) -> Found<'d> {
    let entries = value.and_then(Json::as_object).into_iter().flatten();
    let entries = entries.map(|(key, value)| {
        Json::Object(vec![(name.into(), Json::Text(key.clone())), (entry.into(), value.clone())])
    });
    Found::Owned(Json::List(entries.collect()))
}

fn ancestors<'d>(value: &'d Json<'d>, by: &str, model: &Model) -> Found<'d> {
    match value.get(by).and_then(|reference| Target::of(reference, model)) {
        Some(next) => Found::Later(Wanted::Chain { next, by: by.to_owned(), found: Vec::new() }),
        None => Found::Nothing,
    }
}

/// Returns the elements with an id, or with one of several; ids without an element are skipped.
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

/// Returns the field `id` of a document.
pub(super) fn id_of(value: &Json<'_>) -> Option<String> {
    value.get("id").and_then(Json::as_str).map(str::to_owned)
}
