//! Searches: `POST /{kind}/search` and what stands beside it, for every kind that the model has `@search` for.

use crate::access::Access;
use crate::answer::{self, Answer};
use crate::body;
use crate::face::Face;
use crate::route::{Below, below, segments};
use crate::storefront::{self, Projections};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use kontor_engine::{Shop, format_time};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_indexing::{IndexingState, IndexingStatus, NotReady, Ready};
use kontor_model::{KindId, Model, Search};
use kontor_search::{
    Answer as Found, FieldUse, Fields, Leaf, Query, Request, Shape, Test, Value as Word, write,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The last segment of the path of a search.
const SEARCH: &str = "search";
/// What follows it where the progress of indexing is told.
const INDEXING_STATUS: &str = "indexing-status";

/// What a search of a storefront may ask. Document B, `ProductSearchRequest`.
const STOREFRONT: Shape = Shape {
    counted: Some(("products", "variants")),
    mark_matching: Some("markMatchingVariants"),
    limit_min: 0,
    offset_max: 10_000,
};
/// What a search of a back office may ask. Document B, `BusinessUnitSearchRequest`.
const BACK_OFFICE: Shape = Shape { counted: None, mark_matching: None, limit_min: 1, offset_max: 9_900 };

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
        if asked == Asked::Status {
            let status = self.searches.status(&shop, &search.name);
            return Ok(answer::json(StatusCode::OK, &status_json(status.unwrap_or_default())));
        }
        let ready = self.searches.ready(&shop, &search.name).await?;
        let ready = match (ready, asked) {
            (Ok(_), Asked::Exists) => return Ok(answer::empty(StatusCode::OK)),
            (Err(_), Asked::Exists) => return Ok(answer::empty(StatusCode::CONFLICT)),
            (Err(why), _) => return Err(not_ready(why, search)),
            (Ok(ready), _) => ready,
        };
        let sent = body::read_json(&parts.headers, body).await?;
        let projections = Projections::read(&self.model, search, &sent)?;
        if let Some(asked) = &projections {
            shop.admit_sight(asked.kind, &asked.sight)?;
            if asked.sight.staged {
                self.authorize(parts, &project, None, self.staged_scopes(asked.kind)).await?;
            }
        }
        let (found, page) = self.find(&ready, kind, search, &sent, stores).await?;
        if search.storefront {
            return storefront::answer(found, page, &sent, projections, &shop).await;
        }
        let (offset, limit) = page;
        Ok(answer::json(StatusCode::OK, &answer_json(found, limit, offset)))
    }

    /// What a search finds, by the body of a request, with its offset and limit.
    async fn find(
        &self,
        ready: &Ready,
        kind: KindId,
        search: &Search,
        sent: &Value,
        stores: Option<Vec<String>>,
    ) -> ApiResult<(Found, (usize, usize))> {
        let shape = if search.storefront { STOREFRONT } else { BACK_OFFICE };
        let mut request = kontor_search::read(sent, shape, &*ready.fields)?;
        if let Some(stores) = stores {
            limit_to_stores(&mut request, &self.model, kind, &stores, &*ready.fields);
        }
        let page = (request.offset, request.limit);
        Ok((ready.search(request).await?, page))
    }

    /// The page of a search of the whole project, for the other face, which has asked whether the caller may.
    pub(crate) async fn searched(&self, shop: &Arc<Shop>, kind: KindId, sent: &Value) -> ApiResult<Value> {
        let search = self.model.kind(kind).search.as_ref().ok_or_else(ApiError::internal)?;
        let ready = self.searches.ready(shop, &search.name).await?;
        let ready = ready.map_err(|why| not_ready(why, search))?;
        let (found, (offset, limit)) = self.find(&ready, kind, search, sent, None).await?;
        let facets = write::facets(&found.facets, sent.get("facets").unwrap_or(&Value::Null));
        let results: Vec<Value> = found.hits.into_iter().map(|hit| json!({"id": hit.id})).collect();
        Ok(json!({
            "total": found.total, "offset": offset, "limit": limit, "facets": facets, "results": results,
        }))
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

/// Finds only what belongs to one of the Stores.
fn limit_to_stores(
    request: &mut Request,
    model: &Model,
    kind: KindId,
    stores: &[String],
    fields: &dyn Fields,
) {
    let Some(in_store) = &model.kind(kind).in_store else { return };
    let ways = [&in_store.at, &in_store.also].into_iter().filter_map(|way| {
        let name = way.join(".");
        let used = FieldUse { name: &name, language: None, field_type: None };
        Some(Query::Leaf(Leaf {
            field: fields.find(&used).ok()?.field,
            boost: 1.0,
            test: Test::Exact {
                values: stores.iter().map(|store| Word::Text(store.clone())).collect(),
                case_insensitive: false,
            },
        }))
    });
    let belongs = Query::Filter(vec![Query::Or(ways.collect())]);
    if request.query.is_none() && request.post_filter.is_none() {
        // Nothing was asked, and what is found is as relevant as without Stores.
        request.post_filter = Some(belongs);
        return;
    }
    let mut all: Vec<Query> = request.query.take().into_iter().collect();
    all.push(belongs);
    request.query = Some(Query::And(all));
}

/// Document B, "Errors": storefront searches are not found, back-office searches are not ready.
fn not_ready(why: NotReady, search: &Search) -> ApiError {
    if search.storefront {
        // Documented in these words (reference type `ObjectNotFoundError`).
        return ApiError::new(Code::ObjectNotFound, "No index found for project");
    }
    // Documented in these words (reference type `SearchNotReadyError`), with what of the two it is behind them.
    let state = match why {
        NotReady::Off => "it is deactivated",
        NotReady::Indexing => "it is being indexed",
    };
    let message = format!(
        "Search of {} is not ready. Check the indexing-status endpoint and that the feature has been activated in the project \
         settings: {state}.",
        search.name
    );
    ApiError::new(Code::SearchNotReady, message)
}

fn answer_json(found: Found, limit: usize, offset: usize) -> Value {
    let results: Vec<Value> =
        found.hits.into_iter().map(|hit| json!({"id": hit.id, "relevance": hit.score})).collect();
    json!({"total": found.total, "limit": limit, "offset": offset, "results": results})
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
