//! The wiring: joins model, behaviours, storages, authorization service and background services to a [`Platform`].

use crate::data_folder::{DataFolder, SqliteStorages};
use crate::database::{PlatformStores, PostgresStorages};
use crate::developer_logs::DeveloperLogs;
use crate::resource_limit::{ResourceLimit, with_limits};
use anyhow::{Context as _, anyhow, bail};
use futures_util::future::BoxFuture;
use kontor_auth::{
    AuthService, ClientDraft, SystemDurability, TOKEN_REQUESTS_A_SECOND_DEFAULT, check_project_key,
    every_scope,
};
use kontor_engine::{
    BackgroundService, Behaviours, Choices, CustomerTokens, DEFERRED_PATHS, INDEX_LAYOUTS, NOTIFICATION,
    Shop, Shops, StorageProvider, deferrable_indexes, index_layouts,
};
use kontor_errors::{ApiResult, Code};
use kontor_events::{HttpExtensionClient, Subscriptions};
use kontor_history::{Recorder, Retention};
use kontor_http::{Options, Server};
use kontor_images::Images;
use kontor_imports::Imports;
use kontor_indexing::{IndexStore, Searches};
use kontor_model::Model;
use kontor_postgres::Database;
use kontor_storage::{check_file, has_documents, read_setting};
use metrics_exporter_prometheus::PrometheusHandle;
use parking_lot::Mutex;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// How long background services may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);
/// How long the end of a command waits for derived fields. The next start derives the rest.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(30);

/// A running instance, from which commands and the HTTP server get everything they need.
pub(crate) struct Platform {
    pub(crate) folder: Arc<DataFolder>,
    /// The database of the projects, unless they are in the folder.
    database: Option<Database>,
    pub(crate) auth: Arc<AuthService>,
    pub(crate) shops: Arc<Shops>,
    searches: Arc<Searches>,
    imports: Arc<Imports>,
}

/// Lets shops revoke the tokens of customers.
struct CustomerTokenRevoker(Arc<AuthService>);

impl CustomerTokens for CustomerTokenRevoker {
    fn revoke<'a>(&'a self, project_key: &'a str, customer_id: &'a str) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move { Ok(self.0.revoke_customer_tokens(project_key, customer_id).await?) })
    }
}

impl Platform {
    /// Opens the platform for a command. `limits` replace those of the model.
    pub(crate) fn open(data: PlatformStores, limits: &[ResourceLimit]) -> anyhow::Result<Self> {
        // Only the operator makes changes here, so no API Extensions are called and no events delivered.
        Self::open_with(
            data,
            limits,
            Some(TOKEN_REQUESTS_A_SECOND_DEFAULT),
            Choices::default(),
            HttpExtensionClient::new(None, true),
            Subscriptions::new(None),
            DeveloperLogs::default(),
        )
    }

    /// Opens the platform for a server. `token_requests` is the rate limit of tokens per client and second (`None`: no
    /// limit), `choices` are the operator's settings for all projects.
    pub(crate) fn open_with(
        data: PlatformStores,
        limits: &[ResourceLimit],
        token_requests: Option<NonZeroU32>,
        choices: Choices,
        calls: HttpExtensionClient,
        subscriptions: Subscriptions,
        logs: DeveloperLogs,
    ) -> anyhow::Result<Self> {
        let model = Model::embedded().map_err(|problems| anyhow!("the model has mistakes:\n{problems}"))?;
        let model = with_limits(model, limits)?;
        let behaviours = kontor_commerce::join_behaviours(&model)
            .map_err(|problems| anyhow!("model and behaviours do not fit:\n{}", problems.join("\n")))?;
        let behaviours = behaviours.with_change_recorder(Box::new(Recorder::new(&model)));
        let behaviours = behaviours.with_data_by_key(kontor_imports::KEPT_BY_KEY);
        let PlatformStores { folder, database, search } = data;
        let folder = Arc::new(folder);
        let behaviours = match &database {
            None => behaviours.with_seal_key(Arc::new(folder.seal_key()?)),
            // Several servers would need the same key.
            Some(_) => behaviours,
        };
        let (auth, storages) = match &database {
            None => in_folder(&folder, &model, &behaviours)?,
            Some(database) => {
                let auth = AuthService::with_store(Box::new(database.system_store()))
                    .with_context(|| format!("the database {} cannot be used", database.name()))?;
                (auth, Box::new(PostgresStorages(database.clone())) as Box<dyn StorageProvider>)
            }
        };
        let auth = auth.with_token_requests_a_second(token_requests);
        let auth = Arc::new(auth);
        let indexes: Arc<dyn IndexStore> = match search {
            Some(server) => Arc::new(server),
            None => folder.indexes(database.is_some()),
        };
        let searches = Arc::new(Searches::new(kontor_commerce::searchables(), indexes));
        let imports = Arc::<Imports>::default();
        let shops = Shops::new(Arc::new(model), Arc::new(behaviours), storages)
            .with_choices(choices)
            .with_customer_tokens(Arc::new(CustomerTokenRevoker(Arc::clone(&auth))))
            .with_background_service(Arc::clone(&imports) as Arc<dyn BackgroundService>)
            .with_background_service(Arc::new(Retention))
            .with_extension_client(Arc::new(calls))
            .with_background_service(Arc::clone(&searches) as Arc<dyn BackgroundService>)
            .with_background_service(Arc::new(subscriptions))
            .with_erasure_listener(Arc::new(logs));
        Ok(Self { folder, database, auth, shops: Arc::new(shops), searches, imports })
    }

    /// Returns the database of the projects, unless they are in the folder.
    pub(crate) fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// Builds the HTTP server of the platform.
    pub(crate) fn server(
        &self,
        images: Images,
        metrics: PrometheusHandle,
        options: Options,
    ) -> anyhow::Result<Arc<Server>> {
        let (shops, auth) = (Arc::clone(&self.shops), Arc::clone(&self.auth));
        Server::new(
            shops,
            auth,
            Arc::clone(&self.searches),
            images,
            Arc::clone(&self.imports),
            metrics,
            options,
        )
        .map(Arc::new)
        .map_err(|problem| anyhow!(problem))
    }

    /// Fails if files of listed projects are missing. Only servers check this, so that the operator can repair the
    /// folder with other commands.
    pub(crate) fn must_have_project_files(&self) -> anyhow::Result<()> {
        if self.database.is_some() {
            return Ok(());
        }
        let missing =
            self.auth.projects().into_iter().filter(|project| !self.folder.has_project_file(project.key()));
        let missing: Vec<String> =
            missing.map(|project| self.folder.project_file(project.key()).display().to_string()).collect();
        if !missing.is_empty() {
            bail!(
                "missing or empty: {}. Put the files back, or restore a backup; `kontor project remove` removes a \
                 project that should not be served any more",
                missing.join(", ")
            );
        }
        Ok(())
    }

    /// Returns a reason for each project file that cannot be served: written by a later release, or damaged.
    pub(crate) fn unusable_project_files(&self) -> Vec<String> {
        if self.database.is_some() {
            return Vec::new();
        }
        let reason = |project: &Arc<kontor_auth::Project>| {
            let checked = check_file(&self.folder.project_file(project.key()));
            checked.err().map(|error| format!("project '{}': {error}", project.key()))
        };
        self.auth.projects().iter().filter_map(reason).collect()
    }

    /// Waits for derived fields, so that a command after this one reads what this one changed, e.g. the prices that a
    /// Product Discount reduces. With a database, the servers derive them.
    pub(crate) async fn settle_derived_fields(&self) {
        if self.database.is_some() {
            return;
        }
        match tokio::time::timeout(SETTLE_TIMEOUT, self.shops.settle_derived_fields()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "derived fields will be updated after the next start"),
            Err(_) => tracing::warn!("some derived fields will be updated after the next start"),
        }
    }

    /// Stops the background services of all projects, before the runtime ends.
    pub(crate) async fn stop(&self) {
        self.shops.stop_background_services().await;
        if tokio::time::timeout(STOP_TIMEOUT, self.shops.stop()).await.is_err() {
            tracing::debug!("background services did not stop in time");
        }
    }

    /// Closes the files of all projects, even if abandoned work outlives [`stop`](Self::stop).
    pub(crate) fn close(&self) {
        // On this thread, because such work may occupy all blocking threads.
        tokio::task::block_in_place(|| self.shops.close());
    }

    /// Returns whether there is no project at all.
    pub(crate) fn has_no_project(&self) -> bool {
        self.auth.has_no_projects()
    }

    /// Opens the projects that need work before or soon after serving begins: those whose process crashed (their
    /// unfinished work is completed first), those with undelivered notifications, and those whose index rows are of an
    /// older release, which may take long. Other projects are opened by their first request.
    pub(crate) async fn open_interrupted(&self) -> anyhow::Result<()> {
        let layouts = index_layouts(self.shops.model(), self.shops.behaviours());
        for project in self.auth.projects() {
            if self.database.is_some() {
                // With a database, unfinished work may come from any process.
                self.shops.open(project.key(), project.name()).await?;
                continue;
            }
            // Unusable files are reported by `unusable_project_files`, and do not prevent serving other projects.
            let file = self.folder.project_file(project.key());
            let is_usable = check_file(&file).is_ok();
            let tells = || has_documents(&file, NOTIFICATION).unwrap_or_default();
            if is_usable && (self.folder.was_interrupted(project.key()) || tells()) {
                self.shops.open(project.key(), project.name()).await?;
                continue;
            }
            let has_rows =
                || read_setting(&file, INDEX_LAYOUTS).is_ok_and(|kept| kept.as_ref() == Some(&layouts));
            if is_usable
                && !has_rows()
                && let Err(error) = self.shops.open(project.key(), project.name()).await
            {
                // The first request to the project tries again.
                tracing::error!(project = project.key(), %error, "a project could not be opened");
            }
        }
        Ok(())
    }

    /// Creates a project and its first API client with all scopes, if they do not exist. The project can do everything that
    /// older projects can: this is the quick set-up for tests and laptops, where people also try older storefronts.
    pub(crate) async fn ensure_project(&self, key: &str, id: &str, secret: &str) -> anyhow::Result<()> {
        let now_ms = jiff::Timestamp::now().as_millisecond();
        self.auth.catch_up().await?;
        if self.auth.project(key).is_none() {
            check_project_key(key)?;
            let choices = Choices::of_older_projects(self.shops.behaviours().choices());
            self.opened(key, self.shops.create_with_choices(key, key, &choices).await)?;
            let created = self.auth.create_project(key, key, now_ms).await;
            self.ignore_created_by_others(created)?;
            self.auth.catch_up().await?;
        }
        if let Some(client) = self.auth.client(key, id, now_ms) {
            if !client.has_secret(secret) {
                bail!(
                    "the client '{id}' has another secret than --client-secret. Use its secret, or change it: \
                     kontor client rotate --project {key} {id}"
                );
            }
        } else {
            let draft = ClientDraft {
                name: "admin".to_owned(),
                scope: every_scope(key),
                id: Some(id.to_owned()),
                secret: Some(secret.to_owned().into()),
                ..ClientDraft::default()
            };
            let created = self.auth.create_client(key, draft, now_ms).await;
            self.ignore_created_by_others(created)?;
        }
        // Unusable files are reported by `unusable_project_files`, and do not prevent serving other projects.
        if self.database.is_some() || check_file(&self.folder.project_file(key)).is_ok() {
            self.opened(key, self.shops.open(key, key).await)?;
        }
        Ok(())
    }

    /// A project that was opened; otherwise why not, e.g. that its file is another program's.
    fn opened(&self, key: &str, opened: ApiResult<Arc<Shop>>) -> anyhow::Result<()> {
        let begins = format!("project '{key}'");
        opened.map(drop).map_err(|error| {
            let trouble = self.shops.problems().into_iter().find(|trouble| trouble.starts_with(&begins));
            trouble.map_or_else(|| error.into(), |trouble| anyhow!("{trouble}"))
        })
    }

    /// Ignores the error that something exists already, when several servers that share a database start at once.
    fn ignore_created_by_others<T>(&self, made: ApiResult<T>) -> ApiResult<()> {
        match made {
            Err(error) if self.auth.is_shared() && error.code() == Code::DuplicateField => Ok(()),
            made => made.map(drop),
        }
    }
}

/// Opens the authorization service and the storages of a data folder.
fn in_folder(
    folder: &Arc<DataFolder>,
    model: &Model,
    behaviours: &Behaviours,
) -> anyhow::Result<(AuthService, Box<dyn StorageProvider>)> {
    let durability = if folder.is_durable() { SystemDurability::OnDisk } else { SystemDurability::InMemory };
    folder.must_have_system_file()?;
    let file = folder.system_file();
    let auth = AuthService::open(&file, durability)
        .with_context(|| format!("{} cannot be opened", file.display()))?
        .with_disk(folder.disk_is_nearly_full());
    folder
        .set_aside_unlisted(|key| auth.project(key).is_some())
        .with_context(|| format!("{} cannot be used", folder.path().display()))?;
    let storages = SqliteStorages {
        folder: Arc::clone(folder),
        deferred_paths: DEFERRED_PATHS.map(str::to_owned).to_vec(),
        gathered: deferrable_indexes(model, behaviours),
        opened: Mutex::new(Some(Vec::new())),
        unopened: Mutex::default(),
        seal_key: behaviours.seal().map(Arc::clone),
    };
    Ok((auth, Box::new(storages)))
}
