//! One index on the server: writes batches, and runs searches. Start at `search` of [`OpenSearchIndex`].

use crate::client::{OpenSearchClient, OpenSearchResponse};
use crate::column::ColumnSet;
use crate::facet::{self, FacetPlan};
use crate::search_hits::{self, entry};
use crate::{document, formula, mapping, reference_fallback, sort};
use hyper::Method;
use kontor_json::{Map, Value as Json, json};
use kontor_search::limits::WINDOW;
use kontor_search::{
    FacetScope, Hit, IndexBatch, IndexError, IndexPosition, IndexRequest, NamedFacetResult, SearchEntry,
    SearchIndex, SearchQuery, SearchResult,
};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;

/// The id of the document with the position of the index. No entry has such an id.
const POSITION: &str = "~position";
/// Bytes after which a part of a batch is sent.
const BULK_BYTES: usize = 4 << 20;
/// How long the server keeps the snapshot of a search that reads several pages.
const KEEP_ALIVE: &str = "1m";

/// An index of a project.
pub(crate) struct OpenSearchIndex {
    server: Arc<OpenSearchClient>,
    /// The name of the index, or of an alias.
    name: String,
    /// The position when it was last read.
    position: RwLock<Option<IndexPosition>>,
    /// The known columns, for searches; read again if one is missing.
    columns: RwLock<ColumnSet>,
    /// The existing columns, for writes; also their lock.
    writing: Mutex<ColumnSet>,
}

impl OpenSearchIndex {
    /// Opens an index. Creates it if it does not exist, or if it has an older form.
    pub(crate) fn open(server: Arc<OpenSearchClient>, name: String) -> Result<Self, IndexError> {
        let index = Self::existing(server, name);
        let path = format!("/{}", index.name);
        let found = index.server.send_json(Method::GET, &format!("{path}/_mapping"), None)?;
        let usable =
            mapping_of(&found.body).filter(|mapping| found.status == 200 && mapping::is_current(mapping));
        let columns = match usable {
            Some(mapping) => ColumnSet::from_mapping(mapping),
            None => {
                if found.status == 200 {
                    index.server.send_json(Method::DELETE, &path, None)?.success_body()?;
                }
                index
                    .server
                    .send_json(Method::PUT, &path, Some(&mapping::new_index_settings()))?
                    .success_body()?;
                ColumnSet::default()
            }
        };
        index.refresh()?;
        *index.columns.write() = columns.clone();
        *index.writing.lock() = columns;
        Ok(index)
    }

    /// Returns an existing index by name or alias, without a request.
    pub(crate) fn existing(server: Arc<OpenSearchClient>, name: String) -> Self {
        Self {
            server,
            name,
            position: RwLock::default(),
            columns: RwLock::default(),
            writing: Mutex::default(),
        }
    }

    fn refresh_columns(&self) -> Result<(), IndexError> {
        let found =
            self.server.send_json(Method::GET, &format!("/{}/_mapping", self.name), None)?.success_body()?;
        *self.columns.write() = mapping_of(&found).map(ColumnSet::from_mapping).unwrap_or_default();
        Ok(())
    }

    /// Reads the position from the server; it is deleted with the index.
    fn read_current_position(&self) -> Result<Option<IndexPosition>, IndexError> {
        let found = self.server.send_json(Method::GET, &format!("/{}/_doc/{POSITION}", self.name), None)?;
        if found.status == 404 && found.body.get("error").is_some() {
            return Err(IndexError::Failed(format!("there is no index {}", self.name)));
        }
        Ok(found.body.pointer("/_source/position").and_then(read_position))
    }

    /// Creates columns for new fields.
    fn create_columns(&self, entries: &[SearchEntry], columns: &mut ColumnSet) -> Result<(), IndexError> {
        let mut fields = document::fields_without_column(entries, columns);
        let mut with_new = columns.clone();
        fields.retain(|field| with_new.add(field));
        if !fields.is_empty() {
            let wanted = mapping::with_columns(&fields);
            self.server
                .send_json(Method::PUT, &format!("/{}/_mapping", self.name), Some(&wanted))?
                .success_body()?;
            *columns = with_new;
        }
        Ok(())
    }

    fn send(&self, lines: &mut Vec<u8>) -> Result<(), IndexError> {
        if lines.is_empty() {
            return Ok(());
        }
        let response = self
            .server
            .bulk(
                &format!("/{}/_bulk?filter_path=errors,items.*.status,items.*.error", self.name),
                std::mem::take(lines),
            )?
            .success_body()?;
        if response.get("errors").and_then(Json::as_bool) != Some(true) {
            return Ok(());
        }
        let items = response.get("items").and_then(Json::as_array).into_iter().flatten();
        for item in items.filter_map(|item| item.as_object()?.values().next()) {
            match item.get("status").and_then(Json::as_u64).unwrap_or(0) {
                // Deleted already, or written by a process that has read more of the change log.
                200..300 | 404 | 409 => {}
                429 => return Err(IndexError::Unavailable("OpenSearch is busy".to_owned())),
                status => {
                    let reply = OpenSearchResponse { status: status as u16, body: item.clone() };
                    return reply.success_body().map(|_| ());
                }
            }
        }
        Ok(())
    }

    fn write(&self, batch: &IndexBatch, columns: &ColumnSet) -> Result<(), IndexError> {
        // The version that read more of the change log wins, whichever process sends it.
        let version = batch.as_of.max(batch.position.seq);
        let mut lines = Vec::new();
        let head = |does: &str, id: &str| json!({does: {"_id": id, "version": version, "version_type": "external_gte"}});
        for entry in &batch.put {
            push_line(&mut lines, &head("index", &entry.id));
            push_line(&mut lines, &document::entry_document(entry, columns));
            if lines.len() >= BULK_BYTES {
                self.send(&mut lines)?;
            }
        }
        for id in &batch.delete {
            push_line(&mut lines, &head("delete", id));
        }
        self.send(&mut lines)?;
        // On its own after everything else: the position promises that all changes before it are indexed.
        let refresh = if batch.position.is_complete { "?refresh=true" } else { "" };
        let written = json!({"position": write_position(batch.position)});
        self.server
            .send_json(Method::PUT, &format!("/{}/_doc/{POSITION}{refresh}", self.name), Some(&written))?
            .success_body()?;
        Ok(())
    }

    /// Returns the body of a search request without facets and page.
    fn search_body(&self, request: &IndexRequest, sort: Option<&[Json]>) -> Result<Json, IndexError> {
        let query = formula::entries_query(request.query.as_ref())?;
        let mut body = json!({
            "query": {"bool": {"must": [query], "filter": [all_entries()]}},
            "track_total_hits": true,
            "_source": false,
        });
        if let Some(filter) = &request.post_filter {
            body["post_filter"] = formula::entries_query(Some(filter))?;
        }
        if let Some(sort) = sort {
            body["sort"] = json!(sort);
            body["track_scores"] = true.into();
        }
        if request.mark_matching && request.query.as_ref().is_some_and(SearchQuery::has_child_condition) {
            body["_source"] = json!(["entry"]);
        }
        Ok(body)
    }

    fn run_search(&self, body: &Json) -> Result<Json, IndexError> {
        let reply = self.server.send_json(Method::POST, &format!("/{}/_search", self.name), Some(body))?;
        search_result(reply)
    }

    /// Reads hits beyond the maximum page of OpenSearch: page by page, from one snapshot.
    fn read_pages(&self, mut body: Json, mut take: impl FnMut(&Json) -> bool) -> Result<u64, IndexError> {
        let opened = self.server.send_json(
            Method::POST,
            &format!("/{}/_search/point_in_time?keep_alive={KEEP_ALIVE}", self.name),
            None,
        )?;
        let point = search_result(opened)?.get("pit_id").cloned().unwrap_or_default();
        body["pit"] = json!({"id": point, "keep_alive": KEEP_ALIVE});
        body["size"] = WINDOW.into();
        let mut pages = || loop {
            let response = search_result(self.server.send_json(Method::POST, "/_search", Some(&body))?)?;
            let hits = response.pointer("/hits/hits").and_then(Json::as_array);
            let after = hits.and_then(|hits| hits.last()).and_then(|last| last.get("sort")).cloned();
            let is_last = hits.is_none_or(|hits| hits.len() < WINDOW);
            let wants_more = take(&response);
            match after.filter(|_| !is_last && wants_more) {
                Some(after) => body["search_after"] = after,
                None => return Ok(response.pointer("/hits/total/value").and_then(Json::as_u64).unwrap_or(0)),
            }
        };
        let total = pages();
        // The server drops the snapshot after a while if this request fails.
        let _ = self.server.send_json(
            Method::DELETE,
            "/_search/point_in_time",
            Some(&json!({"pit_id": [point]})),
        );
        total
    }

    /// Returns the total, the hits of a page, and the results of the aggregations.
    fn page(
        &self,
        request: &IndexRequest,
        sort: &[Json],
        aggregations: Map,
    ) -> Result<(u64, Vec<Hit>, Json), IndexError> {
        let mut body = self.search_body(request, Some(sort))?;
        if !aggregations.is_empty() {
            body["aggs"] = Json::Object(aggregations);
        }
        let end = request.offset.saturating_add(request.limit);
        let is_far = end > WINDOW && request.limit > 0;
        body["from"] = if is_far { 0 } else { request.offset.min(WINDOW) }.into();
        body["size"] = if is_far { 0 } else { request.limit }.into();
        let mut response = self.run_search(&body)?;
        let (total, mut hits) = search_hits::hits(&response, request);
        if is_far && total > request.offset as u64 {
            if let Some(body) = body.as_object_mut() {
                body.remove("aggs");
                body.remove("from");
            }
            let mut skip = request.offset;
            self.read_pages(body, |page| {
                let (_, found) = search_hits::hits(page, request);
                let skipped = skip.min(found.len());
                skip -= skipped;
                hits.extend(found.into_iter().skip(skipped));
                hits.len() < request.limit
            })?;
            hits.truncate(request.limit);
        }
        Ok((total, hits, response.get_mut("aggregations").map(Json::take).unwrap_or_default()))
    }

    /// Returns all entries that match a query, for the reference evaluator. Fails if there are too many.
    fn entries(&self, query: Option<&SearchQuery>) -> Result<Vec<SearchEntry>, IndexError> {
        let request = IndexRequest { query: query.cloned(), ..IndexRequest::default() };
        let mut body = self.search_body(&request, None)?;
        body["_source"] = json!(["entry"]);
        body["size"] = reference_fallback::ENTRIES_MAX.into();
        let response = self.run_search(&body)?;
        let total = response.pointer("/hits/total/value").and_then(Json::as_u64).unwrap_or(0);
        if total > reference_fallback::ENTRIES_MAX as u64 {
            return Err(reference_fallback::too_many_entries(total));
        }
        let hits = response.pointer("/hits/hits").and_then(Json::as_array);
        Ok(hits.into_iter().flatten().filter_map(entry).collect())
    }

    /// Counts a facet that OpenSearch cannot express by the reference evaluator.
    fn count_by_reference(
        &self,
        facet: &kontor_search::Facet,
        request: &IndexRequest,
    ) -> Result<NamedFacetResult, IndexError> {
        let query = match facet.scope {
            FacetScope::Query => request.query.clone(),
            FacetScope::All => None,
        };
        let looked_at: Vec<SearchQuery> =
            query.clone().into_iter().chain(facet.filter.clone()).map(entries_with).collect();
        let entries = self.entries(Some(&SearchQuery::And(looked_at)))?;
        let request = IndexRequest { query, facets: vec![facet.clone()], ..IndexRequest::default() };
        let response = reference_fallback::evaluate(entries, &request)?;
        response
            .facets
            .into_iter()
            .next()
            .ok_or_else(|| IndexError::Failed("a facet was not counted".to_owned()))
    }

    /// Returns whether the known columns suffice for a request: a field that another process wrote first is
    /// not known yet.
    fn knows_columns(&self, request: &IndexRequest) -> bool {
        let columns = self.columns.read();
        let sorts = request.sort.iter().filter_map(|sort| match &sort.by {
            kontor_search::SortBy::Field(field) => Some(field),
            kontor_search::SortBy::Score => None,
        });
        let facets = request.facets.iter().filter_map(|facet| match &facet.kind {
            kontor_search::FacetKind::Distinct { field, .. } | kontor_search::FacetKind::Stats { field } => {
                Some(field)
            }
            _ => None,
        });
        sorts.chain(facets).all(|field| columns.contains(field) || columns.lacks(field))
    }
}

impl SearchIndex for OpenSearchIndex {
    fn apply(&self, batch: IndexBatch) -> Result<(), IndexError> {
        let mut columns = self.writing.lock();
        // A bulk request would create a missing index without its mapping.
        self.read_current_position()?;
        self.create_columns(&batch.put, &mut columns)?;
        self.write(&batch, &columns)?;
        *self.position.write() = Some(batch.position);
        Ok(())
    }

    fn position(&self) -> Option<IndexPosition> {
        *self.position.read()
    }

    fn refresh(&self) -> Result<(), IndexError> {
        let position = self.read_current_position()?;
        *self.position.write() = position;
        Ok(())
    }

    fn len(&self) -> Result<u64, IndexError> {
        let requested = json!({"query": all_entries()});
        let response = search_result(self.server.send_json(
            Method::POST,
            &format!("/{}/_count", self.name),
            Some(&requested),
        )?)?;
        Ok(response.get("count").and_then(Json::as_u64).unwrap_or(0))
    }

    fn search(&self, request: &IndexRequest) -> Result<SearchResult, IndexError> {
        let begun = std::time::Instant::now();
        if !self.knows_columns(request) {
            self.refresh_columns()?;
        }
        let columns = self.columns.read().clone();
        let facets = request.facets.len();
        let plans = request.facets.iter().enumerate().map(|(number, facet)| {
            facet::plan((number, facets), facet, request.query.as_ref(), &columns, &all_entries())
        });
        let plans: Vec<Option<FacetPlan<'_>>> = plans.collect::<Result<_, _>>()?;
        let mut aggregations = Map::new();
        plans.iter().flatten().for_each(|plan| plan.add_aggregations(&mut aggregations));
        let (total, hits, counted) = match sort::criteria(&request.sort, &columns)? {
            Some(sort) => self.page(request, &sort, aggregations)?,
            None => {
                let none = IndexRequest { limit: 0, offset: 0, ..request.clone() };
                let (.., counted) = self.page(&none, &[], aggregations)?;
                let plain = IndexRequest { facets: Vec::new(), ..request.clone() };
                let response = reference_fallback::evaluate(self.entries(request.query.as_ref())?, &plain)?;
                (response.total, response.hits, counted)
            }
        };
        let facets = request.facets.iter().zip(&plans).map(|(facet, plan)| match plan {
            Some(plan) => Ok(NamedFacetResult { name: facet.name.clone(), result: plan.read(&counted) }),
            None => self.count_by_reference(facet, request),
        });
        let facets = facets.collect::<Result<_, _>>()?;
        let took = begun.elapsed();
        metrics::histogram!("kontor_search_server_seconds").record(took.as_secs_f64());
        Ok(SearchResult { total, hits, facets, step_durations: vec![("search server", took)] })
    }
}

/// Returns the query for all rows of entries that have a row matching a query.
fn entries_with(query: SearchQuery) -> SearchQuery {
    SearchQuery::Not(vec![SearchQuery::Not(vec![query])])
}

/// Returns the query for all entries, without the document of the position.
fn all_entries() -> Json {
    json!({"exists": {"field": "id"}})
}

/// Interprets the response of a search. A query that is too large for OpenSearch is refused; a missing index
/// is being replaced.
fn search_result(reply: OpenSearchResponse) -> Result<Json, IndexError> {
    match reply.status {
        404 => Err(IndexError::Unavailable(reply.reason())),
        400 | 500 if exceeds_limits(&reply) => {
            Err(IndexError::Refused(format!("The search asks for too much: {}", reply.reason())))
        }
        _ => reply.success_body(),
    }
}

/// Returns whether a pattern or the number of conditions exceeds a limit of OpenSearch.
fn exceeds_limits(reply: &OpenSearchResponse) -> bool {
    let text = reply.body.to_string();
    ["too_complex", "TooComplexToDeterminize", "too_many_clauses", "too_many_buckets", "max_determinized"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Returns the mapping of the only index in a response: behind an alias its name differs.
fn mapping_of(body: &Json) -> Option<&Json> {
    body.as_object()?.values().next()?.get("mappings")
}

fn push_line(lines: &mut Vec<u8>, line: &Json) {
    lines.extend_from_slice(line.to_string().as_bytes());
    lines.push(b'\n');
}

/// Returns the position as JSON. Numbers are texts, since some exceed those of JSON.
fn write_position(position: IndexPosition) -> Json {
    json!({
        "epoch": position.epoch.to_string(),
        "seq": position.seq.to_string(),
        "generation": position.generation.to_string(),
        "isComplete": position.is_complete,
    })
}

fn read_position(written: &Json) -> Option<IndexPosition> {
    let number = |name: &str| written.get(name)?.as_str()?.parse().ok();
    Some(IndexPosition {
        epoch: number("epoch")?,
        seq: number("seq")?,
        generation: number("generation")?,
        is_complete: written.get("isComplete")?.as_bool()?,
    })
}
