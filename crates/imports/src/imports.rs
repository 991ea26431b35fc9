//! [`Imports`]: the entry point of the Import API, and its background workers for all projects of a server.

use crate::operation;
use crate::page::Page;
use crate::work::{self, Queue};
use crate::{container, request};
use futures_util::future::BoxFuture;
use kontor_engine::{Attendant, Caller, Document, Shop, spawn_restarted};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Importing, Validator};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The Import API, with a queue of operations for each running project.
#[derive(Default)]
pub struct Imports {
    queues: RwLock<HashMap<String, Arc<Queue>>>,
}

/// An authorized request.
pub struct Asked<'a> {
    /// The operation of the API.
    pub doing: Importing,
    /// The value in the path: the key of a container, or the id of an operation; empty if the path has none.
    pub name: &'a str,
    /// The parameters of a query.
    pub page: Page,
    /// The body; null if there is none.
    pub body: Value,
    /// The client that sent the request.
    pub caller: Caller,
}

/// A response: its body, and whether something was created.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The JSON.
    pub body: Value,
    /// Whether the status is 201.
    pub created: bool,
}

impl Imports {
    /// Handles a request to the Import API of a project. Fails with the documented errors of the API.
    pub fn answer<'a>(&'a self, shop: &'a Arc<Shop>, asked: Asked<'a>) -> BoxFuture<'a, ApiResult<Answer>> {
        Box::pin(async move {
            let Asked { doing, name, page, body, caller } = asked;
            let shown = |document: Document| Answer { body: Value::Object(document), created: false };
            Ok(match doing {
                Importing::CreateContainer => {
                    let draft = checked(shop, "ImportContainerDraft", body)?;
                    Answer { created: true, ..shown(container::create(shop, draft).await?) }
                }
                Importing::Containers => Answer { body: container::list(shop, &page)?, created: false },
                Importing::Container => shown(container::must_get(shop, name)?.1),
                Importing::UpdateContainer => {
                    let draft = checked(shop, "ImportContainerUpdateDraft", body)?;
                    shown(container::update(shop, name, draft).await?)
                }
                Importing::DeleteContainer => shown(container::remove(shop, name).await?),
                Importing::Operations => {
                    container::must_get(shop, name)?;
                    if let Some(state) = &page.state
                        && !operation::STATES.contains(&state.as_str())
                    {
                        let allowed = operation::STATES.map(Value::from).to_vec();
                        let expected = "Expected a ProcessingState.";
                        return Err(ApiError::invalid_field(
                            "state",
                            &state.as_str().into(),
                            expected,
                            Some(allowed.into()),
                        ));
                    }
                    // Expired operations may not be swept yet.
                    operation::sweep(shop).await?;
                    Answer { body: operation::list(shop, name, &page)?, created: false }
                }
                Importing::Summary => {
                    container::must_get(shop, name)?;
                    operation::sweep(shop).await?;
                    Answer { body: operation::summary(shop, name)?, created: false }
                }
                Importing::Operation => shown(operation::must_get(shop, name)?),
                Importing::Request(position) => {
                    let import = shop.model().imports().get(position);
                    let import =
                        import.ok_or_else(|| ApiError::bug("an import that the model does not have"))?;
                    let (body, ids) = request::accept(shop, import, name, body, &caller).await?;
                    if let Some(queue) = self.queue(&shop.key) {
                        queue.add(ids);
                    }
                    Answer { body, created: true }
                }
            })
        })
    }

    fn queue(&self, key: &str) -> Option<Arc<Queue>> {
        self.queues.read().get(key).cloned()
    }
}

/// Validates a body against an object of the model; unknown fields are refused.
fn checked(shop: &Shop, object: &str, mut body: Value) -> ApiResult<Document> {
    let model = shop.model();
    let id =
        model.object_by_name(object).ok_or_else(|| ApiError::bug(format!("the model has no {object}")))?;
    Validator::new(model).object(id, &mut body, "")?;
    match body {
        Value::Object(body) => Ok(body),
        _ => Err(ApiError::bug("a body that the model admitted is no object")),
    }
}

impl Attendant for Imports {
    fn attend(&self, shop: &Arc<Shop>) -> JoinHandle<()> {
        let queue = Arc::<Queue>::default();
        self.queues.write().insert(shop.key.clone(), Arc::clone(&queue));
        let working = Arc::clone(shop);
        spawn_restarted(Some(&shop.key), "imports", move || {
            Box::pin(Arc::clone(&queue).run(Arc::clone(&working)))
        })
    }

    fn forget(&self, key: &str) {
        self.queues.write().remove(key);
    }

    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            work::sweep(shop).await?;
            match self.queue(&shop.key) {
                Some(queue) => queue.work_off(shop).await,
                None => Ok(()),
            }
        })
    }
}
