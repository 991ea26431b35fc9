//! Reads pages of documents: of a kind, of a list below a document, of a list below Stores.

use super::Arguments;
use super::address::{predicates, text, texts};
use crate::derived::{PageField, Source};
use crate::execute::Context;
use crate::execute::collect::{Asked, MeantAs, Question};
use crate::execute::load::Page;
use crate::gate::{Doing, Reach};
use crate::json::Json;
use crate::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
use bytes::Bytes;
use kontor_engine::{Address, Bounds, Document, ListRequest, Listed, Sight, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Addressing, KindId};

/// The parts of a page that a query requests; the others need not be determined.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Selected {
    results: bool,
    count: bool,
    total: bool,
    exists: bool,
}

impl Selected {
    /// Returns the parts of the page that a field requests.
    pub(super) fn of<'q>(asked: &Asked<'q>, question: &Question<'q>) -> Self {
        let mut selected = Self::default();
        let name = asked.ty().inner_named_type();
        let Some(output) = question.schema.output(name) else { return selected };
        for field in asked.fields(question, name, output).iter() {
            let MeantAs::Field(field) = field.meaning else { continue };
            match field.source {
                Source::Page(PageField::Results) => selected.results = true,
                Source::Page(PageField::Count) => selected.count = true,
                Source::Page(PageField::Total) => selected.total = true,
                Source::Page(PageField::Exists) => selected.exists = true,
                _ => {}
            }
        }
        selected
    }
}

/// Returns a page of a list below a document.
pub(crate) fn below<'q>(
    kind: KindId,
    list: &str,
    parent: &Json<'_>,
    asked: &Asked<'q>,
    question: &Question<'q>,
    context: &Context,
) -> ApiResult<Page<Bytes>> {
    let bounds = context.gate.admit(&context.shop, kind, &Reach::default(), Doing::Querying)?;
    let entry = context.shop.model().kind(kind);
    let missing = || ApiError::bug(format!("{} has no list {list}", entry.name));
    let list = entry.lists.iter().find(|entry| entry.name == list).ok_or_else(missing)?;
    // Most lists need only the id of the document.
    let fields = parent.as_object().unwrap_or_default().iter();
    let parent = fields
        .filter(|(name, _)| list.inside || name == "id")
        .map(|(name, value)| (name.to_string(), value.clone().into_value()))
        .collect();
    page(asked.arguments(question), &Selected::of(asked, question), bounds, kind, context, &|request| {
        context.shop.list_below(kind, list, std::slice::from_ref(&parent), request.clone())
    })
}

/// Returns a page of a list that is a field of Stores, for all Stores together.
pub(super) fn inside<'q>(
    kind: KindId,
    position: usize,
    reach: &Reach,
    asked: &Asked<'q>,
    question: &Question<'q>,
    context: &Context,
) -> ApiResult<Page<Bytes>> {
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
    let (arguments, selected) = (asked.arguments(question), Selected::of(asked, question));
    page(arguments, &selected, Bounds::default(), kind, context, &|request| {
        context.shop.list_below(kind, list, &parents, request.clone())
    })
}

/// Returns a page of documents of a kind, from the storage or from its holder.
pub(super) fn many(
    kind: KindId,
    arguments: &Arguments,
    selected: &Selected,
    (bounds, sight): (Bounds, &Sight),
    context: &Context,
) -> ApiResult<Page<Bytes>> {
    page(arguments, selected, bounds, kind, context, &|request| match context.gate.holder(kind) {
        Some(holder) => context.shop.list_documents(kind, holder.documents(&context.shop), request),
        None => context.shop.list(kind, &ListRequest { sight: sight.clone(), ..request.clone() }),
    })
}

/// Converts the arguments of a page, calls `list`, and returns the requested parts of the page.
fn page(
    arguments: &Arguments,
    selected: &Selected,
    bounds: Bounds,
    kind: KindId,
    context: &Context,
    list: &dyn Fn(&ListRequest) -> ApiResult<Listed>,
) -> ApiResult<Page<Bytes>> {
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
            .chain(predicates(&entry.name, arguments))
            .collect(),
        sort: texts(arguments, "sort"),
        fixed,
        offset,
        limit: if needs_results { limit } else { 0 },
        with_total: selected.total,
        bounds,
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
    Ok(Page { limit, offset, count, total: listed.total.unwrap_or(0), exists, results })
}

fn bounded(arguments: &Arguments, name: &str, max: usize, default: usize) -> ApiResult<usize> {
    match arguments.get(name).and_then(Value::as_i64) {
        None => Ok(default),
        Some(value) => usize::try_from(value).ok().filter(|value| *value <= max).ok_or_else(|| {
            ApiError::invalid_input(format!(
                "Malformed parameter: {name}: {value} was sent, expected 0 to {max}."
            ))
        }),
    }
}
