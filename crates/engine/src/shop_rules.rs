//! Runs rules over the documents of a shop.

use crate::access_scope::{self, AccessScope};
use crate::address::Address;
use crate::caller::Caller;
use crate::document::Document;
use crate::prefetched_documents::PrefetchedDocuments;
use crate::reference_scope::ReferenceScope;
use crate::rules::{FoundDocument, Rules};
use crate::shop::Shop;
use crate::stored_documents::StoredDocuments;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use std::sync::Arc;
use uuid::Uuid;

impl Shop {
    /// Runs rules over this shop.
    pub(crate) fn with_rules<T>(&self, project: &Document, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        self.with_rules_in_scope(&access_scope::EVERYTHING, project, run)
    }

    /// Runs rules that only read: their preconditions are dropped.
    pub fn read_by_rules<T>(&self, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        self.with_rules(&self.project(), run)
    }

    /// Returns the stored hashes of a document's secrets, under the fields of its draft; empty if there is no such
    /// document. For copies of the whole shop: no API shows them. Fails if the storage fails.
    pub fn stored_secret_hashes(&self, kind: KindId, id: &str) -> ApiResult<Document> {
        let (Some(behaviour), Some(stored)) = (self.behaviours.get(kind), self.get(kind, &Address::Id(id))?)
        else {
            return Ok(Document::new());
        };
        let found = FoundDocument::read(&stored)?;
        self.read_by_rules(|rules| behaviour.stored_secret_hashes(&found.document, rules))
    }

    /// Runs rules within the access scope of a request.
    pub(crate) fn with_rules_in_scope<T>(
        &self,
        access_scope: &AccessScope,
        project: &Document,
        run: impl FnOnce(&Rules<'_>) -> T,
    ) -> T {
        self.with_rules_and_references(access_scope, None, project, run)
    }

    /// Runs rules within the access scope of a request, with limited references.
    pub(crate) fn with_rules_and_references<T>(
        &self,
        access_scope: &AccessScope,
        references: Option<&ReferenceScope>,
        project: &Document,
        run: impl FnOnce(&Rules<'_>) -> T,
    ) -> T {
        let ahead = PrefetchedDocuments::default();
        self.with_rules_over(&ahead, project, |rules| {
            run(&rules.with_scope(access_scope).with_references(references))
        })
    }

    /// Runs rules for the request of a caller, with prefetched documents.
    pub(crate) fn with_rules_for_caller<T>(
        &self,
        prefetched: &PrefetchedDocuments,
        caller: &Caller,
        project: &Document,
        run: impl FnOnce(&Rules<'_>) -> T,
    ) -> T {
        let limited = |rules: Rules<'_>| {
            let rules = rules.with_scope(&caller.bounds).with_references(caller.references.as_deref());
            run(&rules.with_sender(&caller.sender).with_ignored_fields(caller.ignored.as_deref()))
        };
        self.with_rules_over(prefetched, &caller.overrides.apply(project), limited)
    }

    fn with_rules_over<T>(
        &self,
        prefetched: &PrefetchedDocuments,
        project: &Document,
        run: impl FnOnce(Rules<'_>) -> T,
    ) -> T {
        let new_id = || {
            // UUIDv7, so that ids are in the order of their creation, with the version number of the platform's ids,
            // which clients check (`isuuid` in official ones accepts 1 to 5).
            let mut bytes = Uuid::now_v7().into_bytes();
            bytes[6] = (bytes[6] & 0x0f) | 0x40;
            Uuid::from_bytes(bytes).hyphenated().encode_lower(&mut Uuid::encode_buffer()).to_owned()
        };
        let documents = StoredDocuments {
            storage: &*self.storage,
            ahead: prefetched,
            non_empty_kinds: &self.non_empty_kinds,
            parsed_documents: &self.parsed_documents,
        };
        let choices = Arc::clone(&self.choices.read());
        let rules = Rules::new(&self.model, &self.behaviours, project, self.clock.now(), &documents, &new_id);
        run(rules
            .with_choices(&choices)
            .with_derived_cache(&self.derived_cache)
            .with_resident_documents(&self.resident_documents))
    }
}
