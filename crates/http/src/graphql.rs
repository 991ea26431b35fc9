//! `/{projectKey}/graphql`: POST executes a query; GET shows the GraphiQL page. `CallerAccessControl` checks the caller's
//! scopes. Start at [`respond`].

use crate::access::{CallerAccess, MeAudience, authenticate, request_bounds};
use crate::body;
use crate::compression::StaticBody;
use crate::headers::single_value;
use crate::html_page::html_page_with_files;
use crate::login_guard::GuardedCall;
use crate::peer::client_address;
use crate::references::RequestPlace;
use crate::request_metadata::RequestMetadata;
use crate::server::Server;
use crate::setting_overrides::read_overrides;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use kontor_engine::{AccessScope, ActingAssociate, Caller, LimitUse, ReferenceScope, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_graphql::{
    AccessControl, CallCompletion, DocumentReach, ExternalKindStore, FieldOperation, GraphQl, GraphQlContext,
    accepted_languages,
};
use kontor_json::Value;
use kontor_model::{Endpoint, IgnoredFields, KindId};
use kontor_rest::response::{self, HttpResponse, ResponseBugs};
use std::net::IpAddr;
use std::sync::Arc;

/// The URLs of the page's files contain their version, so browsers may cache them for good.
const UNCHANGING: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Handles a GraphQL request for a project.
pub(crate) async fn respond(
    server: &Arc<Server>,
    project: &str,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    let access = authenticate(server, parts, project).await?;
    let shop = server.shop(project).await?;
    let bytes = body::read_body(parts, body, access.body_bytes_max(parts, body::BODY_BYTES_MAX)).await?;
    let languages = parts.headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let context = GraphQlContext {
        shop,
        // The schema knows all fields; in free JSON values unknown fields are ignored as in REST.
        caller: Caller {
            ignored: (!server.options.strict).then(Arc::<IgnoredFields>::default),
            overrides: read_overrides(server.model.setting_overrides(), &parts.headers)?,
            ..access.caller(parts)
        },
        access_control: Arc::new(CallerAccessControl {
            server: Arc::clone(server),
            access,
            project: project.to_owned(),
            sender: client_address(server, parts),
        }),
        languages: languages.map(accepted_languages).unwrap_or_default(),
        ab_test_id: single_value(&parts.headers, kontor_rest::AB_TEST_ID).map(str::to_owned),
    };
    let http_response = graphql_service(server)?.respond(&bytes, context).await;
    let status = StatusCode::from_u16(http_response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut sent = response::json_bytes(status, http_response.body);
    if let Some(reason) = http_response.reason {
        RequestMetadata::set_reason(parts, || reason);
    }
    if let Some(permit) = http_response.permit {
        sent.extensions_mut().insert(permit);
    }
    if !http_response.bugs.is_empty() {
        sent.extensions_mut().insert(ResponseBugs(http_response.bugs));
    }
    Ok(sent)
}

/// Returns the GraphQL interface. It is derived by the first request that needs it, or by [`Server::prepare`].
fn graphql_service(server: &Server) -> ApiResult<Arc<GraphQl>> {
    let derive = || match GraphQl::new(
        &server.model,
        Arc::clone(&server.rest.search_service),
        server.rest.limiter.clone(),
    ) {
        Ok(graphql) => Some(Arc::new(graphql)),
        Err(problem) => {
            tracing::error!(problem, "the GraphQL schema cannot be derived from the model");
            None
        }
    };
    let graphql = server.graphql.get_or_init(derive).clone();
    graphql.ok_or_else(|| ApiError::bug("the GraphQL schema cannot be derived from the model"))
}

/// Returns the GraphiQL page. It shows the schema, but no data.
pub(crate) fn page(server: &Server, parts: &Parts) -> ApiResult<HttpResponse> {
    if !wants_html(parts) {
        return Err(ApiError::uri_not_found(parts.uri.path()));
    }
    let graphql = graphql_service(server)?;
    Ok(html_page_with_files(server.graphql_page.get_or_init(|| StaticBody::new(graphql.schema().page()))))
}

/// Returns a file of the page: the editor's script, its style, its licenses. All are stored compressed by gzip.
pub(crate) fn editor_file(parts: &Parts, name: &str) -> ApiResult<HttpResponse> {
    let file = kontor_graphql::editor_file(name).ok_or_else(|| ApiError::uri_not_found(parts.uri.path()))?;
    let mut response = HttpResponse::new(Body::from(file.gzip));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::CACHE_CONTROL, UNCHANGING);
    Ok(response)
}

impl Server {
    /// Derives the GraphQL schema, so that the first request does not wait for it. The server can serve before this
    /// ends.
    pub fn prepare(&self) {
        // A failure has been logged, and each request that needs the schema returns it again.
        _ = graphql_service(self);
    }
}

fn wants_html(parts: &Parts) -> bool {
    let accepted = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The rights of one caller in one project.
struct CallerAccessControl {
    server: Arc<Server>,
    access: CallerAccess,
    project: String,
    /// The address that the request came from.
    sender: Option<IpAddr>,
}

impl AccessControl for CallerAccessControl {
    fn authorize(
        &self,
        shop: &Shop,
        kind: KindId,
        reach: &DocumentReach,
        operation: FieldOperation,
    ) -> ApiResult<AccessScope> {
        let DocumentReach { stores, mine, associate } = reach;
        let writes = matches!(operation, FieldOperation::Manage | FieldOperation::SignUp);
        let scopes = match operation {
            FieldOperation::ViewStaged => self.server.scope_table.staged(kind),
            FieldOperation::Search => self.server.scope_table.search(kind),
            FieldOperation::Query if stores.is_empty() && associate.is_none() && !mine => {
                self.server.scope_table.query(kind)
            }
            _ => {
                // Below a Store, kinds that belong to no Store need the scopes of the project.
                let is_in_stores = shop.model().kind(kind).in_store.is_some();
                self.server.scope_table.for_kind(kind, !stores.is_empty() && is_in_stores, *mine, writes)
            }
        };
        if let CallerAccess::Granted(grant) = &self.access {
            if stores.is_empty() {
                grant.require(&self.project, scopes)?;
            }
            for store in stores {
                grant.require_in_store(&self.project, store, scopes)?;
            }
        }
        let mine = mine.then_some(if operation == FieldOperation::SignUp {
            MeAudience::Open
        } else {
            MeAudience::Own
        });
        let (store, further) =
            stores.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
        for store in further {
            shop.must_have_store(store)?;
        }
        let bounds = request_bounds(&self.server, &self.access, shop, kind, store.map(String::as_str), mine)?;
        let acting = associate.as_ref().map(|(unit, id)| {
            // An associate sees all its business units, whichever unit is named.
            let is_unit = shop.model().kind(kind).is_unit();
            ActingAssociate { id: Some(id.clone()), unit: (!is_unit).then(|| unit.clone()) }
        });
        Ok(AccessScope { further_stores: further.to_vec(), associate: acting, ..bounds })
    }

    fn references(&self, reach: &DocumentReach, managed: Option<KindId>) -> Option<Arc<ReferenceScope>> {
        let DocumentReach { stores, mine, associate } = reach;
        let associate = associate
            .as_ref()
            .map(|(unit, id)| ActingAssociate { id: Some(id.clone()), unit: Some(unit.clone()) });
        let scopes = managed.map_or(&[][..], |kind| {
            let is_in_stores = !stores.is_empty() && self.server.model.kind(kind).in_store.is_some();
            self.server.scope_table.for_kind(kind, is_in_stores, *mine, true)
        });
        let place = RequestPlace { stores, associate: associate.as_ref(), is_mine: *mine, scopes };
        match managed {
            None => place.visible_references(&self.server, &self.access),
            Some(_) => place.nameable_references(&self.server, &self.access),
        }
    }

    fn has_any_right(&self, reach: &DocumentReach) -> bool {
        let (CallerAccess::Granted(grant), scope_table) = (&self.access, &self.server.scope_table) else {
            return true;
        };
        let mut stores = reach.stores.iter();
        stores.all(|store| grant.allows_in_store(&self.project, store, scope_table.in_stores()))
            && (reach.associate.is_none() || grant.allows(&self.project, scope_table.as_associate()))
    }

    fn holder(&self, kind: KindId) -> Option<Arc<dyn ExternalKindStore>> {
        self.server.external_kinds.for_graphql(kind)
    }

    fn refresh_tokens(&self, shop: &Shop) -> ApiResult<LimitUse> {
        let (limit, current) = self.server.auth.refresh_tokens(&shop.key)?;
        Ok(LimitUse { limit: Some(limit), current: Some(current) })
    }

    fn guard<'g>(&'g self, endpoint: &Endpoint, input: &Value) -> ApiResult<Option<CallCompletion<'g>>> {
        let (auth, asker) = (&self.server.auth, self.access.customer());
        let shop = self.server.shops.running_shop(&self.project);
        let asking = (asker, self.sender);
        let guarded =
            GuardedCall::for_endpoint(auth, &self.project, shop.as_deref(), endpoint, input, asking);
        let Some(guarded) = guarded else { return Ok(None) };
        guarded.check().map_err(|refusal| ApiError::new(Code::OverCapacity, refusal.to_string()))?;
        Ok(Some(Box::new(move |refusal| guarded.count_result(refusal))))
    }

    fn service_response(
        &self,
        shop: &Shop,
        call: &str,
        name: &str,
        parameter: &dyn Fn(&str) -> Option<String>,
    ) -> ApiResult<Value> {
        kontor_services::model_response(shop.model(), call, name, parameter)
    }
}
