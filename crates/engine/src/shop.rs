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
use crate::document::{self, Document};
use crate::extension_client::ExtensionClient;
use crate::non_empty_kinds::NonEmptyKinds;
use crate::parsed_document_cache::ParsedDocumentCache;
use crate::resident_documents::{AllOfKind, ResidentDocuments};
use bytes::Bytes;
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
    pub(crate) itself: Weak<Shop>,
    /// The time of this shop.
    pub clock: ShopClock,
    pub(crate) model: Arc<Model>,
    pub(crate) behaviours: Arc<Behaviours>,
    pub(crate) storage: Arc<dyn Storage>,
    /// Notified when a commit wrote work items.
    pub(crate) work: Notify,
    /// The store of customers' tokens; `None`: tokens are not revoked.
    pub(crate) sessions: Option<Arc<dyn CustomerTokens>>,
    /// The operator's choices for this shop.
    pub(crate) choices: Choices,
    /// Revocations of tokens that failed.
    pub(crate) unended: Mutex<Vec<TokenRevocation>>,
    pub(crate) project: RwLock<Arc<Document>>,
    /// The cursor in the change log of other processes.
    pub(crate) looked: CatchUpState,
    pub(crate) worked_out: DerivedCache,
    /// Caches which kinds have documents.
    pub(crate) found_kinds: NonEmptyKinds,
    /// Caches parsed documents that rules often read.
    pub(crate) parsed: ParsedDocumentCache,
    /// The resident documents, which nearly every change reads.
    pub(crate) standing: ResidentDocuments,
    /// The client for external calls of rules; `None`: no calls are made.
    pub(crate) asked: Option<Arc<dyn ExtensionClient>>,
    /// A counter that rises when notifications were written.
    pub(crate) telling: watch::Sender<u64>,
    /// Held by a change that is retried after it lost races, one at a time.
    pub(crate) turn: tokio::sync::Mutex<()>,
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
    pub beside: Option<Bytes>,
}

impl Shop {
    /// Returns the shop with a store of its customers' tokens.
    #[must_use]
    pub fn with_customer_tokens(self, sessions: Option<Arc<dyn CustomerTokens>>) -> Self {
        Self { sessions, ..self }
    }

    /// Returns the shop with the operator's choices for all projects in addition to its own.
    #[must_use]
    pub fn with_choices(self, choices: &Choices) -> Self {
        Self { choices: self.choices.merge(choices), ..self }
    }

    /// Returns the shop for shared use. From then on the in-memory state follows each change, even if its
    /// request was dropped before the commit was on disk.
    #[must_use]
    pub fn into_shared(self) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self { itself: Weak::clone(itself), ..self })
    }

    /// The description of the API.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The storage, for work on the whole shop: backup, change log, snapshots.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Returns all documents of a resident kind; none for other kinds.
    pub fn resident_documents(&self, type_id: &str) -> AllOfKind {
        self.standing.get(type_id).unwrap_or_default()
    }

    /// Returns a receiver that is notified when a document of a resident kind was written.
    pub fn resident_changes(&self) -> watch::Receiver<u64> {
        self.standing.changed()
    }

    /// The settings of the project.
    pub fn project(&self) -> Arc<Document> {
        Arc::clone(&self.project.read())
    }

    /// Updates the settings in memory, after the project document was written.
    pub(crate) fn update_settings(&self, body: &Bytes) {
        if let Ok(document) = document::read(body) {
            *self.project.write() = Arc::new(document);
        }
    }
}
