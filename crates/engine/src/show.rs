//! Several documents as they are to be shown: one read for all of them, and one for each level of expansion.

use crate::bounds::Bounds;
use crate::document::Document;
use crate::failure::storage_failure;
use crate::shop::Shop;
use crate::side::{read_as, side_of};
use crate::sight::Sight;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::KindId;
use kontor_query::{Expansions, Target};
use kontor_storage::Stored;

impl Shop {
    /// Documents in the sequence of their ids; `None` in the place of one that is not there or has no such side.
    pub fn show_many(
        &self,
        kind: KindId,
        ids: &[&str],
        sight: &Sight,
        expand: &[String],
    ) -> ApiResult<Vec<Option<Bytes>>> {
        let entry = self.model.kind(kind);
        let stored_as = &self.model.kind(self.model.stored(kind)).type_id;
        let stored = self.storage.get_many(stored_as, ids).map_err(storage_failure)?;
        let expansions = Expansions::parse(expand.iter().map(String::as_str))?;
        let is_plain = sight.parameters.is_empty() && sight.store.is_none();
        if is_plain && expansions.is_empty() {
            let shown = stored.into_iter().map(|stored| match (stored, &entry.projection) {
                (Some(stored), None) => Some(stored.body),
                (Some(stored), Some(projection)) => side_of(&stored.body, projection, sight.staged),
                (None, _) => None,
            });
            return Ok(shown.collect());
        }
        let read = |stored: Option<Stored>| match stored {
            Some(stored) => read_as(&stored.body, entry.projection.as_ref(), sight),
            None => Ok(None),
        };
        let mut documents: Vec<Option<Document>> = stored.into_iter().map(read).collect::<ApiResult<_>>()?;
        if let Some(behaviour) = self.behaviours.of(kind).filter(|_| !is_plain) {
            let project = self.project();
            self.with_rules_within(&Bounds::default(), &project, |rules| {
                documents
                    .iter_mut()
                    .flatten()
                    .try_for_each(|document| behaviour.splice(document, sight, rules))
            })?;
        }
        let there: Vec<bool> = documents.iter().map(Option::is_some).collect();
        let mut values: Vec<Value> = documents.into_iter().flatten().map(Value::Object).collect();
        if !expansions.is_empty() {
            expansions.apply(&mut values, &mut |targets: &[Target]| {
                self.look_up(targets, sight.references.as_deref())
            })?;
        }
        let mut values = values.into_iter().map(|value| Bytes::from(value.to_string()));
        Ok(there.into_iter().map(|is_there| if is_there { values.next() } else { None }).collect())
    }
}
