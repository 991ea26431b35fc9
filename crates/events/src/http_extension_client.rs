//! [`HttpExtensionClient`]: the HTTP client for API Extensions (webhooks before a change), and for test notifications to new
//! Subscriptions.

use crate::SUBSCRIPTION;
use crate::delivery_failure::DeliveryFailure;
use crate::delivery_record::DeliveryRecord;
use crate::destination::{bytes_max, deliver, extension_request, is_function_failure, is_lambda};
use crate::destination_cache::DestinationCache;
use crate::event_metrics::{EXTENSION_FAILURES, EXTENSION_SECONDS};
use crate::extension_response;
use crate::payload::{Origin, Payload};
use hyper::header::HeaderValue;
use kontor_engine::document::{field_or_log, must_text, text, text_or_log};
use kontor_engine::{CallFuture, Document, ExtensionCall, ExtensionClient};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::Model;
use kontor_outbound::{CORRELATION_ID, Outbound, OutboundError, OutboundResponse};
use kontor_storage::Storage;
use std::sync::Arc;
use std::time::Instant;

/// The documented message (reference type `ExtensionNoResponseError`).
const TOO_LATE: &str = "Extension did not respond in time.";
const NOT_REACHED: &str = "Extension could not be reached.";
const CLOSED: &str = "Extension closed the connection without a response.";
/// The `typeId` of API Extensions, whose calls are in the log of deliveries.
const EXTENSION: &str = "extension";
const UNUSABLE: &str = "Extension could not be asked: its destination cannot be used.";

/// Calls API Extensions before a change is committed, and sends test notifications to new destinations of
/// Subscriptions.
pub struct HttpExtensionClient {
    known: Arc<DestinationCache>,
    /// `None` if the machine has no trusted certificates.
    outbound: Option<Outbound>,
    /// Whether a new destination is accepted even if it cannot be reached.
    accepts_unreachable: bool,
}

impl HttpExtensionClient {
    /// Sends requests through `outbound`. `accepts_unreachable`: a new destination is accepted even if it cannot be
    /// reached.
    pub fn new(outbound: Option<Outbound>, accepts_unreachable: bool) -> Self {
        Self { known: Arc::default(), outbound, accepts_unreachable }
    }
}

impl ExtensionClient for HttpExtensionClient {
    fn call(
        &self,
        project_key: &str,
        model: &Arc<Model>,
        storage: Arc<dyn Storage>,
        call: ExtensionCall,
    ) -> CallFuture {
        let model = Arc::clone(model);
        let outbound = self.outbound.as_ref().map(|outbound| outbound.of_project(project_key));
        let accepts_unreachable = self.accepts_unreachable;
        let (project, known) = (project_key.to_owned(), Arc::clone(&self.known));
        Box::pin(async move {
            let destination = known.get_or_read(&call, &*storage)?;
            if call.wants_actions {
                let (started, mut received) = (Instant::now(), None);
                let by = text_or_log(&call.target_document, &["id"]).to_owned();
                let record = DeliveryRecord::start(EXTENSION, &by, shown_destination(&call));
                let outcome =
                    call_extension(outbound.as_ref(), &call, &destination, &project, &mut received).await;
                if let Some(outbound) = &outbound {
                    let error = outcome.as_ref().err().map(|error| error.message().to_owned());
                    let body = call.body.to_string();
                    let sent = (body.as_bytes(), &call.body);
                    record.finish(outbound, &project, sent, received.as_ref(), error);
                }
                let labels = [("project", project), ("extension", by)];
                metrics::histogram!(EXTENSION_SECONDS, &labels).record(started.elapsed().as_secs_f64());
                if outcome.is_err() {
                    metrics::counter!(EXTENSION_FAILURES, &labels).increment(1);
                }
                return outcome;
            }
            let origin = Origin { project_key: &project, model: &model };
            send_test_notification(outbound.as_ref(), &call, &destination, accepts_unreachable, origin)
                .await?;
            Ok(Vec::new())
        })
    }
}

/// Returns the destination of a call without its secrets.
fn shown_destination(call: &ExtensionCall) -> &Value {
    call.target_document.get("destination").unwrap_or(&Value::Null)
}

/// Calls an API Extension and returns the update actions in its response. `received` is set to the response, if there is
/// one.
async fn call_extension(
    outbound: Option<&Outbound>,
    call: &ExtensionCall,
    destination: &Value,
    project: &str,
    received: &mut Option<OutboundResponse>,
) -> ApiResult<Vec<Value>> {
    let extension: &Document = &call.target_document;
    let unanswered = |why: &str, told: &str| {
        let id = text_or_log(extension, &["id"]);
        tracing::warn!(project, extension = id, why, "an API Extension did not respond");
        extension_response::no_response(extension, told)
    };
    let Some(outbound) = outbound else {
        return Err(unanswered("no certificates are trusted here", NOT_REACHED));
    };
    let outgoing = extension_request(outbound, destination, &call.body, call.timeout);
    let mut outgoing = outgoing.await.map_err(|why| unanswered(why, UNUSABLE))?;
    // Public documentation, release note of 10 October 2025. Lambda does not pass headers to its functions.
    if !is_lambda(destination)
        && let Some(id) = call.correlation_id.as_deref().and_then(|id| HeaderValue::from_str(id).ok())
    {
        outgoing.headers.push((CORRELATION_ID, id));
    }
    let outcome = outbound.post(outgoing).await;
    *received = outcome.as_ref().ok().cloned();
    match outcome {
        Ok(received) if is_function_failure(destination, &received.body) => {
            Err(extension_response::bad_response(extension, &received, "The function failed."))
        }
        Ok(received) => extension_response::parse_actions(extension, &received),
        Err(OutboundError::InvalidResponse) => Err(extension_response::incomplete_response(extension)),
        Err(OutboundError::NotAllowed) => Err(unanswered(
            "its address is invalid, or is one of this machine or of a private network, which \
             --allow-private-destinations would allow",
            UNUSABLE,
        )),
        Err(OutboundError::Unreachable(why)) => Err(unanswered(&why, NOT_REACHED)),
        Err(OutboundError::Closed(why)) => Err(unanswered(&why, CLOSED)),
        Err(OutboundError::TimedOut) => Err(unanswered("it took too long", TOO_LATE)),
    }
}

/// Sends a test notification, in the same format as later ones, and fails unless it is received.
async fn send_test_notification(
    outbound: Option<&Outbound>,
    call: &ExtensionCall,
    destination: &Value,
    accepts_unreachable: bool,
    origin: Origin<'_>,
) -> ApiResult<()> {
    let Some(outbound) = outbound else { return Ok(()) };
    let is_cloud_event = text(&call.target_document, &["format", "type"]) == Some("CloudEvents");
    let name = must_text(&call.target_document, &["id"])?;
    let payload =
        Payload::from_notification(&call.body, name, is_cloud_event, bytes_max(destination), origin);
    let record = DeliveryRecord::start(SUBSCRIPTION, name, shown_destination(call));
    let mut received = None;
    let delivered = deliver(outbound, destination, &payload, call.timeout, &mut received).await;
    let error = delivered.as_ref().err().map(|why| why.reason().to_owned());
    let sent = (&*payload.body, &call.body);
    record.finish(outbound, origin.project_key, sent, received.as_ref(), error);
    let why = match delivered {
        Ok(()) => return Ok(()),
        Err(DeliveryFailure::Unreachable(_) | DeliveryFailure::NoKey(_)) if accepts_unreachable => {
            return Ok(());
        }
        Err(why) => why,
    };
    let what = field_or_log(destination, "type");
    Err(ApiError::invalid_input(format!(
        "A test message could not be delivered to this destination: {what}: {}.",
        why.reason()
    )))
}
