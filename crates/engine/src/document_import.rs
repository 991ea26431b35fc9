//! Imports documents in their stored form from another project, for kinds that drafts cannot express.

use crate::address::Address;
use crate::caller::Caller;
use crate::change::{ChangeSet, DocumentChange};
use crate::commit_retry::{PreparedCommit, RetryableChange};
use crate::document::{Document, must_text};
use crate::effects::Effects;
use crate::shop::Shop;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{KindId, Validator};
use kontor_storage::Precondition;

impl Shop {
    /// Stores a document with its id, version and times from another project. No rules run, and no Extensions or
    /// Subscriptions are involved. For the operator, since the operator has access to the whole shop anyway.
    ///
    /// # Errors
    /// 400 `InvalidJsonInput` and similar if it is no document of the kind; `DuplicateField` if its id or a unique
    /// value is used.
    pub fn import_document(&self, kind: KindId, document: Document) -> BoxFuture<'_, ApiResult<Bytes>> {
        Box::pin(async move {
            let mut checked = Value::Object(document.clone());
            let validator = Validator::new(&self.model).for_stored();
            validator.object(self.model.kind(kind).object, &mut checked, "")?;
            self.commit_with_retries(&ImportedDocument { kind, document }).await
        })
    }
}

/// A document to import.
struct ImportedDocument {
    kind: KindId,
    document: Document,
}

impl RetryableChange for ImportedDocument {
    type ChangeResult = Bytes;

    async fn prepare(&self, shop: &Shop) -> ApiResult<PreparedCommit<Bytes>> {
        let id = must_text(&self.document, &["id"])?;
        if shop.get(self.kind, &Address::Id(id))?.is_some() {
            return Err(ApiError::duplicate_field("id", json!(id)));
        }
        shop.with_rules(&shop.project(), |rules| {
            let type_id = rules.model.kind(self.kind).type_id.clone();
            rules.require(Precondition::Absent { kind: type_id, id: id.to_owned() });
            let change = DocumentChange::rewritten(self.kind, self.document.clone());
            ChangeSet::single(change).prepare(Effects::default(), &Caller::default(), rules)
        })
    }
}
