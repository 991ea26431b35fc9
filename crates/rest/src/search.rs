//! Searches: `POST /{kind}/search` and what stands beside it, for every kind that the model has `@search` for.

use crate::access::Access;
use crate::answer::{self, Answer};
use crate::body;
use crate::dispatch::blocking;
use crate::face::Face;
use crate::found::{self, ForStorefront};
use crate::projections::{self, expected};
use crate::route::{Below, below, segments};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use kontor_engine::format_time;
use kontor_errors::ApiResult;
use kontor_finding::SearchRequest;
use kontor_indexing::{IndexingState, IndexingStatus};
use kontor_model::{KindId, Model, Search};
use kontor_search::Spelling;
use serde_json::{Value, json};

/// The last segment of the path of a search.
const SEARCH: &str = "search";
/// What follows it where the progress of indexing is told.
const INDEXING_STATUS: &str = "indexing-status";

/// A search that a request means.
pub(crate) struct Searching<'a> {
    project: String,
    /// The Store of `/in-store/key={storeKey}`.
    store: Option<String>,
    kind: KindId,
    search: &'a Search,
    asked: Asked,
}

/// What is asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// What it finds.
    Find,
    /// Whether there is an index.
    Exists,
    /// How far the indexing is.
    Status,
}

/// The search at a path, where there is one.
pub(crate) fn searching<'a>(model: &'a Model, method: &Method, path: &str) -> Option<Searching<'a>> {
    // Most paths are none of a search, and are not decoded to find out.
    if !path.contains(SEARCH) {
        return None;
    }
    let Below { project, store, rest } = below(path)?;
    let segments = segments(rest?)?;
    let (first, further) = segments.split_first()?;
    let kind = model.kind_by_path(first)?;
    let entry = model.kind(kind);
    let search = entry.search.as_ref()?;
    let further: Vec<&str> = further.iter().map(AsRef::as_ref).collect();
    let has_status = !search.status_scopes.is_empty();
    let asked = match (method.as_str(), &further[..]) {
        ("POST", [SEARCH]) => Asked::Find,
        ("HEAD", [SEARCH]) if has_status => Asked::Exists,
        ("GET", [SEARCH, INDEXING_STATUS]) if has_status && store.is_none() => Asked::Status,
        _ => return None,
    };
    if store.is_some() && entry.in_store.is_none() {
        return None;
    }
    let (project, store) = (project.into_owned(), store.map(|store| store.into_owned()));
    Some(Searching { project, store, kind, search, asked })
}

impl Face {
    /// Answers a request to a search.
    pub(crate) async fn search(
        &self,
        searching: Searching<'_>,
        parts: &Parts,
        body: Body,
    ) -> ApiResult<Answer> {
        let Searching { project, store, kind, search, asked } = searching;
        let stores = self.admit(parts, &project, store.as_deref(), kind, asked).await?;
        let shop = self.shop(&project).await?;
        if let Some(store) = &store {
            shop.must_have_store(store)?;
        }
        match asked {
            Asked::Status => {
                let status = self.finder.status(&shop, kind)?;
                return Ok(answer::json(StatusCode::OK, &status_json(status)));
            }
            Asked::Exists => {
                let is_open = self.finder.is_open(&shop, kind)?;
                return Ok(answer::empty(if is_open { StatusCode::OK } else { StatusCode::CONFLICT }));
            }
            Asked::Find => {}
        }
        let open = self.finder.open(&shop, kind)?;
        let sent = match body::read_json(&parts.headers, body).await? {
            Value::Object(sent) => sent,
            other => return Err(expected("body", "an object", &other)),
        };
        let projections = projections::read(&self.model, search, &sent)?;
        if projections.as_ref().is_some_and(|asked| asked.sight.staged)
            && let Some(kind) = search.projection
        {
            self.authorize(parts, &project, None, self.staged_scopes(kind)).await?;
        }
        let request = open.read(&sent, &Spelling::default())?;
        let request = SearchRequest { request, stores, projections };
        let storefront = ForStorefront::new(&self.model, search, &sent);
        let page = blocking(move || {
            let found = open.find(request)?;
            Ok(match storefront {
                Some(storefront) => storefront.page(&found),
                None => found::for_back_office(found),
            })
        });
        Ok(answer::json_bytes(StatusCode::OK, page.await?))
    }

    /// Whether who asks may, and the Stores that they are limited to: that of the path, or those that their token is for where it is
    /// not for the whole project.
    async fn admit(
        &self,
        parts: &Parts,
        project: &str,
        store: Option<&str>,
        kind: KindId,
        asked: Asked,
    ) -> ApiResult<Option<Vec<String>>> {
        if asked == Asked::Status {
            self.authorize(parts, project, None, self.status_scopes(kind)).await?;
            return Ok(None);
        }
        let scopes = self.search_scopes(kind);
        if let Some(store) = store {
            self.authorize(parts, project, Some(store), scopes).await?;
            return Ok(Some(vec![store.to_owned()]));
        }
        match self.authorize(parts, project, None, scopes).await {
            Ok(_) => Ok(None),
            Err(error) if self.model.kind(kind).in_store.is_some() => {
                let access = self.identify(parts, project).await?;
                let stores = match &access {
                    Access::Granted(grant) => {
                        grant.scopes().stores_allowing(scopes).map(str::to_owned).collect()
                    }
                    Access::Operator => Vec::new(),
                };
                if stores.is_empty() { Err(error) } else { Ok(Some(stores)) }
            }
            Err(error) => Err(error),
        }
    }
}

/// Reference types `BusinessUnitSearchIndexingStatusResponse`, `CustomerSearchIndexingStatusResponse`.
fn status_json(status: IndexingStatus) -> Value {
    let mut json = json!({"status": status.state.as_str()});
    if status.state == IndexingState::Indexing {
        json["states"] = json!({
            "indexed": status.indexed,
            "failed": status.failed,
            "estimatedTotal": status.estimated_total,
        });
    }
    if let Some(at) = status.started_at {
        json["startedAt"] = json!(format_time(at));
    }
    if status.retries > 0 {
        json["retryCount"] = json!(status.retries);
    }
    if let Some(at) = status.last_modified_at {
        json["lastModifiedAt"] = json!(format_time(at));
    }
    json
}
