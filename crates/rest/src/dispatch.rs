//! One request to a resource: its operation, its scopes, its answer. The same for every kind.

use crate::access::{Access, caller};
use crate::answer::{self, Answer};
use crate::body;
use crate::endpoint;
use crate::face::Face;
use crate::parameters::{Parameters, malformed};
use crate::route::{Route, Target, route};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use kontor_engine::{Address, Shop, Written};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Operation;
use std::sync::Arc;

/// A request whose operation the model allows and whose token has been checked.
pub(crate) struct Asked<'a> {
    pub(crate) shop: Arc<Shop>,
    pub(crate) route: &'a Route<'a>,
    pub(crate) operation: Operation,
    pub(crate) access: Access,
    pub(crate) parts: &'a Parts,
    pub(crate) parameters: Parameters,
}

impl Face {
    /// Answers a request below `/{projectKey}`.
    pub(crate) async fn dispatch(&self, parts: &Parts, body: Body) -> ApiResult<Answer> {
        let path = parts.uri.path();
        if let Some(called) = endpoint::called(&self.model, &parts.method, path) {
            return self.serve_endpoint(called, parts, body).await;
        }
        let unknown = || ApiError::uri_not_found(path);
        let route = route(&self.model, path).ok_or_else(unknown)?;
        let kind = self.model.kind(route.kind);
        let operation = operation(&parts.method, &route.target).ok_or_else(unknown)?;
        if !kind.allows(operation) {
            return Err(unknown());
        }
        let writes = matches!(operation, Operation::Create | Operation::Update | Operation::Delete);
        let scopes = if writes { self.manage_scopes(route.kind) } else { self.view_scopes(route.kind) };
        let access = self.authorize(parts, &route.project, scopes).await?;
        let shop = self.shop(&route.project).await?;
        let parameters = Parameters::of(parts.uri.query());
        let asked = Asked { shop, route: &route, operation, access, parts, parameters };
        if let Some(holder) = self.held.of(route.kind) {
            return holder.answer(self, &asked, body).await;
        }
        match operation {
            Operation::Get => asked.get(),
            Operation::Query => asked.query().await,
            Operation::Head => asked.head().await,
            Operation::Create => {
                let draft = body::read_json(&parts.headers, body).await?;
                let by = caller(&asked.access, &parts.headers);
                let id = asked.access.chosen_id(&parts.headers)?;
                let written = asked.shop.create_with_id(route.kind, id, draft, &by).await?;
                let answer_as = kind.created_as.as_deref();
                asked.written(written, answer_as)
            }
            Operation::Update => {
                let actions = body::read_json(&parts.headers, body).await?;
                let by = caller(&asked.access, &parts.headers);
                let written = asked.shop.update(route.kind, &asked.address()?, actions, &by).await?;
                asked.written(written, None)
            }
            Operation::Delete => asked.delete().await,
        }
    }
}

/// What a method means for a target.
pub(crate) fn operation(method: &Method, target: &Target<'_>) -> Option<Operation> {
    let many = matches!(target, Target::All | Target::Part { .. });
    Some(match (method.as_str(), many) {
        ("GET", true) => Operation::Query,
        ("GET", false) => Operation::Get,
        // The reference has no HEAD for a part of a kind.
        ("HEAD", _) if !matches!(target, Target::Part { .. } | Target::Fields(_)) => Operation::Head,
        ("POST", _) if *target == Target::All => Operation::Create,
        ("POST", false) if !matches!(target, Target::Fields(_)) => Operation::Update,
        ("DELETE", false) if *target != Target::Only => Operation::Delete,
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
            Target::Only => Address::Only,
            Target::All | Target::Part { .. } => return Err(ApiError::internal()),
        })
    }

    fn get(&self) -> ApiResult<Answer> {
        let stored = self.shop.must_get(self.route.kind, &self.address()?)?;
        let expand = self.parameters.all("expand");
        let body = self.shop.expanded(self.route.kind, stored.body, &expand)?;
        Ok(answer::json_bytes(StatusCode::OK, body))
    }

    async fn query(&self) -> ApiResult<Answer> {
        let mut request = self.parameters.list_request()?;
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
                let request = self.parameters.list_request()?;
                let (shop, kind) = (Arc::clone(&self.shop), self.route.kind);
                blocking(move || shop.exists(kind, &request)).await?
            }
            _ => self.shop.get(self.route.kind, &self.address()?)?.is_some(),
        };
        Ok(answer::empty(if exists { StatusCode::OK } else { StatusCode::NOT_FOUND }))
    }

    async fn delete(&self) -> ApiResult<Answer> {
        let version = self.parameters.version()?;
        let may_be_left_out = self.shop.model().kind(self.route.kind).upsert;
        if version.is_none() && !may_be_left_out {
            return Err(malformed("version", "a value is required"));
        }
        // Data erasure asks that nothing of the resource stays behind; deletion here never keeps anything.
        let _: Option<bool> = self.parameters.parsed("dataErasure", "true or false")?;
        let by = caller(&self.access, &self.parts.headers);
        let body = self.shop.delete(self.route.kind, &self.address()?, version, &by).await?;
        let expand = self.parameters.all("expand");
        let body = self.shop.expanded(self.route.kind, body, &expand)?;
        Ok(answer::json_bytes(StatusCode::OK, body))
    }

    fn written(&self, written: Written, answer_as: Option<&str>) -> ApiResult<Answer> {
        let status = if written.created { StatusCode::CREATED } else { StatusCode::OK };
        let expand = endpoint::expand_below(self.parameters.all("expand"), answer_as);
        let body = self.shop.expanded(self.route.kind, written.body, &expand)?;
        Ok(answer::json_bytes(status, endpoint::answered_as(body, answer_as)))
    }
}

/// Runs what reads for long away from the threads that serve sockets.
async fn blocking<T: Send + 'static>(run: impl FnOnce() -> ApiResult<T> + Send + 'static) -> ApiResult<T> {
    match tokio::task::spawn_blocking(run).await {
        Ok(result) => result,
        Err(error) => {
            tracing::error!(%error, "a read failed unexpectedly");
            Err(ApiError::internal())
        }
    }
}
