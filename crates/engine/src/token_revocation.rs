//! Revokes the tokens of customers, reliably across crashes and errors.

use crate::access_scope::{AccessScope, Principal};
use crate::customer_tokens::{CUSTOMER, ENDING, TokenRevocation};
use crate::document::{self, read_stored};
use crate::list::ListRequest;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{Commit, CommitError, ScanDirection, StoredDocument, StoredDocumentRef};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The notes of revocations at the last [`Shop::revoke_abandoned_tokens`].
#[derive(Default)]
pub(crate) struct PendingRevocations {
    notes: HashSet<String>,
}

impl Shop {
    /// Revokes the tokens of a customer, after the change is on disk. If that fails, the note stays in the
    /// storage, and the revocation is retried: see [`revoke_leftover_tokens`](Self::revoke_leftover_tokens).
    pub(crate) async fn revoke_tokens(&self, ending: TokenRevocation) -> ApiResult<()> {
        let result = self.try_to_revoke(&ending).await;
        if result.is_err() {
            self.failed_revocations.lock().push(ending);
            self.work.notify_one();
        }
        result
    }

    async fn try_to_revoke(&self, ending: &TokenRevocation) -> ApiResult<()> {
        if let Some(customer_tokens) = &self.customer_tokens {
            customer_tokens.revoke(&self.key, &ending.customer).await?;
        }
        match self.storage.commit(Commit::new().delete(ENDING, &ending.note)).await {
            // The project may have been emptied, with the note.
            Ok(_) | Err(CommitError::Refused(_)) => Ok(()),
            Err(CommitError::Failed(error)) => Err(storage_failure(error)),
        }
    }

    /// Revokes the tokens that a crashed process left valid. Runs before any request is served.
    pub(crate) async fn revoke_leftover_tokens(&self) -> ApiResult<()> {
        for ending in self.noted_revocations()? {
            self.revoke_leftover(&ending).await?;
        }
        Ok(())
    }

    /// Revokes the tokens that a crashed process of a shared database left valid: a note that was there at the
    /// last call, too, belongs to no running change.
    pub(crate) async fn revoke_abandoned_tokens(&self, pending: &mut PendingRevocations) -> ApiResult<()> {
        if !self.storage.is_shared() || !self.storage.is_keeper() {
            pending.notes.clear();
            return Ok(());
        }
        let noted = self.noted_revocations()?;
        let before = std::mem::take(&mut pending.notes);
        pending.notes = noted.iter().map(|ending| ending.note.clone()).collect();
        for ending in noted.iter().filter(|ending| before.contains(&ending.note)) {
            self.revoke_leftover(ending).await?;
        }
        Ok(())
    }

    async fn revoke_leftover(&self, ending: &TokenRevocation) -> ApiResult<()> {
        let customer = &ending.customer;
        tracing::info!(project = %self.key, customer, "revoking tokens left over from another process");
        self.try_to_revoke(ending).await
    }

    /// Returns the revocations of which there is a note in the storage.
    fn noted_revocations(&self) -> ApiResult<Vec<TokenRevocation>> {
        if self.storage.count(ENDING).map_err(storage_failure)? == 0 {
            return Ok(Vec::new());
        }
        let mut notes = Vec::new();
        self.storage
            .scan(ENDING, ScanDirection::Ascending, None, &mut |note: StoredDocumentRef<'_>| {
                notes.push(note.to_stored());
                ControlFlow::Continue(())
            })
            .map_err(storage_failure)?;
        let revocation = |note: StoredDocument| {
            let customer = document::must_text(&read_stored(&note)?, &[CUSTOMER])?.to_owned();
            Ok(TokenRevocation { note: note.id, customer })
        };
        notes.into_iter().map(revocation).collect()
    }

    /// Retries failed revocations of this process. A revocation that fails again stays in the list.
    pub(crate) async fn retry_revocations(&self) -> ApiResult<()> {
        let failed_revocations = std::mem::take(&mut *self.failed_revocations.lock());
        let mut result = Ok(());
        for ending in failed_revocations {
            if let Err(error) = self.try_to_revoke(&ending).await {
                self.failed_revocations.lock().push(ending);
                result = Err(error);
            }
        }
        result
    }

    /// True for the kind whose documents are the customers themselves.
    pub(crate) fn is_customer_kind(&self, kind: KindId) -> bool {
        self.model.kind_by_my_path("") == Some(kind)
    }

    /// Returns whether documents of the shop belong to the anonymous session with that id. Fails if the storage fails.
    pub fn has_session_documents(&self, anonymous_id: &str) -> ApiResult<bool> {
        let bounds =
            AccessScope { mine: Some(Principal::Session(anonymous_id.to_owned())), ..AccessScope::default() };
        let request = ListRequest { bounds, limit: 1, ..ListRequest::default() };
        for (kind, entry) in self.model.kinds() {
            let has_some = entry.mine.as_ref().is_some_and(|mine| !mine.session.is_empty());
            if entry.is_served && has_some && self.exists(kind, &request)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
