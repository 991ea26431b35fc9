//! Connects commands to the platform, see [`OperatorConnection`]. There are three ways: the control socket of the server that
//! owns the data folder; without such a server, the same routes in this process, which then owns the folder; and for
//! commands that need only the HTTP API, any server as a client ([`RemoteProject`]).
//!
//! In each case a command sends HTTP requests, so that it works and fails in the same way with and without a server.

use crate::arguments::{DataArguments, ProjectPlace};
use crate::command_response::CommandResponse;
use crate::command_runtime;
use crate::control_socket;
use crate::data_folder::DataFolder;
use crate::database::PlatformStores;
use crate::operator_routes::operator_routes;
use crate::platform::Platform;
use crate::project_move;
use crate::remote::RemoteProject;
use crate::resource_limit::ResourceLimit;
use crate::resource_paths::percent_encoded;
use anyhow::{Context as _, anyhow, bail};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Response, header};
use http_body_util::BodyExt as _;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use kontor_engine::PreservedMetadata;
use kontor_http::{HASHED_SECRETS_HEADER, ID_HEADER, Options, VERSION_HEADER};
use kontor_json::Value;
use metrics_exporter_prometheus::PrometheusBuilder;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tower::ServiceExt as _;

/// How long a command waits for a server that owns the folder but does not respond, because it is starting or stopping.
const SERVER_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the command checks meanwhile.
const SERVER_POLL: Duration = Duration::from_millis(50);

/// A connection to the platform that sends requests with the rights of the operator, or of an API client.
pub(crate) struct OperatorConnection(OperatorTransport);

enum OperatorTransport {
    Socket {
        folder: PathBuf,
        idle: Mutex<Vec<SendRequest<Body>>>,
    },
    /// Routes of this process. `platform` is set if it was opened for this command alone, and is then stopped at the
    /// end.
    Here {
        router: Router,
        platform: Option<Arc<Platform>>,
    },
    /// Any server, as an API client.
    Remote(Box<RemoteProject>),
}

impl OperatorConnection {
    /// Connects to the platform of a data folder. Fails if the path is no data folder, unless it `may_be_new`.
    pub(crate) async fn connect(data: &DataArguments, may_be_new: bool) -> anyhow::Result<Self> {
        Self::connect_with_limits(data, may_be_new, &[]).await
    }

    /// Like [`OperatorConnection::connect`], with resource limits for this process. A running server keeps its own
    /// limits.
    pub(crate) async fn connect_with_limits(
        data: &DataArguments,
        may_be_new: bool,
        limits: &[ResourceLimit],
    ) -> anyhow::Result<Self> {
        let check =
            |data: &PlatformStores| project_move::must_not_have_moved(&data.folder, data.database.as_ref());
        Self::connect_if(data, may_be_new, limits, check).await
    }

    /// Like [`OperatorConnection::connect`], but also if the projects have moved elsewhere, to finish that move.
    pub(crate) async fn connect_even_if_moved(data: &DataArguments) -> anyhow::Result<Self> {
        Self::connect_if(data, false, &[], |_| Ok(())).await
    }

    async fn connect_if(
        data: &DataArguments,
        may_be_new: bool,
        limits: &[ResourceLimit],
        check: impl Fn(&PlatformStores) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let here = |data: PlatformStores| {
            check(&data)?;
            Self::open_in_process(data, limits)
        };
        let folder = &data.data;
        let started = tokio::time::Instant::now();
        loop {
            if let Some(connection) = control_socket::connect(folder).await? {
                let idle = Mutex::new(vec![http_handshake(connection).await?]);
                return Ok(Self(OperatorTransport::Socket { folder: folder.clone(), idle }));
            }
            if data.database_url.is_some() {
                return here(PlatformStores::open(data, false)?);
            }
            if !may_be_new && !DataFolder::is_data_folder(folder) {
                bail!(
                    "{} is no data folder (--data names another; kontor project create KEY creates one)",
                    folder.display()
                );
            }
            match DataFolder::open(folder) {
                Ok(folder) => return here(PlatformStores::in_folder(folder)),
                // A server that is starting or stopping holds the lock, but has no socket.
                Err(error) if is_in_use(&error) && started.elapsed() < SERVER_TIMEOUT => {
                    tokio::time::sleep(SERVER_POLL).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn open_in_process(data: PlatformStores, limits: &[ResourceLimit]) -> anyhow::Result<Self> {
        let platform = Arc::new(Platform::open(data, limits)?);
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let server = platform.server(platform.folder.images()?, metrics, Options::default())?;
        let router = operator_routes(Arc::clone(&platform), server, None);
        Ok(Self(OperatorTransport::Here { router, platform: Some(platform) }))
    }

    /// Connects to a project: as a client of the server at `--url` if given, otherwise through its data folder.
    pub(crate) async fn connect_to_project(place: &ProjectPlace) -> anyhow::Result<Self> {
        Self::connect_to_project_with_limits(place, &[]).await
    }

    /// Like [`OperatorConnection::connect_to_project`], with limits as in [`OperatorConnection::connect_with_limits`].
    pub(crate) async fn connect_to_project_with_limits(
        place: &ProjectPlace,
        limits: &[ResourceLimit],
    ) -> anyhow::Result<Self> {
        match RemoteProject::connect(&place.server).await? {
            Some(remote) => Ok(Self(OperatorTransport::Remote(Box::new(remote)))),
            None => Self::connect_with_limits(&place.data, false, limits).await,
        }
    }

    /// True for an API client of any server: it cannot choose ids, nor act for all business units.
    pub(crate) fn is_client(&self) -> bool {
        matches!(self.0, OperatorTransport::Remote(_))
    }

    /// Uses routes of this process.
    pub(crate) fn over_routes(router: Router) -> Self {
        Self(OperatorTransport::Here { router, platform: None })
    }

    /// Sends a request and reads the response. Error responses are `Ok`; fails only without a response.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<CommandResponse> {
        self.send_with_preserved(method, path, PreservedMetadata::default(), body).await
    }

    /// Like [`OperatorConnection::send`], and creates the resource with the preserved id, version and hashes. API clients cannot.
    pub(crate) async fn send_with_preserved(
        &self,
        method: Method,
        path: &str,
        preserved: PreservedMetadata<'_>,
        body: Option<&Value>,
    ) -> anyhow::Result<CommandResponse> {
        if let OperatorTransport::Remote(remote) = &self.0 {
            return remote.send(method, path, body).await;
        }
        let (response, connection) = self.exchange(method, path, preserved, body).await?;
        let status = response.status().as_u16();
        let bytes = response
            .into_body()
            .collect()
            .await
            .context("the connection broke during the response")?
            .to_bytes();
        if let (OperatorTransport::Socket { idle, .. }, Some(connection)) = (&self.0, connection) {
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            kontor_json::from_slice(&bytes).context("the response is no JSON")?
        };
        Ok(CommandResponse { status, body })
    }

    /// Fails if the project does not exist. The error lists the projects that do.
    pub(crate) async fn check_project(&self, project: &str) -> anyhow::Result<()> {
        let reply = self.send(Method::GET, &format!("/{}", percent_encoded(project)), None).await?;
        let Err(refusal) = reply.accepted() else { return Ok(()) };
        if let OperatorTransport::Remote(remote) = &self.0 {
            let hint = "the project of --project must exist there, and the client needs its scope view_project_settings";
            return Err(refusal).with_context(|| format!("project '{project}' at {} ({hint})", remote.url()));
        }
        let listed = self.send(Method::GET, "/_operator/projects", None).await?.accepted()?;
        let keys = listed["results"].as_array().into_iter().flatten();
        let keys: Vec<&str> = keys.filter_map(|listed| listed["key"].as_str()).collect();
        if keys.contains(&project) {
            return Err(refusal).with_context(|| format!("project '{project}'"));
        }
        match keys.as_slice() {
            [] => {
                bail!(
                    "there is no project '{project}' here, nor any other: kontor project create creates one"
                )
            }
            keys => bail!("there is no project '{project}' here; --project is one of {}", keys.join(", ")),
        }
    }

    /// Sends a request and returns the response with an unread body. Fails for an error response.
    pub(crate) async fn stream(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Response<Body>> {
        let response = self.exchange(method, path, PreservedMetadata::default(), body).await?.0;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await?.to_bytes();
        let body = kontor_json::from_slice(&bytes).unwrap_or_default();
        bail!(CommandResponse { status, body }.refusal())
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        preserved: PreservedMetadata<'_>,
        body: Option<&Value>,
    ) -> anyhow::Result<(Response<Body>, Option<SendRequest<Body>>)> {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "kontor");
        if let Some(id) = preserved.id {
            request = request.header(ID_HEADER, id);
        }
        if let Some(version) = preserved.version {
            request = request.header(VERSION_HEADER, version);
        }
        if preserved.is_hashed {
            request = request.header(HASHED_SECRETS_HEADER, "true");
        }
        let request = match body {
            Some(body) => {
                request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body.to_string()))
            }
            None => request.body(Body::empty()),
        }?;
        match &self.0 {
            OperatorTransport::Here { router, .. } => match router.clone().oneshot(request).await {
                Ok(response) => Ok((response, None)),
                Err(never) => match never {},
            },
            OperatorTransport::Remote(remote) => bail!("API clients of {} cannot do this", remote.url()),
            OperatorTransport::Socket { folder, idle } => {
                let mut preserved = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                if let Some(connection) = &mut preserved
                    && connection.ready().await.is_err()
                {
                    preserved = None;
                }
                let mut connection = match preserved {
                    Some(preserved) => preserved,
                    None => {
                        let connection = control_socket::connect(folder).await?;
                        http_handshake(connection.ok_or_else(|| anyhow!("the server has stopped"))?).await?
                    }
                };
                let response =
                    connection.send_request(request).await.context("the server does not respond")?;
                Ok((response.map(Body::new), Some(connection)))
            }
        }
    }
}

impl Drop for OperatorConnection {
    fn drop(&mut self) {
        if let OperatorTransport::Here { platform: Some(platform), .. } = &self.0 {
            let end = async {
                platform.settle_derived_fields().await;
                platform.stop().await;
            };
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(end));
        }
    }
}

async fn http_handshake(stream: tokio::net::UnixStream) -> anyhow::Result<SendRequest<Body>> {
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    // Ends when the sender is dropped; errors of the connection show up as missing responses.
    tokio::spawn(connection);
    Ok(sender)
}

fn is_in_use(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(kontor_storage::Error::FolderInUse { .. }))
}

/// Runs a command on a runtime like that of a server, because the platform may run in this process.
pub(crate) fn run_command<T>(command: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    command_runtime::runtime_builder().build()?.block_on(command)
}
