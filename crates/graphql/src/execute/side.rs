//! Reads documents in the form of a kind with `@projection` (current or staged side), and as other objects.

use super::ExecutionContext;
use super::document_loader::DocumentPage;
use super::list_window::is_named;
use super::root::{address, predicate_arguments, text};
use crate::access_control::{DocumentReach, FieldOperation};
use crate::arguments::ArgumentValues;
use crate::exceptions::{NameTriple, SIDE_QUERIES, STAGED, ShownQuery};
use bytes::Bytes;
use kontor_engine::{ListRequest, ViewOptions, document};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::KindId;

/// Returns the view options that the arguments and the Stores of the reach request for documents of a kind.
pub(super) fn view_options(
    kind: KindId,
    arguments: &ArgumentValues,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ViewOptions {
    let entry = context.shop.model().kind(kind);
    let side = SIDE_QUERIES.find(|side| side.kind == entry.name);
    read_view_options(side.map_or(&[], |side| side.parameters), arguments, reach)
}

fn read_view_options(
    parameters: &[NameTriple],
    arguments: &ArgumentValues,
    reach: &DocumentReach,
) -> ViewOptions {
    ViewOptions {
        staged: arguments.get(STAGED.0).and_then(Value::as_bool) == Some(true),
        store: reach.stores.first().cloned(),
        parameters: parameters_of(parameters.iter().map(|(argument, _, to)| (*argument, *to)), arguments),
        ..ViewOptions::default()
    }
}

/// Returns the parameters that arguments set: one for each string.
pub(super) fn parameters_of<'a>(
    names: impl Iterator<Item = (&'a str, &'a str)>,
    arguments: &ArgumentValues,
) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    for (argument, parameter) in names {
        let given = match arguments.get(argument) {
            Some(Value::Array(given)) => given.as_slice(),
            Some(given) => std::slice::from_ref(given),
            None => &[],
        };
        let texts = given.iter().filter_map(Value::as_str);
        parameters.extend(texts.map(|text| (parameter.to_owned(), text.to_owned())));
    }
    parameters
}

/// Returns the operation whose scopes a side needs.
pub(super) fn needed_operation(view_options: &ViewOptions, otherwise: FieldOperation) -> FieldOperation {
    if view_options.staged { FieldOperation::ViewStaged } else { otherwise }
}

/// Returns one side of the addressed document; `None` if the caller cannot see it.
pub(super) fn one_side(
    kind: KindId,
    arguments: &ArgumentValues,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<Option<Bytes>> {
    let ExecutionContext { shop, access_control, .. } = context;
    let view_options = view_options(kind, arguments, reach, context);
    let bounds =
        access_control.authorize(shop, kind, reach, needed_operation(&view_options, FieldOperation::View))?;
    shop.validate_view_options(kind, &view_options)?;
    let wheres = predicate_arguments(&shop.model().kind(kind).name, arguments);
    let found = if !wheres.is_empty() && ["id", "key"].iter().all(|name| text(arguments, name).is_none()) {
        let request = ListRequest { wheres, limit: 1, bounds, view_options, ..ListRequest::default() };
        shop.list(kind, &request).map(|listed| listed.results.into_iter().next())
    } else {
        let address = address(kind, arguments, shop.model())?;
        match shop.get_in_scope(kind, &address, &bounds)? {
            Some(stored) => shop.render_stored(kind, stored.body, &view_options, &bounds),
            None => Ok(None),
        }
    };
    found_or_none(found)
}

/// Removes elements that the arguments do not include from a list in the documents of a page.
pub(super) fn filter_elements(
    kind: KindId,
    page: DocumentPage<Bytes>,
    arguments: &ArgumentValues,
    context: &ExecutionContext,
) -> ApiResult<DocumentPage<Bytes>> {
    let entry = context.shop.model().kind(kind);
    let Some(side) = SIDE_QUERIES.find(|side| side.kind == entry.name) else { return Ok(page) };
    let (include, exclude) = crate::exceptions::NAME_FILTERS;
    if [include, exclude].iter().all(|name| !arguments.get(*name).is_some_and(Value::is_array)) {
        return Ok(page);
    }
    let chosen = |body: Bytes| -> ApiResult<Bytes> {
        let mut document = document::read(&body)?;
        if let Some(Value::Array(elements)) = document.get_mut(side.named) {
            elements.retain(|element| element["name"].as_str().is_none_or(|name| is_named(name, arguments)));
        }
        Ok(Value::Object(document).to_string().into())
    };
    let results = page.results.into_iter().map(chosen).collect::<ApiResult<_>>()?;
    Ok(DocumentPage { results, ..page })
}

/// Returns the presentation of the addressed document.
pub(super) fn shown_object(
    kind: KindId,
    shown: &ShownQuery,
    arguments: &ArgumentValues,
    reach: &DocumentReach,
    context: &ExecutionContext,
) -> ApiResult<Option<Bytes>> {
    let ExecutionContext { shop, access_control, .. } = context;
    let view_options = read_view_options(shown.parameters, arguments, reach);
    access_control.authorize(shop, kind, reach, needed_operation(&view_options, FieldOperation::View))?;
    let views = &shop.model().kind(kind).views;
    let view = views.iter().find(|view| view.name == shown.object);
    let view = view.ok_or_else(|| ApiError::bug(format!("nothing is shown as {}", shown.object)))?;
    let address = address(kind, arguments, shop.model())?;
    let Some(stored) = shop.get(kind, &address)? else { return Ok(None) };
    let document = found_or_none(shop.render_view(kind, view, stored.body, &view_options))?;
    Ok(document.map(|document| Value::Object(document).to_string().into()))
}

/// Turns the error for a document that a Store does not have into `None`.
fn found_or_none<T>(found: ApiResult<Option<T>>) -> ApiResult<Option<T>> {
    match found {
        Err(error) if error.code() == Code::ResourceNotFound => Ok(None),
        other => other,
    }
}
