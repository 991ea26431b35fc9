//! The operations that every kind has: get, query, head, create, update, delete.

use crate::admitted_request::AdmittedRequest;
use crate::blocking::{blocking, page};
use crate::endpoint::{SecondDocument, admit_second_expansion, show_second, split_expansion, wrap_document};
use crate::lazy_body::LazyBody;
use crate::response::{self, HttpResponse};
use crate::service::Rest;
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_engine::{Address, DeleteOptions, ListRequest, ResponseMeter, ViewOptions, WrittenDocument};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::{Operation, PathTarget};
use std::sync::Arc;

/// Documents up to this size have few references: expanding them is faster than handing them to another thread.
const EXPANDED_AT_ONCE_BYTES_MAX: usize = 16 * 1024;

/// Returns the response to a GET of one document that need not wait; `None` for all other requests. Small reads need no
/// future of their own.
pub(crate) fn respond_at_once(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    operation: Operation,
) -> Option<ApiResult<HttpResponse>> {
    let is_one =
        operation == Operation::Get && !is_filtered(admitted) && rest.holder(admitted.kind).is_none();
    if !is_one {
        return None;
    }
    match DocumentRequest::resolve(rest, admitted, operation) {
        Ok(meant) => meant.get_at_once().transpose(),
        Err(error) => Some(Err(error)),
    }
}

/// Returns whether the request is for the only document below `/me`, which a predicate may filter.
fn is_filtered(admitted: &AdmittedRequest<'_>) -> bool {
    admitted.operation.side.is_mine() && admitted.operation.target == PathTarget::Only
}

/// Handles an operation on documents.
pub(crate) async fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    body: LazyBody<'_>,
    operation: Operation,
) -> ApiResult<HttpResponse> {
    let meant = DocumentRequest::resolve(rest, admitted, operation)?;
    if let Some(holder) = rest.holder(admitted.kind) {
        return holder.respond(admitted, body).await;
    }
    match operation {
        Operation::Get if is_filtered(admitted) => meant.get_filtered().await,
        Operation::Get => meant.get(rest).await,
        Operation::Query => meant.query(rest).await,
        Operation::Head => meant.head().await,
        Operation::Create => meant.create(body).await,
        Operation::Update => meant.update(body).await,
        Operation::Delete => meant.delete().await,
    }
}

/// A request, and the document or documents that it addresses.
struct DocumentRequest<'a> {
    admitted: &'a AdmittedRequest<'a>,
    /// The id of the document, if it was found through another one.
    id: Option<String>,
    /// Expansion paths from the document.
    expand: Vec<String>,
    /// Expansion paths from the second document of a creation.
    expand_beside: Vec<String>,
    /// Counts the memory of a response that may grow; small reads have no meter.
    meter: ResponseMeter,
}

impl<'a> DocumentRequest<'a> {
    /// Resolves what a request addresses. Runs before any change, so that an error leaves nothing changed.
    fn resolve(rest: &Rest, admitted: &'a AdmittedRequest<'a>, operation: Operation) -> ApiResult<Self> {
        let (shop, kind) = (&admitted.shop, admitted.kind);
        shop.validate_view_options(kind, &admitted.view_options)?;
        let paths = admitted.parameters.values("expand");
        let (expand, expand_beside) = match operation {
            Operation::Create => {
                let beside = SecondDocument::from_kind(kind, &rest.model);
                let held_as = rest.model.kind(kind).creation_field();
                let (expand, expand_beside) = split_expansion(paths, held_as.as_deref(), beside.as_ref());
                admit_second_expansion(admitted, beside.as_ref(), &expand_beside)?;
                (expand, expand_beside)
            }
            _ => (paths, Vec::new()),
        };
        shop.validate_expansion(kind, &expand, &admitted.bounds)?;
        // Documents outside of the storage are looked up by their holder.
        let id = if rest.holder(kind).is_none() { admitted.id_through()? } else { None };
        let grows = !expand.is_empty() || !expand_beside.is_empty();
        let meter = if grows { rest.limiter.meter() } else { ResponseMeter::default() };
        Ok(Self { admitted, id, expand, expand_beside, meter })
    }

    fn address(&self) -> ApiResult<Address<'_>> {
        match &self.id {
            Some(id) => Ok(Address::Id(id)),
            None => self.admitted.address(),
        }
    }

    /// Returns the document if that is fast; `None` if it is large and has references to expand.
    fn get_at_once(&self) -> ApiResult<Option<HttpResponse>> {
        let AdmittedRequest { shop, kind, bounds, view_options, .. } = self.admitted;
        let stored = shop.must_get_in_scope(*kind, &self.address()?, bounds)?;
        if !self.expand.is_empty() && stored.body.len() > EXPANDED_AT_ONCE_BYTES_MAX {
            return Ok(None);
        }
        let seen = shop.render_stored(*kind, stored.body, view_options, bounds)?;
        let seen = seen.ok_or(self.address()).map_err(side_not_found)?;
        let body =
            shop.render(*kind, seen, &self.expand, bounds, view_options.references.as_deref(), &self.meter)?;
        Ok(Some(response::json_bytes(StatusCode::OK, body)))
    }

    /// Returns the document, on a thread for blocking work if it may become large.
    async fn get(self, rest: &Rest) -> ApiResult<HttpResponse> {
        if let Some(response) = self.get_at_once()? {
            return Ok(response);
        }
        let AdmittedRequest { shop, kind, bounds, view_options, .. } = self.admitted;
        let stored = shop.must_get_in_scope(*kind, &self.address()?, bounds)?;
        let seen = shop.render_stored(*kind, stored.body, view_options, bounds)?;
        let seen = seen.ok_or(self.address()).map_err(side_not_found)?;
        let (shop, kind, bounds) = (Arc::clone(shop), *kind, bounds.clone());
        let (expand, references) = (self.expand, view_options.references.clone());
        let show = move |meter: &ResponseMeter| {
            shop.render(kind, seen, &expand, &bounds, references.as_deref(), meter)
        };
        Box::pin(page(&rest.limiter, show)).await
    }

    /// Returns the only document below `/me` if it matches the predicates (reference, "Get My Customer").
    async fn get_filtered(&self) -> ApiResult<HttpResponse> {
        let AdmittedRequest { shop, kind, bounds, .. } = self.admitted;
        shop.must_get_in_scope(*kind, &self.address()?, bounds)?;
        let request = ListRequest { limit: 1, offset: 0, meter: self.meter.clone(), ..self.list_request()? };
        let (shop, kind) = (Arc::clone(shop), *kind);
        let listed = blocking(move || shop.list(kind, &request)).await?;
        let found = listed.results.into_iter().next();
        let found = found.ok_or_else(|| ApiError::resource_not_found("that matches the predicate"))?;
        Ok(response::json_bytes(StatusCode::OK, found))
    }

    /// Returns the list request of the parameters, limited to the documents in scope.
    fn list_request(&self) -> ApiResult<ListRequest> {
        let AdmittedRequest { shop, kind, bounds, view_options, parameters, .. } = self.admitted;
        let counts_by_default = shop.model().kind(*kind).counts_by_default;
        let (bounds, view_options) = (bounds.clone(), view_options.clone());
        Ok(ListRequest { bounds, view_options, ..parameters.list_request(counts_by_default)? })
    }

    async fn query(self, rest: &Rest) -> ApiResult<HttpResponse> {
        let mut request = ListRequest { fixed: self.admitted.part()?, ..self.list_request()? };
        let (shop, kind) = (Arc::clone(&self.admitted.shop), self.admitted.kind);
        let planned = shop.plan_list(kind, &request)?;
        if planned.reads_few() {
            request.meter = rest.limiter.meter();
            let listed = shop.list_planned(kind, &request, planned)?;
            return Ok(response::json_bytes(StatusCode::OK, listed.into_body()));
        }
        let read = move |meter: &ResponseMeter| {
            request.meter = meter.clone();
            Ok(shop.list_planned(kind, &request, planned)?.into_body())
        };
        Box::pin(page(&rest.limiter, read)).await
    }

    /// Handles HEAD: 200 or 404 without a body. Predicates are limited (document A, Endpoints).
    async fn head(self) -> ApiResult<HttpResponse> {
        let AdmittedRequest { shop, kind, bounds, view_options, .. } = self.admitted;
        let exists = match self.admitted.operation.target {
            PathTarget::All | PathTarget::Part => {
                let request = self.list_request()?;
                let (shop, kind) = (Arc::clone(shop), *kind);
                blocking(move || shop.exists(kind, &request)).await?
            }
            _ => match shop.get_in_scope(*kind, &self.address()?, bounds)? {
                Some(stored) => {
                    // Calculated fields do not matter; which documents a Store shows does.
                    let (staged, store) = (view_options.staged, view_options.store.clone());
                    let plain = ViewOptions { staged, store, ..ViewOptions::default() };
                    shop.render_stored(*kind, stored.body, &plain, bounds)?.is_some()
                }
                None => false,
            },
        };
        Ok(response::empty(if exists { StatusCode::OK } else { StatusCode::NOT_FOUND }))
    }

    async fn create(self, body: LazyBody<'_>) -> ApiResult<HttpResponse> {
        let (draft, _memory) = body.json().await?;
        let AdmittedRequest { shop, kind, preserved_metadata, caller, .. } = self.admitted;
        let written = shop.create_preserving(*kind, *preserved_metadata, draft, caller).await?;
        self.write_response(written, shop.model().kind(*kind).creation_field().as_deref())
    }

    async fn update(self, body: LazyBody<'_>) -> ApiResult<HttpResponse> {
        let (actions, _memory) = body.json().await?;
        let AdmittedRequest { shop, kind, caller, .. } = self.admitted;
        let written = shop.update(*kind, &self.address()?, actions, caller).await?;
        self.write_response(written, None)
    }

    async fn delete(self) -> ApiResult<HttpResponse> {
        let AdmittedRequest { shop, kind, caller, parameters, .. } = self.admitted;
        let version = parameters.version()?;
        if version.is_none() && !shop.model().kind(*kind).deletes_any_version {
            // Recorded of the platform.
            return Err(ApiError::invalid_operation("Missing version number"));
        }
        let erase = parameters.flag("dataErasure")?.unwrap_or(false);
        let body = shop.delete(*kind, &self.address()?, DeleteOptions { version, erase }, caller).await?;
        Ok(response::json_bytes(StatusCode::OK, self.show_changed(body)?))
    }

    fn write_response(&self, written: WrittenDocument, within: Option<&str>) -> ApiResult<HttpResponse> {
        let status = match &written {
            WrittenDocument { deferred: true, .. } => StatusCode::ACCEPTED,
            WrittenDocument { created: true, .. } => StatusCode::CREATED,
            _ => StatusCode::OK,
        };
        let body = self.show_changed(written.body)?;
        let AdmittedRequest { shop, kind, .. } = self.admitted;
        let beside = within.and_then(|_| SecondDocument::from_kind(*kind, shop.model()));
        let beside = show_second(
            self.admitted,
            beside,
            written.additional_document,
            &self.expand_beside,
            &self.meter,
        )?;
        Ok(response::json_bytes(status, wrap_document(body, within, beside)))
    }

    /// Returns a document after a change. The change is done, so this does not fail because of `expand`: if the
    /// expanded documents are too large, the references stay unexpanded.
    fn show_changed(&self, body: Bytes) -> ApiResult<Bytes> {
        let AdmittedRequest { shop, kind, bounds, view_options, .. } = self.admitted;
        let seen = shop.render_stored(*kind, body.clone(), view_options, bounds)?.unwrap_or(body);
        let references = view_options.references.as_deref();
        let shown = |expand| shop.render(*kind, seen.clone(), expand, bounds, references, &self.meter);
        match shown(&self.expand) {
            Err(error) if matches!(error.code(), Code::InvalidInput | Code::OverCapacity) => shown(&[]),
            shown => shown,
        }
    }
}

/// Returns the error for a document without the requested side.
fn side_not_found(address: ApiResult<Address<'_>>) -> ApiError {
    match address {
        Ok(address) => ApiError::resource_not_found(&address.describe()),
        Err(error) => error,
    }
}
