//! Opens a shop over its storage, and reloads it after the content of the storage was replaced.

use crate::absent_fields::AbsentFields;
use crate::behaviour::Behaviours;
use crate::caller::Caller;
use crate::catch_up_state::CatchUpState;
use crate::change::{self, ChangeSet, DocumentChange};
use crate::choices::Choices;
use crate::claims::ClaimTable;
use crate::clock::ShopClock;
use crate::commit_retry::PreparedCommit;
use crate::derived_cache::DerivedCache;
use crate::document::{Document, PROJECT, read_stored};
use crate::effects::Effects;
use crate::non_empty_kinds::NonEmptyKinds;
use crate::parsed_document_cache::ParsedDocumentCache;
use crate::resident_documents::ResidentDocuments;
use crate::rules::Rules;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use crate::{document_writes, index_layout, project};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;
use kontor_model::Model;
use kontor_storage::{Commit, CommitError, Precondition, Storage, TransformedStorage};
use parking_lot::{Mutex, RwLock};
use std::path::Path;
use std::sync::{Arc, Weak};
use tokio::sync::{Notify, watch};

impl Shop {
    /// Opens a shop over its storage. A storage without a project document becomes a new project named
    /// `name`. Fails if the storage fails, or if the settings cannot be parsed.
    pub async fn open(
        key: &str,
        name: &str,
        model: Arc<Model>,
        behaviours: Arc<Behaviours>,
        storage: Arc<dyn Storage>,
    ) -> ApiResult<Self> {
        let shop = Self {
            key: key.to_owned(),
            weak_self: Weak::new(),
            clock: ShopClock::default(),
            behaviours,
            storage: match AbsentFields::from_model(&model) {
                Some(absent) => Arc::new(TransformedStorage::new(storage, absent)),
                None => storage,
            },
            model,
            work: Notify::new(),
            customer_tokens: None,
            general_choices: Choices::default(),
            choices: RwLock::default(),
            failed_revocations: Mutex::default(),
            project: RwLock::default(),
            reading_settings: Mutex::default(),
            catch_up_state: CatchUpState::default(),
            derived_cache: DerivedCache::default(),
            non_empty_kinds: NonEmptyKinds::default(),
            parsed_documents: ParsedDocumentCache::default(),
            resident_documents: ResidentDocuments::default(),
            extension_client: None,
            erasure_listener: None,
            last_erasure: Mutex::default(),
            notifications_written: watch::Sender::default(),
            retry_lock: tokio::sync::Mutex::default(),
            claims: ClaimTable::default(),
        };
        let stored = shop.storage.get(PROJECT, key).map_err(storage_failure)?;
        let document = match stored {
            Some(stored) => read_stored(&stored)?,
            None => shop.create_project(name).await?,
        };
        *shop.choices.write() =
            Arc::new(Choices::load(&*shop.storage, shop.behaviours.choices()).map_err(storage_failure)?);
        *shop.project.write() = Arc::new(document);
        shop.update_index_rows()?;
        shop.resident_documents.read(shop.behaviours.resident_kinds(), &*shop.storage)?;
        Ok(shop)
    }

    async fn create_project(&self, name: &str) -> ApiResult<Document> {
        let Some(kind) = self.model.kind_by_type_id(PROJECT) else {
            return Err(ApiError::bug("the model has no Project"));
        };
        let document = project::new_document(&self.key, name, self.clock.now());
        let commit = self.with_rules(&document, |rules| {
            let put = document_writes::document_put(kind, document.clone(), 0, rules)?;
            let layouts = index_layout::layout_of_new_storage(rules.model, rules.behaviours);
            let known = Choices::known_at_creation(rules.behaviours.choices());
            Ok::<_, ApiError>(first_documents(rules)?.into_commit().put(put).write(layouts).write(known))
        })?;
        let absent = Precondition::Absent { kind: PROJECT.into(), id: self.key.clone() };
        match self.storage.commit(commit.require(absent)).await {
            Ok(_) => Ok(document),
            Err(CommitError::Failed(error)) => Err(storage_failure(error)),
            // Another process may have created the project first.
            Err(CommitError::Refused(refusal)) => {
                match self.storage.get(PROJECT, &self.key).map_err(storage_failure)? {
                    Some(stored) => read_stored(&stored),
                    None => {
                        Err(ApiError::bug(format!("the new project {} was refused: {refusal}", self.key)))
                    }
                }
            }
        }
    }

    /// Deletes all documents except the settings, and creates the first documents of a project again. Fails if the
    /// storage fails.
    pub fn reset(&self) -> ApiResult<()> {
        self.storage.clear(&[PROJECT]).map_err(storage_failure)?;
        self.reload()?;
        let first = self.with_rules(&self.project(), first_documents)?;
        if self.commit_blocking(first)? {
            Ok(())
        } else {
            Err(ApiError::bug(format!(
                "the first documents of the emptied project {} were refused",
                self.key
            )))
        }
    }

    /// Replaces the content with a file that `Storage::backup` wrote of the project `from_key`. The settings in it
    /// get the key of this project. Blocks the thread. Fails if the file cannot be read, or if the storage fails.
    pub fn restore_backup(&self, file: &Path, from_key: &str) -> ApiResult<()> {
        self.storage.restore(file).map_err(storage_failure)?;
        if from_key != self.key {
            self.rename_project(from_key)?;
        }
        self.reload()
    }

    fn rename_project(&self, from_key: &str) -> ApiResult<()> {
        let kind = self.model.kind_by_type_id(PROJECT);
        let stored = self.storage.get(PROJECT, from_key).map_err(storage_failure)?;
        let (Some(kind), Some(stored)) = (kind, stored) else {
            return Err(ApiError::bug(format!("a backup of the project {from_key} has not its settings")));
        };
        let mut document = read_stored(&stored)?;
        document.insert("key", json!(self.key));
        let put = self.with_rules(&document.clone(), |rules| {
            document_writes::document_put(kind, document, stored.sequence, rules)
        })?;
        let commit = Commit::new().delete(PROJECT, from_key).put(put);
        match self.storage.commit_blocking(commit) {
            Ok(_) => Ok(()),
            Err(CommitError::Failed(error)) => Err(storage_failure(error)),
            Err(CommitError::Refused(refusal)) => {
                Err(ApiError::bug(format!("the settings of {} were refused: {refusal}", self.key)))
            }
        }
    }

    /// Reads everything in memory again, after the content of the storage was replaced. Fails if the storage fails, or
    /// if the settings cannot be parsed.
    pub fn reload(&self) -> ApiResult<()> {
        self.work.notify_one();
        // Content of another shop may have the same revisions.
        self.derived_cache.clear();
        self.non_empty_kinds.clear();
        let own_choices =
            Choices::load(&*self.storage, self.behaviours.choices()).map_err(storage_failure)?;
        *self.choices.write() = Arc::new(own_choices.merge(&self.general_choices));
        if self.read_settings()? {
            self.update_index_rows()?;
        }
        self.resident_documents.read(self.behaviours.resident_kinds(), &*self.storage)?;
        Ok(())
    }
}

/// Returns the documents that each project has from its creation.
fn first_documents(rules: &Rules<'_>) -> ApiResult<PreparedCommit<Bytes>> {
    let mut effects = Effects::default();
    let mut changes = Vec::new();
    for (kind, _) in rules.model.kinds() {
        for mut document in rules.behaviours.get(kind).map(|own| own.first_documents()).unwrap_or_default() {
            change::settle(kind, None, &mut document, rules, &mut effects)?;
            changes.push(DocumentChange::created(kind, document, rules));
        }
    }
    if changes.is_empty() {
        return Ok(PreparedCommit::without_changes(Bytes::new()));
    }
    ChangeSet::from_changes(changes).prepare(effects, &Caller::default(), rules)
}
