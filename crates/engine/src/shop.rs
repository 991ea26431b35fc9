//! One running project: its storage, its clock, its settings.

use crate::asked::Asked;
use crate::behaviour::Behaviours;
use crate::choices::Choices;
use crate::claims::Claims;
use crate::clock::Clock;
use crate::document::{self, Document};
use crate::found_kinds::FoundKinds;
use crate::looked::Looked;
use crate::parsed::Parsed;
use crate::sessions::{Ending, Sessions};
use crate::standing::{AllOfKind, StandingDocuments};
use crate::worked_out::WorkedOut;
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
    /// Where others have it too, for what goes on when a request is gone; dangling before it is [`shared`](Self::shared).
    pub(crate) itself: Weak<Shop>,
    /// What time it is here.
    pub clock: Clock,
    pub(crate) model: Arc<Model>,
    pub(crate) behaviours: Arc<Behaviours>,
    pub(crate) storage: Arc<dyn Storage>,
    /// Rung when a commit left work behind.
    pub(crate) work: Notify,
    /// Who keeps the tokens of customers; `None`: nobody does.
    pub(crate) sessions: Option<Arc<dyn Sessions>>,
    /// What the operator chose for it.
    pub(crate) choices: Choices,
    /// Tokens whose end failed.
    pub(crate) unended: Mutex<Vec<Ending>>,
    pub(crate) project: RwLock<Arc<Document>>,
    /// How far it is known here what other processes have written.
    pub(crate) looked: Looked,
    pub(crate) worked_out: WorkedOut,
    /// The kinds that were found to have documents.
    pub(crate) found_kinds: FoundKinds,
    /// Documents that rules ask for again and again.
    pub(crate) parsed: Parsed,
    /// Documents that nearly every change asks for.
    pub(crate) standing: StandingDocuments,
    /// Who asks the questions of rules; `None`: nobody is asked.
    pub(crate) asked: Option<Arc<dyn Asked>>,
    /// Counts up when somebody was told something.
    pub(crate) telling: watch::Sender<u64>,
    /// Held by the one change at a time that is tried again after others were in its way.
    pub(crate) turn: tokio::sync::Mutex<()>,
    /// What changes are about to change beside what they were asked for.
    pub(crate) claims: Claims,
}

/// A document as it was written (or left as it was).
#[derive(Debug, Clone)]
pub struct Written {
    /// Its bytes, as they are answered.
    pub body: Bytes,
    /// True where the document is new.
    pub created: bool,
    /// The document that is answered beside it, where the model has one there and there is any.
    pub beside: Option<Bytes>,
}

impl Shop {
    /// The same shop, with somebody who keeps the tokens of its customers.
    #[must_use]
    pub fn with_sessions(self, sessions: Option<Arc<dyn Sessions>>) -> Self {
        Self { sessions, ..self }
    }

    /// The same shop, with what the operator chose for all projects beside what was chosen for it alone.
    #[must_use]
    pub fn choosing(self, choices: &Choices) -> Self {
        Self { choices: self.choices.and(choices), ..self }
    }

    /// The same shop, where several have it. From then on what stands in memory follows each change, even where the request for it
    /// was dropped before it was on disk.
    #[must_use]
    pub fn shared(self) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self { itself: Weak::clone(itself), ..self })
    }

    /// The description that this shop is served by.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The storage, for what is not about single resources: backup, change log, snapshots.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// All documents of a kind that stands in memory; none of others.
    pub fn standing(&self, type_id: &str) -> AllOfKind {
        self.standing.of(type_id).unwrap_or_default()
    }

    /// Rings when a document of a kind that stands in memory was written.
    pub fn standing_changed(&self) -> watch::Receiver<u64> {
        self.standing.changed()
    }

    /// The project's settings.
    pub fn project(&self) -> Arc<Document> {
        Arc::clone(&self.project.read())
    }

    /// Keeps the settings at hand current after the project document was written.
    pub(crate) fn remember_project(&self, body: &Bytes) {
        if let Ok(document) = document::read(body) {
            *self.project.write() = Arc::new(document);
        }
    }
}
