//! Starts a Kontor server with one project, and fetches tokens of its admin client.

use crate::machine::Cores;
use crate::process::MeasuredServer;
use anyhow::{Context as _, ensure};
use base64::Engine as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use std::path::{Path, PathBuf};

/// The key of the benchmark's project.
pub(crate) const PROJECT: &str = "bench";

/// Returns a path below the benchmark's project.
pub(crate) fn path(rest: &str) -> String {
    format!("/{PROJECT}/{rest}")
}

const CLIENT_ID: &str = "bench-client";
const CLIENT_SECRET: &str = "bench-secret";

/// The binary and the cores to start a server with.
#[derive(Debug, Clone)]
pub(crate) struct Kontor {
    pub(crate) program: PathBuf,
    pub(crate) cores: Cores,
}

impl Kontor {
    /// Starts a server on a data folder, which is created if needed.
    pub(crate) async fn start(&self, data: &Path) -> anyhow::Result<MeasuredServer> {
        self.start_with(data, &[]).await
    }

    /// Like [`start`](Self::start), with more command-line flags.
    pub(crate) async fn start_with(&self, data: &Path, flags: &[&str]) -> anyhow::Result<MeasuredServer> {
        let data = data.to_str().context("the data folder has a strange name")?;
        let arguments = [
            "--log",
            "warn",
            "serve",
            "--data",
            data,
            "--listen",
            "127.0.0.1:0",
            "--project",
            PROJECT,
            "--client-id",
            CLIENT_ID,
            "--client-secret",
            CLIENT_SECRET,
        ];
        let mut server = MeasuredServer::start(self.cores, &self.program, &[&arguments[..], flags].concat())?;
        authorize(&mut server).await?;
        Ok(server)
    }
}

/// Fetches a new token of the admin client, for connections that are opened later.
pub(crate) async fn authorize(server: &mut MeasuredServer) -> anyhow::Result<()> {
    let token = token(server).await?;
    server.authorization = Some(format!("Bearer {token}"));
    Ok(())
}

/// The `Authorization` header of the admin client for requests to the authorization service.
pub(crate) fn client_authorization() -> String {
    let basic = base64::engine::general_purpose::STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}"));
    format!("Basic {basic}")
}

async fn token(server: &MeasuredServer) -> anyhow::Result<String> {
    let stream = tokio::net::TcpStream::connect(&server.authority).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await?;
    tokio::spawn(async move {
        // The request over this connection reports the error.
        let _ = connection.await;
    });
    let request = Request::post("/oauth/token")
        .header(HOST, &server.authority)
        .header(AUTHORIZATION, client_authorization())
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Full::new(Bytes::from_static(b"grant_type=client_credentials")))?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    ensure!(status == StatusCode::OK, "no token: {status}: {}", String::from_utf8_lossy(&body));
    let body: kontor_json::Value = kontor_json::from_slice(&body)?;
    Ok(body["access_token"].as_str().context("no access_token")?.to_owned())
}

/// Returns the number of transactions committed to the project's file since it was opened. SQLite counts them in the
/// head of the index of its write-ahead log (`iChange` in the "WAL-index" section of SQLite's file format); each
/// transaction waits for one sync of the log.
pub(crate) fn commits(data: &Path) -> anyhow::Result<u32> {
    let index = fs_err::read(data.join("projects").join(format!("{PROJECT}.db-shm")))?;
    let bytes = index.get(8..12).context("the index of the write-ahead log is too short")?;
    Ok(u32::from_ne_bytes(bytes.try_into()?))
}
