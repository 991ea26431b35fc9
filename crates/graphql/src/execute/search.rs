//! Runs a search and returns its result in the form of a document.

use super::Context;
use crate::exceptions::searches::SPELLING;
use crate::gate::{Doing, Reach};
use crate::json::Json;
use kontor_errors::ApiResult;
use kontor_finding::{Found, SearchAnswer, SearchRequest};
use kontor_json::Map;
use kontor_model::KindId;

/// Returns the page that a search finds. Blocks the thread.
pub(super) fn find(kind: KindId, arguments: &Map, context: &Context) -> ApiResult<Json<'static>> {
    context.gate.admit(&context.shop, kind, &Reach::default(), Doing::Searching)?;
    let search = context.finder.open(&context.shop, kind)?;
    let request = search.read(arguments, &SPELLING)?;
    let request = SearchRequest { request, stores: None, projections: None, sent: arguments.clone() };
    Ok(page(search.find(request, &context.meter)?))
}

fn page(found: SearchAnswer) -> Json<'static> {
    let id = |hit: Found| Json::Object(vec![("id".into(), Json::Text(hit.id.into()))]);
    Json::Object(vec![
        ("total".into(), Json::Number(found.total.into())),
        ("offset".into(), Json::Number(found.offset.into())),
        ("limit".into(), Json::Number(found.limit.into())),
        ("facets".into(), Json::List(found.facets.iter().map(|facet| Json::from(facet.to_json())).collect())),
        ("results".into(), Json::List(found.hits.into_iter().map(id).collect())),
    ])
}
