//! Resolves one field of an object: finds its value ([`find`]), and sets it, resolves the object in it, or schedules
//! loading the documents that it needs.

use super::document_loader::{LoadedValue, ReferenceTarget, ValueDependency};
use super::document_view::DocumentView;
use super::document_view::ViewedValue;
use super::field_collector::RequestedField;
use super::field_lookup::{find, id_of};
use super::field_value::FieldValue;
use super::object_source::ObjectSource;
use super::response_tree::NodeId;
use super::side::parameters_of;
use super::{Execution, ExecutionContext, PendingValue, root};
use crate::access_control::{DocumentReach, FieldOperation};
use crate::borrowed_json::BorrowedJson;
use crate::exceptions::{EntryDefinition, STAGED, Splice, SpliceForm};
use crate::schema_types::{FieldValueSource, LimitSource, OutputField, RootOperation, TypeResolution};
use apollo_compiler::ast::Type;
use kontor_engine::{Document, LimitUse, ViewOptions};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value};
use kontor_model::KindId;
use std::rc::Rc;

impl<'q> Execution<'_, 'q> {
    /// Resolves a field of the object `subject` into `node`.
    pub(super) fn resolve(
        &mut self,
        requested: &Rc<RequestedField<'q>>,
        field: &'q OutputField,
        node: NodeId,
        subject: &ObjectSource<'_>,
    ) {
        let arguments = requested.arguments(self.query);
        if let (FieldValueSource::Root(root), ObjectSource::Reach(reach)) = (&field.source, subject) {
            return self.resolve_root(requested, *root, node, reach);
        }
        if let (FieldValueSource::ListPage(kind, list), ObjectSource::Json(document)) =
            (&field.source, subject)
        {
            return match root::page_below(*kind, list, document, requested, self.query, self.context) {
                Ok(page) => {
                    let wanted = ValueDependency::Loaded(LoadedValue::Page(page));
                    if self.count_read_value(&wanted, requested, node) {
                        self.wait(requested, node, wanted);
                    }
                }
                Err(error) => self.report_error(requested, node, &error),
            };
        }
        match (&field.source, subject) {
            (FieldValueSource::Spliced(kind, splice), ObjectSource::Json(object)) => {
                return match self.calculate_field(*kind, splice, object, arguments) {
                    Ok(Some(value)) => self.resolve_calculated(requested, node, splice, value, arguments),
                    Ok(None) => self.resolve_absent(requested, node),
                    Err(error) => self.report_error(requested, node, &error),
                };
            }
            (FieldValueSource::Found(kind), ObjectSource::Json(found)) => {
                return match self.found_document(*kind, found, arguments) {
                    Ok((wanted, view)) => {
                        let field = Rc::clone(requested);
                        let visible_references = self.visible_references.clone();
                        self.next.push(PendingValue { node, field, wanted, view, visible_references });
                    }
                    Err(error) => self.report_error(requested, node, &error),
                };
            }
            (FieldValueSource::Counted(kind, name), ObjectSource::Json(object)) => {
                return self.resolve_count(requested, node, *kind, object, name);
            }
            (FieldValueSource::Limit(limit), _) => {
                return self.resolve_limit(requested, node, *limit);
            }
            (FieldValueSource::EntryDefinition(definition), ObjectSource::Entry(name, _)) => {
                return self.entry_definition(requested, node, definition, name);
            }
            _ => {}
        }
        // The definition of a named value leads to the definitions of the values nested in it.
        let is_within = match (&field.source, subject) {
            (FieldValueSource::EntryNamedValues, ObjectSource::Entry(name, _)) => {
                self.value_names.push((*name).to_owned());
                true
            }
            _ => false,
        };
        self.resolve_found(requested, node, find(&field.source, subject, arguments, self.context));
        if is_within {
            self.value_names.pop();
        }
    }

    /// Resolves a limit of the project together with the number of documents that count against it.
    fn resolve_limit(&mut self, requested: &Rc<RequestedField<'q>>, node: NodeId, limit: LimitSource) {
        match self.limit_use(limit) {
            Ok(LimitUse { limit, current }) => {
                let used = kontor_json::json!({"limit": limit, "current": current});
                self.resolve_value(requested, requested.ty(), node, &BorrowedJson::from(&used));
            }
            Err(error) => self.report_error(requested, node, &error),
        }
    }

    /// Schedules loading the definition of a named value, which the enclosing object refers to.
    fn entry_definition(
        &mut self,
        requested: &Rc<RequestedField<'q>>,
        node: NodeId,
        definition: &'static EntryDefinition,
        name: &str,
    ) {
        let model = self.context.shop.model();
        let passed_fields =
            self.passed_fields.get(definition.reference).or_else(|| self.passed_fields.values().next());
        match passed_fields.and_then(|passed_fields| {
            ReferenceTarget::from_reference(&BorrowedJson::from(passed_fields), model)
        }) {
            Some(of) => {
                let mut names = self.value_names.clone();
                names.push(name.to_owned());
                self.wait(requested, node, ValueDependency::Definition { of, definition, names });
            }
            None => self.resolve_absent(requested, node),
        }
    }

    /// Sets a number that the Rust of a kind counts for a document.
    fn resolve_count(
        &mut self,
        requested: &Rc<RequestedField<'q>>,
        node: NodeId,
        kind: KindId,
        document: &BorrowedJson<'_>,
        name: &str,
    ) {
        let id = document.get("id").and_then(BorrowedJson::as_str).unwrap_or_default();
        match self.context.shop.counter_value(kind, id, name) {
            Ok(counted) => self.tree.set_leaf(node, &counted),
            Err(error) => self.report_error(requested, node, &error),
        }
    }

    /// Returns the document that a search found, if the caller may query its kind.
    fn found_document(
        &self,
        kind: KindId,
        found: &BorrowedJson<'_>,
        arguments: &Map,
    ) -> ApiResult<(ValueDependency, Option<Rc<DocumentView>>)> {
        self.context.access_control.authorize(
            &self.context.shop,
            kind,
            &DocumentReach::default(),
            FieldOperation::Query,
        )?;
        let id = id_of(found).ok_or_else(|| ApiError::bug("what a search found has no id"))?;
        let view = DocumentView::for_search_results(kind, arguments, self.context)?;
        Ok((ValueDependency::Document(ReferenceTarget { kind, id, by_key: false }), view))
    }

    /// Schedules a field for the next level, with the current view and scope of references.
    fn wait(&mut self, requested: &Rc<RequestedField<'q>>, node: NodeId, dependency: ValueDependency) {
        let (view, visible_references) = (self.view.clone(), self.visible_references.clone());
        self.next.push(PendingValue {
            node,
            field: Rc::clone(requested),
            wanted: dependency,
            view,
            visible_references,
        });
    }

    fn resolve_found(&mut self, requested: &Rc<RequestedField<'q>>, node: NodeId, found: FieldValue<'_>) {
        match found {
            FieldValue::Json(value) => self.resolve_value(requested, requested.ty(), node, value),
            FieldValue::Owned(value) => self.resolve_value(requested, requested.ty(), node, &value),
            FieldValue::Text(text) => self.tree.set_text(node, text),
            FieldValue::One(subject) => self.resolve_source(requested, node, subject),
            FieldValue::Many(subjects) => {
                self.tree.set_list(node);
                for subject in subjects {
                    let element = self.tree.add_element(node, true);
                    self.resolve_source(requested, element, subject);
                }
            }
            FieldValue::Later(wanted) => self.wait(requested, node, wanted),
            // A list that is not nullable is empty.
            FieldValue::Nothing if requested.ty().is_list() && requested.ty().is_non_null() => {
                self.tree.set_list(node)
            }
            FieldValue::Nothing => self.resolve_absent(requested, node),
        }
    }

    /// Returns the field that a kind calculates for a part of its documents, with the parameters that the arguments
    /// give.
    fn calculate_field(
        &self,
        kind: KindId,
        splice: &Splice,
        object: &BorrowedJson<'_>,
        arguments: &Map,
    ) -> ApiResult<Option<Value>> {
        let overrides = self.context.overrides(kind);
        let mut view_options = ViewOptions { overrides, ..ViewOptions::default() };
        let requested =
            splice.fixed_parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        view_options.parameters.extend(requested);
        view_options.parameters.extend(parameters_of(splice.parameters.iter().copied(), arguments));
        let part = splice.needs.iter().filter_map(|name| Some((*name, object.get(name)?.clone())));
        let part: Document = part.map(|(name, value)| (name.to_owned(), value.into_value())).collect();
        if splice.at.is_empty() {
            view_options.staged = object.get(STAGED.0) == Some(&BorrowedJson::Bool(true));
            return Ok(self
                .context
                .shop
                .splice_document(kind, part, &view_options)?
                .shift_remove(splice.shows));
        }
        let mut document = self.passed_fields.clone();
        let part = Value::Object(part);
        let part = if splice.in_list { Value::Array(vec![part]) } else { part };
        document.insert(splice.at, part);
        let mut shown = self.context.shop.splice_document(kind, document, &view_options)?;
        let part = shown.get_mut(splice.at).and_then(|part| match part {
            Value::Array(parts) => parts.first_mut()?.as_object_mut(),
            part => part.as_object_mut(),
        });
        Ok(part.and_then(|part| part.shift_remove(splice.shows)))
    }

    fn limit_use(&self, limit: LimitSource) -> ApiResult<LimitUse> {
        let ExecutionContext { shop, access_control, .. } = self.context;
        match limit {
            LimitSource::Documents(kind) => shop.document_limit_use(kind),
            LimitSource::KindLimit(kind, name) => shop.behaviour_limit_use(kind, name),
            LimitSource::RefreshTokens => access_control.refresh_tokens(shop),
            LimitSource::Fixed(limit) => Ok(LimitUse { limit, current: None }),
        }
    }

    /// Shows a calculated value in the form of its [`Splice`].
    fn resolve_calculated(
        &mut self,
        requested: &Rc<RequestedField<'q>>,
        node: NodeId,
        splice: &Splice,
        value: Value,
        arguments: &Map,
    ) {
        let source = match splice.form {
            SpliceForm::Value => {
                return self.resolve_value(requested, requested.ty(), node, &BorrowedJson::from(&value));
            }
            SpliceForm::Text => FieldValueSource::Text(splice.shows.to_owned()),
            SpliceForm::Texts => FieldValueSource::Texts(splice.shows.to_owned(), None),
        };
        let holder = Value::Object(Map::from_iter([(splice.shows.to_owned(), value)]));
        let holder = BorrowedJson::from(&holder);
        self.resolve_found(
            requested,
            node,
            find(&source, &ObjectSource::Json(&holder), arguments, self.context),
        );
    }

    /// Resolves a root field of an object that narrows the documents below it, e.g. of `inStore`.
    fn resolve_root(
        &mut self,
        requested: &Rc<RequestedField<'q>>,
        root: RootOperation,
        node: NodeId,
        reach: &DocumentReach,
    ) {
        match root::start_query(root, requested, self.query, reach, self.context) {
            Ok(Some(ViewedValue { wanted, view })) if self.count_read_value(&wanted, requested, node) => {
                let visible_references = self.visible_references(reach);
                self.next.push(PendingValue {
                    node,
                    field: Rc::clone(requested),
                    wanted,
                    view,
                    visible_references,
                });
            }
            Ok(Some(_)) => {}
            Ok(None) => self.resolve_absent(requested, node),
            Err(error) => self.report_error(requested, node, &error),
        }
    }

    fn resolve_source(&mut self, requested: &RequestedField<'q>, node: NodeId, subject: ObjectSource<'_>) {
        let name = requested.ty().inner_named_type();
        if let Some(output) = self.query.schema.output(name) {
            self.resolve_object(requested, node, name, output, subject);
        }
    }

    /// Resolves a JSON value by the type of its field.
    pub(super) fn resolve_value(
        &mut self,
        requested: &RequestedField<'q>,
        ty: &Type,
        node: NodeId,
        value: &BorrowedJson<'_>,
    ) {
        match (ty, value) {
            (Type::NonNullList(_), BorrowedJson::Null) => self.tree.set_list(node),
            (_, BorrowedJson::Null) => self.resolve_absent(requested, node),
            (Type::List(inner) | Type::NonNullList(inner), BorrowedJson::List(elements)) => {
                self.tree.set_list(node);
                for element in elements {
                    let child = self.tree.add_element(node, inner.is_non_null());
                    self.resolve_value(requested, inner, child, element);
                }
            }
            (Type::List(_) | Type::NonNullList(_), _) => self.resolve_absent(requested, node),
            (Type::Named(name) | Type::NonNullNamed(name), value) => {
                let Some(output) = self.query.schema.output(name) else {
                    return self.tree.set_leaf(node, value);
                };
                match &output.interface {
                    None => self.resolve_object(requested, node, name, output, ObjectSource::Json(value)),
                    Some(TypeResolution::Kind) => self.resolve_absent(requested, node),
                    Some(TypeResolution::PresentField(types)) => {
                        let found = types.iter().find(|(field, _)| value.get(field).is_some());
                        match found.and_then(|(_, name)| Some((name, self.query.schema.output(name)?))) {
                            Some((name, output)) => {
                                self.resolve_object(requested, node, name, output, ObjectSource::Json(value))
                            }
                            None => self.resolve_absent(requested, node),
                        }
                    }
                    Some(TypeResolution::Tag { by, types }) => {
                        let tag = value.get(by).and_then(BorrowedJson::as_str).unwrap_or_default();
                        match types.get(tag).and_then(|name| Some((name, self.query.schema.output(name)?))) {
                            Some((name, output)) => {
                                self.resolve_object(requested, node, name, output, ObjectSource::Json(value))
                            }
                            None => self.resolve_absent(requested, node),
                        }
                    }
                }
            }
        }
    }
}
