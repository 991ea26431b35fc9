//! Prefetches the documents that a [`PrefetchPlan`] lists, in one batch.
//!
//! Rules find them in [`PrefetchedDocuments`] afterwards, without another read of the storage.

use crate::access_scope::AccessScope;
use crate::address::Address;
use crate::claims::InFlightWrite;
use crate::large_documents::LARGE_BYTES_MIN;
use crate::parsed_document_cache::ParsedDocumentCache;
use crate::prefetch_plan::{PrefetchKey, PrefetchPlan};
use crate::rules::FoundDocument;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use foldhash::HashMap;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;
use kontor_storage::StoredDocument;
use std::cell::{OnceCell, RefCell};

/// The prefetched documents of one attempt of a change, or of several changes that are prepared together.
#[derive(Default)]
pub(crate) struct PrefetchedDocuments {
    documents: HashMap<PrefetchKey, PrefetchedDocument>,
    /// Documents that were looked up by a unique key, by kind and id: after a lookup by key, rules mostly
    /// continue with the id.
    by_id: RefCell<HashMap<(String, String), FoundDocument>>,
    /// Documents that the rules of one change read in addition, cached for the following changes; `None` for a
    /// single change.
    besides: Option<RefCell<HashMap<PrefetchKey, Option<FoundDocument>>>>,
    /// Submitted commits that are not on disk yet and that this change builds on, the latest first.
    pub(crate) underway: Vec<InFlightWrite>,
}

struct PrefetchedDocument {
    stored: Option<StoredDocument>,
    /// The parsed document, filled in when a rule first needs it.
    found: OnceCell<Option<FoundDocument>>,
}

impl PrefetchedDocuments {
    /// Returns a prefetched document; `None` if it was not prefetched, `Some(None)` if it does not exist.
    pub(crate) fn get(
        &self,
        type_id: &str,
        path: Option<&str>,
        value: &str,
        parsed_documents: &ParsedDocumentCache,
    ) -> ApiResult<Option<Option<FoundDocument>>> {
        if self.documents.is_empty() {
            return Ok(None);
        }
        let name = PrefetchKey {
            type_id: type_id.to_owned(),
            path: path.map(str::to_owned),
            value: value.to_owned(),
        };
        let Some(read) = self.documents.get(&name) else {
            let besides = self.besides.as_ref().and_then(|besides| besides.borrow().get(&name).cloned());
            if besides.is_some() {
                return Ok(besides);
            }
            let known = path.is_none().then_some((name.type_id, name.value));
            return Ok(known.and_then(|known| self.by_id.borrow().get(&known).cloned()).map(Some));
        };
        if let Some(found) = read.found.get() {
            return Ok(Some(found.clone()));
        }
        let found =
            read.stored.as_ref().map(|stored| self.parse(&name, stored, parsed_documents)).transpose()?;
        if let Some(found) = found.as_ref().filter(|_| path.is_some()) {
            self.by_id.borrow_mut().insert((name.type_id, found.id.clone()), found.clone());
        }
        Ok(Some(read.found.get_or_init(|| found).clone()))
    }

    /// Whether the prefetched documents together are so large that rules about them take long.
    pub(crate) fn is_large(&self) -> bool {
        let mut left = LARGE_BYTES_MIN;
        self.documents.values().filter_map(|read| read.stored.as_ref()).any(|stored| {
            let rest = left.checked_sub(stored.body.len());
            left = rest.unwrap_or_default();
            rest.is_none()
        })
    }

    /// Parses a document, once for all its unique keys: a cart may name a product by each of its SKUs.
    fn parse(
        &self,
        name: &PrefetchKey,
        stored: &StoredDocument,
        parsed_documents: &ParsedDocumentCache,
    ) -> ApiResult<FoundDocument> {
        let by_id = self.by_id.borrow();
        let known = match name.path.is_some() && !by_id.is_empty() {
            true => by_id.get(&(name.type_id.clone(), stored.id.clone())),
            false => None,
        };
        match known.filter(|known| known.revision == stored.revision) {
            Some(known) => Ok(known.clone()),
            None => FoundDocument::parse_cached(stored, parsed_documents),
        }
    }

    /// Returns a document as a submitted commit of another change writes it, if there is one.
    pub(crate) fn in_flight_document(&self, type_id: &str, id: &str) -> Option<&StoredDocument> {
        self.underway.iter().find_map(|underway| underway.document(type_id, id))
    }

    /// Caches a document that was read in addition, if other changes of the same request may need it.
    pub(crate) fn cache(
        &self,
        type_id: &str,
        path: Option<&str>,
        value: &str,
        document: Option<&FoundDocument>,
    ) {
        if let Some(besides) = &self.besides {
            let name = PrefetchKey {
                type_id: type_id.to_owned(),
                path: path.map(str::to_owned),
                value: value.to_owned(),
            };
            besides.borrow_mut().insert(name, document.cloned());
        }
    }

    /// Reads a stored document. Uses the prefetched parsed copy if it has the same revision.
    pub(crate) fn read(
        &self,
        type_id: &str,
        stored: &StoredDocument,
        parsed_documents: &ParsedDocumentCache,
    ) -> ApiResult<FoundDocument> {
        match self.get(type_id, None, &stored.id, parsed_documents)?.flatten() {
            Some(found) if found.revision == stored.revision => Ok(found),
            _ => FoundDocument::read(stored).map_err(|error| error.of_document(Some(type_id), &stored.id)),
        }
    }
}

impl Shop {
    /// Prefetches the listed documents.
    pub(crate) fn prefetch(&self, prefetch_plan: PrefetchPlan<'_>) -> ApiResult<PrefetchedDocuments> {
        Ok(self.get_and_prefetch(None, prefetch_plan)?.1)
    }

    /// Like [`must_get_to_change`](Self::must_get_to_change), and prefetches documents in the same batch.
    pub(crate) fn must_get_to_change_and_prefetch(
        &self,
        kind: KindId,
        address: &Address<'_>,
        access_scope: &AccessScope,
        prefetch_plan: PrefetchPlan<'_>,
    ) -> ApiResult<(StoredDocument, PrefetchedDocuments)> {
        if access_scope.associate.is_some() || prefetch_plan.names.is_empty() {
            // An Associate gets a specific error for a document of another unit, which takes a separate read.
            return Ok((
                self.must_get_to_change(kind, address, access_scope)?,
                self.prefetch(prefetch_plan)?,
            ));
        }
        let (stored, ahead) = self.get_and_prefetch(self.prefetch_key(kind, address), prefetch_plan)?;
        Ok((self.must_be_admitted(kind, address, stored, access_scope)?, ahead))
    }

    /// Reads several documents that will be changed and the prefetched documents of all changes, then the
    /// documents that the stored ones refer to: two batches. Not for Associates.
    pub(crate) fn get_each_to_change(
        &self,
        kind: KindId,
        addresses: &[&Address<'_>],
        access_scope: &AccessScope,
        mut prefetch_plan: PrefetchPlan<'_>,
    ) -> ApiResult<(Vec<ApiResult<StoredDocument>>, PrefetchedDocuments)> {
        let names: Vec<Option<PrefetchKey>> =
            addresses.iter().map(|address| self.prefetch_key(kind, address)).collect();
        prefetch_plan.names.extend(names.iter().flatten().cloned());
        let mut ahead =
            PrefetchedDocuments { besides: Some(RefCell::default()), ..self.prefetch(prefetch_plan)? };
        if let Some(behaviour) = self.behaviours.get(kind) {
            let mut further = PrefetchPlan::new(&self.model);
            for name in names.iter().flatten() {
                let found =
                    ahead.get(&name.type_id, name.path.as_deref(), &name.value, &self.parsed_documents)?;
                if let Some(found) = found.flatten() {
                    behaviour.prefetch_for_stored(&found.document, &mut further);
                }
            }
            further.names.retain(|name| !ahead.documents.contains_key(name));
            ahead.documents.extend(self.prefetch(further)?.documents);
        }
        let stored = names.iter().zip(addresses).map(|(name, address)| {
            let read = name.as_ref().and_then(|name| ahead.documents.get(name));
            self.must_be_admitted(kind, address, read.and_then(|read| read.stored.clone()), access_scope)
        });
        Ok((stored.collect(), ahead))
    }

    /// Returns the prefetch name of an addressed document.
    fn prefetch_key(&self, kind: KindId, address: &Address<'_>) -> Option<PrefetchKey> {
        let (path, value) = self.storage_address(kind, address)?;
        let type_id = self.model.kind(self.model.stored_kind(kind)).type_id.clone();
        Some(PrefetchKey { type_id, path: path.map(str::to_owned), value: value.into_owned() })
    }

    fn must_be_admitted(
        &self,
        kind: KindId,
        address: &Address<'_>,
        stored: Option<StoredDocument>,
        access_scope: &AccessScope,
    ) -> ApiResult<StoredDocument> {
        let admitted = self.filter_by_scope(kind, stored, access_scope)?;
        admitted.ok_or_else(|| ApiError::resource_not_found(&address.describe()))
    }

    /// Reads one document and prefetches others, in one batch.
    fn get_and_prefetch(
        &self,
        one: Option<PrefetchKey>,
        prefetch: PrefetchPlan<'_>,
    ) -> ApiResult<(Option<StoredDocument>, PrefetchedDocuments)> {
        if one.is_none() && prefetch.names.is_empty() {
            return Ok((None, PrefetchedDocuments::default()));
        }
        let keys: Vec<_> = one.iter().chain(&prefetch.names).map(PrefetchKey::key).collect();
        let mut read = self.storage.get_batch_cached(&keys).map_err(storage_failure)?.into_iter();
        let stored = if one.is_some() { read.next().flatten() } else { None };
        let documents = prefetch.names.into_iter().zip(read);
        let documents =
            documents.map(|(name, stored)| (name, PrefetchedDocument { stored, found: OnceCell::new() }));
        Ok((stored, PrefetchedDocuments { documents: documents.collect(), ..PrefetchedDocuments::default() }))
    }
}
