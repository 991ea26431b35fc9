//! A bare hyper server that sends the same captured response of Kontor to every request.

use crate::machine::Cores;
use crate::process::MeasuredServer;
use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, DATE, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use kontor_json::{Value, json};
use std::convert::Infallible;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;

/// A captured response: headers and body of a 200.
pub(crate) struct CapturedResponse(Response<Bytes>);

impl CapturedResponse {
    /// Captures a response, without the headers that hyper adds itself.
    pub(crate) fn capture(mut reply: Response<Bytes>) -> Self {
        reply.headers_mut().remove(DATE);
        reply.headers_mut().remove(CONTENT_LENGTH);
        Self(reply)
    }

    /// Starts a bare server that sends this response; `file` passes it to the process.
    pub(crate) fn serve(&self, cores: Cores, file: &Path) -> anyhow::Result<MeasuredServer> {
        let headers: Vec<(&str, &str)> = self
            .0
            .headers()
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect();
        let captured = json!({"headers": headers, "body": String::from_utf8_lossy(self.0.body())});
        fs_err::write(file, captured.to_string())?;
        let program = std::env::current_exe()?;
        MeasuredServer::start(cores, &program, &["peer-http".as_ref(), file.as_os_str()])
    }

    fn read(file: &Path) -> anyhow::Result<Self> {
        let captured: Value = kontor_json::from_slice(&fs_err::read(file)?)?;
        let mut headers = HeaderMap::new();
        for pair in captured["headers"].as_array().context("no headers")? {
            let text = |at: usize| pair[at].as_str().unwrap_or_default();
            headers.append(HeaderName::try_from(text(0))?, HeaderValue::try_from(text(1))?);
        }
        let body = captured["body"].as_str().context("no body")?.to_owned();
        let mut reply = Response::new(Bytes::from(body));
        *reply.headers_mut() = headers;
        Ok(Self(reply))
    }
}

/// Serves the response in a file until the process is killed.
pub(crate) fn bare_http(file: &Path) -> anyhow::Result<()> {
    let captured = Arc::new(CapturedResponse::read(file)?);
    // The same runtime that Kontor has.
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut out = std::io::stdout();
        writeln!(out, "bare hyper listening on http://{}", listener.local_addr()?)?;
        out.flush()?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let captured = Arc::clone(&captured);
            let service = service_fn(move |_: Request<hyper::body::Incoming>| {
                let mut reply = Response::new(Full::new(captured.0.body().clone()));
                *reply.headers_mut() = captured.0.headers().clone();
                async move { Ok::<_, Infallible>(reply) }
            });
            tokio::spawn(async move {
                let mut builder = Builder::new();
                // The connection ends when the load generator closes it.
                let _ =
                    builder.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}
