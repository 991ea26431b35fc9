//! Resolves one field of an object: finds its value ([`find`]), and sets it, resolves the object in it, or schedules
//! loading the documents that it needs.

use super::collect::Asked;
use super::find::{find, id_of};
use super::found::Found;
use super::load::{Loaded, Target, Wanted};
use super::side::parameters_of;
use super::subject::Subject;
use super::tree::NodeId;
use super::view::Started;
use super::view::View;
use super::{Context, Execution, WaitingObject, root};
use crate::derived::{Concrete, LimitSource, OutputField, Root, Source};
use crate::exceptions::{EntryDefinition, Form, STAGED, Splice};
use crate::gate::{Doing, Reach};
use crate::json::Json;
use apollo_compiler::ast::Type;
use kontor_engine::{Document, Sight, Used};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value};
use kontor_model::KindId;
use std::rc::Rc;

impl<'q> Execution<'_, 'q> {
    /// Resolves a field of the object `subject` into `node`.
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
                    if self.has_read(&wanted, asked, node) {
                        self.wait(asked, node, wanted);
                    }
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
                        let within = self.within.clone();
                        self.next.push(WaitingObject { node, asked: Rc::clone(asked), wanted, view, within });
                    }
                    Err(error) => self.refuse(asked, node, &error),
                };
            }
            (Source::Counted(kind, name), Subject::Json(object)) => {
                return self.counted(asked, node, *kind, object, name);
            }
            (Source::Limit(limit), _) => {
                return match self.limit(*limit) {
                    Ok(Used { limit, current }) => {
                        let used = kontor_json::json!({"limit": limit, "current": current});
                        self.value(asked, asked.ty(), node, &Json::from(&used));
                    }
                    Err(error) => self.refuse(asked, node, &error),
                };
            }
            (Source::EntryDefinition(definition), Subject::Entry(name, _)) => {
                return self.entry_definition(asked, node, definition, name);
            }
            _ => {}
        }
        // The definition of a named value leads to the definitions of the values nested in it.
        let is_within = match (&field.source, subject) {
            (Source::EntryNamedValues, Subject::Entry(name, _)) => {
                self.value_names.push((*name).to_owned());
                true
            }
            _ => false,
        };
        self.found(asked, node, find(&field.source, subject, arguments, self.context));
        if is_within {
            self.value_names.pop();
        }
    }

    /// Schedules loading the definition of a named value, which the enclosing object refers to.
    fn entry_definition(
        &mut self,
        asked: &Rc<Asked<'q>>,
        node: NodeId,
        definition: &'static EntryDefinition,
        name: &str,
    ) {
        let model = self.context.shop.model();
        let told = self.told.get(definition.reference).or_else(|| self.told.values().next());
        match told.and_then(|told| Target::of(&Json::from(told), model)) {
            Some(of) => {
                let mut names = self.value_names.clone();
                names.push(name.to_owned());
                self.wait(asked, node, Wanted::Definition { of, definition, names });
            }
            None => self.nothing(asked, node),
        }
    }

    /// Sets a number that the Rust of a kind counts for a document.
    fn counted(
        &mut self,
        asked: &Rc<Asked<'q>>,
        node: NodeId,
        kind: KindId,
        document: &Json<'_>,
        name: &str,
    ) {
        let id = document.get("id").and_then(Json::as_str).unwrap_or_default();
        match self.context.shop.counted(kind, id, name) {
            Ok(counted) => self.tree.set_leaf(node, &counted),
            Err(error) => self.refuse(asked, node, &error),
        }
    }

    /// Returns the document that a search found, if the caller may query its kind.
    fn found_document(
        &self,
        kind: KindId,
        found: &Json<'_>,
        arguments: &Map,
    ) -> ApiResult<(Wanted, Option<Rc<View>>)> {
        self.context.gate.admit(&self.context.shop, kind, &Reach::default(), Doing::Querying)?;
        let id = id_of(found).ok_or_else(|| ApiError::bug("what a search found has no id"))?;
        let view = View::of_found(kind, arguments, self.context)?;
        Ok((Wanted::Document(Target { kind, id, by_key: false }), view))
    }

    /// Schedules a field for the next level, with the current view and scope of references.
    fn wait(&mut self, asked: &Rc<Asked<'q>>, node: NodeId, wanted: Wanted) {
        let (view, within) = (self.view.clone(), self.within.clone());
        self.next.push(WaitingObject { node, asked: Rc::clone(asked), wanted, view, within });
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
            // A list that is not nullable is empty.
            Found::Nothing if asked.ty().is_list() && asked.ty().is_non_null() => self.tree.set_list(node),
            Found::Nothing => self.nothing(asked, node),
        }
    }

    /// Returns the field that a kind calculates for a part of its documents, with the parameters that the arguments
    /// give.
    fn spliced(
        &self,
        kind: KindId,
        splice: &Splice,
        object: &Json<'_>,
        arguments: &Map,
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
        document.insert(splice.at, part);
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

    /// Shows a calculated value in the form of its [`Splice`].
    fn formed(
        &mut self,
        asked: &Rc<Asked<'q>>,
        node: NodeId,
        splice: &Splice,
        value: Value,
        arguments: &Map,
    ) {
        let source = match splice.form {
            Form::Value => return self.value(asked, asked.ty(), node, &Json::from(&value)),
            Form::Text => Source::Text(splice.shows.to_owned()),
            Form::Texts => Source::Texts(splice.shows.to_owned(), None),
        };
        let holder = Value::Object(Map::from_iter([(splice.shows.to_owned(), value)]));
        let holder = Json::from(&holder);
        self.found(asked, node, find(&source, &Subject::Json(&holder), arguments, self.context));
    }

    /// Resolves a root field of an object that narrows the documents below it, e.g. of `inStore`.
    fn root(&mut self, asked: &Rc<Asked<'q>>, root: Root, node: NodeId, reach: &Reach) {
        match root::query(root, asked, self.question, reach, self.context) {
            Ok(Some(Started { wanted, view })) if self.has_read(&wanted, asked, node) => {
                let within = self.within(reach);
                self.next.push(WaitingObject { node, asked: Rc::clone(asked), wanted, view, within });
            }
            Ok(Some(_)) => {}
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

    /// Resolves a JSON value by the type of its field.
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
