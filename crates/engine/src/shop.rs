//! One running project: its storage, its clock, its settings.

use crate::behaviour::{Behaviours, Pending, Refused};
use crate::bounds::{self, Bounds};
use crate::caller::Caller;
use crate::clock::{Clock, format_time};
use crate::derive;
use crate::document::{self, Document};
use crate::failure::storage_failure;
use crate::rules::{Documents, Found, Rules};
use crate::sessions::{Ending, Sessions};
use crate::worked_out::WorkedOut;
use crate::{project, write};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::{KindId, Model};
use kontor_storage::{
    Commit, CommitError, IndexPage, IndexRange, Precondition, Receipt, Refusal, ScanDirection, Storage,
    Stored, Write,
};
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::Notify;
use uuid::Uuid;

/// The kind under which the settings of a project are stored.
pub(crate) const PROJECT: &str = "project";
/// The kind under which Messages are stored.
pub(crate) const MESSAGE: &str = "message";
/// How often a change is tried again from the read when what it relied on changed meanwhile.
pub(crate) const ATTEMPTS_MAX: usize = 16;

/// One running project.
pub struct Shop {
    /// The project key.
    pub key: String,
    /// What time it is here.
    pub clock: Clock,
    pub(crate) model: Arc<Model>,
    pub(crate) behaviours: Arc<Behaviours>,
    pub(crate) storage: Arc<dyn Storage>,
    /// Rung when a commit left work behind.
    pub(crate) work: Notify,
    /// Who keeps the tokens of customers; `None`: nobody does.
    pub(crate) sessions: Option<Arc<dyn Sessions>>,
    /// Tokens whose end failed.
    pub(crate) unended: Mutex<Vec<Ending>>,
    project: RwLock<Arc<Document>>,
    worked_out: WorkedOut,
}

/// A document as it was written (or left as it was).
#[derive(Debug, Clone)]
pub struct Written {
    /// Its bytes, as they are answered.
    pub body: Bytes,
    /// True where the document is new.
    pub created: bool,
}

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
        };
        let stored = shop.storage.get(PROJECT, key).map_err(storage_failure)?;
        let document = match stored {
            Some(stored) => parse(&stored)?,
            None => shop.create_project(name).await?,
        };
        *shop.project.write() = Arc::new(document);
        Ok(shop)
    }

    /// The same shop, with somebody who keeps the tokens of its customers.
    #[must_use]
    pub fn with_sessions(self, sessions: Option<Arc<dyn Sessions>>) -> Self {
        Self { sessions, ..self }
    }

    async fn create_project(&self, name: &str) -> ApiResult<Document> {
        let Some(kind) = self.model.kind_by_type_id(PROJECT) else { return Err(ApiError::internal()) };
        let document = project::new_document(&self.key, name, self.clock.now());
        let empty = Document::new();
        let put = self.with_rules(&empty, |rules| write::put(kind, document.clone(), 0, rules))?;
        let absent = Precondition::Absent { kind: PROJECT.into(), id: self.key.clone() };
        match self.storage.commit(Commit::new().require(absent).put(put)).await {
            Ok(_) => Ok(document),
            Err(CommitError::Failed(error)) => Err(storage_failure(error)),
            Err(CommitError::Refused(refusal)) => {
                tracing::error!(%refusal, project = %self.key, "a new project was refused");
                Err(ApiError::internal())
            }
        }
    }

    /// The description that this shop is served by.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The storage, for what is not about single resources: backup, change log, snapshots.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// The project's settings.
    pub fn project(&self) -> Arc<Document> {
        Arc::clone(&self.project.read())
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

    /// Hands a commit to the storage, and wakes who does the work that it leaves behind.
    pub(crate) async fn write(&self, commit: Commit) -> Result<Receipt, CommitError> {
        let leaves_work = derive::leaves_work(&commit);
        let receipt = self.storage.commit(commit).await?;
        if leaves_work {
            self.work.notify_one();
        }
        Ok(receipt)
    }

    /// Runs rules over this shop.
    pub(crate) fn with_rules<T>(&self, project: &Document, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        self.with_rules_within(&bounds::EVERYTHING, project, run)
    }

    /// Runs rules that only read: what they require and leave behind comes to nothing.
    pub fn read_by_rules<T>(&self, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        self.with_rules(&self.project(), run)
    }

    /// Runs rules over what a request is limited to.
    pub(crate) fn with_rules_within<T>(
        &self,
        bounds: &Bounds,
        project: &Document,
        run: impl FnOnce(&Rules<'_>) -> T,
    ) -> T {
        let new_id = || Uuid::now_v7().to_string();
        let documents = StoredDocuments(&*self.storage);
        let rules = Rules::new(&self.model, &self.behaviours, project, self.clock.now(), &documents, &new_id);
        run(&rules.within(bounds).keeping(&self.worked_out))
    }

    /// Stamps a document and turns it, its messages and the work that follows from it into a commit.
    pub(crate) fn commit_of(&self, change: Change<'_>, rules: &Rules<'_>) -> ApiResult<(Commit, Bytes)> {
        let Change { kind, before, mut after, sequence, mut pending, is_new_version, caller } = change;
        let entry = rules.model.kind(kind);
        let by = caller.to_json();
        let now = json!(format_time(rules.now));
        let has = |name: &str| rules.model.object(entry.object).field(name).is_some();
        let version = before.map_or(1, |before| version_of(before) + i64::from(is_new_version));
        after.insert("version".into(), json!(version));
        if before.is_none() && has("createdAt") {
            after.insert("createdAt".into(), now.clone());
        }
        if is_new_version && has("lastModifiedAt") {
            after.insert("lastModifiedAt".into(), now);
        }
        if let Some(by) = &by {
            if before.is_none() && has("createdBy") {
                after.insert("createdBy".into(), by.clone());
            }
            if is_new_version && has("lastModifiedBy") {
                after.insert("lastModifiedBy".into(), by.clone());
            }
        }
        if !project::keeps_messages(rules.project) {
            pending.clear();
        }
        let messages = write::messages(kind, pending, &after, sequence, by.as_ref(), rules)?;
        let work = derive::work_of(kind, before, Some(&after), rules);
        let put = write::put(kind, after, sequence + messages.len() as i64, rules)?;
        let body = put.body.clone();
        let mut commit = Commit { preconditions: rules.take_requirements(), writes: Vec::new() };
        if before.is_none()
            && let Some(limit) = entry.limit
        {
            commit = commit.require(Precondition::CountAtMost { kind: entry.type_id.clone(), limit });
        }
        commit = commit.put(put);
        for message in messages {
            commit = commit.put(message);
        }
        for item in work {
            commit = commit.put(item);
        }
        for (name, value) in rules.take_settings() {
            commit = commit.write(Write::Setting { name, value });
        }
        for write in rules.take_beside() {
            commit = commit.write(write);
        }
        for (kind, found, mut after) in rules.take_companions() {
            after.insert("version".into(), json!(version_of(&found.document) + 1));
            after.insert("lastModifiedAt".into(), json!(format_time(rules.now)));
            if let Some(by) = &by {
                after.insert("lastModifiedBy".into(), by.clone());
            }
            for item in derive::work_of(kind, Some(&found.document), Some(&after), rules) {
                commit = commit.put(item);
            }
            commit = commit.put(write::put(kind, after, found.sequence, rules)?);
        }
        Ok((commit, body))
    }

    /// Keeps the settings at hand current after the project document was written.
    pub(crate) fn remember_project(&self, kind: KindId, body: &Bytes) {
        if self.model.kind(kind).type_id == PROJECT
            && let Ok(Value::Object(document)) = serde_json::from_slice(body)
        {
            *self.project.write() = Arc::new(document);
        }
    }
}

/// A changed document on its way to the storage.
pub(crate) struct Change<'a> {
    pub(crate) kind: KindId,
    pub(crate) before: Option<&'a Document>,
    pub(crate) after: Document,
    pub(crate) sequence: i64,
    pub(crate) pending: Vec<Pending>,
    /// False where only messages and what is kept beside the document are new.
    pub(crate) is_new_version: bool,
    pub(crate) caller: &'a Caller,
}

/// What to do about a commit that did not happen.
pub(crate) enum Outcome {
    /// Read again and try once more: something the caller did not version has changed.
    Again,
    /// Tell the caller.
    Refuse(ApiError),
}

/// Reads a refusal. `preconditions` are those of the refused commit.
pub(crate) fn outcome(
    error: CommitError,
    preconditions: &[Precondition],
    shop: &Shop,
    kind: KindId,
) -> Outcome {
    let refusal = match error {
        CommitError::Failed(error) => return Outcome::Refuse(storage_failure(error)),
        CommitError::Refused(refusal) => refusal,
    };
    if let Some(error) = own_refusal(&refusal, preconditions, shop, kind) {
        return Outcome::Refuse(error);
    }
    match refusal {
        Refusal::Duplicate { path, value, .. } => {
            let value = json!(write::own_part(&value));
            Outcome::Refuse(ApiError::duplicate_field(&path, value))
        }
        Refusal::Precondition { which, .. } => match preconditions.get(which) {
            Some(Precondition::NotReferenced { kind: referrer, .. }) => {
                Outcome::Refuse(ApiError::reference_exists(&shop.model.kind(kind).type_id, referrer))
            }
            // No limit: a rule relied on there being none.
            Some(Precondition::CountAtMost { limit: 0, .. }) => Outcome::Again,
            Some(Precondition::CountAtMost { kind, limit }) => Outcome::Refuse(
                ApiError::new(
                    Code::MaxResourceLimitExceeded,
                    format!("You have exceeded the limit of {limit} resources of type {kind}."),
                )
                .with("exceededResource", json!(kind)),
            ),
            // A target that is gone, a document that was written meanwhile: the next read shows it.
            _ => Outcome::Again,
        },
        Refusal::Missing { .. } | Refusal::Counter { .. } => Outcome::Again,
    }
}

/// The error that the behaviour of the kind has for a refusal.
fn own_refusal(
    refusal: &Refusal,
    preconditions: &[Precondition],
    shop: &Shop,
    kind: KindId,
) -> Option<ApiError> {
    let refused = match refusal {
        Refusal::Duplicate { path, value, holder, .. } => Refused::Duplicate { path, value, holder },
        Refusal::Precondition { which, .. } => Refused::Precondition(preconditions.get(*which)?),
        Refusal::Missing { .. } | Refusal::Counter { .. } => return None,
    };
    shop.behaviours.of(kind)?.refused(refused)
}

/// Too many others write the same documents.
pub(crate) fn too_busy() -> ApiError {
    ApiError::new(Code::OverCapacity, "The resources involved change too often. Try again.")
}

/// A stored document as JSON.
pub(crate) fn parse(stored: &Stored) -> ApiResult<Document> {
    match serde_json::from_slice(&stored.body) {
        Ok(Value::Object(document)) => Ok(document),
        _ => {
            tracing::error!(id = %stored.id, "a stored document is no JSON object");
            Err(ApiError::internal())
        }
    }
}

/// The version that the API shows.
pub(crate) fn version_of(document: &Document) -> i64 {
    document.get("version").and_then(Value::as_i64).unwrap_or(0)
}

/// Documents out of a storage.
struct StoredDocuments<'a>(&'a dyn Storage);

impl StoredDocuments<'_> {
    fn found(stored: Option<Stored>) -> ApiResult<Option<Found>> {
        stored
            .map(|stored| {
                Ok(Found {
                    document: Arc::new(parse(&stored)?),
                    revision: stored.revision,
                    sequence: stored.sequence,
                })
            })
            .transpose()
    }

    fn on_page(&self, type_id: &str, path: &str, value: &str, page: &IndexPage) -> ApiResult<Vec<Found>> {
        let mut all = Vec::new();
        let range = IndexRange::equal(value);
        self.0
            .visit_indexed(type_id, path, &range, page, &mut |stored| {
                all.push(Self::found(Some(stored.to_stored())));
                ControlFlow::Continue(())
            })
            .map_err(storage_failure)?;
        all.into_iter().filter_map(Result::transpose).collect()
    }
}

impl Documents for StoredDocuments<'_> {
    fn by_id(&self, type_id: &str, id: &str) -> ApiResult<Option<Found>> {
        Self::found(self.0.get(type_id, id).map_err(storage_failure)?)
    }

    fn by_unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Found>> {
        Self::found(self.0.get_by_unique(type_id, path, value).map_err(storage_failure)?)
    }

    fn all(&self, type_id: &str) -> ApiResult<Vec<Found>> {
        let mut all = Vec::new();
        self.0
            .scan(type_id, ScanDirection::Ascending, None, &mut |stored| {
                all.push(Self::found(Some(stored.to_stored())));
                ControlFlow::Continue(())
            })
            .map_err(storage_failure)?;
        all.into_iter().filter_map(Result::transpose).collect()
    }

    fn any(&self, type_id: &str) -> bool {
        // Who cannot be counted may be there.
        self.0.count(type_id).map_or(true, |count| count > 0)
    }

    fn by_index(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Vec<Found>> {
        self.on_page(type_id, path, value, &IndexPage::default())
    }

    fn some_by_index(&self, type_id: &str, path: &str, value: &str, most: usize) -> ApiResult<Vec<Found>> {
        self.on_page(type_id, path, value, &IndexPage::first(most))
    }
}

/// The text at a path, for messages about a document.
pub(crate) fn id_of(document: &Document) -> &str {
    document::text(document, &["id"]).or_else(|| document::text(document, &["key"])).unwrap_or_default()
}
