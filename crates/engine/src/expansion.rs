//! Reference expansion: adds `obj` to references at the paths that a request names. Start at [`Shop::render`].
//!
//! Each level is one batch of lookups, whatever the number of references. A reference to a missing document
//! stays as it is.

use crate::access_scope::AccessScope;
use crate::document;
use crate::masking::mask;
use crate::memory_budget::ResponseMeter;
use crate::reference_scope::{ReferenceExtent, ReferenceScope};
use crate::shop::Shop;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_query::limits::EXPANDED_REFERENCES_MAX;
use kontor_query::{ExpansionTarget, Expansions, FetchedDocument, NameScope, too_many_references};
use kontor_storage::StoredDocument;
use std::collections::BTreeMap;

impl Shop {
    /// Checks expansion paths before the request does anything.
    ///
    /// # Errors
    /// 400 `InvalidInput` for an invalid path; 401 `Unauthorized` for a path to a kind that is not expanded
    /// below `/me`.
    pub fn validate_expansion(
        &self,
        kind: KindId,
        expand: &[String],
        access_scope: &AccessScope,
    ) -> ApiResult<()> {
        if expand.is_empty() {
            return Ok(());
        }
        let expansions = Expansions::parse(expand.iter().map(String::as_str))?;
        let mine = access_scope.mine.as_ref().and(self.model.kind(kind).mine.as_ref());
        let Some(mine) = mine.filter(|mine| !mine.unexpanded.is_empty()) else { return Ok(()) };
        let reached = expansions.expanded_kinds(&NameScope::of_kind(&self.model, self.model.kind(kind)));
        match mine.unexpanded.iter().find(|kind| reached.contains(kind)) {
            None => Ok(()),
            // Documented in these words (reference type `UnauthorizedError`).
            Some(kind) => Err(ApiError::new(
                Code::Unauthorized,
                format!(
                    "{} reference expansion not permitted on {}",
                    self.model.kind(*kind).name,
                    in_words(&mine.name)
                ),
            )),
        }
    }

    /// Returns a document with the references expanded that `expand` names; the same bytes if it names none.
    /// Charges the meter for the bytes by which the document grows.
    fn expand_references(
        &self,
        kind: KindId,
        body: Bytes,
        expand: &[String],
        access_scope: &AccessScope,
        references: Option<&ReferenceScope>,
        meter: &ResponseMeter,
    ) -> ApiResult<Bytes> {
        if expand.is_empty() {
            return Ok(body);
        }
        let expansions = Expansions::parse(expand.iter().map(String::as_str))?;
        if expansions.is_empty() {
            return Ok(body);
        }
        let mut documents = [Value::Object(document::read(&body)?)];
        let mut looked_up_bytes = 0;
        let fetch = |targets: &[ExpansionTarget]| {
            let mut found = self.fetch_targets(targets, references, meter)?;
            looked_up_bytes += found.iter().flatten().map(|found| found.bytes).sum::<usize>();
            for (target, found) in targets.iter().zip(&mut found) {
                if self.is_withheld(kind, target, access_scope) {
                    *found = None;
                }
            }
            Ok(found)
        };
        expansions.apply(&mut documents, fetch, &mut |bytes| charge_reference(meter, bytes))?;
        let [document] = documents;
        let expanded = document.to_string().into();
        meter.refund(looked_up_bytes);
        Ok(expanded)
    }

    /// Whether a document must not be expanded inside of another one: below `/me`, customers see only
    /// themselves.
    fn is_withheld(&self, kind: KindId, target: &ExpansionTarget, access_scope: &AccessScope) -> bool {
        let Some(asker) = &access_scope.mine else { return false };
        let Some(target_kind) = self.model.kind_by_type_id(&target.type_id) else { return false };
        let is_customer = self.model.kind(target_kind).mine.as_ref().is_some_and(|mine| mine.path.is_empty());
        let is_unexpanded =
            self.model.kind(kind).mine.as_ref().is_some_and(|mine| mine.unexpanded.contains(&target_kind));
        is_unexpanded || (is_customer && asker.customer() != Some(target.id.as_str()))
    }

    /// Returns a document as the request may see it: references at the paths `expand` are expanded, as far as
    /// they lead to documents that the caller may see; below `/me` it only has the fields that the model shows
    /// there.
    ///
    /// # Errors
    /// 400 for an invalid path in `expand`, or if the expanded documents are larger than a response may be; 503
    /// `OverCapacity` if other responses hold the memory; storage errors.
    pub fn render(
        &self,
        kind: KindId,
        body: Bytes,
        expand: &[String],
        access_scope: &AccessScope,
        references: Option<&ReferenceScope>,
        meter: &ResponseMeter,
    ) -> ApiResult<Bytes> {
        let body = self.render_visible_fields(kind, body, access_scope)?;
        self.expand_references(kind, body, expand, access_scope, references, meter)
    }

    /// Removes the fields that the model does not show below `/me`, and masks others. Every other caller gets
    /// the same bytes.
    fn render_visible_fields(
        &self,
        kind: KindId,
        body: Bytes,
        access_scope: &AccessScope,
    ) -> ApiResult<Bytes> {
        let object =
            access_scope.mine.as_ref().and(self.model.kind(kind).mine.as_ref()).and_then(|mine| mine.object);
        let body = self.mask_document(kind, body, access_scope)?;
        let Some(object) = object else { return Ok(body) };
        let mut document = document::read(&body)?;
        document.retain(|name, _| self.model.object(object).field(name).is_some());
        Ok(Value::Object(document).to_string().into())
    }

    /// Returns stored documents that references lead to, as the caller may see them; `None` for a document that
    /// does not exist for the caller. Fails if a document of the storage cannot be parsed.
    pub fn render_referenced(
        &self,
        kind: KindId,
        stored: Vec<Option<StoredDocument>>,
        references: Option<&ReferenceScope>,
    ) -> ApiResult<Vec<Option<StoredDocument>>> {
        let Some(references) = references else { return Ok(stored) };
        match references.shown_extent(&self.model, kind) {
            ReferenceExtent::All => Ok(stored),
            ReferenceExtent::Within { any_of, .. } => {
                let shown = stored.into_iter().map(|stored| match stored {
                    Some(stored) => self.render_in_scope(kind, &stored, &any_of),
                    None => Ok(None),
                });
                shown.collect()
            }
            ReferenceExtent::AssociatesOf(_) | ReferenceExtent::OwnedBy(_) => Ok(vec![None; stored.len()]),
        }
    }

    /// Returns a stored document as a request with the first matching access scope sees it.
    fn render_in_scope(
        &self,
        kind: KindId,
        stored: &StoredDocument,
        any_of: &[AccessScope],
    ) -> ApiResult<Option<StoredDocument>> {
        for bounds in any_of {
            let admitted = self.filter_by_scope(kind, Some(stored.clone()), bounds).and_then(|admitted| {
                admitted.map(|stored| self.authorize_view(kind, &stored, bounds).map(|()| stored)).transpose()
            });
            match admitted {
                Ok(Some(stored)) => {
                    let body = self.render_visible_fields(kind, stored.body.clone(), bounds)?;
                    return Ok(Some(StoredDocument { body, ..stored }));
                }
                Ok(None) => {}
                Err(refusal) if refusal.code() == Code::AssociateMissingPermission => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Returns the documents of targets, in their order; `None` for documents of kinds that are not served, and
    /// documents that do not exist for the caller.
    pub(crate) fn fetch_targets(
        &self,
        targets: &[ExpansionTarget],
        references: Option<&ReferenceScope>,
        meter: &ResponseMeter,
    ) -> ApiResult<Vec<Option<FetchedDocument>>> {
        let mut by_kind: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, target) in targets.iter().enumerate() {
            by_kind.entry(&target.type_id).or_default().push(index);
        }
        let mut found = vec![None; targets.len()];
        for (type_id, indexes) in by_kind {
            let served = self.model.kind_by_type_id(type_id).filter(|kind| self.model.kind(*kind).is_served);
            let Some(kind) = served else { continue };
            let ids: Vec<&str> = indexes.iter().map(|index| targets[*index].id.as_str()).collect();
            let stored = self.get_many_charged(type_id, &ids, meter, too_large_expansion)?;
            let read_bytes: Vec<usize> =
                stored.iter().map(|stored| stored.as_ref().map_or(0, |stored| stored.body.len())).collect();
            let shown = self.render_referenced(kind, stored, references)?;
            for ((index, shown), read_bytes) in indexes.into_iter().zip(shown).zip(read_bytes) {
                let Some(stored) = shown else {
                    meter.refund(read_bytes);
                    continue;
                };
                let mut document = document::read_stored(&stored)?;
                mask(&mut document, &self.model.kind(kind).masked);
                found[index] = Some(FetchedDocument { document: Value::Object(document), bytes: read_bytes });
            }
        }
        Ok(found)
    }
}

/// Counts an expanded reference, and charges for the bytes by which the response grows.
pub(crate) fn charge_reference(meter: &ResponseMeter, bytes: usize) -> ApiResult<()> {
    if meter.count_reference() > EXPANDED_REFERENCES_MAX {
        return Err(too_many_references());
    }
    meter.charge_or(bytes, || too_large_expansion(meter))
}

/// 400: the expanded documents take more memory than one request may use.
fn too_large_expansion(meter: &ResponseMeter) -> ApiError {
    ApiError::invalid_input(format!(
        "Malformed parameter: expand: The expanded documents are larger than one response may be ({} MB). Expand fewer \
         references, or send a smaller limit.",
        meter.share_bytes_max() >> 20
    ))
}

/// Converts e.g. `MyPayment` to `my payment`.
fn in_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
