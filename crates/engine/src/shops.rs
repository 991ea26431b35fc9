//! All running projects of a server.

use crate::behaviour::Behaviours;
use crate::sessions::Sessions;
use crate::shop::Shop;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Model;
use kontor_storage::Storage;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Where the storages of projects are.
pub trait Storages: Send + Sync {
    /// Opens the storage of a project, new or not.
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>>;
    /// Removes everything that is stored of a project whose storage is no longer in use.
    fn remove(&self, key: &str) -> ApiResult<()>;
}

/// All running projects, opened when first asked for.
pub struct Shops {
    model: Arc<Model>,
    behaviours: Arc<Behaviours>,
    storages: Box<dyn Storages>,
    running: RwLock<HashMap<String, Running>>,
    sessions: Option<Arc<dyn Sessions>>,
    /// Opening and removing are rare and take turns, so that no project is opened twice.
    changing: Mutex<()>,
}

struct Running {
    shop: Arc<Shop>,
    derivations: tokio::task::JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.derivations.abort();
    }
}

impl Shops {
    /// No project runs yet.
    pub fn new(model: Arc<Model>, behaviours: Arc<Behaviours>, storages: Box<dyn Storages>) -> Self {
        let (running, changing) = (RwLock::default(), Mutex::default());
        Self { model, behaviours, storages, running, sessions: None, changing }
    }

    /// The same shops, with somebody who keeps the tokens of their customers.
    #[must_use]
    pub fn with_sessions(self, sessions: Arc<dyn Sessions>) -> Self {
        Self { sessions: Some(sessions), ..self }
    }

    /// The description that all shops share.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// A project that runs already.
    pub fn running(&self, key: &str) -> Option<Arc<Shop>> {
        self.running.read().get(key).map(|running| Arc::clone(&running.shop))
    }

    /// A project, opened or made when it does not run yet. Whether it may exist is the caller's to know.
    pub async fn open(&self, key: &str, name: &str) -> ApiResult<Arc<Shop>> {
        if let Some(shop) = self.running(key) {
            return Ok(shop);
        }
        let _turn = self.changing.lock().await;
        if let Some(shop) = self.running(key) {
            return Ok(shop);
        }
        let storage = self.storages.open(key)?;
        let (model, behaviours) = (Arc::clone(&self.model), Arc::clone(&self.behaviours));
        let shop = Shop::open(key, name, model, behaviours, storage).await?;
        let shop = Arc::new(shop.with_sessions(self.sessions.clone()));
        let derivations = tokio::spawn(Arc::clone(&shop).run_derivations());
        let running = Running { shop: Arc::clone(&shop), derivations };
        self.running.write().insert(key.to_owned(), running);
        Ok(shop)
    }

    /// Stops a project and removes everything that is stored of it.
    pub async fn remove(&self, key: &str) -> ApiResult<()> {
        let _turn = self.changing.lock().await;
        self.running.write().remove(key);
        self.storages.remove(key)
    }

    /// The keys of the projects that run.
    pub fn keys(&self) -> Vec<String> {
        self.running.read().keys().cloned().collect()
    }
}

/// A project that does not exist.
pub fn unknown_project(key: &str) -> ApiError {
    ApiError::resource_not_found(&format!("of the project with key '{key}'"))
}
