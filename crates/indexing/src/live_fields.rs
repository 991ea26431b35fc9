//! Searchable fields of an index, including those added since the index last read the change log.

use crate::change_log_follower;
use kontor_engine::{Searchable, Shop};
use kontor_search::{FieldProblem, FieldUse, SearchField, SearchQuery, SearchableField, SearchableFields};
use std::sync::{Arc, OnceLock};

/// The searchable fields of an index, with a fallback to the current fields of the shop. Without it, a search by an
/// Attribute of a Product Type that was created a moment ago would fail as unknown; it must only find nothing.
pub(crate) struct LiveFields {
    known: Arc<dyn SearchableFields>,
    searchable: Arc<dyn Searchable>,
    shop: Arc<Shop>,
    /// The generation of the index. If the shop's fields have another generation, there is no fallback: a new index is
    /// being built, and the old one has its own fields.
    generation: Option<u64>,
    /// The current fields of the shop, read at the first unknown field; `None` inside: another generation.
    current_fields: OnceLock<Option<Arc<dyn SearchableFields>>>,
}

impl LiveFields {
    pub(crate) fn new(
        known: Arc<dyn SearchableFields>,
        searchable: Arc<dyn Searchable>,
        shop: Arc<Shop>,
        generation: Option<u64>,
    ) -> Self {
        Self { known, searchable, shop, generation, current_fields: OnceLock::new() }
    }

    fn current(&self) -> Option<&Arc<dyn SearchableFields>> {
        let look = || match change_log_follower::current_fields(&self.shop, &*self.searchable) {
            Ok((fields, generation)) => (self.generation == Some(generation)).then_some(fields),
            Err(error) => {
                tracing::warn!(project = %self.shop.key, %error, "could not read the searchable fields");
                None
            }
        };
        self.current_fields.get_or_init(look).as_ref()
    }
}

impl SearchableFields for LiveFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<SearchableField, FieldProblem> {
        match self.known.find(used) {
            Err(FieldProblem::Unknown) => match self.current() {
                Some(now) => now.find(used),
                None => Err(FieldProblem::Unknown),
            },
            found => found,
        }
    }

    fn languages(&self) -> &[Arc<str>] {
        self.known.languages()
    }

    fn find_internal(&self, name: &str) -> Option<SearchField> {
        self.known.find_internal(name)
    }

    fn holds_days(&self, name: &str) -> bool {
        let now = self.current_fields.get().and_then(Option::as_ref);
        self.known.holds_days(name) || now.is_some_and(|now| now.holds_days(name))
    }

    fn scope_condition(&self, name: &str, parameters: &[(String, String)]) -> Option<SearchQuery> {
        self.known.scope_condition(name, parameters)
    }
}
