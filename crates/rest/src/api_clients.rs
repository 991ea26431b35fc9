//! API Clients: held by the authorization service, shown like any other resource.
//!
//! The secret is in the answer to the creation and never again (reference type `ApiClient`).

use crate::answer::{self, Answer};
use crate::body;
use crate::dispatch::Asked;
use crate::face::Face;
use crate::held::Holder;
use crate::route::Target;
use axum::body::Body;
use axum::http::StatusCode;
use kontor_auth::{ClientDraft, System};
use kontor_engine::{Document, Shop};
use kontor_errors::{ApiError, ApiResult};
use kontor_graphql::Waiting;
use kontor_model::{Operation, Validator};
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;

pub(crate) struct ApiClients {
    system: Arc<System>,
}

impl ApiClients {
    pub(crate) fn new(system: Arc<System>) -> Self {
        Self { system }
    }

    async fn respond(&self, face: &Face, asked: &Asked<'_>, body: Body) -> ApiResult<Answer> {
        let project = asked.route.project.as_ref();
        let now_ms = asked.shop.clock.now().as_millisecond();
        let id = match &asked.route.target {
            Target::Id(id) => Some(id.as_ref()),
            _ => None,
        };
        let found = |id: &str| {
            self.system
                .client(project, id, now_ms)
                .ok_or_else(|| ApiError::resource_not_found(&format!("with ID '{id}'")))
        };
        match (asked.operation, id) {
            (Operation::Get, Some(id)) => Ok(answer::json(StatusCode::OK, &found(id)?.to_json())),
            (Operation::Head, Some(id)) => Ok(answer::empty(match found(id) {
                Ok(_) => StatusCode::OK,
                Err(_) => StatusCode::NOT_FOUND,
            })),
            (Operation::Delete, Some(id)) => {
                let client = self.system.delete_client(project, id, now_ms).await?;
                Ok(answer::json(StatusCode::OK, &client.to_json()))
            }
            (Operation::Create, None) => {
                let mut draft = body::read_json(&asked.parts.headers, body).await?;
                if let Some(shape) = face.model.kind(asked.route.kind).draft {
                    Validator::new(&face.model).object(shape, &mut draft, "")?;
                }
                let draft = ClientDraft::from_json(&draft)?;
                let created = self.system.create_client(project, draft, now_ms).await?;
                Ok(answer::json(StatusCode::CREATED, &created.to_json()))
            }
            (Operation::Query, None) => {
                let request = asked.parameters.list_request(true)?;
                let listed =
                    asked.shop.list_documents(asked.route.kind, self.documents(project, now_ms), &request)?;
                Ok(answer::json_bytes(StatusCode::OK, listed.body()))
            }
            (Operation::Head, None) => {
                let request = asked.parameters.list_request(true)?;
                let listed =
                    asked.shop.list_documents(asked.route.kind, self.documents(project, now_ms), &request)?;
                let exists = listed.total.unwrap_or(0) > 0;
                Ok(answer::empty(if exists { StatusCode::OK } else { StatusCode::NOT_FOUND }))
            }
            _ => Err(ApiError::internal()),
        }
    }

    fn documents(&self, project: &str, now_ms: i64) -> Vec<Document> {
        let clients = self.system.clients(project, now_ms);
        clients
            .iter()
            .filter_map(|client| match client.to_json() {
                Value::Object(document) => Some(document),
                _ => None,
            })
            .collect()
    }
}

impl kontor_graphql::Holder for ApiClients {
    fn get(&self, shop: &Shop, id: &str) -> ApiResult<Option<Value>> {
        let now_ms = shop.clock.now().as_millisecond();
        Ok(self.system.client(&shop.key, id, now_ms).map(|client| client.to_json()))
    }

    fn documents(&self, shop: &Shop) -> Vec<Document> {
        self.documents(&shop.key, shop.clock.now().as_millisecond())
    }

    fn create<'a>(&'a self, shop: &'a Shop, draft: Value) -> Waiting<'a, ApiResult<Value>> {
        Box::pin(async move {
            let draft = ClientDraft::from_json(&draft)?;
            let now_ms = shop.clock.now().as_millisecond();
            Ok(self.system.create_client(&shop.key, draft, now_ms).await?.to_json())
        })
    }

    fn delete<'a>(&'a self, shop: &'a Shop, id: &'a str) -> Waiting<'a, ApiResult<Value>> {
        Box::pin(async move {
            let now_ms = shop.clock.now().as_millisecond();
            Ok(self.system.delete_client(&shop.key, id, now_ms).await?.to_json())
        })
    }
}

impl Holder for ApiClients {
    fn answer<'a>(
        &'a self,
        face: &'a Face,
        asked: &'a Asked<'a>,
        body: Body,
    ) -> Pin<Box<dyn Future<Output = ApiResult<Answer>> + Send + 'a>> {
        Box::pin(self.respond(face, asked, body))
    }
}
