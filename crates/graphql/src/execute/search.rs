//! Runs a search and returns its result in the form of a document.

use super::ExecutionContext;
use crate::access_control::{DocumentReach, FieldOperation};
use crate::borrowed_json::BorrowedJson;
use crate::exceptions::searches::SPELLING;
use kontor_errors::ApiResult;
use kontor_json::Map;
use kontor_model::KindId;
use kontor_search_service::{SearchHit, SearchRequest, SearchResponse};

/// Returns the page that a search finds. Blocks the thread.
pub(super) fn find(
    kind: KindId,
    arguments: &Map,
    context: &ExecutionContext,
) -> ApiResult<BorrowedJson<'static>> {
    context.access_control.authorize(
        &context.shop,
        kind,
        &DocumentReach::default(),
        FieldOperation::Search,
    )?;
    let search = context.search_service.open(&context.shop, kind, context.ab_test_id.as_deref())?;
    let request = search.read(arguments, &SPELLING)?;
    let request = SearchRequest { request, stores: None, projections: None, sent: arguments.clone() };
    Ok(page(search.find(request, &context.meter)?))
}

fn page(found: SearchResponse) -> BorrowedJson<'static> {
    let id = |hit: SearchHit| BorrowedJson::Object(vec![("id".into(), BorrowedJson::Text(hit.id.into()))]);
    BorrowedJson::Object(vec![
        ("total".into(), BorrowedJson::Number(found.total.into())),
        ("offset".into(), BorrowedJson::Number(found.offset.into())),
        ("limit".into(), BorrowedJson::Number(found.limit.into())),
        (
            "facets".into(),
            BorrowedJson::List(
                found.facets.iter().map(|facet| BorrowedJson::from(facet.to_json())).collect(),
            ),
        ),
        ("results".into(), BorrowedJson::List(found.hits.into_iter().map(id).collect())),
    ])
}
