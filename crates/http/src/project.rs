//! Authenticates and authorizes requests to the documents of a project, determines which documents are in scope, and
//! hands the request to `rest`. This is the only place where such requests are admitted. Start at [`respond`].

use crate::access::{CallerAccess, MeAudience, request_bounds};
use crate::admission::{AccessCheck, Admission};
use crate::body;
use crate::ignored_fields;
use crate::login_guard::RequestGuard;
use crate::references::RequestPlace;
use crate::router::PathValues;
use crate::server::Server;
use crate::setting_overrides::read_overrides;
use axum::body::Body;
use axum::http::request::Parts;
use kontor_engine::{
    AccessScope, ActingAssociate, Caller, PreservedMetadata, Shop, SlowRequestLimiter, ViewOptions,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_images::IMAGE_BYTES_MAX;
use kontor_model::{
    IgnoredFields, KindId, Method, Model, Operation, OperationKind, PathPrefix, PathSegment, RequestBody,
    ServedOperation,
};
use kontor_rest::response::HttpResponse;
use kontor_rest::{AdmittedRequest, LazyBody, QueryParameters};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::sync::Arc;

/// Handles the operation on documents at this position of the model's table.
pub(crate) async fn respond(
    server: &Server,
    position: usize,
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    let operation = &server.model.operations()[position];
    if let Some(path) = path_by_parameter(&server.model, operation, parts)
        && let Some((position, values)) = server.routes.find(Method::Get, &path)
    {
        return Box::pin(respond(server, position, &values, parts, body)).await;
    }
    let (addressed, view_options) = ParsedRequest::parse(server, position, values, parts)?;
    let admission = addressed.check.check().await?;
    let shop = server.shop(addressed.check.project).await?;
    let entered = AuthorizedRequest { addressed, admission, shop, view_options: view_options? };
    Box::pin(entered.respond(body)).await
}

/// Returns the response if no step has to wait; `None` otherwise, and then nothing has been done.
pub(crate) fn respond_at_once(
    server: &Server,
    position: usize,
    values: &PathValues<'_>,
    parts: &Parts,
) -> ApiResult<Option<HttpResponse>> {
    let (addressed, view_options) = ParsedRequest::parse(server, position, values, parts)?;
    let running = server.shops.running_shop(addressed.check.project);
    let Some(shop) = running.filter(|shop| !shop.storage().is_shared()) else { return Ok(None) };
    let admission = addressed.check.admit_at_once(shop.clock.now().as_millisecond())?;
    let Some(admission) = admission else { return Ok(None) };
    let entered = AuthorizedRequest { addressed, admission, shop, view_options: view_options? };
    let guard = entered.guard();
    server.rest.respond_at_once(&entered.admitted_request(&guard)?).transpose()
}

/// A parsed request: the addressed documents and the parameters, before authentication.
struct ParsedRequest<'a> {
    check: AccessCheck<'a>,
    kind: KindId,
    values: &'a PathValues<'a>,
    parameters: QueryParameters,
}

impl<'a> ParsedRequest<'a> {
    /// Parses a request and its view options. Errors in the view options are returned separately, because only callers
    /// with access may learn of them.
    fn parse(
        server: &'a Server,
        position: usize,
        values: &'a PathValues<'a>,
        parts: &'a Parts,
    ) -> ApiResult<(Self, ApiResult<ViewOptions>)> {
        let operation = &server.model.operations()[position];
        let kind =
            operation.kind.ok_or_else(|| ApiError::bug("a fixed path was taken for one of documents"))?;
        let project = values.get(0).ok_or_else(|| ApiError::bug("the path names no project"))?;
        let store = values.get(1).filter(|_| operation.side.is_in_store());
        let parameters = QueryParameters::parse(parts.uri.query());
        let view_options =
            parameters.view_options(&server.model, operation, store).and_then(|view_options| {
                let overrides = read_overrides(&server.model.kind(kind).overrides, &parts.headers)?;
                Ok(ViewOptions { overrides, ..view_options })
            });
        let is_staged = view_options.as_ref().is_ok_and(|view_options| view_options.staged);
        let requested = AccessCheck { server, parts, project, store, operation, position, is_staged };
        Ok((Self { check: requested, kind, values, parameters }, view_options))
    }
}

/// An authorized request to an existing project.
struct AuthorizedRequest<'a> {
    addressed: ParsedRequest<'a>,
    admission: Admission,
    shop: Arc<Shop>,
    view_options: ViewOptions,
}

impl AuthorizedRequest<'_> {
    async fn respond(self, body: Body) -> ApiResult<HttpResponse> {
        let access = &self.admission.access;
        let AccessCheck { server, operation, parts, .. } = self.addressed.check;
        let speaks = operation.changes() || matches!(operation.operation_kind, OperationKind::Endpoint(_));
        let passed_over = (speaks && !server.options.strict).then(Arc::<IgnoredFields>::default);
        let guard = self.guard();
        let mut admitted = self.admitted_request(&guard)?;
        if speaks {
            let bounds = admitted.bounds.clone();
            let ignored = passed_over.clone();
            let references =
                self.request_context(bounds.store.as_slice(), &bounds).nameable_references(server, access);
            let overrides = admitted.view_options.overrides.clone();
            admitted.caller = Caller { bounds, references, ignored, overrides, ..access.caller(parts) };
        }
        if operation.operation_kind == OperationKind::Documents(Operation::Create) {
            admitted.preserved_metadata = access.preserved_metadata(&parts.headers)?;
        }
        let unread = lazy_body((operation, access), parts, body, &server.rest.limiter);
        let outcome = server.rest.respond(&admitted, unread).await;
        match passed_over {
            Some(passed_over) => ignored_fields::add_ignored_header(&passed_over, outcome),
            None => outcome,
        }
    }

    fn guard(&self) -> RequestGuard<'_> {
        let AccessCheck { server, project, parts, .. } = self.addressed.check;
        RequestGuard { server, project, parts, customer: self.admission.access.customer() }
    }

    /// Returns where the request acts: Stores, associate, `/me`, scopes.
    fn request_context<'p>(
        &'p self,
        stores: &'p [String],
        access_scope: &'p AccessScope,
    ) -> RequestPlace<'p> {
        let AccessCheck { server, position, .. } = self.addressed.check;
        let scopes = &server.scope_table.operation(position).scopes;
        RequestPlace {
            stores,
            associate: access_scope.associate.as_ref(),
            is_mine: access_scope.mine.is_some(),
            scopes,
        }
    }

    /// Returns the request in the form that `rest` takes, without author and without the operator's metadata.
    fn admitted_request<'s>(&'s self, guard: &'s RequestGuard<'s>) -> ApiResult<AdmittedRequest<'s>> {
        let Self {
            addressed: ParsedRequest { check, kind, values, parameters },
            admission,
            shop,
            view_options,
        } = self;
        let AccessCheck { server, parts, project, store, operation, .. } = *check;
        let access = &admission.access;
        let mine = operation.side.is_mine().then_some(if operation.is_open {
            MeAudience::Open
        } else {
            MeAudience::Own
        });
        let bounds = request_bounds(server, access, shop, *kind, store, mine)?;
        let associate = associate(operation.side, values, access, shop)?;
        let bounds = AccessScope { associate, ..bounds };
        let is_asked_for = follows_references(server, operation, parameters);
        let shown =
            || self.request_context(bounds.store.as_slice(), &bounds).visible_references(server, access);
        let references = if is_asked_for { shown() } else { None };
        Ok(AdmittedRequest {
            operation,
            kind: *kind,
            project,
            store,
            values: values.all().get(operation.side.values()..).unwrap_or_default(),
            shop: Arc::clone(shop),
            bounds,
            view_options: ViewOptions { references, ..view_options.clone() },
            stores: admission.stores.as_deref(),
            staged: &admission.staged,
            caller: Caller::default(),
            preserved_metadata: PreservedMetadata::default(),
            parameters,
            headers: &parts.headers,
            guard,
        })
    }
}

/// Returns the path of the endpoint that a list request with a certain parameter means (`byParameter` in the model).
fn path_by_parameter(model: &Model, operation: &ServedOperation, parts: &Parts) -> Option<String> {
    let query = parts
        .uri
        .query()
        .filter(|_| operation.operation_kind == OperationKind::Documents(Operation::Query))?;
    let mut endpoints = model.kind(operation.kind?).endpoints.iter().filter(|endpoint| endpoint.by_parameter);
    let Some(PathSegment::Value { prefix, name }) = endpoints.next()?.path.last() else { return None };
    let parameters = QueryParameters::parse(Some(query));
    let (_, value) = parameters.pairs().iter().find(|(key, _)| key == name)?;
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    Some(format!("{}/{prefix}{value}", parts.uri.path().trim_end_matches('/')))
}

/// Returns whether a request reads documents by reference: if it expands references (for a search only its body says
/// so), or if its endpoint takes other documents as input.
fn follows_references(server: &Server, operation: &ServedOperation, parameters: &QueryParameters) -> bool {
    let endpoints = operation.kind.map(|kind| &server.model.kind(kind).endpoints);
    match operation.operation_kind {
        OperationKind::Search | OperationKind::ParameterSearch => true,
        OperationKind::Endpoint(position)
            if endpoints.and_then(|all| all.get(position)).is_some_and(|one| one.many) =>
        {
            true
        }
        _ => !parameters.values("expand").is_empty(),
    }
}

/// Returns the acting associate of a request below `/as-associate`. Fails if the business unit does not exist.
fn associate(
    side: PathPrefix,
    values: &PathValues<'_>,
    access: &CallerAccess,
    shop: &Shop,
) -> ApiResult<Option<ActingAssociate>> {
    if !side.is_associate() {
        return Ok(None);
    }
    let unit = values.get(2).filter(|_| side == PathPrefix::InUnit);
    if let Some(unit) = unit {
        shop.must_have_unit(unit)?;
    }
    let id = match access {
        // The operator is not an associate, whatever the path says.
        CallerAccess::Operator | CallerAccess::Anybody => None,
        CallerAccess::Granted(_) => values.get(1).map(str::to_owned),
    };
    Ok(Some(ActingAssociate { id, unit: unit.map(str::to_owned) }))
}

/// Returns the body of an operation that takes one. It is not read before it is awaited.
fn lazy_body<'a>(
    (operation, access): (&ServedOperation, &CallerAccess),
    parts: &'a Parts,
    body: Body,
    limiter: &'a SlowRequestLimiter,
) -> LazyBody<'a> {
    let bytes_max = match operation.body {
        RequestBody::Nothing => return LazyBody::new(None, limiter),
        RequestBody::Json | RequestBody::Form => body::BODY_BYTES_MAX,
        RequestBody::File => IMAGE_BYTES_MAX,
    };
    let bytes_max = match operation.side.is_mine() {
        true => body::OWN_BODY_BYTES_MAX.min(bytes_max),
        false => access.body_bytes_max(parts, bytes_max),
    };
    LazyBody::new(Some(Box::pin(body::read_body(parts, body, bytes_max))), limiter)
}
