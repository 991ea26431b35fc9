//! Deletes documents. Start at [`Shop::delete`].

use crate::address::Address;
use crate::associate;
use crate::caller::Caller;
use crate::change::{ChangeSet, DocumentChange};
use crate::commit_retry::{PreparedCommit, RetryableChange};
use crate::document::{Document, read, text};
use crate::document_writes;
use crate::effects::Effects;
use crate::prefetched_documents::PrefetchedDocuments;
use crate::rules::FoundDocument;
use crate::shop::Shop;
use crate::update::check_version;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::{KindId, Operation};
use kontor_storage::StoredDocument;

/// The options of a deletion.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeleteOptions {
    /// The last version that the caller has seen; `None` only if the kind does not require it.
    pub version: Option<i64>,
    /// The parameter `dataErasure`: also deletes the Messages about the document and its Change History
    /// records, since they may contain personal data.
    pub erase: bool,
}

impl Shop {
    /// Deletes a document, and returns its last version.
    ///
    /// # Errors
    /// 404 `ResourceNotFound`; 409 `ConcurrentModification` if `deletion` names another version; 400 `ReferenceExists`
    /// if a resource that blocks deletions refers to the document; 403 `AssociateMissingPermission`; the errors of the
    /// kind's rules. 503 `OverCapacity` if the change lost all races for 20 s, or if the storage cannot write.
    pub fn delete<'a>(
        &'a self,
        kind: KindId,
        address: &'a Address<'a>,
        deletion: DeleteOptions,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<Bytes>> {
        Box::pin(async move {
            let deleted =
                self.commit_with_retries(&DocumentDeletion { kind, address, deletion, caller }).await?;
            if deletion.erase
                && let Some(id) = text(&read(&deleted)?, &["id"])
            {
                self.notify_of_erasure(id);
            }
            Ok(deleted)
        })
    }

    /// Prepares the deletion of a document, with all its preconditions.
    pub(crate) fn prepare_deletion(
        &self,
        kind: KindId,
        before: FoundDocument,
        erases: bool,
        caller: &Caller,
    ) -> ApiResult<PreparedCommit<Bytes>> {
        let project = self.project();
        self.with_rules_for_caller(&PrefetchedDocuments::default(), caller, &project, |rules| {
            associate::authorize(kind, &before.document, Operation::Delete, rules)?;
            let mut effects = Effects::default();
            if let Some(behaviour) = rules.behaviours.get(kind) {
                behaviour.before_delete(&before.document, rules, &mut effects)?;
            }
            ChangeSet::single(DocumentChange::deleted(kind, before, erases, rules))
                .prepare(effects, caller, rules)
        })
    }
}

/// A deletion on its way to the storage.
struct DocumentDeletion<'a> {
    kind: KindId,
    address: &'a Address<'a>,
    deletion: DeleteOptions,
    caller: &'a Caller,
}

impl RetryableChange for DocumentDeletion<'_> {
    type ChangeResult = Bytes;

    async fn prepare(&self, shop: &Shop) -> ApiResult<PreparedCommit<Bytes>> {
        let Self { kind, caller, deletion, .. } = *self;
        let stored = shop.must_get_to_change(kind, self.address, &caller.bounds)?;
        let before = FoundDocument::read(&stored)?;
        check_version(deletion.version, &before.document)?;
        let mut prepared = shop.prepare_deletion(kind, before.clone(), deletion.erase, caller)?;
        if deletion.erase {
            prepared = prepared.with_erasure(shop.prepare_erasure(kind, &before.document)?);
        }
        if shop.is_customer_kind(kind) {
            prepared = prepared.with_token_revocation(&stored.id);
        }
        prepared.map_result(|_| delete_response(shop, kind, stored, &before.document))
    }
}

/// Returns the deleted document, with the additional fields of its kind.
fn delete_response(shop: &Shop, kind: KindId, stored: StoredDocument, before: &Document) -> ApiResult<Bytes> {
    let said = match shop.behaviours.get(kind) {
        Some(behaviour) => {
            shop.with_rules(&shop.project(), |rules| behaviour.delete_response_fields(before, rules))?
        }
        None => Document::new(),
    };
    if said.is_empty() {
        return Ok(stored.body);
    }
    let mut response = before.clone();
    response.extend(said);
    document_writes::serialize_value(&Value::Object(response))
}
