//! The HTTP client: sends a request and reads its response.

use crate::delivery_log::{DELIVERY_LOG_LIMITS_OF_TESTS, DeliveryLog};
use crate::destinations::Destinations;
use crate::faults::{OutboundFault, OutboundFaults};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::TcpStream;
use tower::Service as _;

/// The header with the correlation id of a request, for logs; it is forwarded to external systems.
pub const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

type Connector = HttpsConnector<HttpConnector<Destinations>>;

/// The connector and the client, created on first use: reading the trusted certificates takes a moment that must not
/// delay the start. Without certificates there are neither, but the reason.
type LazyClient = Result<(Connector, Client<Connector, Full<Bytes>>), String>;

/// A connection that speaks another protocol than HTTP, with TLS or without.
pub type OutboundConnection = TokioIo<MaybeHttpsStream<TokioIo<TcpStream>>>;

/// The HTTP client. Reuses open connections.
#[derive(Debug, Clone)]
pub struct Outbound {
    client: Arc<OnceLock<LazyClient>>,
    destinations: Destinations,
    /// The maximum time to connect; `None`: the limit of the operating system.
    connect_timeout: Option<Duration>,
    /// The faults for tests; `None`: none can be injected.
    faults: Option<Arc<OutboundFaults>>,
    /// The project whose requests are sent; `None`: the server itself sends.
    project: Option<Arc<str>>,
    uses_own_credentials: bool,
    /// The last deliveries, which those who send record.
    deliveries: Arc<DeliveryLog>,
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub struct OutboundRequest {
    /// The target: an absolute http(s) address.
    pub url: String,
    /// Names and values of headers. Secret values are marked as sensitive.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Bytes,
    /// The timeout for the whole response, with its body.
    pub timeout: Duration,
    /// Maximum size of the response body, in bytes.
    pub response_bytes_max: usize,
}

/// A response.
#[derive(Debug, Clone)]
pub struct OutboundResponse {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
}

/// The reason why a request has no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboundError {
    /// The address is invalid, or is not an allowed destination.
    NotAllowed,
    /// The server is unreachable. The text is for the log.
    Unreachable(String),
    /// The connection was closed before the response. The text is for the log.
    Closed(String),
    /// The request timed out.
    TimedOut,
    /// The response was too large, or incomplete.
    InvalidResponse,
}

impl Outbound {
    /// Creates a client that trusts the certificates of the operating system.
    pub fn new(destinations: Destinations) -> Self {
        Self {
            client: Arc::default(),
            destinations,
            connect_timeout: None,
            faults: None,
            project: None,
            uses_own_credentials: false,
            deliveries: Arc::default(),
        }
    }

    /// Reads the trusted certificates in advance, so that the first request does not wait for them.
    pub fn prepare(&self) {
        self.create_once();
    }

    /// Returns the client with permission to sign requests with the server's own credentials: clients that may set
    /// destinations then send with them.
    #[must_use]
    pub fn with_own_credentials(self) -> Self {
        Self { uses_own_credentials: true, ..self }
    }

    /// Returns whether requests may be signed with the server's own credentials.
    pub fn uses_own_credentials(&self) -> bool {
        self.uses_own_credentials
    }

    /// Returns the client for tests: with fault injection, and a log that keeps more.
    #[must_use]
    pub fn for_tests(self) -> Self {
        let deliveries = Arc::new(DeliveryLog::new(DELIVERY_LOG_LIMITS_OF_TESTS));
        Self { faults: Some(Arc::default()), deliveries, ..self }
    }

    /// Returns the faults for tests, if fault injection is on.
    pub fn faults(&self) -> Option<&OutboundFaults> {
        self.faults.as_deref()
    }

    /// Returns the client for the requests of a project, which meet the faults of this project alone.
    #[must_use]
    pub fn of_project(&self, key: &str) -> Self {
        Self { project: Some(key.into()), ..self.clone() }
    }

    /// Returns the log of the last deliveries.
    pub fn deliveries(&self) -> &Arc<DeliveryLog> {
        &self.deliveries
    }

    /// Returns the client with a timeout for connecting, apart from the timeout of a request.
    #[must_use]
    pub fn with_connect_timeout(self, timeout: Duration) -> Self {
        Self { connect_timeout: Some(timeout), ..self }
    }

    /// Sends a POST and waits for the response. Fails like [`send`](Self::send).
    pub fn post(&self, outgoing: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, OutboundError>> {
        self.send(Method::POST, outgoing)
    }

    /// Sends a GET and waits for the response. Fails like [`send`](Self::send).
    pub fn get(&self, outgoing: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, OutboundError>> {
        self.send(Method::GET, outgoing)
    }

    /// Sends a request and waits for the response.
    ///
    /// # Errors
    /// An [`OutboundError`] if the destination is not allowed or unreachable, if it does not respond within the timeout
    /// of the request, or if its response is too large or invalid. A response with an error status is no error.
    pub fn send(
        &self,
        method: Method,
        outgoing: OutboundRequest,
    ) -> BoxFuture<'_, Result<OutboundResponse, OutboundError>> {
        Box::pin(async move {
            let timeout = outgoing.timeout;
            match tokio::time::timeout(timeout, self.exchange(method, outgoing)).await {
                Ok(received) => received,
                Err(_) => Err(OutboundError::TimedOut),
            }
        })
    }

    async fn exchange(
        &self,
        method: Method,
        outgoing: OutboundRequest,
    ) -> Result<OutboundResponse, OutboundError> {
        let url = self.allowed_uri(&outgoing.url)?;
        if let Some(outcome) = self.apply_fault(&outgoing.url).await {
            return outcome;
        }
        let request = Request::builder().method(method).uri(url).body(Full::new(outgoing.body));
        let mut request = request.map_err(|_| OutboundError::NotAllowed)?;
        request.headers_mut().extend(outgoing.headers.into_iter().map(|(name, value)| (Some(name), value)));
        let (_, client) = self.connector_and_client()?;
        let response = client.request(request).await;
        let response = response.map_err(|error| match error.is_connect() {
            true => OutboundError::Unreachable(with_cause(&error)),
            false => OutboundError::Closed(with_cause(&error)),
        })?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), outgoing.response_bytes_max).collect().await;
        Ok(OutboundResponse { status, body: body.map_err(|_| OutboundError::InvalidResponse)?.to_bytes() })
    }

    /// Connects to `https://host:port`, or without TLS to `http://host:port`, for protocols other than HTTP, which
    /// have timeouts of their own. Fails if the destination is not allowed or unreachable.
    pub fn connect<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<OutboundConnection, OutboundError>> {
        Box::pin(async move {
            let url = self.allowed_uri(url)?;
            let (connector, _) = self.connector_and_client()?;
            let connected = connector.clone().call(url).await;
            connected.map(TokioIo::new).map_err(|error| OutboundError::Unreachable(error.to_string()))
        })
    }

    fn connector_and_client(&self) -> Result<&(Connector, Client<Connector, Full<Bytes>>), OutboundError> {
        self.create_once().as_ref().map_err(|why| OutboundError::Unreachable(why.clone()))
    }

    fn create_once(&self) -> &LazyClient {
        self.client.get_or_init(|| create_client(self.destinations, self.connect_timeout))
    }

    fn allowed_uri(&self, url: &str) -> Result<Uri, OutboundError> {
        let url: Uri = url.parse().map_err(|_| OutboundError::NotAllowed)?;
        let admitted = url.host().is_some_and(|host| self.destinations.allows_host(host));
        if admitted { Ok(url) } else { Err(OutboundError::NotAllowed) }
    }

    /// Applies an injected fault to a request. Returns its response, or `None` (maybe after a delay) if the request
    /// is to be sent. Fails if the fault is a lost connection.
    pub async fn apply_fault(&self, url: &str) -> Option<Result<OutboundResponse, OutboundError>> {
        let fault = self.faults.as_ref().and_then(|faults| faults.take(self.project.as_deref(), url))?;
        tracing::info!(?fault, "a fault that a test requested applies to a request of the server");
        match fault {
            OutboundFault::Status(status) => Some(Ok(OutboundResponse { status, body: Bytes::new() })),
            OutboundFault::Disconnect => {
                Some(Err(OutboundError::Unreachable("a test requested a fault".to_owned())))
            }
            OutboundFault::Panic => panic!("A fault that a test requested."),
            OutboundFault::Delay(delay) => {
                tokio::time::sleep(delay).await;
                None
            }
        }
    }
}

/// Formats an error with its cause.
fn with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Creates connector and client. Fails if no certificates are trusted.
fn create_client(destinations: Destinations, connect_timeout: Option<Duration>) -> LazyClient {
    let mut plain = HttpConnector::new_with_resolver(destinations);
    plain.enforce_http(false);
    plain.set_nodelay(true);
    plain.set_connect_timeout(connect_timeout);
    let trusting =
        HttpsConnectorBuilder::new().with_provider_and_native_roots(rustls::crypto::ring::default_provider());
    let trusting = trusting.map_err(|error| {
        tracing::warn!(%error, "outbound requests disabled: no trusted certificates");
        format!("no trusted certificates: {error}")
    })?;
    let connector = trusting.https_or_http().enable_http1().wrap_connector(plain);
    Ok((
        connector.clone(),
        Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector),
    ))
}
