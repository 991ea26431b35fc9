//! `kontor serve`: opens the platform, listens, and serves the API until SIGTERM or SIGINT.
//!
//! The steps are types, so that `kontor demo` can do something in between: [`UnboundServer`] → [`BoundServer`] → [`ListeningServer`].

use crate::arguments::{HttpServerArguments, ServeArguments};
use crate::command_runtime;
use crate::control_socket::{self, ControlSocket};
use crate::data_folder::DataFolder;
use crate::database::{PlatformStores, WAITING_THREADS_MAX};
use crate::developer_logs::DeveloperLogs;
use crate::first_start;
use crate::import;
use crate::memory_size::MemorySize;
use crate::operator::OperatorConnection;
use crate::operator_routes::operator_routes;
use crate::platform::Platform;
use crate::project_move;
use crate::token_sweep;
use anyhow::{Context as _, bail};
use axum::Router;
use futures_util::future::BoxFuture;
use kontor_engine::{Choices, spawn_restarting};
use kontor_errors::catch_panic;
use kontor_events::{HttpExtensionClient, Subscriptions};
use kontor_http::{
    ExternalSettings, Options, PublicServer, metric_descriptions, serve_metrics, serve_operator, serve_public,
};
use kontor_images::Images;
use kontor_outbound::{Destinations, Outbound};
use kontor_services::{REQUEST_LOG_LIMITS, REQUEST_LOG_LIMITS_OF_TESTS, RequestLog};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
#[cfg(feature = "console")]
use secrecy::ExposeSecret as _;
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Maximum number of threads for long queries, in addition to those that serve sockets.
const BLOCKING_THREADS_MAX: usize = 16;
/// Grace period for abandoned work at shutdown. Work that has not committed by then is lost.
const WORK_TIMEOUT: Duration = Duration::from_secs(2);
/// Upper bounds of the histogram buckets of request durations, in seconds.
const DURATION_BUCKETS_SECONDS: &[f64] = &[
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// The metric of commits that share a transaction, and its histogram buckets.
const COMMITS: &str = "kontor_commits_in_transaction";
const COMMITS_BUCKETS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
/// How often measured values are moved into their histogram buckets.
const METRICS_UPKEEP: Duration = Duration::from_secs(2);

/// Runs the command.
pub(crate) fn run(arguments: ServeArguments) -> anyhow::Result<()> {
    let waiting_threads = match arguments.data.database_url {
        None => BLOCKING_THREADS_MAX,
        Some(_) => WAITING_THREADS_MAX,
    };
    if arguments.in_memory {
        must_not_be_public("serve --in-memory", &arguments.http)?;
    }
    start_with(waiting_threads, async move {
        let data = if arguments.in_memory {
            PlatformStores::in_folder(DataFolder::temporary()?)
        } else {
            PlatformStores::open(&arguments.data, true)?
        };
        let data = match arguments.search_url {
            Some(address) => data.with_search(address)?,
            None => data,
        };
        let server = UnboundServer::open(data, arguments.http)?;
        let operator = OperatorConnection::over_routes(server.control());
        let mut hints = String::new();
        if let Some(project) = &arguments.project {
            match (&arguments.client_id, &arguments.client_secret) {
                (Some(id), Some(secret)) => server.platform.ensure_project(project, id, secret).await?,
                _ => hints = first_start::ensure_project(&operator, project).await?,
            }
            // The import ends before the server listens.
            import::import_before_serving(&operator, project, &arguments.import).await?;
        } else if server.platform.has_no_project() {
            hints = first_start::next_steps(arguments.in_memory);
        }
        let listening = server.bind().await?.listen()?;
        first_start::print(&hints)?;
        #[cfg(feature = "console")]
        listening.print_set_up_link().await?;
        listening.serve().await
    })
}

/// Fails if a trial server would listen on an address that others reach, unless the operator allows that.
pub(crate) fn must_not_be_public(command: &str, http: &HttpServerArguments) -> anyhow::Result<()> {
    if http.listen.ip().is_loopback() || http.allow_public_trial {
        return Ok(());
    }
    bail!(
        "`kontor {command}` at {} needs --allow-public-trial: the address is not loopback, so that others on the network reach it",
        http.listen
    )
}

/// Runs a server on its own runtime.
pub(crate) fn start(server: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    start_with(BLOCKING_THREADS_MAX, server)
}

/// Like [`start`], with a maximum number of blocking threads.
fn start_with(
    waiting_threads: usize,
    server: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let runtime = command_runtime::runtime_builder().max_blocking_threads(waiting_threads).build()?;
    let ended = runtime.block_on(async {
        handle_file_size_limit()?;
        server.await
    });
    // Dropping the runtime would wait for all running work without a timeout.
    runtime.shutdown_timeout(WORK_TIMEOUT);
    ended
}

/// Installs a handler for SIGXFSZ. With a file size limit (`ulimit -f`, LimitFSIZE of systemd), writing beyond it ends
/// a process without a handler; with one it gets the error EFBIG, which counts as a full disk.
fn handle_file_size_limit() -> std::io::Result<()> {
    // The handler stays when the stream is dropped.
    signal(SignalKind::from_raw(nix::sys::signal::Signal::SIGXFSZ as i32)).map(drop)
}

/// Maintains the metrics periodically: moves measured values into their buckets, which frees their memory, and reads
/// the metrics of the process.
async fn maintain_metrics(metrics: PrometheusHandle, process: metrics_process::Collector) {
    let mut every = tokio::time::interval(METRICS_UPKEEP);
    loop {
        every.tick().await;
        metrics.run_upkeep();
        process.collect();
    }
}

/// A platform with its HTTP server, not listening yet.
pub(crate) struct UnboundServer {
    pub(crate) platform: Arc<Platform>,
    pub(crate) images: Images,
    listen: SocketAddr,
    metrics_listen: Option<SocketAddr>,
    http: Arc<kontor_http::Server>,
    public: PublicServer,
    control: Router,
    preparing: JoinHandle<()>,
}

/// A server with a bound address, which does not accept connections yet.
pub(crate) struct BoundServer {
    server: UnboundServer,
    listener: TcpListener,
    metrics: Option<TcpListener>,
}

/// A server whose sockets are open.
pub(crate) struct ListeningServer {
    server: UnboundServer,
    listener: TcpListener,
    metrics: Option<TcpListener>,
    control: Option<(UnixListener, ControlSocket)>,
    stop: (Signal, Signal),
}

/// Builds the HTTP client for outgoing requests that project settings cause, within the operator's limits.
fn outbound_client(arguments: &HttpServerArguments) -> Outbound {
    let destinations = match arguments.allow_private_destinations || arguments.test_controls {
        true => Destinations::Any,
        false => Destinations::Public,
    };
    let outbound = Outbound::new(destinations);
    let outbound = if arguments.use_server_credentials { outbound.with_own_credentials() } else { outbound };
    if arguments.test_controls { outbound.for_tests() } else { outbound }
}

/// Returns the logs that developers read. Tests read bodies in them.
fn developer_logs(arguments: &HttpServerArguments, outbound: &Outbound) -> DeveloperLogs {
    let limits = if arguments.test_controls { REQUEST_LOG_LIMITS_OF_TESTS } else { REQUEST_LOG_LIMITS };
    DeveloperLogs {
        deliveries: Arc::clone(outbound.deliveries()),
        requests: Arc::new(RequestLog::new(limits)),
    }
}

/// Converts the flags into options of the HTTP server.
fn http_options(arguments: &HttpServerArguments, snapshot_folder: PathBuf, outbound: Outbound) -> Options {
    let listen = arguments.listen;
    Options {
        strict: arguments.strict,
        serves_console: !arguments.no_console,
        oidc: arguments.oidc.settings(),
        test_controls: arguments.test_controls,
        test_token: arguments.test_token.clone(),
        snapshot_folder,
        public_url: arguments.public_url.clone(),
        own_url: own_url(listen),
        serves_metrics: arguments.public_metrics
            || (listen.ip().is_loopback() && arguments.metrics_listen.is_none()),
        cors_origins: arguments.cors_origins.clone(),
        auth_alias_hosts: arguments.auth_alias_hosts.clone(),
        trusted_proxies: arguments.trusted_proxies.clone(),
        outbound: Some(outbound),
        external_oauth: Some(ExternalSettings {
            header: kontor_commerce::EXTERNAL_OAUTH_HEADER,
            url: kontor_commerce::EXTERNAL_OAUTH_URL,
        }),
        slow_search: Some(Duration::from_millis(arguments.slow_search_ms)),
        memory_bytes_max: arguments.memory_max.or_else(MemorySize::detect).map(MemorySize::bytes),
        ..Options::default()
    }
}

/// Builds the GraphQL schema and the outgoing HTTP client on a background thread, so that they do not delay the start.
/// If that fails, the server is not ready.
fn prepare_in_background(http: &Arc<kontor_http::Server>, outbound: Outbound) -> JoinHandle<()> {
    let http = Arc::clone(http);
    std::thread::spawn(move || {
        let prepared = catch_panic(|| {
            http.prepare();
            outbound.prepare();
        });
        if let Err(panicked) = prepared {
            let error = panicked.broken().map(ToString::to_string).unwrap_or_default();
            tracing::error!(error, "the server could not be prepared");
            http.add_not_ready(format!("The server could not be prepared: {error}"));
        }
    })
}

impl UnboundServer {
    /// Opens the platform and builds its HTTP server. Fails if the flags contradict each other.
    pub(crate) fn open(data: PlatformStores, arguments: HttpServerArguments) -> anyhow::Result<Self> {
        let listen = arguments.listen;
        project_move::must_not_have_moved(&data.folder, data.database.as_ref())?;
        if arguments.test_token.as_deref() == Some("") {
            bail!("--test-token is empty: is its environment variable set?");
        }
        if arguments.test_controls && !listen.ip().is_loopback() && arguments.test_token.is_none() {
            bail!("--test-controls on {listen} needs --test-token: the address is not loopback");
        }
        // Installed before anything is opened, so that no metrics are lost.
        let metrics = PrometheusBuilder::new()
            .set_buckets(DURATION_BUCKETS_SECONDS)
            .and_then(|all| all.set_buckets_for_metric(Matcher::Full(COMMITS.to_owned()), COMMITS_BUCKETS))
            .and_then(PrometheusBuilder::install_recorder)
            .context("the metrics recorder cannot be installed")?;
        metric_descriptions::describe();
        kontor_events::describe();
        let process = metrics_process::Collector::default();
        process.describe();
        process.collect();
        let token_requests = NonZeroU32::new(arguments.token_requests_per_second);
        // The listen address, if there is no public URL.
        let reached_at =
            arguments.public_url.clone().unwrap_or_else(|| format!("http://{}", arguments.listen));
        let choices = [
            arguments.ordinary_line_item_states.then_some(kontor_commerce::ORDINARY_LINE_ITEM_STATES),
            arguments.projection_search.then_some(kontor_commerce::PROJECTION_SEARCH),
            arguments.no_change_history.then_some(kontor_history::NO_HISTORY),
        ];
        let outbound = outbound_client(&arguments);
        let accepts_unreachable = arguments.accept_unreachable_destinations || arguments.test_controls;
        let calls = HttpExtensionClient::new(Some(outbound.clone()), accepts_unreachable);
        let logs = developer_logs(&arguments, &outbound);
        let platform = Arc::new(Platform::open_with(
            data,
            &arguments.limit,
            token_requests,
            Choices::from_names(choices.into_iter().flatten()).with_public_url(Some(reached_at)),
            calls,
            Subscriptions::new(Some(outbound.clone())),
            logs.clone(),
        )?);
        platform.must_have_project_files()?;
        tokio::spawn(maintain_metrics(metrics.clone(), process));
        let swept = Arc::clone(&platform);
        spawn_restarting(None, "sweeping", move || Box::pin(token_sweep::run(Arc::clone(&swept))));
        let options = http_options(&arguments, platform.folder.snapshots(), outbound.clone());
        let options = Options { request_log: logs.requests, ..options };
        let images = match &arguments.image_store {
            Some(url) => Images::in_bucket(url)?,
            None => platform.folder.images()?,
        };
        let images = images.keeping_metadata(arguments.keep_image_metadata);
        let http = platform.server(images.clone(), metrics, options)?;
        let unusable = platform.unusable_project_files();
        for reason in &unusable {
            tracing::error!(reason, "a project cannot be served");
        }
        http.set_not_ready(unusable);
        let bucket = arguments.image_store.as_deref();
        let control = operator_routes(Arc::clone(&platform), Arc::clone(&http), bucket);
        let preparing = prepare_in_background(&http, outbound);
        let metrics_listen = arguments.metrics_listen;
        let public = PublicServer::new(Arc::clone(&http));
        Ok(Self { platform, images, listen, metrics_listen, http, public, control, preparing })
    }

    /// Returns the routes of the operator.
    pub(crate) fn control(&self) -> Router {
        self.control.clone()
    }

    /// Binds the listen address. Clients that connect wait until [`ListeningServer::serve`].
    pub(crate) async fn bind(self) -> anyhow::Result<BoundServer> {
        self.platform.open_interrupted().await?;
        let listener = listen_at("--listen", self.listen).await?;
        let metrics = match self.metrics_listen {
            Some(address) => Some(listen_at("--metrics-listen", address).await?),
            None => None,
        };
        Ok(BoundServer { server: self, listener, metrics })
    }
}

async fn listen_at(flag: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| explain_bind_error(flag, address, error))
}

/// Returns the URL of the server for clients on the same machine.
fn own_url(listen: SocketAddr) -> String {
    match listen.ip().is_unspecified() {
        true => format!("http://localhost:{}", listen.port()),
        false => format!("http://{listen}"),
    }
}

/// Explains why an address cannot be bound, and what to do.
fn explain_bind_error(flag: &str, address: SocketAddr, error: std::io::Error) -> anyhow::Error {
    let help = match error.kind() {
        ErrorKind::AddrInUse => format!(
            ": another process listens there, perhaps another Kontor. Choose another port with {flag}, or 0 for a \
             free one"
        ),
        ErrorKind::PermissionDenied => {
            format!(": ports below 1024 need administrator rights. Choose another with {flag}")
        }
        ErrorKind::AddrNotAvailable => {
            format!(
                ": it is no address of this machine. {flag} 0.0.0.0:{} listens on all of them",
                address.port()
            )
        }
        _ => String::new(),
    };
    anyhow::Error::new(error).context(format!("cannot listen on {address}{help}"))
}

impl BoundServer {
    /// Returns the URL of the bound address.
    pub(crate) fn url(&self) -> anyhow::Result<String> {
        Ok(format!("http://{}", self.listener.local_addr()?))
    }

    /// Opens the control socket, and prints one line on standard output for people and for scripts that wait for the
    /// start.
    pub(crate) fn listen(self) -> anyhow::Result<ListeningServer> {
        let url = self.url()?;
        let Self { server, listener, metrics } = self;
        let folder = &server.platform.folder;
        let control = if folder.is_permanent() { Some(control_socket::bind(folder.path())?) } else { None };
        let stop = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let mut out = std::io::stdout();
        writeln!(out, "kontor listening on {url}")?;
        out.flush()?;
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            data = %folder.path().display(),
            projects = server.platform.auth.projects().len(),
            url,
            "started"
        );
        if let Some(metrics) = &metrics {
            tracing::info!(url = format!("http://{}/metrics", metrics.local_addr()?), "metrics are served");
        }
        Ok(ListeningServer { server, listener, metrics, control, stop })
    }
}

impl ListeningServer {
    /// Prints a link to create the first operator of the console, if there is none. The link is a secret, and therefore
    /// not in the log.
    #[cfg(feature = "console")]
    pub(crate) async fn print_set_up_link(&self) -> anyhow::Result<()> {
        if !self.serves_console() {
            return Ok(());
        }
        let system = &self.server.platform.auth;
        match system.create_set_up_link(jiff::Timestamp::now().as_millisecond()).await {
            Ok(Some(token)) => {
                let link = self.console_link(token.expose_secret())?;
                // A script may have closed the output after the first line; the server runs all the same.
                let mut out = std::io::stdout();
                let line = "console, to create the first operator (once, within an hour):";
                let _ = writeln!(out, "{line} {link}").and_then(|()| out.flush());
            }
            Ok(None) => {}
            // The console can be set up at a later start.
            Err(error) => tracing::warn!(%error, "no link to set up the console could be made"),
        }
        Ok(())
    }

    /// Returns whether the console is served.
    #[cfg(feature = "console")]
    pub(crate) fn serves_console(&self) -> bool {
        self.server.http.serves_console()
    }

    /// Returns the address of a link to the console with this token.
    #[cfg(feature = "console")]
    pub(crate) fn console_link(&self, token: &str) -> anyhow::Result<String> {
        Ok(match self.server.http.public_url() {
            Some(url) => kontor_console::sign_in_link(url, token),
            None => kontor_console::sign_in_link(&own_url(self.listener.local_addr()?), token),
        })
    }

    /// Serves until SIGTERM or SIGINT.
    pub(crate) async fn serve(self) -> anyhow::Result<()> {
        let Self { server, listener, metrics, control, mut stop } = self;
        let (stopping, stopped) = watch::channel(());
        let wait = async move {
            tokio::select! {
                _ = stop.0.recv() => {}
                _ = stop.1.recv() => {}
            }
            tracing::info!("stopping: open requests are finished first");
            drop(stopping);
        };
        // Nothing is ever sent; receivers wait until the sender is dropped.
        let until = |mut stopped: watch::Receiver<()>| -> BoxFuture<'static, ()> {
            Box::pin(async move { while stopped.changed().await.is_ok() {} })
        };
        let public = serve_public(listener, server.public.clone(), until(stopped.clone()));
        let operator = async {
            if let Some((listener, guard)) = control {
                serve_operator(listener, server.control.clone(), until(stopped.clone())).await;
                drop(guard);
            }
        };
        let metrics = async {
            if let Some(listener) = metrics {
                serve_metrics(listener, Arc::clone(&server.http), until(stopped.clone())).await;
            }
        };
        tokio::join!(wait, public, operator, metrics);

        server.platform.stop().await;
        server.platform.close();
        // This thread holds all files. They are closed when it ends, so that no write-ahead logs remain to be copied
        // along.
        let preparing = server.preparing;
        if !matches!(tokio::task::spawn_blocking(move || preparing.join()).await, Ok(Ok(()))) {
            tracing::error!("the preparation thread ended with a panic");
        }
        tracing::info!("stopped");
        Ok(())
    }
}
