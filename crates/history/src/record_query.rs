//! [`query`]: a page of Change History records, limited to the kinds and Stores that the caller may see.

use crate::changes::{KINDS, RecordedKind};
use crate::expand::Expansion;
use crate::limits::{HELD_BYTES_PER_BYTE, TOTAL_MAX};
use crate::query_params::{HistoryParameters, HistoryQuery};
use crate::visit_records::{self, VisibleKind};
use kontor_engine::{Document, ResponseMeter, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::KindId;
use std::ops::ControlFlow;

/// The changes of a kind that a caller may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeVisibility {
    /// All changes.
    All,
    /// Changes of documents in these Stores.
    InStores(Vec<String>),
    /// No changes.
    Nothing,
}

/// Returns a page of records (reference type `RecordPagedQueryResponse`). `may_see` returns the changes of a kind
/// that the caller may see. Fails with 403 if the caller may see none of a requested kind; a query of all kinds skips
/// such kinds.
pub fn query(
    shop: &Shop,
    sent: &HistoryParameters<'_>,
    meter: &ResponseMeter,
    may_see: impl Fn(KindId) -> ChangeVisibility,
) -> ApiResult<Value> {
    let query = HistoryQuery::read(sent, shop.clock.now())?;
    let visible = visible(shop, &query, may_see)?;
    let mut expansion = Expansion::new(shop);
    let (mut results, mut matched, mut failure) = (Vec::new(), 0, Ok(()));
    visit_records::visit(&**shop.storage(), &query, &visible, |mut record, bytes| {
        matched += 1;
        if matched > query.offset && results.len() < query.limit {
            failure = meter.charge_or(bytes * HELD_BYTES_PER_BYTE, || page_too_large(results.len()));
            if query.expand && failure.is_ok() {
                failure = expansion.expand(&mut record);
            }
            results.push(Value::Object(record));
        }
        let is_full = results.len() >= query.limit;
        let is_done = if query.with_total { matched >= TOTAL_MAX } else { is_full };
        if failure.is_err() || is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    failure?;
    let mut page = Document::new();
    page.insert("limit", json!(query.limit));
    page.insert("offset", json!(query.offset));
    page.insert("count", json!(results.len()));
    if query.with_total {
        page.insert("total", json!(matched));
    }
    page.insert("results", Value::Array(results));
    Ok(Value::Object(page))
}

/// Returns 400: the records of a page exceed the size of one response.
fn page_too_large(fits: usize) -> ApiError {
    ApiError::invalid_input(format!(
        "Malformed parameter: limit: The records of this page are larger than one response may be. Send limit={} or less.",
        fits.max(1)
    ))
}

fn visible(
    shop: &Shop,
    query: &HistoryQuery,
    may_see: impl Fn(KindId) -> ChangeVisibility,
) -> ApiResult<Vec<VisibleKind>> {
    let is_named = !query.kinds.is_empty();
    let requested: Vec<&'static RecordedKind> =
        if is_named { query.kinds.clone() } else { KINDS.iter().collect() };
    let mut visible = Vec::new();
    for kind in requested {
        let view_options =
            shop.model().kind_by_type_id(kind.type_id).map_or(ChangeVisibility::Nothing, &may_see);
        match view_options {
            ChangeVisibility::All => visible.push((kind, None)),
            ChangeVisibility::InStores(stores) => visible.push((kind, Some(stores))),
            ChangeVisibility::Nothing if is_named => return Err(insufficient(shop, kind)),
            ChangeVisibility::Nothing => {}
        }
    }
    match (visible.is_empty(), KINDS.first()) {
        (true, Some(kind)) => Err(insufficient(shop, kind)),
        _ => Ok(visible),
    }
}

/// Returns 403: the caller may not see resources of a kind.
fn insufficient(shop: &Shop, kind: &RecordedKind) -> ApiError {
    let scopes =
        shop.model().kind_by_type_id(kind.type_id).map(|id| shop.model().kind(id).view_scopes.join(", "));
    let message = format!(
        "Insufficient scope. Changes of {} are seen with one of the following scopes: {}.",
        kind.path,
        scopes.unwrap_or_default()
    );
    ApiError::new(Code::InsufficientScope, message)
}
