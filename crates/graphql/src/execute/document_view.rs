//! Views: documents shown in another form than the stored one, e.g. in some languages only, or as a Store shows them.

use super::ExecutionContext;
use super::document_loader::{DocumentPage, LoadedValue, ValueDependency};
use super::invalid_document;
use super::side::parameters_of;
use crate::access_control::DocumentReach;
use crate::exceptions::VIEWS;
use bytes::Bytes;
use kontor_engine::{ViewOptions, document};
use kontor_errors::{ApiResult, Code};
use kontor_json::{Map, Value};
use kontor_model::{KindId, Model};
use std::rc::Rc;

/// How documents of a kind are shown.
#[derive(Debug)]
pub(crate) struct DocumentView {
    pub(crate) kind: KindId,
    /// The kind that shows their sides.
    by: KindId,
    view_options: ViewOptions,
    /// True if documents that attributes refer to are shown in the same way.
    is_passed_on: bool,
}

/// A value to be resolved, and the view of its documents.
pub(crate) struct ViewedValue {
    pub(crate) wanted: ValueDependency,
    pub(crate) view: Option<Rc<DocumentView>>,
}

impl DocumentView {
    /// Returns the view that the arguments of a root field and the Stores of the reach request; `None` for the stored
    /// form.
    pub(crate) fn from_arguments(
        kind: KindId,
        arguments: &Map,
        reach: &DocumentReach,
        context: &ExecutionContext,
    ) -> Option<Rc<Self>> {
        let (table, by) = find_side_view(kind, context.shop.model())?;
        let (argument, _, parameter) = table.parameter;
        let given = arguments.get(argument).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let texts = given.iter().filter_map(Value::as_str);
        let view_options = ViewOptions {
            store: reach.stores.first().cloned(),
            parameters: texts.map(|text| (parameter.to_owned(), text.to_owned())).collect(),
            ..ViewOptions::default()
        };
        let is_passed_on = arguments.get(table.reference_argument).and_then(Value::as_bool) == Some(true);
        (view_options != ViewOptions::default())
            .then(|| Rc::new(Self { kind, by, view_options, is_passed_on }))
    }

    /// Returns the view that the arguments of a field request whose document a search has found.
    pub(crate) fn for_search_results(
        kind: KindId,
        arguments: &Map,
        context: &ExecutionContext,
    ) -> ApiResult<Option<Rc<Self>>> {
        let Some((table, by)) = find_side_view(kind, context.shop.model()) else { return Ok(None) };
        let found = table.search_arguments.iter().map(|(argument, _, parameter)| (*argument, *parameter));
        let parameters = parameters_of(found, arguments);
        let view_options = ViewOptions { parameters, found: true, ..ViewOptions::default() };
        context.shop.validate_view_options(by, &view_options)?;
        let is_plain = view_options.parameters.is_empty();
        Ok((!is_plain).then(|| Rc::new(Self { kind, by, view_options, is_passed_on: false })))
    }

    /// Converts a stored document to this view; returns `None` if the caller may see nothing of it.
    pub(crate) fn apply(&self, body: &Bytes, context: &ExecutionContext) -> ApiResult<Option<Bytes>> {
        let document = document::read(body)?;
        let shown = match context.shop.render_sides(self.by, document, &self.view_options) {
            Ok(shown) => shown,
            Err(error) if error.code() == Code::ResourceNotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        kontor_json::to_vec(&shown).map(|body| Some(body.into())).map_err(invalid_document)
    }

    /// Returns the view of documents that this document refers to.
    pub(crate) fn for_referenced(self: &Rc<Self>) -> Option<Rc<Self>> {
        self.is_passed_on.then(|| Rc::clone(self))
    }
}

impl ViewedValue {
    /// Applies the view to documents that are loaded; it is applied to the others once they are.
    pub(crate) fn resolve(
        dependency: ValueDependency,
        view: Option<Rc<DocumentView>>,
        context: &ExecutionContext,
    ) -> ApiResult<Option<Self>> {
        let Some(view) = view else { return Ok(Some(Self { wanted: dependency, view: None })) };
        let dependency = match dependency {
            ValueDependency::Loaded(LoadedValue::Document(body)) => match view.apply(&body, context)? {
                Some(body) => ValueDependency::Loaded(LoadedValue::Document(body)),
                None => return Ok(None),
            },
            ValueDependency::Loaded(LoadedValue::Page(page)) => {
                let results = page.results.iter().filter_map(|body| view.apply(body, context).transpose());
                let results = results.collect::<ApiResult<_>>()?;
                ValueDependency::Loaded(LoadedValue::Page(DocumentPage { results, ..page }))
            }
            other => other,
        };
        Ok(Some(Self { wanted: dependency, view: Some(view) }))
    }
}

/// Returns true for a kind that belongs to no Store but whose sides are shown as a Store shows them.
pub(crate) fn is_shown_in_stores(kind: KindId, model: &Model) -> bool {
    model.kind(kind).in_store.is_none() && find_side_view(kind, model).is_some()
}

fn find_side_view(kind: KindId, model: &Model) -> Option<(&'static crate::exceptions::SideView, KindId)> {
    let table = VIEWS.find(|view| view.kind == model.kind(kind).name)?;
    let by = model.kind_by_name(table.by)?;
    Some((table, by))
}
