//! One request to a resource: its operation, its scopes, its answer. The same for every kind.

use crate::access::{Access, Mine, caller};
use crate::answer::{self, Answer};
use crate::endpoint;
use crate::face::Face;
use crate::parameters::{Parameters, malformed};
use crate::route::{Route, Target, route};
use crate::{below, body, bulk, parameter_search, search, upload, view};
use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use kontor_engine::{Address, Bounds, Caller, Deletion, ListRequest, Shop, Sight, Written};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Model, Operation};
use std::sync::Arc;

/// A request whose operation the model allows and whose token has been checked.
pub(crate) struct Asked<'a> {
    pub(crate) shop: Arc<Shop>,
    pub(crate) route: &'a Route<'a>,
    pub(crate) operation: Operation,
    pub(crate) access: Access,
    /// The documents that the request is limited to.
    pub(crate) bounds: Bounds,
    /// How documents are to be shown.
    pub(crate) sight: Sight,
    pub(crate) parts: &'a Parts,
    pub(crate) parameters: Parameters,
}

impl Face {
    /// Answers a request below `/{projectKey}`.
    pub(crate) async fn dispatch(&self, parts: &Parts, body: Body) -> ApiResult<Answer> {
        let path = parts.uri.path();
        if let Some(called) = endpoint::called(&self.model, &parts.method, path) {
            return Box::pin(self.serve_endpoint(called, parts, body)).await;
        }
        if let Some(uploading) = upload::uploading(&self.model, &parts.method, path) {
            return self.upload(uploading, parts, body).await;
        }
        if let Some(finding) = parameter_search::finding(&self.model, &parts.method, path) {
            return Box::pin(self.find_by_parameters(finding, parts, body)).await;
        }
        if let Some(searching) = search::searching(&self.model, &parts.method, path) {
            return Box::pin(self.search(searching, parts, body)).await;
        }
        if let Some(below) = below::below(&self.model, &parts.method, path) {
            return self.list_below(below, parts).await;
        }
        if let Some(viewed) = view::viewed(&self.model, &parts.method, path) {
            return self.show_as(viewed, parts).await;
        }
        if let Some(meant) = bulk::bulk(&self.model, &parts.method, path) {
            return Box::pin(self.update_in_bulk(meant, parts, body)).await;
        }
        let unknown = || ApiError::uri_not_found(path);
        let route = route(&self.model, path).ok_or_else(unknown)?;
        let operation = served(&self.model, &parts.method, &route).ok_or_else(unknown)?;
        let writes = matches!(operation, Operation::Create | Operation::Update | Operation::Delete);
        let parameters = Parameters::of(parts.uri.query());
        let sight = parameters.sight(self.model.kind(route.kind), route.store.as_deref());
        let scopes = match (&sight, operation) {
            (Ok(sight), _) if sight.staged => self.staged_scopes(route.kind),
            (_, Operation::Query) if route.store.is_none() && route.associate.is_none() && !route.mine => {
                self.query_scopes(route.kind)
            }
            _ => self.scopes_of(route.kind, route.store.is_some(), route.mine, writes),
        };
        let access = self.authorize(parts, &route.project, route.store.as_deref(), scopes).await?;
        let shop = self.shop(&route.project).await?;
        let mine = match route.target {
            _ if !route.mine => None,
            Target::New => Some(Mine::Open),
            _ => Some(Mine::Own),
        };
        let bounds = self.bounds(&access, &shop, route.kind, route.store.as_deref(), mine)?;
        if let Some(unit) = route.associate.as_ref().and_then(|associate| associate.unit.as_deref()) {
            shop.must_have_unit(unit)?;
        }
        let mut associate = route.associate.clone();
        if let (Access::Operator, Some(associate)) = (&access, &mut associate) {
            // Whatever the path says: the operator is nobody's associate.
            associate.id = None;
        }
        let bounds = Bounds { associate, ..bounds };
        let sight = sight?;
        shop.admit_sight(route.kind, &sight)?;
        // Before anything is done: a refused path leaves nothing changed.
        let created_as = self.model.kind(route.kind).created_as.as_deref();
        let expand = parameters.all("expand");
        let expand = match operation {
            Operation::Create => endpoint::expand_below(expand, created_as),
            _ => expand,
        };
        shop.admit_expansion(route.kind, &expand, &bounds)?;
        let route = found_through(route, &shop)?;
        let asked = Asked { shop, route: &route, operation, access, bounds, sight, parts, parameters };
        if let Some(holder) = self.held.of(route.kind) {
            return holder.answer(self, &asked, body).await;
        }
        match operation {
            Operation::Get => asked.get().await,
            Operation::Query => asked.query().await,
            Operation::Head => asked.head().await,
            Operation::Create => Box::pin(asked.create(body)).await,
            Operation::Update => Box::pin(asked.update(body)).await,
            Operation::Delete => Box::pin(asked.delete()).await,
        }
    }
}

/// The same route, by the id of the document that is found through another one.
fn found_through<'a>(route: Route<'a>, shop: &Shop) -> ApiResult<Route<'a>> {
    let Target::Through { parent, by_key, value } = &route.target else { return Ok(route) };
    let store = route.store.as_deref().unwrap_or_default();
    let address = if *by_key { Address::Key(value) } else { Address::Id(value) };
    let id = shop.id_through(route.kind, store, *parent, &address)?;
    Ok(Route { target: Target::Id(id.into()), ..route })
}

/// What a request does, where that is served there.
pub(crate) fn served(model: &Model, method: &Method, route: &Route<'_>) -> Option<Operation> {
    let kind = model.kind(route.kind);
    let operation = operation(method, &route.target)?;
    let allowed = match (&kind.mine, &kind.in_store) {
        _ if route.associate.is_some() => kind.associates.as_ref()?.allows(operation),
        (Some(mine), _) if route.mine => mine.allows(operation),
        (_, Some(in_store)) if route.store.is_some() => in_store.allows(operation),
        _ => kind.allows(operation),
    };
    allowed.then_some(operation)
}

/// What a method means for a target.
pub(crate) fn operation(method: &Method, target: &Target<'_>) -> Option<Operation> {
    let many = matches!(target, Target::All | Target::Part { .. });
    Some(match (method.as_str(), many) {
        ("POST", _) if matches!(target, Target::All | Target::New) => Operation::Create,
        _ if *target == Target::New => return None,
        ("GET", true) => Operation::Query,
        ("GET", false) => Operation::Get,
        // The reference has no HEAD for a part of a kind.
        ("HEAD", _)
            if !matches!(target, Target::Part { .. } | Target::Fields(_) | Target::Through { .. }) =>
        {
            Operation::Head
        }
        ("POST", false) if !matches!(target, Target::Fields(_)) => Operation::Update,
        ("DELETE", false) => Operation::Delete,
        _ => return None,
    })
}

impl Asked<'_> {
    /// The engine's address of the one document that is meant.
    pub(crate) fn address(&self) -> ApiResult<Address<'_>> {
        Ok(match &self.route.target {
            Target::Id(id) => Address::Id(id),
            Target::Key(key) => Address::Key(key),
            Target::Fields(parts) => Address::Fields(parts.iter().map(AsRef::as_ref).collect()),
            Target::Only => match &self.bounds.mine {
                None => Address::Only,
                // Below `/me` the one document is the asker.
                Some(asker) => Address::Id(asker.customer().ok_or_else(ApiError::internal)?),
            },
            Target::Through { .. } | Target::All | Target::Part { .. } | Target::New => {
                return Err(ApiError::internal());
            }
        })
    }

    /// Who makes a change, limited to what the request is limited to.
    pub(crate) fn caller(&self) -> Caller {
        Caller { bounds: self.bounds.clone(), ..caller(&self.access, &self.parts.headers) }
    }

    async fn get(&self) -> ApiResult<Answer> {
        let stored = self.shop.must_get_within(self.route.kind, &self.address()?, &self.bounds)?;
        if self.route.mine && self.route.target == Target::Only {
            // Of the one document below `/me` a predicate may be asked (reference, "Get My Customer").
            let request = ListRequest { limit: 1, offset: 0, ..self.list_request()? };
            let (shop, kind) = (Arc::clone(&self.shop), self.route.kind);
            let listed = blocking(move || shop.list(kind, &request)).await?;
            let found = listed.results.into_iter().next();
            let found = found.ok_or_else(|| ApiError::resource_not_found("that matches the predicate"))?;
            return Ok(answer::json_bytes(StatusCode::OK, found));
        }
        let expand = self.parameters.all("expand");
        let seen = self.shop.seen(self.route.kind, stored.body, &self.sight, &self.bounds)?;
        let seen = seen.ok_or(self.address()).map_err(not_there)?;
        let body = self.shop.shown(self.route.kind, seen, &expand, &self.bounds)?;
        Ok(answer::json_bytes(StatusCode::OK, body))
    }

    /// What a query endpoint takes, limited to what the request is limited to.
    fn list_request(&self) -> ApiResult<ListRequest> {
        let counts = self.shop.model().kind(self.route.kind).counts;
        let (bounds, sight) = (self.bounds.clone(), self.sight.clone());
        Ok(ListRequest { bounds, sight, ..self.parameters.list_request(counts)? })
    }

    async fn query(&self) -> ApiResult<Answer> {
        let mut request = self.list_request()?;
        if let Target::Part { field, value } = &self.route.target {
            request.fixed = Some((field.clone(), value.to_string()));
        }
        let (shop, kind) = (Arc::clone(&self.shop), self.route.kind);
        let planned = shop.plan_list(kind, &request)?;
        let listed = if planned.reads_few() {
            shop.list_planned(kind, &request, planned)?
        } else {
            blocking(move || shop.list_planned(kind, &request, planned)).await?
        };
        Ok(answer::json_bytes(StatusCode::OK, listed.body()))
    }

    /// Existence: 200 or 404, without a body. Predicates are limited (document A, Endpoints).
    async fn head(&self) -> ApiResult<Answer> {
        let exists = match &self.route.target {
            Target::All | Target::Part { .. } => {
                let request = self.list_request()?;
                let (shop, kind) = (Arc::clone(&self.shop), self.route.kind);
                blocking(move || shop.exists(kind, &request)).await?
            }
            _ => match self.shop.get_within(self.route.kind, &self.address()?, &self.bounds)? {
                Some(stored) => {
                    // What is put into answers does not matter; what a Store has does.
                    let (staged, store) = (self.sight.staged, self.sight.store.clone());
                    let plain = Sight { staged, store, ..Sight::default() };
                    self.shop.seen(self.route.kind, stored.body, &plain, &self.bounds)?.is_some()
                }
                None => false,
            },
        };
        Ok(answer::empty(if exists { StatusCode::OK } else { StatusCode::NOT_FOUND }))
    }

    async fn create(&self, body: Body) -> ApiResult<Answer> {
        let draft = body::read_json(&self.parts.headers, body).await?;
        let by = self.caller();
        let id = self.access.chosen_id(&self.parts.headers)?;
        let written = self.shop.create_with_id(self.route.kind, id, draft, &by).await?;
        self.written(written, self.shop.model().kind(self.route.kind).created_as.as_deref())
    }

    async fn update(&self, body: Body) -> ApiResult<Answer> {
        let actions = body::read_json(&self.parts.headers, body).await?;
        let by = self.caller();
        let written = self.shop.update(self.route.kind, &self.address()?, actions, &by).await?;
        self.written(written, None)
    }

    async fn delete(&self) -> ApiResult<Answer> {
        let version = self.parameters.version()?;
        let may_be_left_out = self.shop.model().kind(self.route.kind).upsert;
        if version.is_none() && !may_be_left_out {
            return Err(malformed("version", "a value is required"));
        }
        let erase = self.parameters.flag("dataErasure")?.unwrap_or(false);
        let by = self.caller();
        let body =
            self.shop.delete(self.route.kind, &self.address()?, Deletion { version, erase }, &by).await?;
        let expand = self.parameters.all("expand");
        let body = self.changed(body, &expand)?;
        Ok(answer::json_bytes(StatusCode::OK, body))
    }

    fn written(&self, written: Written, answer_as: Option<&str>) -> ApiResult<Answer> {
        let status = if written.created { StatusCode::CREATED } else { StatusCode::OK };
        let expand = endpoint::expand_below(self.parameters.all("expand"), answer_as);
        let body = self.changed(written.body, &expand)?;
        Ok(answer::json_bytes(status, endpoint::answered_as(body, answer_as)))
    }

    /// A document after a change, as it is to be shown. It is there whatever is asked for.
    fn changed(&self, body: Bytes, expand: &[String]) -> ApiResult<Bytes> {
        let seen = self.shop.seen(self.route.kind, body.clone(), &self.sight, &self.bounds)?;
        self.shop.shown(self.route.kind, seen.unwrap_or(body), expand, &self.bounds)
    }
}

/// A document of which there is no such side is not there.
fn not_there(address: ApiResult<Address<'_>>) -> ApiError {
    match address {
        Ok(address) => ApiError::resource_not_found(&address.describe()),
        Err(error) => error,
    }
}

/// Runs what reads for long away from the threads that serve sockets.
pub(crate) async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(run).await {
        Ok(result) => result,
        Err(error) => {
            tracing::error!(%error, "a read failed unexpectedly");
            Err(ApiError::internal())
        }
    }
}
