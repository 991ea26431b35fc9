//! The HTTP client of the server: sends JSON from blocking threads, and remembers failures.

use crate::address::SearchAddress;
use bytes::Bytes;
use hyper::Method;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use kontor_json::Value as Json;
use kontor_outbound::{Destinations, Outbound, OutboundError, OutboundRequest, OutboundResponse};
use kontor_search::IndexError;
use parking_lot::Mutex;
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, Runtime, RuntimeFlavor};

/// Timeout of establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of a response.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);
/// How long requests fail at once after the server was unreachable, without being sent.
const PAUSE: Duration = Duration::from_secs(1);
/// Number of threads that drive the connections.
const DRIVING_THREADS: usize = 2;

/// A server with pooled connections.
pub(crate) struct OpenSearchClient {
    address: SearchAddress,
    outbound: Outbound,
    /// The threads of the connections; shut down in the background when dropped.
    runtime: Option<Runtime>,
    /// Why and when the server was last unreachable; `None`: the last request succeeded.
    fault: Mutex<Option<(Instant, String)>>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct OpenSearchResponse {
    pub(crate) status: u16,
    pub(crate) body: Json,
}

impl OpenSearchResponse {
    /// Returns the body of a successful response. Fails for any other status.
    pub(crate) fn success_body(self) -> Result<Json, IndexError> {
        if (200..300).contains(&self.status) {
            return Ok(self.body);
        }
        Err(IndexError::Failed(format!("OpenSearch responded with {}: {}", self.status, self.reason())))
    }

    /// Returns the reason of an error, at most 500 characters.
    pub(crate) fn reason(&self) -> String {
        let error = self.body.get("error").unwrap_or(&self.body);
        let cause = error
            .pointer("/failed_shards/0/reason")
            .or_else(|| error.pointer("/root_cause/0"))
            .unwrap_or(error);
        let deepest = cause.get("caused_by").and_then(|by| by.get("caused_by").or(Some(by))).unwrap_or(cause);
        let mut text =
            deepest.get("reason").and_then(Json::as_str).map_or_else(|| cause.to_string(), ToOwned::to_owned);
        text.truncate(text.char_indices().nth(500).map_or(text.len(), |(at, _)| at));
        text
    }
}

impl OpenSearchClient {
    pub(crate) fn new(address: SearchAddress) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(DRIVING_THREADS)
            .thread_name("opensearch")
            .enable_all()
            .build()?;
        // The operator configures the address, so private networks are allowed.
        let outbound = Outbound::new(Destinations::Any).with_connect_timeout(CONNECT_TIMEOUT);
        Ok(Self { address, outbound, runtime: Some(runtime), fault: Mutex::default() })
    }

    pub(crate) fn address(&self) -> &SearchAddress {
        &self.address
    }

    /// Returns why the server is unreachable at the moment, if known.
    pub(crate) fn fault(&self) -> Option<String> {
        self.fault.lock().as_ref().map(|(_, why)| why.clone())
    }

    /// Sends a request with JSON, or without a body. Blocks the thread.
    pub(crate) fn send_json(
        &self,
        method: Method,
        path: &str,
        body: Option<&Json>,
    ) -> Result<OpenSearchResponse, IndexError> {
        let body = body.map(|body| Bytes::from(body.to_string()));
        self.send(method, path, "application/json", body.unwrap_or_default())
    }

    /// Sends many changes in one request, as lines of JSON. Blocks the thread.
    pub(crate) fn bulk(&self, path: &str, lines: Vec<u8>) -> Result<OpenSearchResponse, IndexError> {
        self.send(Method::POST, path, "application/x-ndjson", lines.into())
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        kind: &'static str,
        body: Bytes,
    ) -> Result<OpenSearchResponse, IndexError> {
        if let Some((since, why)) = &*self.fault.lock()
            && since.elapsed() < PAUSE
        {
            return Err(IndexError::Unavailable(why.clone()));
        }
        let mut headers = Vec::new();
        if let Some(authorization) = &self.address.authorization {
            headers.push((AUTHORIZATION, authorization.clone()));
        }
        if !body.is_empty() {
            headers.push((CONTENT_TYPE, HeaderValue::from_static(kind)));
        }
        let url = format!("{}{path}", self.address.base);
        let request =
            OutboundRequest { url, headers, body, timeout: REPLY_TIMEOUT, response_bytes_max: usize::MAX };
        let Some(runtime) = &self.runtime else {
            return Err(IndexError::Unavailable("it is closed".to_owned()));
        };
        let response = wait(runtime.handle(), send_request(self.outbound.clone(), method, request));
        let response = match response {
            // Rate limited, a load balancer without a backend, or wrong credentials: no reason to distrust the index.
            Ok(reply) if matches!(reply.status, 401 | 403 | 429 | 502 | 503 | 504) => {
                Err(format!("OpenSearch responded with {}: {}", reply.status, reply.reason()))
            }
            other => other,
        };
        let mut fault = self.fault.lock();
        match response {
            Ok(reply) => {
                if fault.take().is_some() {
                    tracing::info!(server = self.address.server(), "the search server responds again");
                }
                Ok(reply)
            }
            Err(why) => {
                if fault.is_none() {
                    tracing::warn!(server = self.address.server(), why, "the search server is out of reach");
                }
                metrics::counter!("kontor_search_server_faults_total").increment(1);
                *fault = Some((Instant::now(), why.clone()));
                Err(IndexError::Unavailable(why))
            }
        }
    }
}

impl Drop for OpenSearchClient {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn send_request(
    outbound: Outbound,
    method: Method,
    request: OutboundRequest,
) -> Result<OpenSearchResponse, String> {
    let OutboundResponse { status, body } =
        outbound.send(method, request).await.map_err(|why| match why {
            OutboundError::Unreachable(why) | OutboundError::Closed(why) => why,
            OutboundError::TimedOut => "it does not respond in time".to_owned(),
            OutboundError::InvalidResponse => "its response was incomplete".to_owned(),
            OutboundError::NotAllowed => "nothing can be asked at its address".to_owned(),
        })?;
    let body = kontor_json::from_slice(&body)
        .unwrap_or_else(|_| Json::String(String::from_utf8_lossy(&body).into_owned()));
    Ok(OpenSearchResponse { status, body })
}

/// Blocks the thread until the future, which runs on the server's own threads, is done. On a multi-threaded runtime,
/// other tasks of the thread move to another thread meanwhile.
fn wait(
    runtime: &Handle,
    future: impl Future<Output = Result<OpenSearchResponse, String>> + Send + 'static,
) -> Result<OpenSearchResponse, String> {
    let (done, result) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        // Fails only if the caller has gone.
        let _ = done.send(future.await);
    });
    let block = || result.recv().unwrap_or_else(|_| Err("it was given up".to_owned()));
    match Handle::try_current().map(|current| current.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(block),
        _ => block(),
    }
}
