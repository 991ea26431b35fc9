//! Rules over the documents of a shop.

use crate::bounds::{self, Bounds};
use crate::document::Document;
use crate::read_ahead::Ahead;
use crate::rules::Rules;
use crate::shop::Shop;
use crate::stored_documents::StoredDocuments;
use uuid::Uuid;

impl Shop {
    /// Runs rules over this shop.
    pub(crate) fn with_rules<T>(&self, project: &Document, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        self.with_rules_within(&bounds::EVERYTHING, project, run)
    }

    /// Runs rules that only read: what they require and leave behind comes to nothing.
    pub fn read_by_rules<T>(&self, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        self.with_rules(&self.project(), run)
    }

    /// Runs rules over what a request is limited to.
    pub(crate) fn with_rules_within<T>(
        &self,
        bounds: &Bounds,
        project: &Document,
        run: impl FnOnce(&Rules<'_>) -> T,
    ) -> T {
        self.with_rules_after(&Ahead::default(), bounds, project, run)
    }

    /// The same, over documents of which some were read ahead.
    pub(crate) fn with_rules_after<T>(
        &self,
        ahead: &Ahead,
        bounds: &Bounds,
        project: &Document,
        run: impl FnOnce(&Rules<'_>) -> T,
    ) -> T {
        let new_id = || Uuid::now_v7().to_string();
        let documents = StoredDocuments { storage: &*self.storage, ahead };
        let rules = Rules::new(&self.model, &self.behaviours, project, self.clock.now(), &documents, &new_id);
        run(&rules.within(bounds).keeping(&self.worked_out))
    }
}
