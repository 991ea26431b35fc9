//! [`Imports`]: the entry point of the Import API, and its background workers for all projects of a server.

use crate::operation;
use crate::operation_queue::{self, OperationQueue};
use crate::page::ImportPage;
use crate::{container, request};
use futures_util::future::BoxFuture;
use kontor_engine::{BackgroundService, Caller, Document, Shop, spawn_restarting};
use kontor_enums::ProcessingState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{ImportOperation, Validator};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Poll interval of [`Imports::settle`] while another process is the keeper.
const SETTLE_PERIOD: Duration = Duration::from_millis(20);
/// How long it waits for that process.
const SETTLE_MAX: Duration = Duration::from_secs(30);

/// The Import API, with a queue of operations for each running project.
#[derive(Default)]
pub struct Imports {
    queues: RwLock<HashMap<String, Arc<OperationQueue>>>,
}

/// An authorized request.
pub struct ImportApiRequest<'a> {
    /// The operation of the API.
    pub operation: ImportOperation,
    /// The value in the path: the key of a container, or the id of an operation; empty if the path has none.
    pub name: &'a str,
    /// The parameters of a query.
    pub page: ImportPage,
    /// The body; null if there is none.
    pub body: Value,
    /// The client that sent the request.
    pub caller: Caller,
}

/// A response: its body, and whether something was created.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportApiResponse {
    /// The JSON.
    pub body: Value,
    /// Whether the status is 201.
    pub created: bool,
}

impl Imports {
    /// Handles a request to the Import API of a project. Fails with the documented errors of the API.
    pub fn respond<'a>(
        &'a self,
        shop: &'a Arc<Shop>,
        requested: ImportApiRequest<'a>,
    ) -> BoxFuture<'a, ApiResult<ImportApiResponse>> {
        Box::pin(async move {
            let ImportApiRequest { operation, name, page, body, caller } = requested;
            let shown =
                |document: Document| ImportApiResponse { body: Value::Object(document), created: false };
            Ok(match operation {
                ImportOperation::CreateContainer => {
                    let draft = validate_body(shop, "ImportContainerDraft", body)?;
                    ImportApiResponse { created: true, ..shown(container::create(shop, draft).await?) }
                }
                ImportOperation::Containers => {
                    ImportApiResponse { body: container::list(shop, &page)?, created: false }
                }
                ImportOperation::Container => shown(container::must_get(shop, name)?.1),
                ImportOperation::UpdateContainer => {
                    let draft = validate_body(shop, "ImportContainerUpdateDraft", body)?;
                    shown(container::update(shop, name, draft).await?)
                }
                ImportOperation::DeleteContainer => shown(container::remove(shop, name).await?),
                ImportOperation::Operations => {
                    container::must_get(shop, name)?;
                    if let Some(state) = &page.state
                        && ProcessingState::try_from(state.as_str()).is_err()
                    {
                        let allowed =
                            ProcessingState::ALL.iter().map(|state| json!(state)).collect::<Vec<_>>();
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
                    ImportApiResponse { body: operation::list(shop, name, &page)?, created: false }
                }
                ImportOperation::Summary => {
                    container::must_get(shop, name)?;
                    operation::sweep(shop).await?;
                    ImportApiResponse { body: operation::summary(shop, name)?, created: false }
                }
                ImportOperation::Operation => shown(operation::must_get(shop, name)?),
                ImportOperation::Request(position) => {
                    let import = shop.model().imports().get(position);
                    let import =
                        import.ok_or_else(|| ApiError::bug("an import that the model does not have"))?;
                    let (body, ids) = request::accept(shop, import, name, body, &caller).await?;
                    if let Some(queue) = self.queue(&shop.key) {
                        queue.add(ids, shop);
                    }
                    ImportApiResponse { body, created: true }
                }
            })
        })
    }

    fn queue(&self, key: &str) -> Option<Arc<OperationQueue>> {
        self.queues.read().get(key).cloned()
    }
}

/// Validates a body against an object of the model; unknown fields are refused.
fn validate_body(shop: &Shop, object: &str, mut body: Value) -> ApiResult<Document> {
    let model = shop.model();
    let id =
        model.object_by_name(object).ok_or_else(|| ApiError::bug(format!("the model has no {object}")))?;
    Validator::new(model).object(id, &mut body, "")?;
    match body {
        Value::Object(body) => Ok(body),
        _ => Err(ApiError::bug("a body that the model admitted is no object")),
    }
}

impl BackgroundService for Imports {
    fn start(&self, shop: &Arc<Shop>) -> JoinHandle<()> {
        let queue = Arc::<OperationQueue>::default();
        self.queues.write().insert(shop.key.clone(), Arc::clone(&queue));
        let working = Arc::clone(shop);
        spawn_restarting(Some(&shop.key), "imports", move || {
            Box::pin(Arc::clone(&queue).run(Arc::clone(&working)))
        })
    }

    fn delete_data(&self, key: &str) {
        self.queues.write().remove(key);
    }

    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            operation_queue::sweep(shop).await?;
            let Some(queue) = self.queue(&shop.key) else { return Ok(()) };
            queue.work_off(shop).await?;
            // If another process is the keeper, it processes the operations.
            let end = Instant::now() + SETTLE_MAX;
            while !shop.storage().is_keeper() && operation::is_any_untried(shop)? && Instant::now() < end {
                tokio::time::sleep(SETTLE_PERIOD).await;
                queue.work_off(shop).await?;
            }
            Ok(())
        })
    }
}
