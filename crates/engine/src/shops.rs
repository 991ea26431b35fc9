//! All running projects of a server: opens, creates, removes and stops them, with their background tasks. Start at
//! [`Shops::open`].

use crate::background_service::BackgroundService;
use crate::behaviour::Behaviours;
use crate::choices::Choices;
use crate::customer_tokens::CustomerTokens;
use crate::erasure_listener::ErasureListener;
use crate::extension_client::ExtensionClient;
use crate::restarting_task::spawn_restarting;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult, Code, catch_panic};
use kontor_model::Model;
use kontor_storage::Storage;
use parking_lot::RwLock;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The storages of all projects.
pub trait StorageProvider: Send + Sync {
    /// Opens the storage of a project, which must exist: a missing one is an error, not a new project.
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>>;
    /// Opens the storage of a project, and creates it if it does not exist.
    fn open_or_create(&self, key: &str) -> ApiResult<Arc<dyn Storage>>;
    /// Deletes all stored data of a project, whose storage is no longer in use.
    fn remove(&self, key: &str) -> ApiResult<()>;
    /// Closes all storages, even if they are still in use, and opens none afterwards. Does nothing by default, for
    /// storages that leave nothing behind.
    fn close(&self) {}
    /// Returns reasons why the data of projects cannot be relied on: those of [`Storage::faults`], with the key of
    /// the project.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }
    /// Returns the keys of projects that only accept deletions, because the disk is full.
    fn full_projects(&self) -> Vec<String> {
        Vec::new()
    }
}

/// All running projects. A project is opened on its first request.
pub struct Shops {
    model: Arc<Model>,
    behaviours: Arc<Behaviours>,
    storages: Box<dyn StorageProvider>,
    /// Contains only keys of existing projects, so that clients cannot choose colliding keys.
    running: RwLock<HashMap<String, RunningShop, foldhash::fast::RandomState>>,
    customer_tokens: Option<Arc<dyn CustomerTokens>>,
    attendants: Vec<Arc<dyn BackgroundService>>,
    extension_client: Option<Arc<dyn ExtensionClient>>,
    erasure_listener: Option<Arc<dyn ErasureListener>>,
    /// The operator's choices for all projects.
    choices: Choices,
    /// Projects whose storage was opened and that could not run all the same, and why.
    not_running: RwLock<BTreeMap<String, String>>,
    /// Held while a project is opened or removed, which is rare, so that none is opened twice.
    changing: Mutex<()>,
}

struct RunningShop {
    shop: Arc<Shop>,
    since: Instant,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for RunningShop {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Shops {
    /// No projects run yet.
    pub fn new(model: Arc<Model>, behaviours: Arc<Behaviours>, storages: Box<dyn StorageProvider>) -> Self {
        let (running, changing) = (RwLock::default(), Mutex::default());
        Self {
            model,
            behaviours,
            storages,
            running,
            customer_tokens: None,
            attendants: Vec::new(),
            extension_client: None,
            erasure_listener: None,
            choices: Choices::default(),
            not_running: RwLock::default(),
            changing,
        }
    }

    /// Returns the shops with a store of their customers' tokens.
    #[must_use]
    pub fn with_customer_tokens(self, customer_tokens: Arc<dyn CustomerTokens>) -> Self {
        Self { customer_tokens: Some(customer_tokens), ..self }
    }

    /// Returns the shops with a further background service for each of them.
    #[must_use]
    pub fn with_background_service(mut self, attendant: Arc<dyn BackgroundService>) -> Self {
        self.attendants.push(attendant);
        self
    }

    /// Returns the shops with a client for external calls.
    #[must_use]
    pub fn with_extension_client(self, extension_client: Arc<dyn ExtensionClient>) -> Self {
        Self { extension_client: Some(extension_client), ..self }
    }

    /// Returns the shops with a listener for erasures of personal data.
    #[must_use]
    pub fn with_erasure_listener(self, erasure_listener: Arc<dyn ErasureListener>) -> Self {
        Self { erasure_listener: Some(erasure_listener), ..self }
    }

    /// Returns the shops with the operator's choices for all of them.
    #[must_use]
    pub fn with_choices(self, choices: Choices) -> Self {
        Self { choices, ..self }
    }

    /// Returns the behaviours that all shops share.
    pub fn behaviours(&self) -> &Behaviours {
        &self.behaviours
    }

    /// The description that all shops share.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns a project if it is running.
    pub fn running_shop(&self, key: &str) -> Option<Arc<Shop>> {
        self.running.read().get(key).map(|running| Arc::clone(&running.shop))
    }

    /// Returns a project, and opens it if it is not running. The caller must know that it exists.
    pub fn open<'a>(&'a self, key: &'a str, name: &'a str) -> BoxFuture<'a, ApiResult<Arc<Shop>>> {
        Box::pin(
            async move { self.open_by(key, name, |storages| storages.open(key), &Choices::default()).await },
        )
    }

    /// Returns a project, and creates or opens it if it is not running. To be called before the project is listed
    /// anywhere: a listed project without a storage counts as lost. Fails if the storage cannot be created or opened,
    /// e.g. because another process uses it.
    pub fn create<'a>(&'a self, key: &'a str, name: &'a str) -> BoxFuture<'a, ApiResult<Arc<Shop>>> {
        Box::pin(async move { self.create_with_choices(key, name, &Choices::default()).await })
    }

    /// Like [`create`](Self::create), and stores choices for this project alone, if it is not running. Fails for the
    /// same reasons.
    pub fn create_with_choices<'a>(
        &'a self,
        key: &'a str,
        name: &'a str,
        choices: &'a Choices,
    ) -> BoxFuture<'a, ApiResult<Arc<Shop>>> {
        Box::pin(
            async move { self.open_by(key, name, |storages| storages.open_or_create(key), choices).await },
        )
    }

    async fn open_by(
        &self,
        key: &str,
        name: &str,
        open: impl FnOnce(&dyn StorageProvider) -> ApiResult<Arc<dyn Storage>>,
        choices: &Choices,
    ) -> ApiResult<Arc<Shop>> {
        if let Some(shop) = self.running_shop(key) {
            return Ok(shop);
        }
        let _turn = self.changing.lock().await;
        if let Some(shop) = self.running_shop(key) {
            return Ok(shop);
        }
        let storage = open(&*self.storages)?;
        if *choices != Choices::default() {
            choices.store(&*storage).map_err(storage_failure)?;
        }
        let started = self.start(key, name, storage).await;
        match &started {
            Err(error) if error.code() != Code::OverCapacity => {
                let why = error.broken().map_or_else(|| error.message().to_owned(), ToString::to_string);
                self.not_running.write().insert(key.to_owned(), why);
            }
            _ => drop(self.not_running.write().remove(key)),
        }
        let shop = started?;
        let deriving = Arc::clone(&shop);
        let derive = move || Arc::clone(&deriving).run_derivations();
        let mut tasks = vec![spawn_restarting(Some(&shop.key), "derived fields", derive)];
        tasks.extend(self.attendants.iter().map(|attendant| attendant.start(&shop)));
        let running = RunningShop { shop: Arc::clone(&shop), since: Instant::now(), tasks };
        self.running.write().insert(key.to_owned(), running);
        Ok(shop)
    }

    /// Opens a shop over its storage, without its attendants.
    async fn start(&self, key: &str, name: &str, storage: Arc<dyn Storage>) -> ApiResult<Arc<Shop>> {
        let (model, behaviours) = (Arc::clone(&self.model), Arc::clone(&self.behaviours));
        let shop = Shop::open(key, name, model, behaviours, storage).await?;
        let shop = shop
            .with_customer_tokens(self.customer_tokens.clone())
            .with_extension_client(self.extension_client.clone())
            .with_erasure_listener(self.erasure_listener.clone());
        let shop = shop.with_choices(&self.choices).into_shared();
        shop.revoke_leftover_tokens().await?;
        Ok(shop)
    }

    /// Stops a project and deletes all its stored data. Fails if the stored data cannot be deleted.
    pub fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let _turn = self.changing.lock().await;
            self.running.write().remove(key);
            self.not_running.write().remove(key);
            self.delete_service_data(key);
            self.storages.remove(key)
        })
    }

    /// Stops projects that another process has removed. Projects that have been running for less than `running_for`
    /// are not stopped: a new one runs before other processes see it.
    pub async fn stop_unless(&self, is_there: impl Fn(&str) -> bool, running_for: Duration) {
        let _turn = self.changing.lock().await;
        let known: Vec<String> = {
            let running = self.running.read();
            let known = running.iter().filter(|(_, running)| running.since.elapsed() >= running_for);
            known.map(|(key, _)| key.clone()).collect()
        };
        for key in known.iter().filter(|key| !is_there(key)) {
            self.running.write().remove(key);
            self.delete_service_data(key);
        }
    }

    fn delete_service_data(&self, key: &str) {
        for attendant in &self.attendants {
            attendant.delete_data(key);
        }
        if let Some(listener) = &self.erasure_listener {
            listener.delete_project(key);
        }
    }

    /// Returns when everything that follows from earlier changes of a shop is done: derived fields, and the work of
    /// background services. Fails if the storage or a background service fails.
    pub fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            settle_derived_fields(Arc::clone(shop)).await?;
            for attendant in &self.attendants {
                attendant.settle(shop).await?;
            }
            Ok(())
        })
    }

    /// Returns when the derived fields of all running projects follow from their sources. Fails if the storage of a
    /// project fails.
    pub async fn settle_derived_fields(&self) -> ApiResult<()> {
        let running: Vec<Arc<Shop>> =
            self.running.read().values().map(|running| Arc::clone(&running.shop)).collect();
        for shop in running {
            settle_derived_fields(shop).await?;
        }
        Ok(())
    }

    /// Returns when everything that expires at the shop's time has ended; called after its clock was set. Fails if the
    /// storage or a background service fails.
    pub fn expire<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let ending = Arc::clone(shop);
            let ended = tokio::task::spawn_blocking(move || catch_panic(|| ending.expire_documents())).await;
            ended.map_err(|error| {
                ApiError::bug(format!("the expiry of documents ended early: {error}"))
            })???;
            for attendant in &self.attendants {
                attendant.expire(shop).await?;
            }
            Ok(())
        })
    }

    /// Stops the background services in good order, each within a bounded time. To be called before
    /// [`stop`](Self::stop).
    pub fn stop_background_services(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            for attendant in &self.attendants {
                attendant.stop().await;
            }
        })
    }

    /// Stops all projects and waits until their background tasks have ended: a task runs on to its next await, which
    /// needs a runtime. A project that is requested later is opened again.
    pub fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let _turn = self.changing.lock().await;
            let mut stopped: Vec<RunningShop> =
                self.running.write().drain().map(|(_, running)| running).collect();
            let tasks: Vec<JoinHandle<()>> =
                stopped.iter_mut().flat_map(|one| std::mem::take(&mut one.tasks)).collect();
            for task in &tasks {
                task.abort();
            }
            for task in tasks {
                // An aborted task is not a failure.
                let _ = task.await;
            }
        })
    }

    /// Returns reasons why the data of projects cannot be relied on, or why they do not run, as sentences that name the projects.
    pub fn problems(&self) -> Vec<String> {
        let mut troubles = self.storages.troubles();
        let not_running = self.not_running.read();
        troubles
            .extend(not_running.iter().map(|(key, why)| format!("project '{key}' cannot be opened: {why}")));
        troubles
    }

    /// Returns the keys of running projects that only accept deletions, because the disk is full.
    pub fn full_projects(&self) -> Vec<String> {
        self.storages.full_projects()
    }

    /// Closes the storages of all projects, even if they are still in use: at the end of the process, after
    /// [`stop`](Self::stop). Blocks on the disk.
    pub fn close(&self) {
        self.storages.close();
    }

    /// Returns the keys of the running projects.
    pub fn keys(&self) -> Vec<String> {
        self.running.read().keys().cloned().collect()
    }
}

async fn settle_derived_fields(shop: Arc<Shop>) -> ApiResult<()> {
    let derived = tokio::task::spawn_blocking(move || catch_panic(|| shop.settle())).await;
    derived.map_err(|error| ApiError::bug(format!("derived work ended early: {error}")))??
}

/// Returns the error for a project that does not exist.
pub fn unknown_project(key: &str) -> ApiError {
    ApiError::not_found(&format!("project with key '{key}'"))
}
