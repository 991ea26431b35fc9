//! The load generator: keep-alive connections that send one request after the other. Begin at [`run`].
//!
//! A load is limited in requests and in time. It runs on one thread: it has one core, on which more threads would only
//! compete.

use crate::process::MeasuredServer;
use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// One request to send.
pub(crate) struct LoadRequest {
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) target: String,
    /// A JSON body.
    pub(crate) body: Option<Bytes>,
    /// Another value of `Authorization` than the server's usual one.
    pub(crate) authorization: Option<String>,
}

impl LoadRequest {
    pub(crate) fn get(target: impl Into<String>) -> Self {
        Self { method: Method::GET, target: target.into(), body: None, authorization: None }
    }

    pub(crate) fn post(target: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, target: target.into(), body: Some(body.into()), authorization: None }
    }

    /// Returns the request with another `Authorization` header.
    pub(crate) fn with_authorization(self, authorization: String) -> Self {
        Self { authorization: Some(authorization), ..self }
    }
}

/// The client of one connection: it produces requests and receives the responses.
pub(crate) trait LoadClient {
    /// Returns the next request, or `None` when there are no more.
    fn next(&mut self) -> Option<LoadRequest>;

    /// Receives the response. The default fails unless it is a success, or the load would measure errors.
    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)
    }
}

/// A closure is a client for reads, whose requests do not depend on earlier responses.
impl<F: FnMut() -> LoadRequest> LoadClient for F {
    fn next(&mut self) -> Option<LoadRequest> {
        Some(self())
    }
}

/// A client that takes requests from a queue shared with others: each request is sent once, over any free connection.
pub(crate) struct SharedRequestQueue<I>(Rc<RefCell<I>>);

impl<I: Iterator<Item = LoadRequest>> LoadClient for SharedRequestQueue<I> {
    fn next(&mut self) -> Option<LoadRequest> {
        self.0.borrow_mut().next()
    }
}

/// Returns one client for each connection, which send all of these requests together.
pub(crate) fn queue<I: Iterator<Item = LoadRequest>>(
    asks: I,
    connections: usize,
) -> Vec<SharedRequestQueue<I>> {
    let asks = Rc::new(RefCell::new(asks));
    (0..connections).map(|_| SharedRequestQueue(Rc::clone(&asks))).collect()
}

/// Fails with the response body unless the status is a success.
pub(crate) fn ensure_success(status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
    ensure!(status.is_success(), "{status}: {}", String::from_utf8_lossy(body));
    Ok(())
}

/// The limits of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadLimits {
    pub(crate) requests: u64,
    pub(crate) time: Duration,
}

/// The result of a load.
#[derive(Debug, Clone)]
pub(crate) struct LoadResult {
    pub(crate) requests: u64,
    pub(crate) seconds: f64,
    /// CPU time that the server used.
    pub(crate) cpu_seconds: f64,
    /// Latencies in microseconds, sorted.
    latencies_us: Vec<u32>,
}

impl LoadResult {
    /// Returns the requests per second.
    pub(crate) fn rate(&self) -> f64 {
        self.requests as f64 / self.seconds
    }

    /// Returns the server's CPU time per request, in microseconds.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.requests as f64
    }

    /// Returns a percentile of the latency in milliseconds, e.g. `percentile_ms(99.0)`.
    pub(crate) fn percentile_ms(&self, percent: f64) -> f64 {
        let last = self.latencies_us.len().saturating_sub(1);
        let at = (last as f64 * percent / 100.0).round() as usize;
        self.latencies_us.get(at).map_or(0.0, |us| f64::from(*us) / 1000.0)
    }

    /// Formats CPU, rate and latencies on one line.
    pub(crate) fn line(&self) -> String {
        format!(
            "{:.1} µs CPU, {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
            self.cpu_us(),
            self.rate(),
            self.percentile_ms(50.0),
            self.percentile_ms(99.0)
        )
    }
}

/// Runs each client over a connection of its own until a limit is reached.
pub(crate) async fn run<C: LoadClient + 'static>(
    server: &MeasuredServer,
    clients: Vec<C>,
    bounds: LoadLimits,
) -> anyhow::Result<(LoadResult, Vec<C>)> {
    let left = Rc::new(Cell::new(bounds.requests));
    let mut connections = Vec::new();
    for client in clients {
        connections.push((LoadConnection::open(server).await?, client));
    }
    let cpu_before = server.cpu_seconds()?;
    let started = Instant::now();
    let until = started + bounds.time;
    let local = LocalSet::new();
    let mut tasks = Vec::new();
    for (mut connection, mut client) in connections {
        let left = Rc::clone(&left);
        tasks.push(local.spawn_local(async move {
            let mut latencies_us = Vec::new();
            while left.get() > 0 && Instant::now() < until {
                let Some(ask) = client.next() else { break };
                left.set(left.get() - 1);
                let requested = Instant::now();
                let (status, body) = connection.send(ask).await?;
                latencies_us.push(u32::try_from(requested.elapsed().as_micros()).unwrap_or(u32::MAX));
                client.handle_response(status, &body)?;
            }
            anyhow::Ok((latencies_us, client))
        }));
    }
    let (mut latencies_us, mut clients) = (Vec::new(), Vec::new());
    local
        .run_until(async {
            for task in tasks {
                let (more, client) = task.await.context("a connection went down")??;
                latencies_us.extend(more);
                clients.push(client);
            }
            anyhow::Ok(())
        })
        .await?;
    let seconds = started.elapsed().as_secs_f64();
    let cpu_seconds = server.cpu_seconds()? - cpu_before;
    latencies_us.sort_unstable();
    let requests = latencies_us.len() as u64;
    ensure!(requests > 0, "nothing was asked");
    Ok((LoadResult { requests, seconds, cpu_seconds, latencies_us }, clients))
}

/// One keep-alive connection.
pub(crate) struct LoadConnection {
    sender: SendRequest<Full<Bytes>>,
    authority: String,
    authorization: Option<String>,
}

impl LoadConnection {
    /// Opens a connection to the server, driven by a background task of the current [`LocalSet`] or runtime.
    pub(crate) async fn open(server: &MeasuredServer) -> anyhow::Result<Self> {
        Self::connect(&server.authority, server.authorization.clone()).await
    }

    /// Opens a connection to any address.
    pub(crate) async fn connect(authority: &str, authorization: Option<String>) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(authority).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(async move {
            // The request over this connection reports the error.
            let _ = connection.await;
        });
        Ok(Self { sender, authority: authority.to_owned(), authorization })
    }

    /// Sends a request and returns the status and the whole body.
    pub(crate) async fn send(&mut self, ask: LoadRequest) -> anyhow::Result<(StatusCode, Bytes)> {
        let reply = self.send_for_response(ask).await?;
        let status = reply.status();
        Ok((status, reply.into_body()))
    }

    /// Sends a request and returns the response with its headers.
    pub(crate) async fn send_for_response(
        &mut self,
        ask: LoadRequest,
    ) -> anyhow::Result<hyper::Response<Bytes>> {
        let mut request = Request::builder().method(ask.method).uri(ask.target).header(HOST, &self.authority);
        if let Some(authorization) = ask.authorization.as_ref().or(self.authorization.as_ref()) {
            request = request.header(AUTHORIZATION, authorization);
        }
        let body = ask.body.unwrap_or_default();
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        self.sender.ready().await?;
        let (parts, body) = self.sender.send_request(request.body(Full::new(body))?).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(hyper::Response::from_parts(parts, body))
    }

    /// Sends a request and parses the body as JSON. Fails unless the status is a success.
    pub(crate) async fn json(&mut self, ask: LoadRequest) -> anyhow::Result<kontor_json::Value> {
        let what = format!("{} {}", ask.method, ask.target);
        let (status, body) = self.send(ask).await?;
        if !status.is_success() {
            bail!("{what}: {status}: {}", String::from_utf8_lossy(&body));
        }
        Ok(kontor_json::from_slice(&body)?)
    }
}
