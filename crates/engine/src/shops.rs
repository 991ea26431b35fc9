//! All running projects of a server.

use crate::asked::Asked;
use crate::attendant::Attendant;
use crate::behaviour::Behaviours;
use crate::choices::Choices;
use crate::failure::storage_failure;
use crate::restarted::spawn_restarted;
use crate::sessions::Sessions;
use crate::shop::Shop;
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult, catch_panic};
use kontor_model::Model;
use kontor_storage::Storage;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// Where the storages of projects are.
pub trait Storages: Send + Sync {
    /// Opens the storage of a project, which must be there: what is missing is lost, and not new.
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>>;
    /// Opens the storage of a project, made where it is not there yet.
    fn make(&self, key: &str) -> ApiResult<Arc<dyn Storage>>;
    /// Removes everything that is stored of a project whose storage is no longer in use.
    fn remove(&self, key: &str) -> ApiResult<()>;
    /// Closes all storages, whoever still holds them, and opens none any more. Where nothing is left behind by one that is not
    /// closed, there is nothing to do.
    fn close(&self) {}
    /// Why the data of projects cannot be relied on: those of [`Storage::troubles`], with the key of the project.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }
    /// The keys of projects in which only deletions are written, because the disk is full.
    fn full(&self) -> Vec<String> {
        Vec::new()
    }
}

/// All running projects, opened when first asked for.
pub struct Shops {
    model: Arc<Model>,
    behaviours: Arc<Behaviours>,
    storages: Box<dyn Storages>,
    /// Only keys of projects that exist get in, so that nobody can choose them to collide.
    running: RwLock<HashMap<String, Running, foldhash::fast::RandomState>>,
    sessions: Option<Arc<dyn Sessions>>,
    attendants: Vec<Arc<dyn Attendant>>,
    asked: Option<Arc<dyn Asked>>,
    /// What the operator chose for all projects.
    choices: Choices,
    /// Opening and removing are rare and take turns, so that no project is opened twice.
    changing: Mutex<()>,
}

struct Running {
    shop: Arc<Shop>,
    since: Instant,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Shops {
    /// No project runs yet.
    pub fn new(model: Arc<Model>, behaviours: Arc<Behaviours>, storages: Box<dyn Storages>) -> Self {
        let (running, changing) = (RwLock::default(), Mutex::default());
        Self {
            model,
            behaviours,
            storages,
            running,
            sessions: None,
            attendants: Vec::new(),
            asked: None,
            choices: Choices::default(),
            changing,
        }
    }

    /// The same shops, with somebody who keeps the tokens of their customers.
    #[must_use]
    pub fn with_sessions(self, sessions: Arc<dyn Sessions>) -> Self {
        Self { sessions: Some(sessions), ..self }
    }

    /// The same shops, with somebody who works beside each of them.
    #[must_use]
    pub fn with_attendant(mut self, attendant: Arc<dyn Attendant>) -> Self {
        self.attendants.push(attendant);
        self
    }

    /// The same shops, with somebody who asks the questions of rules.
    #[must_use]
    pub fn with_asked(self, asked: Arc<dyn Asked>) -> Self {
        Self { asked: Some(asked), ..self }
    }

    /// The same shops, with what the operator chose for all of them.
    #[must_use]
    pub fn choosing(self, choices: Choices) -> Self {
        Self { choices, ..self }
    }

    /// The behaviours that all shops share.
    pub fn behaviours(&self) -> &Behaviours {
        &self.behaviours
    }

    /// The description that all shops share.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// A project that runs already.
    pub fn running(&self, key: &str) -> Option<Arc<Shop>> {
        self.running.read().get(key).map(|running| Arc::clone(&running.shop))
    }

    /// A project, opened when it does not run yet. Whether it exists is the caller's to know.
    pub fn open<'a>(&'a self, key: &'a str, name: &'a str) -> BoxFuture<'a, ApiResult<Arc<Shop>>> {
        Box::pin(
            async move { self.open_by(key, name, |storages| storages.open(key), &Choices::default()).await },
        )
    }

    /// A project, made or opened when it does not run yet. To be called before it is listed anywhere: what is listed and not
    /// there is missing.
    pub fn make<'a>(&'a self, key: &'a str, name: &'a str) -> BoxFuture<'a, ApiResult<Arc<Shop>>> {
        Box::pin(async move { self.make_choosing(key, name, &Choices::default()).await })
    }

    /// The same, and keeps what was chosen for this project alone, where it does not run yet.
    pub fn make_choosing<'a>(
        &'a self,
        key: &'a str,
        name: &'a str,
        choices: &'a Choices,
    ) -> BoxFuture<'a, ApiResult<Arc<Shop>>> {
        Box::pin(async move { self.open_by(key, name, |storages| storages.make(key), choices).await })
    }

    async fn open_by(
        &self,
        key: &str,
        name: &str,
        open: impl FnOnce(&dyn Storages) -> ApiResult<Arc<dyn Storage>>,
        choices: &Choices,
    ) -> ApiResult<Arc<Shop>> {
        if let Some(shop) = self.running(key) {
            return Ok(shop);
        }
        let _turn = self.changing.lock().await;
        if let Some(shop) = self.running(key) {
            return Ok(shop);
        }
        let storage = open(&*self.storages)?;
        if *choices != Choices::default() {
            choices.keep_in(&*storage).map_err(storage_failure)?;
        }
        let (model, behaviours) = (Arc::clone(&self.model), Arc::clone(&self.behaviours));
        let shop = Shop::open(key, name, model, behaviours, storage).await?;
        let shop = shop.with_sessions(self.sessions.clone()).with_asked(self.asked.clone());
        let shop = shop.choosing(&self.choices).shared();
        shop.end_left_sessions().await?;
        let deriving = Arc::clone(&shop);
        let derive = move || Arc::clone(&deriving).run_derivations();
        let mut tasks = vec![spawn_restarted(Some(&shop.key), "derived fields", derive)];
        tasks.extend(self.attendants.iter().map(|attendant| attendant.attend(&shop)));
        let running = Running { shop: Arc::clone(&shop), since: Instant::now(), tasks };
        self.running.write().insert(key.to_owned(), running);
        Ok(shop)
    }

    /// Stops a project and removes everything that is stored of it.
    pub fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let _turn = self.changing.lock().await;
            self.running.write().remove(key);
            self.forget(key);
            self.storages.remove(key)
        })
    }

    /// Stops the projects that are no longer there, because another process has removed them and all that was stored of them. Those
    /// that have not run for so long yet stay: one that is being made runs before it is there for others.
    pub async fn stop_unless(&self, is_there: impl Fn(&str) -> bool, running_for: Duration) {
        let _turn = self.changing.lock().await;
        let known: Vec<String> = {
            let running = self.running.read();
            let known = running.iter().filter(|(_, running)| running.since.elapsed() >= running_for);
            known.map(|(key, _)| key.clone()).collect()
        };
        for key in known.iter().filter(|key| !is_there(key)) {
            self.running.write().remove(key);
            self.forget(key);
        }
    }

    fn forget(&self, key: &str) {
        for attendant in &self.attendants {
            attendant.forget(key);
        }
    }

    /// Ends when everything that follows from earlier changes of a shop is done: derived fields, and the work of
    /// those who work beside it.
    pub fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let deriving = Arc::clone(shop);
            let derived = tokio::task::spawn_blocking(move || catch_panic(|| deriving.settle())).await;
            derived.map_err(|error| ApiError::bug(format!("derived work ended early: {error}")))???;
            for attendant in &self.attendants {
                attendant.settle(shop).await?;
            }
            Ok(())
        })
    }

    /// Ends when what ends by itself at the time of a shop has ended: after its clock was set.
    pub fn end_what_is_over<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let ending = Arc::clone(shop);
            let ended = tokio::task::spawn_blocking(move || catch_panic(|| ending.expire_documents())).await;
            ended
                .map_err(|error| ApiError::bug(format!("what ends by itself ended early: {error}")))???;
            for attendant in &self.attendants {
                attendant.end_what_is_over(shop).await?;
            }
            Ok(())
        })
    }

    /// Lets those who work beside the shops end in good order, each within a bounded time. To be called before [`stop`](Self::stop).
    pub fn end_attendants(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            for attendant in &self.attendants {
                attendant.end().await;
            }
        })
    }

    /// Stops all projects and waits until nobody works beside them any more: whoever is in the midst of reading or writing goes on
    /// to the next wait, which needs a runtime that is still there. One that is asked for later is opened again.
    pub fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let _turn = self.changing.lock().await;
            let mut stopped: Vec<Running> =
                self.running.write().drain().map(|(_, running)| running).collect();
            let tasks: Vec<JoinHandle<()>> =
                stopped.iter_mut().flat_map(|one| std::mem::take(&mut one.tasks)).collect();
            for task in &tasks {
                task.abort();
            }
            for task in tasks {
                // That it was ended is no failure of its.
                let _ = task.await;
            }
        })
    }

    /// Why the data of running projects cannot be relied on, as sentences that name the projects.
    pub fn troubles(&self) -> Vec<String> {
        self.storages.troubles()
    }

    /// The keys of running projects in which only deletions are written, because the disk is full.
    pub fn full(&self) -> Vec<String> {
        self.storages.full()
    }

    /// Closes the storages of all projects, also of those that somebody still works on: at the end of the
    /// process, after [`stop`](Self::stop). Waits for the disk.
    pub fn close(&self) {
        self.storages.close();
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
