//! Dispatches an operation to its handler.

use crate::request_log::RequestLog;
use crate::{checkout_event, in_store_application, logs, mcp, payment_intent};
use futures_util::future::BoxFuture;
use kontor_engine::{Caller, Document, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::{KindId, Model, ServiceCall, Validator};
use kontor_outbound::{DeliveryLog, Outbound};
use std::sync::Arc;

/// The handlers of all operations.
#[derive(Debug, Clone)]
pub struct Services {
    /// The client for callbacks; `None`: no certificates are trusted on this machine.
    pub(crate) outbound: Option<Outbound>,
    /// The last requests.
    requests: Arc<RequestLog>,
}

/// An authorized request.
pub struct ServiceRequest<'a> {
    /// The operation in the model.
    pub call: &'a ServiceCall,
    /// The value in the path after the project; empty if there is none.
    pub name: &'a str,
    /// Returns the first value of a query parameter.
    pub parameter: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
    /// The body; null if there is none.
    pub body: Value,
    /// The caller.
    pub caller: Caller,
    /// Fails if the caller may not manage documents of a kind.
    pub must_manage: &'a (dyn Fn(KindId) -> ApiResult<()> + Send + Sync),
}

/// The future of a response with status 200.
type ServiceFuture<'a> = BoxFuture<'a, ApiResult<Value>>;
/// Handles an operation.
type Handler = for<'a> fn(&'a Services, &'a Shop, ServiceRequest<'a>) -> ServiceFuture<'a>;

/// The handlers by the names of the model's operations.
const HANDLERS: &[(&str, Handler)] = &[
    ("inStoreSettings", |_, shop, _| Box::pin(async { in_store_application::settings(shop) })),
    ("setInStoreSettings", |_, shop, requested| {
        Box::pin(async move { in_store_application::set_settings(shop, requested.checked(shop)?).await })
    }),
    ("retrieve", |services, shop, requested| {
        Box::pin(async move {
            in_store_application::retrieve(shop, services.outbound.as_ref(), &requested.checked(shop)?).await
        })
    }),
    ("mcpServerTypes", respond_by_model),
    ("mcpServerType", respond_by_model),
    ("deliveries", |services, shop, requested| {
        Box::pin(async move {
            logs::deliveries(services.deliveries(), shop, requested.parameter, requested.must_manage)
        })
    }),
    ("requests", |services, shop, requested| {
        Box::pin(async move { logs::requests(services.requests(), shop, requested.parameter) })
    }),
    ("createFromText", |_, _, _| {
        // No language model is connected, so the agent is enabled for no project.
        Box::pin(async {
            Err(ApiError::new(Code::FeatureDisabled, "The Intake agent is not enabled for this project."))
        })
    }),
    ("checkoutEvent", |_, shop, requested| {
        Box::pin(async move { checkout_event::deliver_event(shop, requested.checked(shop)?).await })
    }),
    ("paymentIntent", |_, shop, requested| {
        Box::pin(async move {
            payment_intent::check_actions(&requested.body)?;
            let (name, caller) = (requested.name, requested.caller.clone());
            payment_intent::execute_intent(shop, name, &requested.checked(shop)?, &caller).await
        })
    }),
];

fn respond_by_model<'a>(_: &'a Services, shop: &'a Shop, request: ServiceRequest<'a>) -> ServiceFuture<'a> {
    Box::pin(
        async move { model_response(shop.model(), &request.call.name, request.name, &request.parameter) },
    )
}

/// Returns the response of an operation that depends on the model alone, by its name, the value in its path, and its
/// parameters. Fails with 404 for an unknown MCP Server type, and with an internal error for another operation.
pub fn model_response(
    model: &Model,
    call: &str,
    name: &str,
    parameter: &dyn Fn(&str) -> Option<String>,
) -> ApiResult<Value> {
    match call {
        "mcpServerTypes" => Ok(mcp::server_types(model)),
        "mcpServerType" => mcp::server_type(model, name, parameter("majorVersion").as_deref()),
        _ => Err(ApiError::bug(format!("'{call}' asks more than the model"))),
    }
}

impl Services {
    /// Returns handlers that send callbacks by `outbound`, and show these requests. Fails if the model has an operation
    /// without a handler.
    pub fn new(model: &Model, outbound: Option<Outbound>, requests: Arc<RequestLog>) -> Result<Self, String> {
        match model.services().iter().find(|call| handler(call).is_none()) {
            Some(call) => Err(format!("there is no handler for '{}' of {}", call.name, call.service)),
            None => Ok(Self { outbound, requests }),
        }
    }

    /// Returns the log of requests.
    pub fn requests(&self) -> &RequestLog {
        &self.requests
    }

    /// Returns the log of deliveries; `None`: the server sends no requests.
    pub fn deliveries(&self) -> Option<&DeliveryLog> {
        self.outbound.as_ref().map(|outbound| &**outbound.deliveries())
    }

    /// Handles a request. Fails with the error for the response.
    pub fn respond<'a>(
        &'a self,
        shop: &'a Shop,
        request: ServiceRequest<'a>,
    ) -> BoxFuture<'a, ApiResult<Value>> {
        Box::pin(async move {
            let handler =
                handler(request.call).ok_or_else(|| ApiError::bug("a service without a handler"))?;
            handler(self, shop, request).await
        })
    }
}

fn handler(call: &ServiceCall) -> Option<Handler> {
    HANDLERS.iter().find(|(name, _)| *name == call.name).map(|(_, handler)| *handler)
}

impl ServiceRequest<'_> {
    /// Validates the body against the model. Unknown fields are errors.
    fn checked(self, shop: &Shop) -> ApiResult<Document> {
        let Self { call, mut body, .. } = self;
        let object = call.body.ok_or_else(|| ApiError::bug("a service takes no body and asks for it"))?;
        Validator::new(shop.model()).object(object, &mut body, "")?;
        match body {
            Value::Object(body) => Ok(body),
            _ => Err(ApiError::bug("a body that the model admitted is no object")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_of_the_model_has_a_handler() {
        let model = Model::embedded().unwrap();
        assert!(Services::new(&model, None, Arc::default()).is_ok());
        assert_eq!(model.services().len(), HANDLERS.len());
    }
}
