//! Opening a shop over its storage, and again when the content of the storage was replaced.

use crate::behaviour::Behaviours;
use crate::clock::Clock;
use crate::document::{Document, PROJECT, parse};
use crate::failure::storage_failure;
use crate::shop::Shop;
use crate::worked_out::WorkedOut;
use crate::{project, write};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Model;
use kontor_storage::{Commit, CommitError, Precondition, Storage};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use tokio::sync::Notify;

impl Shop {
    /// Opens a shop over its storage. A storage without a project document becomes a new project named
    /// `name`.
    pub async fn open(
        key: &str,
        name: &str,
        model: Arc<Model>,
        behaviours: Arc<Behaviours>,
        storage: Arc<dyn Storage>,
    ) -> ApiResult<Self> {
        let shop = Self {
            key: key.to_owned(),
            clock: Clock::default(),
            model,
            behaviours,
            storage,
            work: Notify::new(),
            sessions: None,
            unended: Mutex::default(),
            project: RwLock::default(),
            worked_out: WorkedOut::default(),
            turn: tokio::sync::Mutex::default(),
        };
        let stored = shop.storage.get(PROJECT, key).map_err(storage_failure)?;
        let document = match stored {
            Some(stored) => parse(&stored)?,
            None => shop.create_project(name).await?,
        };
        *shop.project.write() = Arc::new(document);
        Ok(shop)
    }

    async fn create_project(&self, name: &str) -> ApiResult<Document> {
        let Some(kind) = self.model.kind_by_type_id(PROJECT) else {
            return Err(ApiError::bug("the model has no Project"));
        };
        let document = project::new_document(&self.key, name, self.clock.now());
        let empty = Document::new();
        let put = self.with_rules(&empty, |rules| write::put(kind, document.clone(), 0, rules))?;
        let absent = Precondition::Absent { kind: PROJECT.into(), id: self.key.clone() };
        match self.storage.commit(Commit::new().require(absent).put(put)).await {
            Ok(_) => Ok(document),
            Err(CommitError::Failed(error)) => Err(storage_failure(error)),
            Err(CommitError::Refused(refusal)) => {
                Err(ApiError::bug(format!("the new project {} was refused: {refusal}", self.key)))
            }
        }
    }

    /// Reads the settings again, after the content of the storage was replaced.
    pub fn reload(&self) -> ApiResult<()> {
        self.work.notify_one();
        // What comes from another shop may have the revisions of this one.
        self.worked_out.forget();
        if let Some(stored) = self.storage.get(PROJECT, &self.key).map_err(storage_failure)? {
            *self.project.write() = Arc::new(parse(&stored)?);
        }
        Ok(())
    }
}
