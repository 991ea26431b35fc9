//! What all requests share.

use crate::counts::Counts;
use crate::held::Held;
use crate::introspection::HttpIntrospection;
use crate::test_controls::Faults;
use bytes::Bytes;
use ipnet::IpNet;
use kontor_auth::{ExternalTokens, ScopeName, System};
use kontor_engine::{Shop, Shops, unknown_project};
use kontor_errors::ApiResult;
use kontor_finding::Finder;
use kontor_graphql::GraphQl;
use kontor_images::Images;
use kontor_indexing::Searches;
use kontor_model::{KindId, Model};
use metrics_exporter_prometheus::PrometheusHandle;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The REST face of a server.
pub struct Face {
    pub(crate) shops: Arc<Shops>,
    pub(crate) system: Arc<System>,
    pub(crate) finder: Arc<Finder>,
    pub(crate) options: Options,
    /// Images that were uploaded.
    pub(crate) images: Images,
    pub(crate) metrics: PrometheusHandle,
    pub(crate) counts: Counts,
    pub(crate) model: Arc<Model>,
    /// Scopes of the model as the authorization service knows them, by kind.
    scopes: Vec<KindScopes>,
    pub(crate) held: Held,
    /// `None`: no tokens but the service's own are valid.
    pub(crate) external: Option<External>,
    pub(crate) faults: Faults,
    /// The OpenAPI document, once somebody has asked for it.
    pub(crate) openapi: OnceLock<Bytes>,
    /// The GraphQL face, once it is derived; `None` where the model does not allow it.
    pub(crate) graphql: OnceLock<Option<Arc<GraphQl>>>,
}

/// What the operator decides.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Serve `/_test/…`.
    pub test_controls: bool,
    /// What calls of the test controls must carry in `X-Test-Token`.
    pub test_token: Option<String>,
    /// Where snapshots of the test controls are kept.
    pub snapshot_folder: PathBuf,
    /// Where clients reach the server, for addresses in answers; `None`: where the request was sent to.
    pub public_url: Option<String>,
    /// Origins that browsers may call from; empty: all.
    pub cors_origins: Vec<String>,
    /// Host names under which the authorization service answers with a warning that they are going away.
    pub auth_alias_hosts: Vec<String>,
    /// Where proxies are whose word on who sent a request counts.
    pub trusted_proxies: Vec<IpNet>,
    /// The setting of a project's storage that holds the header for its external OAuth server; `None`: tokens of such
    /// servers are not valid.
    pub external_oauth_header: Option<&'static str>,
}

/// Tokens of external servers.
pub(crate) struct External {
    pub(crate) tokens: ExternalTokens,
    pub(crate) header_setting: &'static str,
}

#[derive(Debug, Default)]
struct KindScopes {
    view: Vec<ScopeName>,
    query: Vec<ScopeName>,
    staged: Vec<ScopeName>,
    manage: Vec<ScopeName>,
    view_in_store: Vec<ScopeName>,
    manage_in_store: Vec<ScopeName>,
    mine: Vec<ScopeName>,
    search: Vec<ScopeName>,
    search_status: Vec<ScopeName>,
}

impl Face {
    /// A face over running projects and the authorization service. Fails where the model names a scope that
    /// the authorization service does not know.
    pub fn new(
        shops: Arc<Shops>,
        system: Arc<System>,
        searches: Arc<Searches>,
        images: Images,
        metrics: PrometheusHandle,
        options: Options,
    ) -> Result<Self, String> {
        let model = Arc::clone(shops.model());
        let mut scopes = Vec::new();
        for (_, kind) in model.kinds() {
            let known = |names: &[String]| {
                names
                    .iter()
                    .map(|name| {
                        ScopeName::parse(name).ok_or_else(|| format!("{}: unknown scope '{name}'", kind.name))
                    })
                    .collect::<Result<Vec<_>, _>>()
            };
            let in_store = kind.in_store.as_ref();
            scopes.push(KindScopes {
                view: known(&kind.view_scopes)?,
                query: known(&kind.query_scopes)?,
                manage: known(&kind.manage_scopes)?,
                staged: known(kind.projection.as_ref().map_or(&[], |projection| &projection.staged_scopes))?,
                view_in_store: known(in_store.map_or(&[], |in_store| &in_store.view_scopes))?,
                manage_in_store: known(in_store.map_or(&[], |in_store| &in_store.manage_scopes))?,
                search: known(kind.search.as_ref().map_or(&[], |search| &search.scopes))?,
                search_status: known(kind.search.as_ref().map_or(&[], |search| &search.status_scopes))?,
                mine: known(kind.mine.as_ref().map_or(&[], |mine| &mine.scopes))?,
            });
        }
        let held = Held::new(&model, Arc::clone(&system))?;
        let external = options.external_oauth_header.and_then(External::new);
        Ok(Self {
            shops,
            system,
            finder: Arc::new(Finder::new(Arc::clone(&model), searches)),
            options,
            images,
            metrics,
            counts: Counts::default(),
            model,
            scopes,
            held,
            external,
            faults: Faults::default(),
            openapi: OnceLock::new(),
            graphql: OnceLock::new(),
        })
    }

    /// Any one of these allows searches of a kind.
    pub(crate) fn search_scopes(&self, kind: KindId) -> &[ScopeName] {
        &self.scopes[kind.index()].search
    }

    /// Any one of these allows asking how far the indexing of a kind is.
    pub(crate) fn status_scopes(&self, kind: KindId) -> &[ScopeName] {
        &self.scopes[kind.index()].search_status
    }

    /// Any one of these allows queries of a kind.
    pub(crate) fn query_scopes(&self, kind: KindId) -> &[ScopeName] {
        &self.scopes[kind.index()].query
    }

    /// Any one of these allows reading the side that is being worked on, of a kind that has one.
    pub(crate) fn staged_scopes(&self, kind: KindId) -> &[ScopeName] {
        &self.scopes[kind.index()].staged
    }

    /// Any one of these allows reading or writing documents of a kind: of one Store, of who asks, or all of them.
    pub(crate) fn scopes_of(&self, kind: KindId, in_store: bool, mine: bool, writes: bool) -> &[ScopeName] {
        let scopes = &self.scopes[kind.index()];
        match (mine, in_store, writes) {
            (true, ..) => &scopes.mine,
            (false, true, false) => &scopes.view_in_store,
            (false, true, true) => &scopes.manage_in_store,
            (false, false, false) => &scopes.view,
            (false, false, true) => &scopes.manage,
        }
    }

    /// The running project of a key, opened when it exists and does not run yet.
    pub async fn shop(&self, key: &str) -> ApiResult<Arc<Shop>> {
        if let Some(shop) = self.shops.running(key) {
            return Ok(shop);
        }
        match self.system.project(key) {
            Some(project) => Box::pin(self.shops.open(key, project.name())).await,
            None => Err(unknown_project(key)),
        }
    }

    /// Removes a project with its clients and everything in it.
    pub async fn remove_project(&self, key: &str) -> ApiResult<()> {
        if self.system.project(key).is_none() {
            return Err(unknown_project(key));
        }
        // First, as a bucket may be out of reach: the project is there then to be removed again.
        self.images.forget(key).await?;
        if !self.system.remove_project(key).await? {
            return Err(unknown_project(key));
        }
        self.shops.remove(key).await?;
        self.faults.forget(key);
        Ok(())
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
    fn new(header_setting: &'static str) -> Option<Self> {
        match HttpIntrospection::new() {
            Ok(endpoint) => Some(Self { tokens: ExternalTokens::new(Arc::new(endpoint)), header_setting }),
            Err(error) => {
                tracing::warn!(%error, "external OAuth servers cannot be asked: no certificates are trusted here");
                None
            }
        }
    }
}
