//! Reference expansion: `obj` beside the id of a reference, for the paths that a request names.
//!
//! One level is one batch of look-ups, whatever the number of references. A target that is not there
//! leaves its reference as it is.

use crate::bounds::Bounds;
use crate::document;
use crate::inside::Inside;
use crate::masked::mask;
use crate::memory::ResponseMeter;
use crate::shop::Shop;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_query::limits::EXPANDED_REFERENCES_MAX;
use kontor_query::{Expansions, Fetched, Scope, Target, too_many_references};
use std::collections::BTreeMap;

impl Shop {
    /// Checks expansion paths before anything is done.
    ///
    /// # Errors
    /// 400 `InvalidInput` for what is no path; 401 `Unauthorized` for one that leads to what is not shown below `/me`.
    pub fn admit_expansion(&self, kind: KindId, expand: &[String], bounds: &Bounds) -> ApiResult<()> {
        if expand.is_empty() {
            return Ok(());
        }
        let expansions = Expansions::parse(expand.iter().map(String::as_str))?;
        let mine = bounds.mine.as_ref().and(self.model.kind(kind).mine.as_ref());
        let Some(mine) = mine.filter(|mine| !mine.unexpanded.is_empty()) else { return Ok(()) };
        let reached = expansions.expanded_kinds(&Scope::of_kind(&self.model, self.model.kind(kind)));
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

    /// A document with the references expanded that `expand` names. Without any, the same bytes. The meter is charged for the bytes
    /// by which the document grows.
    fn expanded(
        &self,
        kind: KindId,
        body: Bytes,
        expand: &[String],
        bounds: &Bounds,
        inside: Option<&[Inside]>,
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
        let fetch = |targets: &[Target]| {
            let mut found = self.look_up(targets, inside, meter)?;
            looked_up_bytes += found.iter().flatten().map(|found| found.bytes).sum::<usize>();
            for (target, found) in targets.iter().zip(&mut found) {
                if self.is_withheld(kind, target, bounds) {
                    *found = None;
                }
            }
            Ok(found)
        };
        expansions.apply(&mut documents, fetch, &mut |bytes| grow(meter, bytes))?;
        let [document] = documents;
        let expanded = document.to_string().into();
        meter.refund(looked_up_bytes);
        Ok(expanded)
    }

    /// Whether a document is not shown inside of another one: below `/me` customers see themselves alone.
    fn is_withheld(&self, kind: KindId, target: &Target, bounds: &Bounds) -> bool {
        let Some(asker) = &bounds.mine else { return false };
        let Some(target_kind) = self.model.kind_by_type_id(&target.type_id) else { return false };
        let is_customer = self.model.kind(target_kind).mine.as_ref().is_some_and(|mine| mine.path.is_empty());
        let is_unexpanded =
            self.model.kind(kind).mine.as_ref().is_some_and(|mine| mine.unexpanded.contains(&target_kind));
        is_unexpanded || (is_customer && asker.customer() != Some(target.id.as_str()))
    }

    /// A document as a request that is limited to some shows it: with the references expanded that `expand` names,
    /// as far as `inside` allows, and below `/me` only the fields that the model shows there. The meter is that of the response.
    pub fn shown(
        &self,
        kind: KindId,
        body: Bytes,
        expand: &[String],
        bounds: &Bounds,
        inside: Option<&[Inside]>,
        meter: &ResponseMeter,
    ) -> ApiResult<Bytes> {
        let object =
            bounds.mine.as_ref().and(self.model.kind(kind).mine.as_ref()).and_then(|mine| mine.object);
        let body = self.masked(kind, body, bounds)?;
        let body = match object {
            None => body,
            Some(object) => {
                let mut document = document::read(&body)?;
                document.retain(|name, _| self.model.object(object).field(name).is_some());
                Value::Object(document).to_string().into()
            }
        };
        self.expanded(kind, body, expand, bounds, inside, meter)
    }

    /// The documents of targets, in the sequence asked for. Kinds that are not served have none, nor has what is not seen
    /// inside of others. The meter is charged for what is found: the caller refunds it when the documents are dropped.
    pub(crate) fn look_up(
        &self,
        targets: &[Target],
        inside: Option<&[Inside]>,
        meter: &ResponseMeter,
    ) -> ApiResult<Vec<Option<Fetched>>> {
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
            for (index, stored) in indexes.into_iter().zip(stored) {
                let is_seen =
                    |body: &[u8]| inside.is_none_or(|inside| Inside::shows(inside, &self.model, kind, body));
                let Some(stored) = stored else { continue };
                if !is_seen(&stored.body) {
                    meter.refund(stored.body.len());
                    continue;
                }
                let mut document = document::read_stored(&stored)?;
                mask(&mut document, &self.model.kind(kind).masked);
                found[index] = Some(Fetched { document: Value::Object(document), bytes: stored.body.len() });
            }
        }
        Ok(found)
    }
}

/// Counts a reference that is expanded, and charges for the bytes by which the response grows.
pub(crate) fn grow(meter: &ResponseMeter, bytes: usize) -> ApiResult<()> {
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

/// `MyPayment` as `my payment`.
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
