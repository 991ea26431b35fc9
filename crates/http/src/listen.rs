//! Accepts connections, and closes them when the server stops (graceful shutdown). Start at [`serve_public`].

mod connections;
mod write_timeout;

use crate::fixed_paths::METRICS;
use crate::operator;
use crate::peer::PeerAddress;
use crate::serve::PublicServer;
use crate::server::Server;
use axum::body::Body;
use axum::{Extension, Router};
use connections::{ConnectionLimiter, ConnectionUsage};
use futures_util::future::BoxFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use kontor_errors::ApiError;
use kontor_rest::response;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tower::Layer as _;
use write_timeout::WriteTimeoutStream;

/// Timeouts of a connection that makes no progress.
#[derive(Debug, Clone, Copy)]
struct ConnectionTimeouts {
    /// For sending the head of a request.
    head: Duration,
    /// For reading the next part of a response.
    write: Duration,
}

impl ConnectionTimeouts {
    /// The timeouts of every server.
    const USUAL: Self = Self { head: Duration::from_secs(30), write: Duration::from_secs(30) };
}

/// Maximum size of the head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 256 * 1024;
/// Open requests may take this long to finish when the server stops. Service managers wait longer before they kill.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of open files that the process asks the system for.
const FILES_MAX: u64 = 65_536;
/// Number of open files that is assumed if the system gives none.
const FILES_USUAL: u64 = 1024;

/// A source of connections.
trait Listener {
    /// One connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Waits for the next connection, and returns it with the address of its other end.
    async fn accept(&self) -> std::io::Result<(Self::Stream, IpAddr)>;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> std::io::Result<(TcpStream, IpAddr)> {
        let (stream, peer) = TcpListener::accept(self).await?;
        // Responses are small and written at once; waiting for more data only delays them.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer.ip()))
    }
}

impl Listener for UnixListener {
    type Stream = UnixStream;

    async fn accept(&self) -> std::io::Result<(UnixStream, IpAddr)> {
        let (stream, _) = UnixListener::accept(self).await?;
        // A Unix socket has no address; its clients are on this machine.
        Ok((stream, Ipv4Addr::LOCALHOST.into()))
    }
}

/// A service that records when a request arrives.
struct UsageRecorder<S> {
    service: S,
    usage: ConnectionUsage,
}

impl<S: Service<Request<Incoming>>> Service<Request<Incoming>> for UsageRecorder<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, request: Request<Incoming>) -> S::Future {
        self.usage.record_request();
        self.service.call(request)
    }
}

/// Raises the limit of open files as far as the system allows, and returns it.
fn raise_open_files() -> u64 {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{Resource::RLIMIT_NOFILE, getrlimit, setrlimit};
        if let Ok((now, most)) = getrlimit(RLIMIT_NOFILE) {
            let wanted = most.min(FILES_MAX).max(now);
            return if setrlimit(RLIMIT_NOFILE, wanted, most).is_ok() { wanted } else { now };
        }
    }
    FILES_USUAL
}

/// Serves all clients until `stop` completes; then waits for open requests.
pub fn serve_public(
    listener: TcpListener,
    public: PublicServer,
    stop: BoxFuture<'static, ()>,
) -> BoxFuture<'static, ()> {
    let connection = move |peer| {
        let public = public.clone();
        service_fn(move |request| public.respond(request, peer))
    };
    Box::pin(serve(listener, connection, ConnectionTimeouts::USUAL, stop))
}

/// Serves only `/metrics`, at an address of its own for monitoring systems.
pub fn serve_metrics(
    listener: TcpListener,
    server: Arc<Server>,
    stop: BoxFuture<'static, ()>,
) -> BoxFuture<'static, ()> {
    let connection = move |_| {
        let server = Arc::clone(&server);
        service_fn(move |request: Request<Incoming>| {
            let is_it = request.method() == Method::GET && request.uri().path() == METRICS;
            let http_response = match is_it {
                true => operator::respond_metrics(&server),
                false => response::error(&ApiError::uri_not_found(request.uri().path())),
            };
            std::future::ready(Ok(http_response))
        })
    };
    Box::pin(serve(listener, connection, ConnectionTimeouts::USUAL, stop))
}

/// Serves the operator at a Unix socket that only its user can reach.
pub fn serve_operator(
    listener: UnixListener,
    router: Router,
    stop: BoxFuture<'static, ()>,
) -> BoxFuture<'static, ()> {
    let connection = move |peer| TowerToHyperService::new(Extension(PeerAddress(peer)).layer(router.clone()));
    Box::pin(serve(listener, connection, ConnectionTimeouts::USUAL, stop))
}

/// Serves a router of a command on an address that only this machine reaches.
pub fn serve_on_loopback(
    listener: TcpListener,
    router: Router,
    stop: BoxFuture<'static, ()>,
) -> BoxFuture<'static, ()> {
    let connection = move |_| TowerToHyperService::new(router.clone());
    Box::pin(serve(listener, connection, ConnectionTimeouts::USUAL, stop))
}

/// Serves until `stop` completes; then waits for open requests. `service` makes a service for each connection. A
/// connection is closed if its client exceeds the timeouts of `timeout`.
async fn serve<S>(
    listener: impl Listener,
    service: impl Fn(IpAddr) -> S,
    timeout: ConnectionTimeouts,
    stop: impl Future<Output = ()>,
) where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Send
        + 'static,
{
    let mut server = Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(timeout.head).max_buf_size(HEAD_BYTES_MAX);
    let connections = ConnectionLimiter::new(raise_open_files());
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // E.g. no free file descriptors: other connections end soon.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let connection = connections.register();
        let stream = WriteTimeoutStream::new(stream, timeout.write).with_usage(connection.usage());
        let service = UsageRecorder { service: service(peer), usage: connection.usage() };
        let watched = open.watch(server.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            tokio::select! {
                // The order does not matter, and a fixed one needs no random number.
                biased;
                ended = watched => if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended early");
                },
                () = connection.close_requested() => tracing::debug!("a connection was closed to make room for others"),
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIMEOUT, open.shutdown()).await.is_err() {
        tracing::warn!("open requests did not finish in time");
    }
}

#[cfg(test)]
mod tests;
