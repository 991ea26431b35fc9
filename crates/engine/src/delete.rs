//! Deletes documents. Start at [`Shop::delete`].

use crate::address::Address;
use crate::ahead::Ahead;
use crate::associate;
use crate::attempt::{Attempt, Prepared};
use crate::caller::Caller;
use crate::change::{Change, ChangeSet};
use crate::document::Document;
use crate::effects::Effects;
use crate::rules::Found;
use crate::shop::Shop;
use crate::update::admit_version;
use crate::write;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::{KindId, Operation};
use kontor_storage::Stored;

/// The options of a deletion.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deletion {
    /// The last version that the caller has seen; `None` only if the kind does not require it.
    pub version: Option<i64>,
    /// The parameter `dataErasure`: also deletes the Messages about the document and its Change History
    /// records, since they may contain personal data.
    pub erase: bool,
}

impl Shop {
    /// Deletes a document. Returns it as it was.
    pub fn delete<'a>(
        &'a self,
        kind: KindId,
        address: &'a Address<'a>,
        deletion: Deletion,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<Bytes>> {
        Box::pin(async move { self.change(&Deleting { kind, address, deletion, caller }).await })
    }

    /// Prepares the deletion of a document, with all its preconditions.
    pub(crate) fn deletion(
        &self,
        kind: KindId,
        before: Found,
        erases: bool,
        caller: &Caller,
    ) -> ApiResult<Prepared<Bytes>> {
        let project = self.project();
        self.with_rules_after(&Ahead::default(), caller, &project, |rules| {
            associate::admit(kind, &before.document, Operation::Delete, rules)?;
            let mut effects = Effects::default();
            if let Some(behaviour) = rules.behaviours.of(kind) {
                behaviour.admit_delete(&before.document, rules, &mut effects)?;
            }
            ChangeSet::of(Change::deleted(kind, before, erases, rules)).prepare(effects, caller, rules)
        })
    }
}

/// A deletion on its way to the storage.
struct Deleting<'a> {
    kind: KindId,
    address: &'a Address<'a>,
    deletion: Deletion,
    caller: &'a Caller,
}

impl Attempt for Deleting<'_> {
    type Answer = Bytes;

    async fn prepare(&self, shop: &Shop) -> ApiResult<Prepared<Bytes>> {
        let Self { kind, caller, deletion, .. } = *self;
        let stored = shop.must_get_to_change(kind, self.address, &caller.bounds)?;
        let before = Found::read(&stored)?;
        admit_version(deletion.version, &before.document)?;
        let mut prepared = shop.deletion(kind, before.clone(), deletion.erase, caller)?;
        if deletion.erase {
            prepared = prepared.erasing(shop.erasure(kind, &before.document)?);
        }
        if shop.is_who_asks(kind) {
            prepared = prepared.ending_tokens_of(&stored.id);
        }
        prepared.answering(|_| answer(shop, kind, stored, &before.document))
    }
}

/// Returns the deleted document, with the additional fields of its kind.
fn answer(shop: &Shop, kind: KindId, stored: Stored, before: &Document) -> ApiResult<Bytes> {
    let said = match shop.behaviours.of(kind) {
        Some(behaviour) => shop.with_rules(&shop.project(), |rules| behaviour.said_at_end(before, rules))?,
        None => Document::new(),
    };
    if said.is_empty() {
        return Ok(stored.body);
    }
    let mut answered = before.clone();
    answered.extend(said);
    write::bytes_of(&Value::Object(answered))
}
