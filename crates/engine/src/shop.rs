//! The shop: one running project, with its storage, clock, settings and caches.
//!
//! The operations on documents are methods of [`Shop`] in other files, e.g. `create.rs`, `update.rs`, `list.rs`.

use crate::behaviour::Behaviours;
use crate::catch_up_state::CatchUpState;
use crate::choices::Choices;
use crate::claims::ClaimTable;
use crate::clock::ShopClock;
use crate::customer_tokens::{CustomerTokens, TokenRevocation};
use crate::derived_cache::DerivedCache;
use crate::document::{self, Document, PROJECT, read_stored};
use crate::erasure_listener::ErasureListener;
use crate::extension_client::ExtensionClient;
use crate::non_empty_kinds::NonEmptyKinds;
use crate::parsed_document_cache::ParsedDocumentCache;
use crate::resident_documents::{AllOfKind, ResidentDocuments};
use crate::storage_error::storage_failure;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::Model;
use kontor_storage::Storage;
use parking_lot::{Mutex, RwLock};
use std::sync::{Arc, Weak};
use tokio::sync::{Notify, watch};

/// One running project.
pub struct Shop {
    /// The project key.
    pub key: String,
    /// A weak reference to the shared shop, for work that outlives a request; dangling before
    /// [`into_shared`](Self::into_shared).
    pub(crate) weak_self: Weak<Shop>,
    /// The time of this shop.
    pub clock: ShopClock,
    pub(crate) model: Arc<Model>,
    pub(crate) behaviours: Arc<Behaviours>,
    pub(crate) storage: Arc<dyn Storage>,
    /// Notified when a commit wrote work items.
    pub(crate) work: Notify,
    /// The store of customers' tokens; `None`: tokens are not revoked.
    pub(crate) customer_tokens: Option<Arc<dyn CustomerTokens>>,
    /// The operator's choices for all shops.
    pub(crate) general_choices: Choices,
    /// The same, and those for this shop, which are stored with it.
    pub(crate) choices: RwLock<Arc<Choices>>,
    /// Revocations of tokens that failed.
    pub(crate) failed_revocations: Mutex<Vec<TokenRevocation>>,
    pub(crate) project: RwLock<Arc<Document>>,
    /// Held while the settings are read, so that an older read does not replace a newer one.
    pub(crate) reading_settings: Mutex<()>,
    /// The cursor in the change log of other processes.
    pub(crate) catch_up_state: CatchUpState,
    pub(crate) derived_cache: DerivedCache,
    /// Caches which kinds have documents.
    pub(crate) non_empty_kinds: NonEmptyKinds,
    /// Caches parsed documents that rules often read.
    pub(crate) parsed_documents: ParsedDocumentCache,
    /// The resident documents, which nearly every change reads.
    pub(crate) resident_documents: ResidentDocuments,
    /// The client for external calls of rules; `None`: no calls are made.
    pub(crate) extension_client: Option<Arc<dyn ExtensionClient>>,
    /// The listener for erasures of personal data; `None`: nothing outside the storage has any.
    pub(crate) erasure_listener: Option<Arc<dyn ErasureListener>>,
    /// The last erasure that the listener was notified of, on a shared database.
    pub(crate) last_erasure: Mutex<Option<String>>,
    /// A counter that rises when notifications were written.
    pub(crate) notifications_written: watch::Sender<u64>,
    /// Held by a change that is retried after it lost races, one at a time.
    pub(crate) retry_lock: tokio::sync::Mutex<()>,
    /// The claims of changes on further documents.
    pub(crate) claims: ClaimTable,
}

/// The result of a change: the document as it was written, or as it was if nothing changed.
#[derive(Debug, Clone)]
pub struct WrittenDocument {
    /// Its bytes, as in the response.
    pub body: Bytes,
    /// True if the document is new.
    pub created: bool,
    /// True if a background task does a part of the change.
    pub deferred: bool,
    /// The additional document of the response, if the model declares one and it exists.
    pub additional_document: Option<Bytes>,
}

impl Shop {
    /// Returns the shop with a store of its customers' tokens.
    #[must_use]
    pub fn with_customer_tokens(self, customer_tokens: Option<Arc<dyn CustomerTokens>>) -> Self {
        Self { customer_tokens, ..self }
    }

    /// Returns the shop with the operator's choices for all projects in addition to its own.
    #[must_use]
    pub fn with_choices(self, choices: &Choices) -> Self {
        let all = (**self.choices.read()).clone().merge(choices);
        Self { general_choices: choices.clone(), choices: RwLock::new(Arc::new(all)), ..self }
    }

    /// Returns the shop for shared use. From then on the in-memory state follows each change, even if its
    /// request was dropped before the commit was on disk.
    #[must_use]
    pub fn into_shared(self) -> Arc<Self> {
        Arc::new_cyclic(|weak_self| Self { weak_self: Weak::clone(weak_self), ..self })
    }

    /// The description of the API.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the storage, for work on the whole shop: backup, change log, snapshots.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Returns all documents of a resident kind; none for other kinds. Fails if outdated documents cannot be read.
    pub fn resident_documents(&self, type_id: &str) -> ApiResult<AllOfKind> {
        if self.resident_documents.is_outdated() {
            self.resident_documents.read_outdated(&*self.storage)?;
        }
        Ok(self.resident_documents.get(type_id).unwrap_or_default())
    }

    /// Returns a receiver that is notified when a document of a resident kind was written.
    pub fn resident_changes(&self) -> watch::Receiver<u64> {
        self.resident_documents.changed()
    }

    /// Returns the settings of the project.
    pub fn project(&self) -> Arc<Document> {
        Arc::clone(&self.project.read())
    }

    /// Reads the settings into memory. Returns false if there are none.
    pub(crate) fn read_settings(&self) -> ApiResult<bool> {
        let _turn = self.reading_settings.lock();
        let Some(stored) = self.storage.get(PROJECT, &self.key).map_err(storage_failure)? else {
            return Ok(false);
        };
        *self.project.write() = Arc::new(read_stored(&stored)?);
        Ok(true)
    }

    /// Updates the settings in memory, after `written` was written. Reads them again: several commits may be
    /// finished in any order, and the content may have been replaced meanwhile.
    pub(crate) fn update_settings(&self, written: &Bytes) {
        if let Err(error) = self.read_settings() {
            tracing::error!(project = %self.key, %error, "the settings could not be read again");
            self.replace_older_settings(written);
        }
    }

    /// Replaces the settings in memory, unless they are newer.
    fn replace_older_settings(&self, written: &Bytes) {
        let Ok(document) = document::read(written) else { return };
        let version = |document: &Document| document.get("version").and_then(Value::as_i64);
        let mut known = self.project.write();
        if version(&known) < version(&document) {
            *known = Arc::new(document);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::text;
    use kontor_json::json;
    use kontor_model::ModelFile;
    use kontor_storage::{Commit, Put, Sqlite, SqliteOptions};

    fn shop() -> Shop {
        let file = include_str!("../tests/project/project.graphql");
        let model = Model::read(&[ModelFile { name: "model".into(), text: file }]).unwrap();
        let behaviours = Behaviours::join(&model, Vec::new(), &[], &[]).unwrap();
        let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
        let opened = Shop::open("shop", "Shop", Arc::new(model), Arc::new(behaviours), storage);
        tokio::runtime::Runtime::new().unwrap().block_on(opened).unwrap()
    }

    fn settings(name: &str, version: i64) -> Bytes {
        json!({"key": "shop", "name": name, "version": version}).to_string().into()
    }

    fn name(shop: &Shop) -> String {
        text(&shop.project(), &["name"]).unwrap().to_owned()
    }

    #[test]
    fn a_delayed_update_of_the_settings_leaves_the_newer_ones() {
        let shop = shop();
        let [older, newer, newest] = [("Older", 2), ("Newer", 3), ("Newest", 4)].map(|(n, v)| settings(n, v));
        let put = Put { kind: PROJECT.into(), id: "shop".into(), version: 3, body: newer, ..Put::default() };
        shop.storage.commit_blocking(Commit::new().put(put)).unwrap();
        shop.update_settings(&older);
        assert_eq!(name(&shop), "Newer");
        // If they cannot be read:
        shop.replace_older_settings(&older);
        assert_eq!(name(&shop), "Newer");
        shop.replace_older_settings(&newest);
        assert_eq!(name(&shop), "Newest");
    }

    #[test]
    fn reads_the_choices_of_replaced_content() {
        let shop = shop().with_choices(&Choices::from_names(["general"]));
        let chosen = |name: &str| shop.read_by_rules(|rules| rules.choices().contains(name));
        assert!(chosen("general") && !chosen("own"));
        Choices::from_names(["own"]).store(&*shop.storage).unwrap();
        shop.reload().unwrap();
        assert!(chosen("general") && chosen("own"));
        Choices::default().store(&*shop.storage).unwrap();
        shop.reload().unwrap();
        assert!(chosen("general") && !chosen("own"));
    }
}
