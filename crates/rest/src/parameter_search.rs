//! Searches with parameters: `GET` and `POST /{kind}/search`, `GET /{kind}/suggest`, for every kind that the model has
//! `@searchByParameters` for.

use crate::answer::{self, Answer};
use crate::body;
use crate::dispatch::blocking;
use crate::face::Face;
use crate::parameters::Parameters;
use crate::route::{Below, below, segments};
use crate::storefront::page;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use bytes::{BufMut, Bytes};
use kontor_engine::{Shop, Sight};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_indexing::{NotReady, Ready};
use kontor_model::{KindId, Model, ParameterSearch};
use kontor_search::{Matching, parameters, suggestions};
use serde_json::{Value, json};
use std::sync::Arc;

/// The last segments of the paths.
const SEARCH: &str = "search";
const SUGGEST: &str = "suggest";

/// A search with parameters that a request means.
pub(crate) struct Finding {
    project: String,
    kind: KindId,
    is_suggesting: bool,
}

/// The search at a path, where there is one.
pub(crate) fn finding(model: &Model, method: &Method, path: &str) -> Option<Finding> {
    let is_suggesting = match method.as_str() {
        "GET" | "POST" if path.ends_with("/search") => false,
        "GET" if path.ends_with("/suggest") => true,
        _ => return None,
    };
    let Below { project, store: None, rest } = below(path)? else { return None };
    let segments = segments(rest?)?;
    let [kind, last] = segments.as_slice() else { return None };
    if *last != (if is_suggesting { SUGGEST } else { SEARCH }) {
        return None;
    }
    let kind = model.kind_by_path(kind)?;
    model.kind(kind).parameter_search.as_ref()?;
    Some(Finding { project: project.into_owned(), kind, is_suggesting })
}

impl Face {
    /// Answers a search with parameters.
    pub(crate) async fn find_by_parameters(
        &self,
        finding: Finding,
        parts: &Parts,
        body: Body,
    ) -> ApiResult<Answer> {
        let Finding { project, kind, is_suggesting } = finding;
        self.authorize(parts, &project, None, self.scopes_of(kind, false, false, false)).await?;
        let form = match parts.method {
            Method::POST => body::read(&parts.headers, body, body::BODY_BYTES_MAX).await?,
            _ => Bytes::new(),
        };
        let asked = Parameters::of_both(parts.uri.query(), &form);
        let sight = asked.sight(self.model.kind(kind), None)?;
        let sight = Sight { found: true, found_by_parameters: true, ..sight };
        if sight.staged {
            self.authorize(parts, &project, None, self.staged_scopes(kind)).await?;
        }
        let shop = self.shop(&project).await?;
        if is_suggesting {
            let suggested = self.suggested(&shop, kind, asked.pairs(), sight.staged).await?;
            return Ok(answer::json(StatusCode::OK, &suggested));
        }
        let expand = asked.all("expand");
        let found = self.found_by_parameters(&shop, kind, asked.pairs(), sight, expand).await?;
        Ok(answer::json_bytes(StatusCode::OK, found))
    }

    /// The page of a search, by its parameters, for who may see what is to be shown.
    pub(crate) async fn found_by_parameters(
        &self,
        shop: &Arc<Shop>,
        kind: KindId,
        pairs: &[(String, String)],
        sight: Sight,
        expand: Vec<String>,
    ) -> ApiResult<Bytes> {
        let search = self.model.kind(kind).parameter_search.as_ref().ok_or_else(ApiError::internal)?;
        shop.admit_sight(kind, &sight)?;
        let ready = self.side(shop, search, sight.staged).await?;
        let parameters::Parsed { request, facets } = parameters::read(pairs, &*ready.fields)?;
        let (offset, limit) = (request.offset, request.limit);
        let found = ready.search(request).await?;
        let ids: Vec<String> = found.hits.iter().map(|hit| hit.id.clone()).collect();
        let shop = Arc::clone(shop);
        let shown = blocking(move || {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            shop.show_many(kind, &ids, &sight, &expand)
        })
        .await?;
        let parts: Vec<&str> = self.model.parts_with(kind, &search.marks).collect();
        let mut results = Vec::new();
        // What is gone since it was indexed is left out.
        for (hit, document) in found.hits.iter().zip(shown) {
            let Some(document) = document else { continue };
            results.push(match &hit.matching {
                Some(matching) => marked(&document, matching, &parts, &search.marks)?,
                None => document,
            });
        }
        let facets = (!facets.is_empty()).then(|| parameters::write(&facets, found.facets));
        // Reference type `ProductProjectionPagedSearchResponse`.
        let count = results.len() as u64;
        let numbers =
            [("limit", limit as u64), ("offset", offset as u64), ("count", count), ("total", found.total)];
        let size = results.iter().map(Bytes::len).sum();
        Ok(page(&numbers, facets.as_ref(), size, results.iter(), |body, result| body.put_slice(result)))
    }

    /// How search keywords go on.
    pub(crate) async fn suggested(
        &self,
        shop: &Arc<Shop>,
        kind: KindId,
        pairs: &[(String, String)],
        staged: bool,
    ) -> ApiResult<Value> {
        let search = self.model.kind(kind).parameter_search.as_ref().ok_or_else(ApiError::internal)?;
        let ready = self.side(shop, search, staged).await?;
        let (asked, requests) = suggestions::read(pairs, &*ready.fields)?;
        let mut counted = Vec::new();
        for request in requests {
            counted.push(ready.search(request).await?.facets);
        }
        Ok(suggestions::write(&asked, counted))
    }

    /// The index of a side. Both sides are turned on and off together, so that a use of one is a use of both.
    async fn side(&self, shop: &Arc<Shop>, search: &ParameterSearch, staged: bool) -> ApiResult<Ready> {
        let current = self.searches.ready(shop, &search.current).await?;
        let other = self.searches.ready(shop, &search.staged).await?;
        let ready = if staged { other } else { current };
        // Documented in these words (reference types `SearchDeactivatedError`, `SearchIndexingInProgressError`).
        ready.map_err(|why| match why {
            NotReady::Off => ApiError::new(
                Code::SearchDeactivated,
                "The endpoint is deactivated for this project. Please enable it via the Project endpoint, via the \
                 Merchant Center in the Project settings, or reach out to Support to enable it.",
            ),
            NotReady::Indexing => ApiError::new(
                Code::SearchIndexingInProgress,
                "The indexing is currently in progress. Please wait until the status is \"Activated\" to execute \
                 search requests.",
            ),
        })
    }
}

/// A document whose parts say whether they match. Where nothing is asked of parts, all do.
fn marked(document: &[u8], matching: &Matching, parts: &[&str], mark: &str) -> ApiResult<Bytes> {
    let mut document: Value = serde_json::from_slice(document).map_err(|_| ApiError::internal())?;
    let labels = matching.labels.iter().filter_map(|label| serde_json::from_str::<Value>(label).ok());
    let matched: Vec<Value> = labels.map(|mut label| label["id"].take()).collect();
    let tell = |part: &mut Value| {
        if let Some(part) = part.as_object_mut() {
            let is_meant = matching.all || part.get("id").is_some_and(|id| matched.contains(id));
            part.insert(mark.to_owned(), json!(is_meant));
        }
    };
    for part in parts {
        match document.get_mut(part) {
            Some(Value::Array(parts)) => parts.iter_mut().for_each(tell),
            Some(part) => tell(part),
            None => {}
        }
    }
    Ok(document.to_string().into())
}
