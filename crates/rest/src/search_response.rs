//! Writes responses of searches as JSON.
//!
//! Source: Document B, "ProductPagedSearchResponse"; reference types `BusinessUnitPagedSearchResponse`,
//! `ProductProjectionPagedSearchResponse`, `SuggestionResult`.

use bytes::{BufMut, Bytes, BytesMut};
use kontor_json::{Map, Value, json};
use kontor_model::{Model, SearchedParts};
use kontor_search::json_response;
use kontor_search::suggestions::{INPUT, LanguageSuggestions};
use kontor_search_service::{ParameterSearchResponse, SearchResponse};

/// Returns the response of a back-office search.
pub(crate) fn back_office_response(found: SearchResponse) -> Bytes {
    let results: Vec<Value> =
        found.hits.into_iter().map(|hit| json!({"id": hit.id, "relevance": hit.relevance})).collect();
    let SearchResponse { total, limit, offset, .. } = found;
    json!({"total": total, "limit": limit, "offset": offset, "results": results}).to_string().into()
}

/// The same with the current versions of the documents; documents that are deleted meanwhile are left out (reference
/// type `Hit`).
pub(crate) fn hits_response(found: SearchResponse, version: impl Fn(&str) -> Option<i64>) -> Bytes {
    let SearchResponse { total, limit, offset, hits, .. } = found;
    let hits: Vec<Value> = hits
        .into_iter()
        .filter_map(|hit| {
            let version = version(&hit.id)?;
            Some(json!({"id": hit.id, "version": version, "relevance": hit.relevance}))
        })
        .collect();
    json!({"total": total, "offset": offset, "limit": limit, "hits": hits}).to_string().into()
}

/// The form of a storefront search's response.
pub(crate) struct StorefrontResponse {
    /// The field names of matching parts.
    parts: SearchedParts,
    /// The field name of projections.
    projection: String,
    /// True if facets were requested.
    has_facets: bool,
}

impl StorefrontResponse {
    /// Returns the form for a request; `None` for a back-office search.
    pub(crate) fn new(model: &Model, search: &kontor_model::Search, sent: &Map) -> Option<Self> {
        Some(Self {
            parts: search.parts.clone()?,
            projection: search.projection.map(|kind| model.kind(kind).camel_name()).unwrap_or_default(),
            has_facets: sent.get("facets").is_some_and(|facets| !facets.is_null()),
        })
    }

    /// Returns the response: ids, matching parts, facets, and projections on request.
    pub(crate) fn page(&self, found: &SearchResponse) -> Bytes {
        let numbers =
            [("total", found.total), ("offset", found.offset as u64), ("limit", found.limit as u64)];
        let facets = || Value::Array(found.facets.iter().map(|facet| facet.to_json()).collect());
        let facets = self.has_facets.then(facets);
        let size = found.hits.iter().filter_map(|hit| hit.projection.as_ref()).map(Bytes::len).sum();
        page(&numbers, facets.as_ref(), size, found.hits.iter(), |body, hit| {
            body.put_slice(format!("{{\"id\":{}", json!(hit.id)).as_bytes());
            if let Some(matching) = &hit.matching {
                let matching = json_response::matching_children(matching, &self.parts.matched);
                body.put_slice(format!(",\"{}\":{matching}", self.parts.matching).as_bytes());
            }
            if let Some(projection) = &hit.projection {
                body.put_slice(format!(",\"{}\":", self.projection).as_bytes());
                body.put_slice(projection);
            }
            body.put_u8(b'}');
        })
    }
}

/// Returns the response of a search with parameters.
pub(crate) fn documents_response(found: ParameterSearchResponse) -> Bytes {
    let ParameterSearchResponse { total, offset, limit, facets, results } = found;
    let count = results.len() as u64;
    let numbers = [("limit", limit as u64), ("offset", offset as u64), ("count", count), ("total", total)];
    let facets = facets.map(|facets| facets.into_json());
    let size = results.iter().map(Bytes::len).sum();
    page(&numbers, facets.as_ref(), size, results.iter(), |body, result| body.put_slice(result))
}

/// Returns the suggestions, by the parameters of the inputs.
pub(crate) fn suggestions_response(suggested: Vec<LanguageSuggestions>) -> Value {
    let of_language = |LanguageSuggestions { language, keywords }: LanguageSuggestions| {
        let keywords: Value = keywords.into_iter().map(|keyword| json!({"text": keyword})).collect();
        (format!("{INPUT}{language}"), keywords)
    };
    Value::Object(suggested.into_iter().map(of_language).collect())
}

/// Returns a page of search results: `{numbers…, facets?, results}`. `size`: the approximate size of the
/// results in bytes.
fn page<R>(
    numbers: &[(&str, u64)],
    facets: Option<&Value>,
    size: usize,
    results: impl Iterator<Item = R>,
    write: impl Fn(&mut BytesMut, R),
) -> Bytes {
    let mut body = BytesMut::with_capacity(size + 1024);
    for (index, (name, number)) in numbers.iter().enumerate() {
        let before = if index == 0 { "{" } else { "," };
        body.put_slice(format!("{before}\"{name}\":{number}").as_bytes());
    }
    if let Some(facets) = facets {
        body.put_slice(format!(",\"facets\":{facets}").as_bytes());
    }
    body.put_slice(b",\"results\":[");
    for (index, result) in results.enumerate() {
        if index > 0 {
            body.put_u8(b',');
        }
        write(&mut body, result);
    }
    body.put_slice(b"]}");
    body.freeze()
}
