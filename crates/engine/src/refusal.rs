//! Translates a refused commit into a retry or an API error.

use crate::document_writes;
use crate::refusal_reason::RefusalReason;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::ApiError;
use kontor_json::json;
use kontor_model::{KindId, Model};
use kontor_storage::{CommitError, CommitRefusal, Precondition};

/// The reaction to a refused commit.
pub(crate) enum RefusalOutcome {
    /// Retry from the reads: something whose version the caller did not send has changed.
    Retry,
    /// Return the error to the caller.
    Refuse(ApiError),
}

/// Translates a refusal. `preconditions` are those of the refused commit, `kinds` those of its changed documents.
pub(crate) fn refusal_outcome(
    error: CommitError,
    preconditions: &[Precondition],
    shop: &Shop,
    kinds: &[KindId],
) -> RefusalOutcome {
    let refusal = match error {
        CommitError::Failed(error) => return RefusalOutcome::Refuse(storage_failure(error)),
        CommitError::Refused(refusal) => refusal,
    };
    if let Some(error) = own_refusal(&refusal, preconditions, shop, kinds) {
        return RefusalOutcome::Refuse(error);
    }
    match refusal {
        // A concurrent request created the document that the draft would have replaced.
        CommitRefusal::Duplicate { kind, .. }
            if shop.model.kind_by_type_id(&kind).is_some_and(|kind| shop.model.kind(kind).upserts()) =>
        {
            RefusalOutcome::Retry
        }
        CommitRefusal::Duplicate { path, value, .. } => {
            let value = json!(document_writes::own_part(&value));
            RefusalOutcome::Refuse(ApiError::duplicate_field(&path, value))
        }
        CommitRefusal::Precondition { index, .. } => match preconditions.get(index) {
            Some(Precondition::NotReferenced { kind: referrer, path, .. }) => {
                let target = target_of(referrer, path, kinds, &shop.model);
                RefusalOutcome::Refuse(ApiError::reference_exists(target, referrer))
            }
            // Not a limit: a rule relied on the absence of documents.
            Some(Precondition::CountAtMost { limit: 0, .. }) => RefusalOutcome::Retry,
            Some(Precondition::CountAtMost { kind, limit }) => {
                RefusalOutcome::Refuse(ApiError::resource_limit_exceeded(*limit, kind))
            }
            // E.g. a deleted target, or a document that was written meanwhile: the retry reads it.
            _ => RefusalOutcome::Retry,
        },
        CommitRefusal::Missing { .. } | CommitRefusal::Counter { .. } => RefusalOutcome::Retry,
    }
}

/// Returns the error that the behaviour of one of the kinds has for a refusal.
fn own_refusal(
    refusal: &CommitRefusal,
    preconditions: &[Precondition],
    shop: &Shop,
    kinds: &[KindId],
) -> Option<ApiError> {
    let own = |kind: &KindId, refused| shop.behaviours.get(*kind)?.refusal_error(refused);
    match refusal {
        CommitRefusal::Duplicate { kind, path, value, holder } => {
            let holds = |id: &&KindId| shop.model.kind(**id).type_id == *kind;
            kinds
                .iter()
                .find(holds)
                .and_then(|kind| own(kind, RefusalReason::Duplicate { path, value, holder }))
        }
        CommitRefusal::Precondition { index, .. } => {
            let refused = RefusalReason::Precondition(preconditions.get(*index)?);
            kinds.iter().find_map(|kind| own(kind, refused))
        }
        CommitRefusal::Missing { .. } | CommitRefusal::Counter { .. } => None,
    }
}

/// Returns the `typeId` of the kind, of these, to which documents of `referrer` refer at a path.
fn target_of<'m>(referrer: &str, path: &str, kinds: &[KindId], model: &'m Model) -> &'m str {
    let is_meant = |kind: &&KindId| {
        model.referrers(**kind).iter().any(|own| {
            model.kind(own.kind).type_id == referrer
                && own.path.iter().map(String::as_str).eq(path.split('.'))
        })
    };
    let meant = kinds.iter().find(is_meant).or(kinds.first());
    meant.map_or("", |kind| model.kind(*kind).type_id.as_str())
}
