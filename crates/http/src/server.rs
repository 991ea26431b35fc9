//! What all requests share: state, and what is done with projects as wholes.

use crate::compression::Unchanging;
use crate::counts::Counts;
use crate::faults::Faults;
use crate::held::Held;
use crate::in_flight::InFlight;
use crate::introspection::HttpIntrospection;
use crate::rights::Rights;
use crate::routes::Routes;
use futures_util::future::BoxFuture;
use ipnet::IpNet;
use kontor_auth::{ExternalTokens, System};
use kontor_engine::{MemoryBudget, Shop, Shops, Turns, unknown_project};
use kontor_errors::ApiResult;
use kontor_finding::Finder;
use kontor_graphql::GraphQl;
use kontor_images::Images;
use kontor_imports::Imports;
use kontor_indexing::Searches;
use kontor_model::Model;
use kontor_outbound::Outbound;
use kontor_rest::Rest;
use kontor_services::Services;
use metrics_exporter_prometheus::PrometheusHandle;
use parking_lot::RwLock;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Why requests are refused while a shared database has no projects.
pub(crate) const NO_PROJECTS: &str = "The database has no projects yet: they are on their way (kontor move), or none was created \
                                      (kontor project create). Try again in a moment.";

/// What all requests share.
pub struct Server {
    pub(crate) shops: Arc<Shops>,
    pub(crate) system: Arc<System>,
    pub(crate) options: Options,
    /// Images that were uploaded.
    pub(crate) images: Images,
    pub(crate) imports: Arc<Imports>,
    pub(crate) services: Services,
    pub(crate) metrics: PrometheusHandle,
    pub(crate) counts: Counts,
    pub(crate) model: Arc<Model>,
    /// The paths of the model's operations, by their positions in its table.
    pub(crate) routes: Routes,
    /// What the operations ask for.
    pub(crate) rights: Arc<Rights>,
    pub(crate) rest: Rest,
    /// The GraphQL face, once it is derived; `None` where the model does not allow it.
    pub(crate) graphql: OnceLock<Option<Arc<GraphQl>>>,
    pub(crate) held: Held,
    /// `None`: no tokens but the service's own are valid.
    pub(crate) external: Option<External>,
    pub(crate) faults: Faults,
    /// Why not all that there is can be served; empty where it can.
    pub(crate) not_ready: RwLock<Vec<String>>,
    /// What all requests hold of memory.
    pub(crate) in_flight: Arc<InFlight>,
    /// The OpenAPI document, once somebody has asked for it.
    pub(crate) openapi: OnceLock<Unchanging>,
    /// The page of GraphQL, likewise.
    pub(crate) graphql_page: OnceLock<Unchanging>,
}

/// What the operator decides.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Refuse fields of bodies that nobody knows, instead of ignoring them.
    pub strict: bool,
    /// Serve `/metrics` at the public address. The operator's socket has it in any case.
    pub serves_metrics: bool,
    /// Serve `/_test/…`.
    pub test_controls: bool,
    /// What calls of the test controls must carry in `X-Test-Token`.
    pub test_token: Option<String>,
    /// Where snapshots of the test controls are kept.
    pub snapshot_folder: PathBuf,
    /// Where clients reach the server, for addresses in answers; `None`: where the request was sent to, if that is a name of this machine.
    pub public_url: Option<String>,
    /// Where the server listens, such as `http://127.0.0.1:8989`: for addresses in answers to requests that were sent to another name.
    pub own_url: String,
    /// Origins that browsers may call from; empty: all.
    pub cors_origins: Vec<String>,
    /// Host names under which the authorization service answers with a warning that they are going away.
    pub auth_alias_hosts: Vec<String>,
    /// Where proxies are whose word on who sent a request counts.
    pub trusted_proxies: Vec<IpNet>,
    /// The client for requests that settings of projects cause; `None`: no certificates are trusted here.
    pub outbound: Option<Outbound>,
    /// The setting of a project's storage that holds the header for its external OAuth server; `None`: tokens of such
    /// servers are not valid.
    pub external_oauth_header: Option<&'static str>,
    /// The log is told of searches that take so long or longer; `None`: of none.
    pub slow_search: Option<Duration>,
    /// The memory that the process may use, in bytes; `None`: nothing is known of it.
    pub memory_bytes_max: Option<u64>,
}

/// Tokens of external servers.
pub(crate) struct External {
    pub(crate) tokens: ExternalTokens,
    pub(crate) header_setting: &'static str,
}

impl Server {
    /// A server over running projects and the authorization service. Fails where the model names a scope that the
    /// authorization service does not know.
    pub fn new(
        shops: Arc<Shops>,
        system: Arc<System>,
        searches: Arc<Searches>,
        images: Images,
        imports: Arc<Imports>,
        metrics: PrometheusHandle,
        options: Options,
    ) -> Result<Self, String> {
        let model = Arc::clone(shops.model());
        let held = Held::new(&model, Arc::clone(&system))?;
        let memory_bytes_max = options.memory_bytes_max;
        let budget = Arc::new(memory_bytes_max.map_or_else(MemoryBudget::default, MemoryBudget::of_memory));
        let rest = Rest {
            model: Arc::clone(&model),
            finder: Arc::new(Finder::new(Arc::clone(&model), searches).telling_of_slow(options.slow_search)),
            turns: Turns::new(Arc::clone(&budget)),
            images: images.clone(),
            public_url: options.public_url.clone(),
            own_url: options.own_url.clone(),
            holders: held.for_rest(),
        };
        Ok(Self {
            routes: Routes::of(model.operations())?,
            rights: Arc::new(Rights::of(&model)?),
            external: options
                .external_oauth_header
                .zip(options.outbound.clone())
                .map(|(header_setting, outbound)| External::new(header_setting, outbound)),
            services: Services::new(&model, options.outbound.clone())?,
            shops,
            system,
            options,
            images,
            imports,
            metrics,
            counts: Counts::new(model.operations()),
            model,
            rest,
            held,
            faults: Faults::default(),
            not_ready: RwLock::default(),
            in_flight: Arc::new(InFlight::new(Arc::clone(&budget))),
            openapi: OnceLock::new(),
            graphql_page: OnceLock::new(),
            graphql: OnceLock::new(),
        })
    }

    /// True while the database that servers share has no projects: it is empty, or `kontor move` is filling it. It lists all
    /// projects in one transaction at the end of a move, when their clients and tokens are there already. Until then every token is
    /// unknown here, which is no reason to call one invalid.
    pub(crate) fn waits_for_projects(&self) -> bool {
        self.system.is_shared() && self.system.has_no_projects()
    }

    /// Where uploaded images are.
    pub fn images(&self) -> &Images {
        &self.images
    }

    /// Says why not all that there is can be served.
    pub fn is_not_ready(&self, reasons: Vec<String>) {
        *self.not_ready.write() = reasons;
    }

    /// The running project of a key, opened when it exists and does not run yet. What stands in memory of it is as new as the
    /// question.
    pub fn shop<'a>(&'a self, key: &'a str) -> BoxFuture<'a, ApiResult<Arc<Shop>>> {
        Box::pin(async move {
            if let Some(shop) = self.shops.running(key) {
                if shop.storage().is_shared() {
                    Box::pin(shop.catch_up()).await?;
                }
                return Ok(shop);
            }
            match self.system.project(key) {
                Some(project) => Box::pin(self.shops.open(key, project.name())).await,
                None => Err(unknown_project(key)),
            }
        })
    }

    /// Removes a project with its clients and everything in it.
    pub fn remove_project<'a>(&'a self, key: &'a str) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            if self.system.project(key).is_none() {
                return Err(unknown_project(key));
            }
            // First, as a bucket may be out of reach: the project is there then to be removed again.
            self.images.forget(key).await?;
            if !self.system.remove_project(key).await? {
                return Err(unknown_project(key));
            }
            self.shops.remove(key).await?;
            self.forget_faults(key);
            Ok(())
        })
    }

    /// Forgets the faults that tests asked for in a project.
    pub(crate) fn forget_faults(&self, key: &str) {
        self.faults.forget(key);
        if let Some(faults) = self.options.outbound.as_ref().and_then(Outbound::faults) {
            faults.forget(key);
        }
    }

    /// The time in a project, for tokens; real time where there is no such project.
    pub(crate) fn now_ms(&self, key: &str) -> i64 {
        match self.shops.running(key) {
            Some(shop) => shop.clock.now().as_millisecond(),
            None => jiff::Timestamp::now().as_millisecond(),
        }
    }
}

impl External {
    fn new(header_setting: &'static str, outbound: Outbound) -> Self {
        Self { tokens: ExternalTokens::new(Arc::new(HttpIntrospection::new(outbound))), header_setting }
    }
}
