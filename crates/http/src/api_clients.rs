//! API Clients: stored by `auth`, shown like documents of any other kind in REST and GraphQL.
//!
//! The secret is in the response of the creation and never again (reference type `ApiClient`).

use axum::http::StatusCode;
use futures_util::future::BoxFuture;
use kontor_auth::{AuthService, ClientDraft};
use kontor_engine::{Document, Shop};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Operation, OperationKind, PathTarget, Validator};
use kontor_rest::response::{self, HttpResponse};
use kontor_rest::{AdmittedRequest, ExternalKindHandler, LazyBody};
use std::sync::Arc;

/// Handles requests to API Clients.
pub(crate) struct ApiClients {
    auth: Arc<AuthService>,
}

impl ApiClients {
    pub(crate) fn new(auth: Arc<AuthService>) -> Self {
        Self { auth }
    }

    async fn handle_request(
        &self,
        admitted: &AdmittedRequest<'_>,
        body: LazyBody<'_>,
    ) -> ApiResult<HttpResponse> {
        let project = admitted.project;
        let now_ms = admitted.shop.clock.now().as_millisecond();
        let id = match admitted.operation.target {
            PathTarget::Id => admitted.values.first().map(AsRef::as_ref),
            _ => None,
        };
        let found = |id: &str| {
            self.auth
                .client(project, id, now_ms)
                .ok_or_else(|| ApiError::resource_not_found(&format!("with ID '{id}'")))
        };
        let exists = |exists| response::empty(if exists { StatusCode::OK } else { StatusCode::NOT_FOUND });
        let OperationKind::Documents(operation) = admitted.operation.operation_kind else {
            return Err(ApiError::bug("API Clients have nothing but documents"));
        };
        match (operation, id) {
            (Operation::Get, Some(id)) => {
                self.auth.read_last_uses(project)?;
                Ok(response::json(StatusCode::OK, &found(id)?.to_json()))
            }
            (Operation::Head, Some(id)) => Ok(exists(found(id).is_ok())),
            (Operation::Delete, Some(id)) => {
                let client = self.auth.delete_client(project, id, now_ms).await?;
                Ok(response::json(StatusCode::OK, &client.to_json()))
            }
            (Operation::Create, None) => {
                let (mut draft, _memory) = body.json().await?;
                let model = admitted.shop.model();
                if let Some(shape) = model.kind(admitted.kind).draft {
                    let validator =
                        Validator::new(model).with_ignored_fields(admitted.caller.ignored.as_deref());
                    validator.object(shape, &mut draft, "")?;
                }
                let draft = ClientDraft::from_json(&draft)?;
                let created = self.auth.create_client(project, draft, now_ms).await?;
                Ok(response::json(StatusCode::CREATED, &created.to_json()))
            }
            (Operation::Query | Operation::Head, None) => {
                let request = admitted.parameters.list_request(true)?;
                self.auth.read_last_uses(project)?;
                let documents = self.documents(project, now_ms);
                let listed = admitted.shop.list_documents(admitted.kind, documents, &request)?;
                match operation {
                    Operation::Head => Ok(exists(listed.total.unwrap_or(0) > 0)),
                    _ => Ok(response::json_bytes(StatusCode::OK, listed.into_body())),
                }
            }
            _ => Err(ApiError::bug(format!(
                "API Clients have no {operation:?} at {:?}",
                admitted.operation.target
            ))),
        }
    }

    fn documents(&self, project: &str, now_ms: i64) -> Vec<Document> {
        let clients = self.auth.clients(project, now_ms);
        clients
            .iter()
            .filter_map(|client| match client.to_json() {
                Value::Object(document) => Some(document),
                _ => None,
            })
            .collect()
    }
}

impl kontor_graphql::ExternalKindStore for ApiClients {
    fn get(&self, shop: &Shop, id: &str) -> ApiResult<Option<Value>> {
        self.auth.read_last_uses(&shop.key)?;
        let now_ms = shop.clock.now().as_millisecond();
        Ok(self.auth.client(&shop.key, id, now_ms).map(|client| client.to_json()))
    }

    fn documents(&self, shop: &Shop) -> ApiResult<Vec<Document>> {
        self.auth.read_last_uses(&shop.key)?;
        Ok(self.documents(&shop.key, shop.clock.now().as_millisecond()))
    }

    fn create<'a>(&'a self, shop: &'a Shop, draft: Value) -> BoxFuture<'a, ApiResult<Value>> {
        Box::pin(async move {
            let draft = ClientDraft::from_json(&draft)?;
            let now_ms = shop.clock.now().as_millisecond();
            Ok(self.auth.create_client(&shop.key, draft, now_ms).await?.to_json())
        })
    }

    fn delete<'a>(&'a self, shop: &'a Shop, id: &'a str) -> BoxFuture<'a, ApiResult<Value>> {
        Box::pin(async move {
            let now_ms = shop.clock.now().as_millisecond();
            Ok(self.auth.delete_client(&shop.key, id, now_ms).await?.to_json())
        })
    }
}

impl ExternalKindHandler for ApiClients {
    fn respond<'a>(
        &'a self,
        admitted: &'a AdmittedRequest<'a>,
        body: LazyBody<'a>,
    ) -> BoxFuture<'a, ApiResult<HttpResponse>> {
        Box::pin(self.handle_request(admitted, body))
    }
}
