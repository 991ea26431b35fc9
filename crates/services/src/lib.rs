//! Services in addition to the API: callbacks of the in-store application, payment intents and events of Checkout, MCP
//! Servers (tools for AI agents), the logs of requests and deliveries.
//!
//! Begin at [`Services`]. The operations are those of `model/services/`; each has a handler of its name.
//!
//! **Invariant:** documents are changed only by [`Shop::update`](kontor_engine::Shop::update); no secret is in a
//! response, an error or a log.

mod checkout_event;
mod in_store_application;
mod log_json;
mod logs;
mod mcp;
mod payment_intent;
mod request_log;
mod services;
mod url_encoding;

pub use logs::{DeliveryFilter, last_deliveries};
pub use mcp::{AgentServer, Api, ApiRequest, agent_server, supports_protocol};
pub use request_log::{
    LoggedRequest, REQUEST_LOG_LIMITS, REQUEST_LOG_LIMITS_OF_TESTS, RequestFilter, RequestLog,
    RequestLogLimits, SentRequest,
};
pub use services::{ServiceRequest, Services, model_response};
