//! Checks whether a kind has any documents.

use super::Rules;
use kontor_model::KindId;
use kontor_storage::Precondition;

/// The known result for a kind.
#[derive(Clone, Copy)]
pub(super) struct KnownPresence {
    any: bool,
    /// Whether the absence of documents is already a precondition.
    is_relied_on: bool,
}

impl Rules<'_> {
    /// Whether a kind, given by its name in the model, may have documents. If it has none, the commit requires that.
    pub(crate) fn may_have_documents(&self, name: &str) -> bool {
        self.look_up_presence(&[name]);
        let Some(id) = self.kind_named(name) else { return false };
        let mut all = self.presence_by_kind.borrow_mut();
        let Some(known) = all.get_mut(&id).filter(|known| !known.any) else { return true };
        if !std::mem::replace(&mut known.is_relied_on, true) {
            let kind = self.model.kind(id).type_id.clone();
            self.require(Precondition::CountAtMost { kind, limit: 0 });
        }
        false
    }

    /// Looks up in one read which of these kinds have documents, for later calls of
    /// [`may_have_documents`](Self::may_have_documents). Adds no precondition.
    pub(crate) fn look_up_presence(&self, names: &[&str]) {
        let mut unknown: Vec<KindId> = names.iter().filter_map(|name| self.kind_named(name)).collect();
        unknown.retain(|id| !self.presence_by_kind.borrow().contains_key(id));
        unknown.sort_unstable_by_key(|id| &self.model.kind(*id).type_id);
        unknown.dedup();
        if unknown.is_empty() {
            return;
        }
        let type_ids: Vec<&str> = unknown.iter().map(|id| self.model.kind(*id).type_id.as_str()).collect();
        let found = self.documents.may_have_documents(&type_ids);
        let known = unknown.into_iter().zip(found);
        self.presence_by_kind
            .borrow_mut()
            .extend(known.map(|(id, any)| (id, KnownPresence { any, is_relied_on: false })));
    }

    fn kind_named(&self, name: &str) -> Option<KindId> {
        self.model.kind_by_name(name)
    }
}
