//! Finds the value of a field in the object that is shown ([`find`]): the value itself, or the documents to load for
//! it.

use super::document_loader::{DocumentPage, ReferenceTarget, ValueDependency};
use super::field_value::FieldValue;
use super::list_window::{ListWindow, is_named, map_page, map_references, number, window_list};
use super::object_source::ObjectSource;
use super::references::{reference_at, referenced_targets, target};
use super::{ExecutionContext, elements};
use crate::borrowed_json::BorrowedJson;
use crate::languages::choose_text;
use crate::schema_types::{FieldValueSource, PageField};
use kontor_json::{Map, Value};
use kontor_model::{KindId, Model};
use std::rc::Rc;

/// The object of the model that amounts are completed by.
const AMOUNT: &str = "money";

/// Returns the value of a source in `subject`, or what must be loaded to know it.
pub(super) fn find<'d>(
    source: &'d FieldValueSource,
    subject: &ObjectSource<'d>,
    arguments: &Map,
    context: &ExecutionContext,
) -> FieldValue<'d> {
    match (source, subject) {
        (FieldValueSource::Constant(value), _) => FieldValue::Owned(BorrowedJson::from(value)),
        (_, ObjectSource::Json(value)) => find_in_value(source, value, arguments, context),
        (_, ObjectSource::Entry(name, value)) => find_in_entry(source, name, value, arguments, context),
        (FieldValueSource::TextLocale, ObjectSource::Text(locale, _)) => FieldValue::Text(locale),
        (FieldValueSource::TextValue, ObjectSource::Text(_, text)) => FieldValue::Text(text),
        (FieldValueSource::ReferencedPath, ObjectSource::Referenced(found)) => {
            FieldValue::Owned(BorrowedJson::Text(found.0.clone().into()))
        }
        (FieldValueSource::ReferencedTargets, ObjectSource::Referenced(found)) => {
            FieldValue::Later(ValueDependency::Documents(found.1.clone()))
        }
        (FieldValueSource::Page(part), ObjectSource::Page(page)) => find_in_page(*part, page),
        (FieldValueSource::Page(part), ObjectSource::Window(window)) => find_in_window(*part, window),
        // The schema gives every source only to types whose subjects it fits.
        (
            _,
            ObjectSource::Text(..)
            | ObjectSource::Referenced(_)
            | ObjectSource::Page(_)
            | ObjectSource::Window(_),
        ) => FieldValue::Nothing,
        (_, ObjectSource::Reach(_)) => FieldValue::Nothing,
    }
}

/// Returns the value at a path.
fn value_at<'d>(value: &'d BorrowedJson<'d>, path: &[String]) -> FieldValue<'d> {
    let found = path.iter().try_fold(value, |value, step| value.get(step));
    present(found).map_or(FieldValue::Nothing, FieldValue::Json)
}

/// Finds a source in a document or a part of one. The match has no wildcard, so that a new source must be handled here.
fn find_in_value<'d>(
    source: &'d FieldValueSource,
    value: &'d BorrowedJson<'d>,
    arguments: &Map,
    context: &ExecutionContext,
) -> FieldValue<'d> {
    use FieldValueSource as Source;
    let model = context.shop.model();
    match source {
        Source::Constant(constant) => FieldValue::Owned(BorrowedJson::from(constant)),
        Source::Itself => FieldValue::Json(value),
        Source::IfPresent(field) => {
            present(value.get(field)).map_or(FieldValue::Nothing, |_| FieldValue::Json(value))
        }
        Source::MapPage(page) => FieldValue::Owned(map_page(value, page, arguments)),
        Source::MapReferences(page) => {
            FieldValue::Owned(BorrowedJson::List(map_references(value, page, arguments).1))
        }
        Source::Stored(name, absent) => {
            present(value.get(name)).map_or_else(|| default_value(absent), FieldValue::Json)
        }
        Source::At(path) => value_at(value, path),
        Source::Text(name) => text(value.get(name), arguments, context),
        Source::Texts(name, absent) => {
            present(value.get(name)).map_or_else(|| default_value(absent), |value| texts(Some(value)))
        }
        Source::Reference(path) => reference_at(value, path),
        Source::Target(path) => target(value, path, model),
        Source::TargetById(kind, field) => document_by_id(*kind, value.get(field)),
        Source::SentForm(name, absent) => stored_value(value.get(name), absent, context),
        Source::Identified(name) => identified_elements(value.get(name), arguments),
        Source::Entries(name) => entries(value.get(name), arguments),
        Source::Named(name) => named_elements(value.get(name), arguments),
        Source::Elements { list, by } => elements(value.get(list), value.get(by)),
        Source::Window(name, paged) => {
            FieldValue::One(ObjectSource::Window(Rc::new(window_list(value.get(name), *paged, arguments))))
        }
        Source::Scalars(paths) => FieldValue::Owned(elements::distinct_texts(value, paths)),
        Source::Chosen(first, list) => chosen_elements(value, first.as_deref(), list, arguments),
        Source::ChosenOne(first, list) => chosen_element(value, first.as_deref(), list, arguments),
        Source::MapEntries(field, name, entry) => map_entries(value.get(field), name, entry),
        Source::MapEntry(field, argument) => map_entry(value.get(field), arguments.get(argument)),
        Source::NamedValues(name) => FieldValue::Many(elements::named_values(value.get(name), arguments)),
        Source::Ancestors(by) => ancestors(value, by, model),
        Source::Referrers(kind, path) => id_of(value).map_or(FieldValue::Nothing, |id| {
            FieldValue::Later(ValueDependency::Referrers(*kind, path.clone(), id))
        }),
        Source::CountOfReferrers(kind, path) => count_of_referrers(*kind, path, value),
        Source::ReferencedResources => referenced_targets(value, arguments, model),
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
        | Source::Page(_) => FieldValue::Nothing,
        // Sources that need more than the document; `resolve` handles them.
        Source::ListPage(..)
        | Source::Found(_)
        | Source::Spliced(..)
        | Source::EntryDefinition(_)
        | Source::Counted(..)
        | Source::Limit(_)
        | Source::Root(_) => FieldValue::Nothing,
    }
}

/// Returns a stored value, with each amount in its stored form.
fn stored_value<'d>(
    value: Option<&'d BorrowedJson<'d>>,
    absent: &'d Option<Value>,
    context: &ExecutionContext,
) -> FieldValue<'d> {
    let stored = |value: &'d BorrowedJson<'d>| FieldValue::Owned(with_stored_amounts(value.clone(), context));
    present(value).map_or_else(|| default_value(absent), stored)
}

/// Returns the elements that the arguments choose.
fn chosen_elements<'d>(
    value: &'d BorrowedJson<'d>,
    first: Option<&str>,
    list: &str,
    arguments: &Map,
) -> FieldValue<'d> {
    FieldValue::Many(
        elements::choose_elements(value, first, list, arguments).map(ObjectSource::Json).collect(),
    )
}

/// Returns the element that the arguments choose.
fn chosen_element<'d>(
    value: &'d BorrowedJson<'d>,
    first: Option<&str>,
    list: &str,
    arguments: &Map,
) -> FieldValue<'d> {
    elements::find_named(value, first, list, arguments).map_or(FieldValue::Nothing, FieldValue::Json)
}

/// Returns the replacement for an absent value.
fn default_value(absent: &Option<Value>) -> FieldValue<'_> {
    absent.as_ref().map_or(FieldValue::Nothing, |absent| FieldValue::Owned(BorrowedJson::from(absent)))
}

/// Returns the document of a kind with this id.
fn document_by_id<'d>(kind: KindId, id: Option<&BorrowedJson<'_>>) -> FieldValue<'d> {
    let id = id.and_then(BorrowedJson::as_str).map(str::to_owned);
    id.map_or(FieldValue::Nothing, |id| {
        FieldValue::Later(ValueDependency::Document(ReferenceTarget { kind, by_key: false, id }))
    })
}

/// Returns the entry of this name in any case: names may be languages, e.g. `de-at`. Ids differ in more than case.
fn map_entry<'d>(entries: Option<&'d BorrowedJson<'d>>, name: Option<&Value>) -> FieldValue<'d> {
    let (Some(entries), Some(name)) =
        (entries.and_then(BorrowedJson::as_object), name.and_then(Value::as_str))
    else {
        return FieldValue::Nothing;
    };
    let found = entries.iter().find(|(there, _)| there.eq_ignore_ascii_case(name));
    found.map_or(FieldValue::Nothing, |(_, entry)| FieldValue::Json(entry))
}

/// Returns the number of documents of a kind that refer to this one; 0 while the kind is not served.
fn count_of_referrers<'d>(kind: Option<KindId>, path: &str, value: &BorrowedJson<'_>) -> FieldValue<'d> {
    match (kind, id_of(value)) {
        (Some(kind), Some(id)) => {
            FieldValue::Later(ValueDependency::CountOfReferrers(kind, path.to_owned(), id))
        }
        _ => FieldValue::Owned(number(0)),
    }
}

/// Finds a source in a named value.
fn find_in_entry<'d>(
    source: &'d FieldValueSource,
    name: &'d str,
    value: &'d BorrowedJson<'d>,
    arguments: &Map,
    context: &ExecutionContext,
) -> FieldValue<'d> {
    let model = context.shop.model();
    match (source, value) {
        (FieldValueSource::EntryName, _) => FieldValue::Text(name),
        (FieldValueSource::EntryValue, _) => FieldValue::Json(value),
        (FieldValueSource::EntryTarget, _) => ReferenceTarget::from_reference(value, model)
            .map_or(FieldValue::Nothing, |target| FieldValue::Later(ValueDependency::Document(target))),
        (FieldValueSource::EntryTargets, BorrowedJson::List(elements)) => {
            FieldValue::Later(ValueDependency::Documents(
                elements.iter().filter_map(|one| ReferenceTarget::from_reference(one, model)).collect(),
            ))
        }
        (FieldValueSource::EntryNamedValues, _) if elements::are_named_values(value) => {
            FieldValue::Many(elements::named_values(Some(value), arguments))
        }
        // Values of entries differ in shape: a value lacks the fields of its type that do not fit it.
        _ => FieldValue::Nothing,
    }
}

fn find_in_page<'d>(part: PageField, page: &'d DocumentPage<BorrowedJson<'d>>) -> FieldValue<'d> {
    match part {
        PageField::Limit => FieldValue::Owned(number(page.limit as u64)),
        PageField::Offset => FieldValue::Owned(number(page.offset as u64)),
        PageField::Count => FieldValue::Owned(number(page.count as u64)),
        PageField::Total => FieldValue::Owned(number(page.total)),
        PageField::Exists => FieldValue::Owned(BorrowedJson::Bool(page.exists)),
        PageField::Results => FieldValue::Many(page.results.iter().map(ObjectSource::Json).collect()),
    }
}

fn find_in_window<'d>(part: PageField, window: &ListWindow<'d>) -> FieldValue<'d> {
    let optional =
        |size: Option<usize>| size.map_or(FieldValue::Nothing, |size| FieldValue::Owned(number(size as u64)));
    match part {
        PageField::Limit => optional(window.limit),
        PageField::Offset => optional(window.offset),
        PageField::Count => FieldValue::Owned(number(window.elements.len() as u64)),
        PageField::Total => FieldValue::Owned(number(window.total as u64)),
        PageField::Exists => FieldValue::Owned(BorrowedJson::Bool(window.total > 0)),
        PageField::Results => {
            FieldValue::Many(window.elements.iter().map(|element| ObjectSource::Json(element)).collect())
        }
    }
}

fn present<'d>(value: Option<&'d BorrowedJson<'d>>) -> Option<&'d BorrowedJson<'d>> {
    value.filter(|value| **value != BorrowedJson::Null)
}

fn text<'d>(
    value: Option<&'d BorrowedJson<'d>>,
    arguments: &Map,
    context: &ExecutionContext,
) -> FieldValue<'d> {
    let texts = value.and_then(BorrowedJson::as_object);
    let chosen = texts.and_then(|texts| choose_text(texts, arguments, || context.languages()));
    chosen.map_or(FieldValue::Nothing, |(_, text)| FieldValue::Text(text))
}

fn texts<'d>(value: Option<&'d BorrowedJson<'d>>) -> FieldValue<'d> {
    let Some(texts) = value.and_then(BorrowedJson::as_object) else { return FieldValue::Nothing };
    let text = texts.iter().filter_map(|(locale, text)| Some(ObjectSource::Text(locale, text.as_str()?)));
    FieldValue::Many(text.collect())
}

fn entries<'d>(value: Option<&'d BorrowedJson<'d>>, arguments: &Map) -> FieldValue<'d> {
    let entries = value.and_then(BorrowedJson::as_object).into_iter().flatten();
    let entries = entries.filter(|(name, _)| is_named(name, arguments));
    FieldValue::Many(entries.map(|(name, value)| ObjectSource::Entry(name, value)).collect())
}

fn named_elements<'d>(value: Option<&'d BorrowedJson<'d>>, arguments: &Map) -> FieldValue<'d> {
    let Some(elements) = value.and_then(BorrowedJson::as_list) else { return FieldValue::Nothing };
    let is_meant = |element: &&BorrowedJson<'_>| {
        element.get("name").and_then(BorrowedJson::as_str).is_none_or(|name| is_named(name, arguments))
    };
    FieldValue::Many(elements.iter().filter(is_meant).map(ObjectSource::Json).collect())
}

fn identified_elements<'d>(value: Option<&'d BorrowedJson<'d>>, arguments: &Map) -> FieldValue<'d> {
    let Some(elements) = value.and_then(BorrowedJson::as_list) else { return FieldValue::Nothing };
    let wanted = arguments.get("id").and_then(Value::as_str);
    let is_meant = |element: &&BorrowedJson<'_>| {
        wanted.is_none_or(|wanted| element.get("id").and_then(BorrowedJson::as_str) == Some(wanted))
    };
    FieldValue::Many(elements.iter().filter(is_meant).map(ObjectSource::Json).collect())
}

/// Returns a sent value with its amounts in the stored form, because a sent amount may lack its `type`.
fn with_stored_amounts<'d>(value: BorrowedJson<'d>, context: &ExecutionContext) -> BorrowedJson<'d> {
    match value {
        BorrowedJson::List(elements) => BorrowedJson::List(
            elements.into_iter().map(|element| with_stored_amounts(element, context)).collect(),
        ),
        BorrowedJson::Object(fields) if fields.iter().any(|(name, _)| name == "currencyCode") => {
            let sent = BorrowedJson::Object(fields).into_value();
            BorrowedJson::from(context.shop.complete_value(AMOUNT, sent))
        }
        BorrowedJson::Object(fields) => BorrowedJson::Object(
            fields.into_iter().map(|(name, value)| (name, with_stored_amounts(value, context))).collect(),
        ),
        value => value,
    }
}

fn map_entries<'d>(value: Option<&'d BorrowedJson<'d>>, name: &'d str, entry: &'d str) -> FieldValue<'d> {
    let entries = value.and_then(BorrowedJson::as_object).into_iter().flatten();
    let entries = entries.map(|(key, value)| {
        BorrowedJson::Object(vec![
            (name.into(), BorrowedJson::Text(key.clone())),
            (entry.into(), value.clone()),
        ])
    });
    FieldValue::Owned(BorrowedJson::List(entries.collect()))
}

fn ancestors<'d>(value: &'d BorrowedJson<'d>, by: &str, model: &Model) -> FieldValue<'d> {
    match value.get(by).and_then(|reference| ReferenceTarget::from_reference(reference, model)) {
        Some(next) => {
            FieldValue::Later(ValueDependency::Chain { next, by: by.to_owned(), found: Vec::new() })
        }
        None => FieldValue::Nothing,
    }
}

/// Returns the elements with an id, or with one of several; ids without an element are skipped.
fn elements<'d>(list: Option<&'d BorrowedJson<'d>>, ids: Option<&'d BorrowedJson<'d>>) -> FieldValue<'d> {
    let find = |id: &'d BorrowedJson<'d>| {
        let elements = list.and_then(BorrowedJson::as_list)?;
        elements.iter().find(|element| element.get("id") == Some(id)).map(ObjectSource::Json)
    };
    match ids {
        Some(BorrowedJson::List(ids)) => FieldValue::Many(ids.iter().filter_map(find).collect()),
        Some(id) => find(id).map_or(FieldValue::Nothing, FieldValue::One),
        None => FieldValue::Nothing,
    }
}

/// Returns the field `id` of a document.
pub(super) fn id_of(value: &BorrowedJson<'_>) -> Option<String> {
    value.get("id").and_then(BorrowedJson::as_str).map(str::to_owned)
}
