//! One field of an object: where its value comes from, and what becomes of it.

use super::collect::Asked;
use super::elements;
use super::load::{Loaded, Page, Target, Wanted, references_at};
use super::side::parameters_of;
use super::tree::NodeId;
use super::view::Started;
use super::view::View;
use super::{Context, Execution, Waiting, root};
use crate::derived::{Concrete, LimitSource, OutputField, PageField, Root, Source};
use crate::exceptions::{CHOSEN, Form, MapPage, PagedList, STAGED, Splice};
use crate::gate::{Doing, Reach};
use crate::json::Json;
use crate::languages::choose;
use apollo_compiler::ast::Type;
use kontor_engine::{Document, Sight, Used};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, Model};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::rc::Rc;

/// What an object shows.
#[derive(Clone)]
pub(crate) enum Subject<'d> {
    Json(&'d Json<'d>),
    /// A named value.
    Entry(&'d str, &'d Json<'d>),
    /// A text and its locale.
    Text(&'d str, &'d str),
    Page(&'d Page<Json<'d>>),
    /// What belongs to somebody.
    Reach(&'d Reach),
    /// A part of a list.
    Window(Rc<Window<'d>>),
    /// References found in a free JSON value, with the path where.
    Referenced(Rc<(String, Vec<Target>)>),
}

pub(crate) struct Window<'d> {
    limit: Option<usize>,
    offset: Option<usize>,
    total: usize,
    elements: Vec<&'d Json<'d>>,
}

/// Where the value of a field is.
enum Found<'d> {
    Nothing,
    Json(&'d Json<'d>),
    Owned(Json<'d>),
    Text(&'d str),
    One(Subject<'d>),
    Many(Vec<Subject<'d>>),
    Later(Wanted),
}

impl<'q> Execution<'_, 'q> {
    pub(super) fn resolve(
        &mut self,
        asked: &Rc<Asked<'q>>,
        field: &'q OutputField,
        node: NodeId,
        subject: &Subject<'_>,
    ) {
        let arguments = asked.arguments(self.question);
        if let (Source::Root(root), Subject::Reach(reach)) = (&field.source, subject) {
            return self.root(asked, *root, node, reach);
        }
        if let (Source::Below(kind, list), Subject::Json(document)) = (&field.source, subject) {
            return match root::below(*kind, list, document, asked, self.question, self.context) {
                Ok(page) => {
                    let wanted = Wanted::Loaded(Loaded::Page(page));
                    self.wait(asked, node, wanted);
                }
                Err(error) => self.refuse(asked, node, &error),
            };
        }
        match (&field.source, subject) {
            (Source::Spliced(kind, splice), Subject::Json(object)) => {
                return match self.spliced(*kind, splice, object, arguments) {
                    Ok(Some(value)) => self.formed(asked, node, splice, value, arguments),
                    Ok(None) => self.nothing(asked, node),
                    Err(error) => self.refuse(asked, node, &error),
                };
            }
            (Source::Found(kind), Subject::Json(found)) => {
                return match self.found_document(*kind, found, arguments) {
                    Ok((wanted, view)) => {
                        self.next.push(Waiting { node, asked: Rc::clone(asked), wanted, view });
                    }
                    Err(error) => self.refuse(asked, node, &error),
                };
            }
            (Source::Limit(limit), _) => {
                return match self.limit(*limit) {
                    Ok(Used { limit, current }) => {
                        let used = serde_json::json!({"limit": limit, "current": current});
                        self.value(asked, asked.ty(), node, &Json::from(&used));
                    }
                    Err(error) => self.refuse(asked, node, &error),
                };
            }
            (Source::EntryDefinition { reference, list }, Subject::Entry(name, _)) => {
                let model = self.context.shop.model();
                let of = self.told.get(reference).and_then(|told| Target::of(&Json::from(told), model));
                return match of {
                    Some(of) => {
                        let wanted = Wanted::Element { of, list: list.clone(), name: (*name).to_owned() };
                        self.wait(asked, node, wanted);
                    }
                    None => self.nothing(asked, node),
                };
            }
            _ => {}
        }
        // What defines the names of entries does not define those of entries within.
        let told = (field.source == Source::EntryNamedValues).then(|| std::mem::take(&mut self.told));
        self.found(asked, node, find(&field.source, subject, arguments, self.context));
        if let Some(told) = told {
            self.told = told;
        }
    }

    /// The document that a search found, for who may look for documents of its kind.
    fn found_document(
        &self,
        kind: KindId,
        found: &Json<'_>,
        arguments: &Map<String, Value>,
    ) -> ApiResult<(Wanted, Option<Rc<View>>)> {
        self.context.gate.admit(&self.context.shop, kind, &Reach::default(), Doing::Querying)?;
        let id = id_of(found).ok_or_else(ApiError::internal)?;
        let view = View::of_found(kind, arguments, self.context)?;
        Ok((Wanted::Document(Target { kind, id, by_key: false }), view))
    }

    /// Waits for documents, which are shown as those above.
    fn wait(&mut self, asked: &Rc<Asked<'q>>, node: NodeId, wanted: Wanted) {
        let view = self.view.clone();
        self.next.push(Waiting { node, asked: Rc::clone(asked), wanted, view });
    }

    fn found(&mut self, asked: &Rc<Asked<'q>>, node: NodeId, found: Found<'_>) {
        match found {
            Found::Json(value) => self.value(asked, asked.ty(), node, value),
            Found::Owned(value) => self.value(asked, asked.ty(), node, &value),
            Found::Text(text) => self.tree.set_text(node, text),
            Found::One(subject) => self.subject(asked, node, subject),
            Found::Many(subjects) => {
                self.tree.set_list(node);
                for subject in subjects {
                    let element = self.tree.element(node, true);
                    self.subject(asked, element, subject);
                }
            }
            Found::Later(wanted) => self.wait(asked, node, wanted),
            // A list that must be there is empty.
            Found::Nothing if asked.ty().is_list() && asked.ty().is_non_null() => self.tree.set_list(node),
            Found::Nothing => self.nothing(asked, node),
        }
    }

    /// The field that a kind puts into a part of its documents for who asks with these arguments.
    fn spliced(
        &self,
        kind: KindId,
        splice: &Splice,
        object: &Json<'_>,
        arguments: &Map<String, Value>,
    ) -> ApiResult<Option<Value>> {
        let mut sight = Sight::default();
        let asked = splice.asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        sight.parameters.extend(asked);
        sight.parameters.extend(parameters_of(splice.parameters.iter().copied(), arguments));
        let part = splice.needs.iter().filter_map(|name| Some((*name, object.get(name)?.clone())));
        let part: Document = part.map(|(name, value)| (name.to_owned(), value.into_value())).collect();
        if splice.at.is_empty() {
            sight.staged = object.get(STAGED.0) == Some(&Json::Bool(true));
            return Ok(self.context.shop.spliced(kind, part, &sight)?.shift_remove(splice.shows));
        }
        let mut document = self.told.clone();
        let part = Value::Object(part);
        let part = if splice.in_list { Value::Array(vec![part]) } else { part };
        document.insert(splice.at.to_owned(), part);
        let mut shown = self.context.shop.spliced(kind, document, &sight)?;
        let part = shown.get_mut(splice.at).and_then(|part| match part {
            Value::Array(parts) => parts.first_mut()?.as_object_mut(),
            part => part.as_object_mut(),
        });
        Ok(part.and_then(|part| part.shift_remove(splice.shows)))
    }

    fn limit(&self, limit: LimitSource) -> ApiResult<Used> {
        let Context { shop, gate, .. } = self.context;
        match limit {
            LimitSource::Documents(kind) => shop.documents_used(kind),
            LimitSource::Told(kind, name) => shop.limit_used(kind, name),
            LimitSource::RefreshTokens => gate.refresh_tokens(shop),
            LimitSource::Fixed(limit) => Ok(Used { limit, current: None }),
        }
    }

    /// Shows a value that was put in.
    fn formed(
        &mut self,
        asked: &Rc<Asked<'q>>,
        node: NodeId,
        splice: &Splice,
        value: Value,
        arguments: &Map<String, Value>,
    ) {
        let source = match splice.form {
            Form::Value => return self.value(asked, asked.ty(), node, &Json::from(&value)),
            Form::Text => Source::Text(splice.shows.to_owned()),
            Form::Texts => Source::Texts(splice.shows.to_owned()),
        };
        let holder = Value::Object(Map::from_iter([(splice.shows.to_owned(), value)]));
        let holder = Json::from(&holder);
        self.found(asked, node, find(&source, &Subject::Json(&holder), arguments, self.context));
    }

    /// A query of an object below which everything belongs to somebody.
    fn root(&mut self, asked: &Rc<Asked<'q>>, root: Root, node: NodeId, reach: &Reach) {
        match root::query(root, asked, self.question, reach, self.context) {
            Ok(Some(Started { wanted, view })) => {
                self.next.push(Waiting { node, asked: Rc::clone(asked), wanted, view });
            }
            Ok(None) => self.nothing(asked, node),
            Err(error) => self.refuse(asked, node, &error),
        }
    }

    fn subject(&mut self, asked: &Asked<'q>, node: NodeId, subject: Subject<'_>) {
        let name = asked.ty().inner_named_type();
        if let Some(output) = self.question.schema.output(name) {
            self.object(asked, node, name, output, subject);
        }
    }

    /// Works a JSON value out by the type of its field.
    pub(super) fn value(&mut self, asked: &Asked<'q>, ty: &Type, node: NodeId, value: &Json<'_>) {
        match (ty, value) {
            (Type::NonNullList(_), Json::Null) => self.tree.set_list(node),
            (_, Json::Null) => self.nothing(asked, node),
            (Type::List(inner) | Type::NonNullList(inner), Json::List(elements)) => {
                self.tree.set_list(node);
                for element in elements {
                    let child = self.tree.element(node, inner.is_non_null());
                    self.value(asked, inner, child, element);
                }
            }
            (Type::List(_) | Type::NonNullList(_), _) => self.nothing(asked, node),
            (Type::Named(name) | Type::NonNullNamed(name), value) => {
                let Some(output) = self.question.schema.output(name) else {
                    return self.tree.set_leaf(node, value);
                };
                match &output.interface {
                    None => self.object(asked, node, name, output, Subject::Json(value)),
                    Some(Concrete::Kind) => self.nothing(asked, node),
                    Some(Concrete::Having(types)) => {
                        let found = types.iter().find(|(field, _)| value.get(field).is_some());
                        match found.and_then(|(_, name)| Some((name, self.question.schema.output(name)?))) {
                            Some((name, output)) => {
                                self.object(asked, node, name, output, Subject::Json(value))
                            }
                            None => self.nothing(asked, node),
                        }
                    }
                    Some(Concrete::Tag { by, types }) => {
                        let tag = value.get(by).and_then(Json::as_str).unwrap_or_default();
                        match types.get(tag).and_then(|name| Some((name, self.question.schema.output(name)?)))
                        {
                            Some((name, output)) => {
                                self.object(asked, node, name, output, Subject::Json(value))
                            }
                            None => self.nothing(asked, node),
                        }
                    }
                }
            }
        }
    }
}

fn find<'d>(
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
        (Source::Scalars(paths), Subject::Json(value)) => Found::Owned(elements::scalars(value, paths)),
        (Source::Chosen(first, list), Subject::Json(value)) => Found::Many(
            elements::chosen(value, first.as_deref(), list, arguments).map(Subject::Json).collect(),
        ),
        (Source::ChosenOne(first, list), Subject::Json(value)) => {
            match elements::named(value, first.as_deref(), list, arguments) {
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
            Found::Many(elements::named_values(value.get(name), arguments))
        }
        (Source::EntryNamedValues, Subject::Entry(_, value)) if elements::are_named_values(value) => {
            Found::Many(elements::named_values(Some(value), arguments))
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

/// A part of the entries of a stored object: `{limit, offset, total, results}`.
fn map_page<'d>(value: &'d Json<'d>, page: &MapPage, arguments: &Map<String, Value>) -> Json<'d> {
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

/// The entries of a stored object that the arguments choose, as objects with a reference and the entry, and how many
/// there are without `limit` and `offset`.
fn map_references<'d>(
    value: &'d Json<'d>,
    page: &MapPage,
    arguments: &Map<String, Value>,
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

fn number(value: u64) -> Json<'static> {
    Json::Number(value.into())
}

fn id_of(value: &Json<'_>) -> Option<String> {
    value.get("id").and_then(Json::as_str).map(str::to_owned)
}

/// The values at a path; a list on the way gives those of its elements.
fn at_path<'d>(value: &'d Json<'d>, path: &[String]) -> Option<Vec<&'d Json<'d>>> {
    let Some((first, rest)) = path.split_first() else { return Some(vec![value]) };
    match value.get(first)? {
        Json::List(elements) if !rest.is_empty() => {
            Some(elements.iter().filter_map(|element| at_path(element, rest)).flatten().collect())
        }
        inner => at_path(inner, rest),
    }
}

fn reference<'d>(value: &'d Json<'d>, path: &[String]) -> Found<'d> {
    let whole = |found: &'d Json<'d>| match found {
        Json::List(elements) => Found::Many(elements.iter().map(Subject::Json).collect()),
        one => Found::One(Subject::Json(one)),
    };
    if let [field] = path {
        return value.get(field).map_or(Found::Nothing, whole);
    }
    match at_path(value, path).as_deref() {
        None | Some([]) => Found::Nothing,
        Some([one]) if !is_through_list(value, path) => whole(one),
        Some(many) => Found::Many(many.iter().map(|element| Subject::Json(element)).collect()),
    }
}

fn is_through_list(value: &Json<'_>, path: &[String]) -> bool {
    path.first().and_then(|first| value.get(first)).is_some_and(|inner| inner.as_list().is_some())
}

fn target<'d>(value: &'d Json<'d>, path: &[String], model: &Model) -> Found<'d> {
    let whole = |found: &Json<'_>| match found {
        Json::List(elements) => Found::Later(Wanted::Documents(
            elements.iter().filter_map(|one| Target::of(one, model)).collect(),
        )),
        one => match Target::of(one, model) {
            Some(target) => Found::Later(Wanted::Document(target)),
            None => Found::Nothing,
        },
    };
    if let [field] = path {
        return value.get(field).map_or(Found::Nothing, whole);
    }
    match at_path(value, path).as_deref() {
        Some([one]) => whole(one),
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

/// True for names that `includeNames` has and `excludeNames` has not.
pub(super) fn is_named(name: &str, arguments: &Map<String, Value>) -> bool {
    is_chosen(name, CHOSEN, arguments)
}

/// True for what the one argument has and the other has not.
fn is_chosen(name: &str, (include, exclude): (&str, &str), arguments: &Map<String, Value>) -> bool {
    let lists = |argument: &str| match arguments.get(argument) {
        Some(Value::Array(names)) => Some(names.iter().any(|listed| listed == name)),
        _ => None,
    };
    lists(include) != Some(false) && lists(exclude) != Some(true)
}

/// Sorts by the texts of fields: `["label desc", "key"]`.
fn sort(elements: &mut [&Json<'_>], arguments: &Map<String, Value>) {
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

fn window<'d>(
    list: Option<&'d Json<'d>>,
    paged: Option<&PagedList>,
    arguments: &Map<String, Value>,
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

/// Documents that the references at the paths of `expand` point to.
fn referenced<'d>(value: &Json<'_>, arguments: &Map<String, Value>, model: &Model) -> Found<'d> {
    let Some(Value::Array(paths)) = arguments.get("expand") else { return Found::Nothing };
    let found = paths.iter().filter_map(Value::as_str).map(|path| {
        let steps: Vec<&str> = path.split('.').map(|step| step.trim_end_matches("[*]")).collect();
        let mut targets = Vec::new();
        references_at(value, &steps, model, &mut targets);
        Subject::Referenced(Rc::new((path.to_owned(), targets)))
    });
    Found::Many(found.collect())
}
