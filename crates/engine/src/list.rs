//! Queries: one page of the documents of a kind, with predicates, order, expansion and total.
//!
//! A query is first planned ([`Shop::plan_list`]), then run ([`Shop::list_planned`]).

mod growing_page;
mod matches;
mod merge;
mod referenced_predicates;

use self::growing_page::GrowingPage;
use crate::access_scope::AccessScope;
use crate::custom::ProjectTypes;
use crate::document::Document;
use crate::memory_budget::ResponseMeter;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use crate::view_options::ViewOptions;
use bytes::{BufMut, Bytes, BytesMut};
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::KindId;
use kontor_query::{
    AccessPath, Condition, IndexedPaths, InputVariables, NameScope, QueryPlan, QuerySort, TopItems, bind_all,
    evaluate, plan,
};
use std::ops::ControlFlow;

/// The maximum total of a filtered query; counting ends there (public documentation: `total` of a filtered query is
/// limited to the maximum offset).
pub const FILTERED_TOTAL_MAX: u64 = 10_000;

/// The number of documents that are read on the thread of the request, somewhat more than a page of the usual size.
const FEW_DOCUMENTS_MAX: usize = 50;

/// A query. REST and GraphQL check the ranges of `limit` and `offset`.
#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    /// Predicates, all of which must match.
    pub wheres: Vec<String>,
    /// Input variables of the predicates: `var.name` and value. Repeated values are in order.
    pub variables: Vec<(String, String)>,
    /// Sort expressions, the most important first.
    pub sort: Vec<String>,
    /// Expansion paths.
    pub expand: Vec<String>,
    /// A field and its required value, e.g. the container in `/custom-objects/{container}`.
    pub fixed: Option<(String, String)>,
    /// The documents that the request is limited to.
    pub bounds: AccessScope,
    /// The form of the documents in the response.
    pub view_options: ViewOptions,
    /// The number of results to skip.
    pub offset: usize,
    /// The maximum number of results.
    pub limit: usize,
    /// Whether to count all matches.
    pub with_total: bool,
    /// Charges the memory of the page while it grows. Reading ends when the client has disconnected.
    pub meter: ResponseMeter,
}

impl ListRequest {
    /// True if not all documents of the kind match.
    fn is_filtered(&self) -> bool {
        !self.wheres.is_empty()
            || self.fixed.is_some()
            || !self.bounds.is_everything()
            || self.view_options.store.is_some()
    }
}

/// A page of results.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// The requested limit.
    pub limit: usize,
    /// The requested offset.
    pub offset: usize,
    /// The number of matches, if requested.
    pub total: Option<u64>,
    /// Stored bytes of the page.
    pub results: Vec<Bytes>,
}

impl ListPage {
    /// Returns the body of a `…PagedQueryResponse`. The stored bytes of the results are copied unchanged.
    pub fn into_body(self) -> Bytes {
        let length: usize = self.results.iter().map(|body| body.len() + 1).sum();
        let mut body = BytesMut::with_capacity(length + 96);
        body.put_slice(
            format!("{{\"limit\":{},\"offset\":{},\"count\":{}", self.limit, self.offset, self.results.len())
                .as_bytes(),
        );
        if let Some(total) = self.total {
            body.put_slice(format!(",\"total\":{total}").as_bytes());
        }
        body.put_slice(b",\"results\":[");
        for (index, result) in self.results.into_iter().enumerate() {
            if index > 0 {
                body.put_u8(b',');
            }
            // Each result is dropped after it was copied, so that a large page is not in memory twice.
            body.put_slice(&result);
        }
        body.put_slice(b"]}");
        body.freeze()
    }
}

/// A query that was parsed and validated, and is ready to read documents.
#[derive(Debug)]
pub struct ListPlan {
    plan: QueryPlan,
    sort: QuerySort,
    reads_few: bool,
    /// Whether predicates about other documents (`@from`) must be looked up first.
    asks_elsewhere: bool,
}

impl ListPlan {
    /// True if the query reads so little that handing it to another thread would cost more.
    pub fn reads_few(&self) -> bool {
        self.reads_few
    }
}

impl Shop {
    /// Runs a query. Blocks the thread while it reads.
    ///
    /// # Errors
    /// 400 for an invalid predicate, sort expression or path in `expand`, or if the page is larger than a response may
    /// be; 403 if an Associate may not view documents of the kind; 503 `OverCapacity` if other responses hold the
    /// memory; storage errors.
    pub fn list(&self, kind: KindId, request: &ListRequest) -> ApiResult<ListPage> {
        self.list_planned(kind, request, self.plan_list(kind, request)?)
    }

    /// Parses and validates a query. Fails with 400 for an invalid predicate or sort expression, and with 403 if an
    /// Associate may not view documents of the kind.
    pub fn plan_list(&self, kind: KindId, request: &ListRequest) -> ApiResult<ListPlan> {
        let (plan, sort) = self.read_query(kind, request, false)?;
        let asks_elsewhere = self.has_referenced_predicates(kind, request);
        let is_in_sequence = sort.is_empty() || self.stored_order_for(kind, &plan, &sort).is_some();
        let is_open = plan.filter == Condition::Constant(true) && !self.is_filtered(kind, request);
        let documents = match &plan.access {
            AccessPath::Nothing => 0,
            AccessPath::Ids(ids) => ids.len(),
            AccessPath::Unique { keys, .. } => keys.len(),
            // No document is filtered out or counted, so that reading ends with the page.
            _ if is_open && is_in_sequence => request.offset.saturating_add(request.limit),
            _ => usize::MAX,
        };
        let reads_few = documents <= FEW_DOCUMENTS_MAX && request.expand.is_empty() && !asks_elsewhere;
        Ok(ListPlan { plan, sort, reads_few, asks_elsewhere })
    }

    /// Runs a query that this shop has planned. Blocks the thread while it reads. Fails like [`list`](Self::list),
    /// except for errors of the query's syntax.
    pub fn list_planned(
        &self,
        kind: KindId,
        request: &ListRequest,
        planned: ListPlan,
    ) -> ApiResult<ListPage> {
        let ListPlan { mut plan, sort, asks_elsewhere, .. } = planned;
        if asks_elsewhere {
            plan = self.plan_with_referenced(kind, request, false)?;
        }
        let is_filtered = self.is_filtered(kind, request);
        let wanted = request.offset.saturating_add(request.limit);
        let mut results = GrowingPage::new(request);
        let mut matched = 0_u64;
        // With a predicate, the total comes from counting on after the page, up to a maximum.
        let counts_on = request.with_total && is_filtered;
        if sort.is_empty() || self.stored_order_for(kind, &plan, &sort).is_some() {
            let by = self.stored_order_for(kind, &plan, &sort);
            if request.limit > 0 || counts_on {
                self.visit_visible(kind, request, &plan, by.as_ref(), &mut |body| {
                    let index = matched;
                    matched += 1;
                    if index >= request.offset as u64 && results.bodies.len() < request.limit {
                        results.push(body);
                    }
                    let is_full = results.is_over() || results.bodies.len() >= request.limit;
                    let is_counted = !counts_on || matched >= FILTERED_TOTAL_MAX || results.is_over();
                    if is_full && is_counted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })?;
            }
        } else {
            let mut top = TopItems::new(wanted);
            self.visit_visible(kind, request, &plan, None, &mut |body| {
                matched += 1;
                if wanted > 0 {
                    let left_out = top.push(sort.key(body), Bytes::copy_from_slice(body));
                    // The refund comes before the charge, so that a full page takes no more than its documents.
                    request.meter.refund(left_out.map_or(0, |body| body.len()));
                    results.charge(body.len());
                }
                if results.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            results.bodies = top.into_sorted().into_iter().skip(request.offset).collect();
        }
        let results = results.into_bodies()?;
        let total = match (request.with_total, is_filtered) {
            (false, _) => None,
            (true, true) => Some(matched.min(FILTERED_TOTAL_MAX)),
            (true, false) => {
                let stored = self.model.kind(self.model.stored_kind(kind));
                Some(self.storage.count(&stored.type_id).map_err(storage_failure)?)
            }
        };
        request.meter.must_have_client()?;
        let mut shown = Vec::with_capacity(results.len());
        let view_options = ViewOptions { listed: true, ..request.view_options.clone() };
        let (references, meter) = (request.view_options.references.as_deref(), &request.meter);
        for body in results {
            let stored_bytes = body.len();
            let Some(body) = self.render_stored(kind, body, &view_options, &request.bounds)? else {
                continue;
            };
            meter.charge(body.len().saturating_sub(stored_bytes))?;
            shown.push(self.render(kind, body, &request.expand, &request.bounds, references, meter)?);
        }
        let results = shown;
        Ok(ListPage { limit: request.limit, offset: request.offset, total, results })
    }

    /// True if any document matches. For some kinds (States), predicates may only name scalar fields here (document
    /// A, "Endpoints"). Fails with 400 for an invalid predicate, or if the storage fails.
    pub fn exists(&self, kind: KindId, request: &ListRequest) -> ApiResult<bool> {
        let plan = self.plan_with_referenced(kind, request, true)?;
        let mut found = false;
        self.visit_visible(kind, request, &plan, None, &mut |_| {
            found = true;
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Runs a query over given documents, for kinds that are stored elsewhere. Fails with 400 for an invalid predicate
    /// or sort expression.
    pub fn list_documents(
        &self,
        kind: KindId,
        documents: Vec<Document>,
        request: &ListRequest,
    ) -> ApiResult<ListPage> {
        let (plan, sort) = self.read_query(kind, request, false)?;
        // The plan only selects candidates; here all documents are candidates.
        let condition = self.condition(kind, request, false)?;
        drop(plan);
        let mut bodies: Vec<Bytes> = documents
            .into_iter()
            .map(|document| Bytes::from(Value::Object(document).to_string()))
            .filter(|body| evaluate(&condition, body))
            .collect();
        if !sort.is_empty() {
            bodies.sort_by_cached_key(|body| sort.key(body));
        }
        let total = request.with_total.then_some(bodies.len() as u64);
        let results = bodies.into_iter().skip(request.offset).take(request.limit).collect();
        Ok(ListPage { limit: request.limit, offset: request.offset, total, results })
    }

    fn read_query(
        &self,
        kind: KindId,
        request: &ListRequest,
        scalars_only: bool,
    ) -> ApiResult<(QueryPlan, QuerySort)> {
        let condition = self.condition(kind, request, scalars_only)?;
        let types = ProjectTypes::new(self);
        let scope = self.scope(kind, &request.bounds).with_custom_fields(&types);
        let sort = QuerySort::parse(request.sort.iter().map(String::as_str), &scope)?;
        let sort = self.sort_of_stored(kind, sort, &request.view_options);
        Ok((plan(condition, self.indexed_paths(kind)), sort))
    }

    /// Returns the fields that predicates and sort expressions may name. Below `/me` these are the visible ones, so
    /// that a hidden value cannot be found out by comparing it.
    fn scope(&self, kind: KindId, access_scope: &AccessScope) -> NameScope<'_> {
        let entry = self.model.kind(kind);
        match access_scope.mine.as_ref().and(entry.mine.as_ref()) {
            None => NameScope::of_kind(&self.model, entry),
            Some(mine) => {
                NameScope::of_object(&self.model, mine.object.unwrap_or(entry.object)).without_masked()
            }
        }
    }

    /// The indexed paths of the kind in which the documents are stored.
    fn indexed_paths(&self, kind: KindId) -> &IndexedPaths {
        self.behaviours.indexed_paths(self.model.stored_kind(kind))
    }

    /// True if not all documents of the kind match.
    fn is_filtered(&self, kind: KindId, request: &ListRequest) -> bool {
        request.is_filtered() || self.hides_some(kind, &request.view_options)
    }

    fn condition(&self, kind: KindId, request: &ListRequest, scalars_only: bool) -> ApiResult<Condition> {
        let requested = self.predicate_condition(kind, request, scalars_only)?;
        self.condition_within(kind, request, requested)
    }

    /// Returns the condition of the predicates, for a document in the form of the response.
    fn predicate_condition(
        &self,
        kind: KindId,
        request: &ListRequest,
        scalars_only: bool,
    ) -> ApiResult<Condition> {
        let entry = self.model.kind(kind);
        let types = ProjectTypes::new(self);
        let mut scope = self.scope(kind, &request.bounds).with_custom_fields(&types);
        if scalars_only && entry.plain_head {
            scope = scope.with_scalars_only();
        }
        if self.behaviours.get(kind).is_some_and(|behaviour| behaviour.names_need_values()) {
            scope = scope.with_valued_names();
        }
        let pairs = request.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let variables = InputVariables::from_parameters(pairs);
        bind_all(request.wheres.iter().map(String::as_str), &scope, &variables)
    }

    /// Returns the condition for a stored document: the predicates, and the access scope of the request.
    fn condition_within(
        &self,
        kind: KindId,
        request: &ListRequest,
        requested: Condition,
    ) -> ApiResult<Condition> {
        let mut all = Vec::new();
        if !request.bounds.is_everything() {
            all.push(request.bounds.condition(&self.model, kind));
            all.push(self.visibility_condition(kind, &request.bounds)?);
        }
        if let Some((field, value)) = &request.fixed {
            all.push(matches::is_text(field, value));
        }
        all.push(self.condition_of_stored(kind, requested, &request.view_options));
        all.extend(self.side_condition(kind, &request.view_options));
        Ok(Condition::all(all))
    }
}
