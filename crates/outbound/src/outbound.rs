//! Sending a request and reading its answer.

use crate::destinations::Destinations;
use crate::faults::{Fault, Faults};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::TcpStream;
use tower::Service as _;

/// Names a request in logs; others who are asked on the way to its answer get it too.
pub const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

type Connector = HttpsConnector<HttpConnector<Destinations>>;

/// Who connects and who sends are made when they are first needed: reading the certificates that are trusted takes a moment that no
/// start waits for. Without any there is neither, but the reason.
type Made = Result<(Connector, Client<Connector, Full<Bytes>>), String>;

/// A connection that speaks another protocol than HTTP, with TLS or without.
pub type Connection = TokioIo<MaybeHttpsStream<TokioIo<TcpStream>>>;

/// Sends requests and keeps connections open for the next ones.
#[derive(Debug, Clone)]
pub struct Outbound {
    made: Arc<OnceLock<Made>>,
    destinations: Destinations,
    /// `None`: none can be asked for.
    faults: Option<Arc<Faults>>,
    uses_own_credentials: bool,
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// Where to: an absolute http(s) address.
    pub url: String,
    /// Names and values of headers. Those that are secret are marked so.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Bytes,
    /// How long the answer may take, its body included.
    pub patience: Duration,
    /// How many bytes its body may have.
    pub answer_bytes_max: usize,
}

/// What was answered.
#[derive(Debug, Clone)]
pub struct Received {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// The address cannot be one, or is none that requests may go to.
    NotAllowed,
    /// Nobody is there, or the connection ended. The text is for the log.
    OutOfReach(String),
    /// It took too long.
    TooLate,
    /// It was too long, or broke off.
    Broken,
}

impl Outbound {
    /// Trusts the certificates that the machine trusts.
    pub fn new(destinations: Destinations) -> Self {
        Self { made: Arc::default(), destinations, faults: None, uses_own_credentials: false }
    }

    /// Reads the certificates, which the first request would otherwise wait for.
    pub fn prepare(&self) {
        self.made_once();
    }

    /// The same, where requests may be signed with credentials of the server's own: whoever may set destinations sends with them.
    #[must_use]
    pub fn with_own_credentials(self) -> Self {
        Self { uses_own_credentials: true, ..self }
    }

    /// Whether requests may be signed with credentials of the server's own.
    pub fn uses_own_credentials(&self) -> bool {
        self.uses_own_credentials
    }

    /// The same, where tests may ask for faults.
    #[must_use]
    pub fn with_faults(self) -> Self {
        Self { faults: Some(Arc::default()), ..self }
    }

    /// The faults that tests ask for, where they may.
    pub fn faults(&self) -> Option<&Faults> {
        self.faults.as_deref()
    }

    /// Sends a POST and waits for its answer.
    pub async fn post(&self, outgoing: Outgoing) -> Result<Received, Unanswered> {
        self.send_in_time(Method::POST, outgoing).await
    }

    /// Sends a GET and waits for its answer.
    pub async fn get(&self, outgoing: Outgoing) -> Result<Received, Unanswered> {
        self.send_in_time(Method::GET, outgoing).await
    }

    async fn send_in_time(&self, method: Method, outgoing: Outgoing) -> Result<Received, Unanswered> {
        let patience = outgoing.patience;
        match tokio::time::timeout(patience, self.send(method, outgoing)).await {
            Ok(received) => received,
            Err(_) => Err(Unanswered::TooLate),
        }
    }

    async fn send(&self, method: Method, outgoing: Outgoing) -> Result<Received, Unanswered> {
        let url = self.admitted(&outgoing.url)?;
        if let Some(answered) = self.fault(&outgoing.url).await {
            return answered;
        }
        let request = Request::builder().method(method).uri(url).body(Full::new(outgoing.body));
        let mut request = request.map_err(|_| Unanswered::NotAllowed)?;
        request.headers_mut().extend(outgoing.headers.into_iter().map(|(name, value)| (Some(name), value)));
        let (_, client) = self.made()?;
        let answer = client.request(request).await;
        let answer = answer.map_err(|error| Unanswered::OutOfReach(error.to_string()))?;
        let status = answer.status().as_u16();
        let body = Limited::new(answer.into_body(), outgoing.answer_bytes_max).collect().await;
        Ok(Received { status, body: body.map_err(|_| Unanswered::Broken)?.to_bytes() })
    }

    /// Connects to `https://host:port`, or without TLS to `http://host:port`, for protocols beside HTTP. Those wait no longer than
    /// they want to.
    pub async fn connect(&self, url: &str) -> Result<Connection, Unanswered> {
        let url = self.admitted(url)?;
        let (connector, _) = self.made()?;
        let connected = connector.clone().call(url).await;
        connected.map(TokioIo::new).map_err(|error| Unanswered::OutOfReach(error.to_string()))
    }

    fn made(&self) -> Result<&(Connector, Client<Connector, Full<Bytes>>), Unanswered> {
        self.made_once().as_ref().map_err(|why| Unanswered::OutOfReach(why.clone()))
    }

    fn made_once(&self) -> &Made {
        self.made.get_or_init(|| make(self.destinations))
    }

    fn admitted(&self, url: &str) -> Result<Uri, Unanswered> {
        let url: Uri = url.parse().map_err(|_| Unanswered::NotAllowed)?;
        let admitted = url.host().is_some_and(|host| self.destinations.admit_host(host));
        if admitted { Ok(url) } else { Err(Unanswered::NotAllowed) }
    }

    /// What a fault that a test asked for makes of a request to an address: its answer, or `None` after it has waited, if it has to.
    pub async fn fault(&self, url: &str) -> Option<Result<Received, Unanswered>> {
        match self.faults.as_ref().and_then(|faults| faults.take(url))? {
            Fault::Status(status) => Some(Ok(Received { status, body: Bytes::new() })),
            Fault::Disconnect => Some(Err(Unanswered::OutOfReach("a fault was asked for".to_owned()))),
            Fault::Delay(delay) => {
                tokio::time::sleep(delay).await;
                None
            }
        }
    }
}

/// Fails where no certificates are trusted.
fn make(destinations: Destinations) -> Made {
    let mut plain = HttpConnector::new_with_resolver(destinations);
    plain.enforce_http(false);
    plain.set_nodelay(true);
    let trusting =
        HttpsConnectorBuilder::new().with_provider_and_native_roots(rustls::crypto::ring::default_provider());
    let trusting = trusting.map_err(|error| {
        tracing::warn!(%error, "nobody can be called: no certificates are trusted here");
        format!("no certificates are trusted here: {error}")
    })?;
    let connector = trusting.https_or_http().enable_http1().wrap_connector(plain);
    Ok((connector.clone(), Client::builder(TokioExecutor::new()).build(connector)))
}
