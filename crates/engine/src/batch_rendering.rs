//! Presents several documents in the form of the response: one read for all of them, and one for each level of
//! expansion.

use crate::access_scope::AccessScope;
use crate::document::Document;
use crate::expansion::charge_reference;
use crate::memory_budget::ResponseMeter;
use crate::projected_document::{copy_side, parse_projected};
use crate::shop::Shop;
use crate::view_options::ViewOptions;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_query::{ExpansionTarget, Expansions};
use kontor_storage::StoredDocument;

impl Shop {
    /// Returns documents in the order of their ids; `None` for a document that is missing or lacks the requested
    /// projection. Charges the meter for all of them.
    ///
    /// # Errors
    /// 400 if the documents are larger than a response may be or if `expand` is invalid; 503 `OverCapacity` if other
    /// responses hold the memory; storage errors.
    pub fn render_many(
        &self,
        kind: KindId,
        ids: &[&str],
        view_options: &ViewOptions,
        expand: &[String],
        meter: &ResponseMeter,
    ) -> ApiResult<Vec<Option<Bytes>>> {
        let entry = self.model.kind(kind);
        let stored_as = &self.model.kind(self.model.stored_kind(kind)).type_id;
        let stored = self.get_many_charged(stored_as, ids, meter, too_large_results)?;
        let expansions = Expansions::parse(expand.iter().map(String::as_str))?;
        let is_plain = view_options.parameters.is_empty() && view_options.store.is_none();
        if is_plain && expansions.is_empty() {
            let shown = stored.into_iter().map(|stored| match (stored, &entry.projection) {
                (Some(stored), None) => Some(stored.body),
                (Some(stored), Some(projection)) => copy_side(&stored.body, projection, view_options.staged),
                (None, _) => None,
            });
            return Ok(shown.collect());
        }
        let read = |stored: Option<StoredDocument>| match stored {
            Some(stored) => parse_projected(&stored.body, entry.projection.as_ref(), view_options),
            None => Ok(None),
        };
        let mut documents: Vec<Option<Document>> = stored.into_iter().map(read).collect::<ApiResult<_>>()?;
        if let Some(behaviour) = self.behaviours.get(kind).filter(|_| !is_plain) {
            let project = self.project();
            self.with_rules_in_scope(&AccessScope::default(), &project, |rules| {
                documents
                    .iter_mut()
                    .flatten()
                    .try_for_each(|document| behaviour.splice(document, view_options, rules))
            })?;
        }
        let there: Vec<bool> = documents.iter().map(Option::is_some).collect();
        let mut values: Vec<Value> = documents.into_iter().flatten().map(Value::Object).collect();
        if !expansions.is_empty() {
            let mut looked_up_bytes = 0;
            let fetch = |targets: &[ExpansionTarget]| {
                let found = self.fetch_targets(targets, view_options.references.as_deref(), meter)?;
                looked_up_bytes += found.iter().flatten().map(|found| found.bytes).sum::<usize>();
                Ok(found)
            };
            expansions.apply(&mut values, fetch, &mut |bytes| charge_reference(meter, bytes))?;
            meter.refund(looked_up_bytes);
        }
        let mut values = values.into_iter().map(|value| Bytes::from(value.to_string()));
        Ok(there.into_iter().map(|is_there| if is_there { values.next() } else { None }).collect())
    }
}

/// 400: the documents of a search are larger than one response may be.
fn too_large_results(meter: &ResponseMeter) -> ApiError {
    ApiError::invalid_input(format!(
        "Malformed parameter: limit: The documents of this page are larger than one response may be ({} MB). Send a smaller limit.",
        meter.share_bytes_max() >> 20
    ))
}
