//! Reads pages of documents: of a kind, of a list below a document, of a list below Stores.

use super::ArgumentValues;
use super::address::{predicate_arguments, string_list, text};
use crate::access_control::{DocumentReach, FieldOperation};
use crate::borrowed_json::BorrowedJson;
use crate::execute::ExecutionContext;
use crate::execute::document_loader::DocumentPage;
use crate::execute::field_collector::{ExecutableQuery, FieldResolution, RequestedField};
use crate::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
use crate::schema_types::{FieldValueSource, PageField};
use bytes::Bytes;
use kontor_engine::{AccessScope, Address, Document, ListPage, ListRequest, ViewOptions, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Addressing, KindId};

/// The parts of a page that a query requests; the others need not be determined.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct PageSelection {
    results: bool,
    count: bool,
    total: bool,
    exists: bool,
}

impl PageSelection {
    /// Returns the parts of the page that a field requests.
    pub(super) fn from_field<'q>(requested: &RequestedField<'q>, query: &ExecutableQuery<'q>) -> Self {
        let mut selected = Self::default();
        let name = requested.ty().inner_named_type();
        let Some(output) = query.schema.output(name) else { return selected };
        for field in requested.fields(query, name, output).iter() {
            let FieldResolution::Field(field) = field.meaning else { continue };
            match field.source {
                FieldValueSource::Page(PageField::Results) => selected.results = true,
                FieldValueSource::Page(PageField::Count) => selected.count = true,
                FieldValueSource::Page(PageField::Total) => selected.total = true,
                FieldValueSource::Page(PageField::Exists) => selected.exists = true,
                _ => {}
            }
        }
        selected
    }
}

/// Returns a page of a list below a document.
pub(crate) fn page_below<'q>(
    kind: KindId,
    list: &str,
    parent: &BorrowedJson<'_>,
    requested: &RequestedField<'q>,
    query: &ExecutableQuery<'q>,
    context: &ExecutionContext,
) -> ApiResult<DocumentPage<Bytes>> {
    let bounds = context.access_control.authorize(
        &context.shop,
        kind,
        &DocumentReach::default(),
        FieldOperation::Query,
    )?;
    let entry = context.shop.model().kind(kind);
    let missing = || ApiError::bug(format!("{} has no list {list}", entry.name));
    let list = entry.lists.iter().find(|entry| entry.name == list).ok_or_else(missing)?;
    // Most lists need only the id of the document.
    let fields = parent.as_object().unwrap_or_default().iter();
    let parent = fields
        .filter(|(name, _)| list.inside || name == "id")
        .map(|(name, value)| (name.to_string(), value.clone().into_value()))
        .collect();
    page(
        requested.arguments(query),
        &PageSelection::from_field(requested, query),
        bounds,
        kind,
        context,
        &|request| context.shop.list_children(kind, list, std::slice::from_ref(&parent), request.clone()),
    )
}

/// Returns a page of a list that is a field of Stores, for all Stores together.
pub(super) fn page_inside_stores<'q>(
    kind: KindId,
    position: usize,
    reach: &DocumentReach,
    requested: &RequestedField<'q>,
    query: &ExecutableQuery<'q>,
    context: &ExecutionContext,
) -> ApiResult<DocumentPage<Bytes>> {
    let entry = context.shop.model().kind(kind);
    let missing = || ApiError::bug(format!("{} has no list {position}", entry.name));
    let list = entry.lists.get(position).ok_or_else(missing)?;
    let parents: Vec<Document> = reach
        .stores
        .iter()
        .map(|store| {
            let stored = context.shop.must_get(list.parent, &Address::Key(store))?;
            document::read_stored(&stored)
        })
        .collect::<ApiResult<_>>()?;
    let (arguments, selected) = (requested.arguments(query), PageSelection::from_field(requested, query));
    page(arguments, &selected, AccessScope::default(), kind, context, &|request| {
        context.shop.list_children(kind, list, &parents, request.clone())
    })
}

/// Returns a page of documents of a kind, from the storage or from its holder.
pub(super) fn page_of_kind(
    kind: KindId,
    arguments: &ArgumentValues,
    selected: &PageSelection,
    (bounds, view_options): (AccessScope, &ViewOptions),
    context: &ExecutionContext,
) -> ApiResult<DocumentPage<Bytes>> {
    page(arguments, selected, bounds, kind, context, &|request| match context.access_control.holder(kind) {
        Some(holder) => context.shop.list_documents(kind, holder.documents(&context.shop)?, request),
        None => {
            context.shop.list(kind, &ListRequest { view_options: view_options.clone(), ..request.clone() })
        }
    })
}

/// Converts the arguments of a page, calls `list`, and returns the requested parts of the page.
fn page(
    arguments: &ArgumentValues,
    selected: &PageSelection,
    access_scope: AccessScope,
    kind: KindId,
    context: &ExecutionContext,
    list: &dyn Fn(&ListRequest) -> ApiResult<ListPage>,
) -> ApiResult<DocumentPage<Bytes>> {
    let limit = bounded(arguments, "limit", LIMIT_MAX, LIMIT_DEFAULT)?;
    let offset = bounded(arguments, "offset", OFFSET_MAX, 0)?;
    let entry = context.shop.model().kind(kind);
    let fixed = match &entry.addressing {
        Addressing::Fields(names) => {
            names.first().and_then(|name| Some((name.clone(), text(arguments, name)?.to_owned())))
        }
        _ => None,
    };
    let needs_results = selected.results || selected.count;
    let request = ListRequest {
        wheres: text(arguments, "where")
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
            .into_iter()
            .chain(predicate_arguments(&entry.name, arguments))
            .collect(),
        sort: string_list(arguments, "sort"),
        fixed,
        offset,
        limit: if needs_results { limit } else { 0 },
        with_total: selected.total,
        bounds: access_scope,
        meter: context.meter.clone(),
        ..ListRequest::default()
    };
    let listed = list(&request)?;
    let mut exists = !listed.results.is_empty() || listed.total.is_some_and(|total| total > 0);
    if selected.exists && !exists && !selected.total {
        let any = ListRequest { limit: 1, offset: 0, sort: Vec::new(), with_total: false, ..request };
        exists = !list(&any)?.results.is_empty();
    }
    let count = listed.results.len();
    let results = if selected.results { listed.results } else { Vec::new() };
    Ok(DocumentPage { limit, offset, count, total: listed.total.unwrap_or(0), exists, results })
}

fn bounded(arguments: &ArgumentValues, name: &str, max: usize, default: usize) -> ApiResult<usize> {
    match arguments.get(name).and_then(Value::as_i64) {
        None => Ok(default),
        Some(value) => usize::try_from(value).ok().filter(|value| *value <= max).ok_or_else(|| {
            ApiError::invalid_input(format!(
                "Malformed parameter: {name}: {value} was sent, expected 0 to {max}."
            ))
        }),
    }
}
