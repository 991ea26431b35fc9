//! Searchable fields, including those that an index does not know yet.

use crate::follow;
use kontor_engine::{Searchable, Shop};
use kontor_search::{Field, FieldProblem, FieldUse, Fields, Found, Query};
use std::sync::{Arc, OnceLock};

/// The searchable fields of an index. A field that the index does not know may exist by now: an Attribute of
/// a Product Type created a moment ago is no unknown field, it only has no values yet.
pub(crate) struct Newest {
    known: Arc<dyn Fields>,
    searchable: Arc<dyn Searchable>,
    shop: Arc<Shop>,
    /// The generation of the index. For another one, a new index is built, and the old one keeps its fields
    /// meanwhile.
    generation: Option<u64>,
    /// Looked at once, and only where something is not known.
    now: OnceLock<Option<Arc<dyn Fields>>>,
}

impl Newest {
    pub(crate) fn new(
        known: Arc<dyn Fields>,
        searchable: Arc<dyn Searchable>,
        shop: Arc<Shop>,
        generation: Option<u64>,
    ) -> Self {
        Self { known, searchable, shop, generation, now: OnceLock::new() }
    }

    fn now(&self) -> Option<&Arc<dyn Fields>> {
        let look = || match follow::shape(&self.shop, &*self.searchable) {
            Ok((fields, generation)) => (self.generation == Some(generation)).then_some(fields),
            Err(error) => {
                tracing::warn!(project = %self.shop.key, %error, "what can be searched now was not read");
                None
            }
        };
        self.now.get_or_init(look).as_ref()
    }
}

impl Fields for Newest {
    fn find(&self, used: &FieldUse<'_>) -> Result<Found, FieldProblem> {
        match self.known.find(used) {
            Err(FieldProblem::Unknown) => match self.now() {
                Some(now) => now.find(used),
                None => Err(FieldProblem::Unknown),
            },
            found => found,
        }
    }

    fn languages(&self) -> &[Arc<str>] {
        self.known.languages()
    }

    fn own(&self, name: &str) -> Option<Field> {
        self.known.own(name)
    }

    fn holds_days(&self, name: &str) -> bool {
        let now = self.now.get().and_then(Option::as_ref);
        self.known.holds_days(name) || now.is_some_and(|now| now.holds_days(name))
    }

    fn within(&self, name: &str, parameters: &[(String, String)]) -> Option<Query> {
        self.known.within(name, parameters)
    }
}
