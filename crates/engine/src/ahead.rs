//! Prefetches the documents that a [`ReadAhead`] lists, in one batch.
//!
//! Rules find them in [`Ahead`] afterwards, without another read of the storage.

use crate::address::Address;
use crate::bounds::Bounds;
use crate::claims::Underway;
use crate::failure::storage_failure;
use crate::large::LARGE_BYTES_MIN;
use crate::parsed::Parsed;
use crate::read_ahead::{Name, ReadAhead};
use crate::rules::Found;
use crate::shop::Shop;
use foldhash::HashMap;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;
use kontor_storage::Stored;
use std::cell::{OnceCell, RefCell};

/// The prefetched documents of one attempt of a change, or of several changes that are prepared together.
#[derive(Default)]
pub(crate) struct Ahead {
    documents: HashMap<Name, Read>,
    /// Documents that were looked up by a unique key, by kind and id: after a lookup by key, rules mostly
    /// continue with the id.
    by_id: RefCell<HashMap<(String, String), Found>>,
    /// Documents that the rules of one change read in addition, cached for the following changes; `None` for a
    /// single change.
    besides: Option<RefCell<HashMap<Name, Option<Found>>>>,
    /// Submitted commits that are not on disk yet and that this change builds on, the latest first.
    pub(crate) underway: Vec<Underway>,
}

struct Read {
    stored: Option<Stored>,
    /// The parsed document, filled in when a rule first needs it.
    found: OnceCell<Option<Found>>,
}

impl Ahead {
    /// Returns a prefetched document; `None` if it was not prefetched, `Some(None)` if it does not exist.
    pub(crate) fn get(
        &self,
        type_id: &str,
        path: Option<&str>,
        value: &str,
        parsed: &Parsed,
    ) -> ApiResult<Option<Option<Found>>> {
        if self.documents.is_empty() {
            return Ok(None);
        }
        let name =
            Name { type_id: type_id.to_owned(), path: path.map(str::to_owned), value: value.to_owned() };
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
        let found = read.stored.as_ref().map(|stored| self.parse(&name, stored, parsed)).transpose()?;
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
    fn parse(&self, name: &Name, stored: &Stored, parsed: &Parsed) -> ApiResult<Found> {
        let by_id = self.by_id.borrow();
        let known = match name.path.is_some() && !by_id.is_empty() {
            true => by_id.get(&(name.type_id.clone(), stored.id.clone())),
            false => None,
        };
        match known.filter(|known| known.revision == stored.revision) {
            Some(known) => Ok(known.clone()),
            None => Found::read_or_parsed(stored, parsed),
        }
    }

    /// Returns a document as a submitted commit of another change writes it, if there is one.
    pub(crate) fn underway(&self, type_id: &str, id: &str) -> Option<&Stored> {
        self.underway.iter().find_map(|underway| underway.document(type_id, id))
    }

    /// Caches a document that was read in addition, if other changes of the same request may need it.
    pub(crate) fn keep(&self, type_id: &str, path: Option<&str>, value: &str, found: Option<&Found>) {
        if let Some(besides) = &self.besides {
            let name =
                Name { type_id: type_id.to_owned(), path: path.map(str::to_owned), value: value.to_owned() };
            besides.borrow_mut().insert(name, found.cloned());
        }
    }

    /// Reads a stored document. Uses the prefetched parsed copy if it has the same revision.
    pub(crate) fn read(&self, type_id: &str, stored: &Stored, parsed: &Parsed) -> ApiResult<Found> {
        match self.get(type_id, None, &stored.id, parsed)?.flatten() {
            Some(found) if found.revision == stored.revision => Ok(found),
            _ => Found::read(stored),
        }
    }
}

impl Shop {
    /// Prefetches the listed documents.
    pub(crate) fn read_ahead(&self, wanted: ReadAhead<'_>) -> ApiResult<Ahead> {
        Ok(self.read_with(None, wanted)?.1)
    }

    /// Like [`must_get_to_change`](Self::must_get_to_change), and prefetches documents in the same batch.
    pub(crate) fn must_get_to_change_and(
        &self,
        kind: KindId,
        address: &Address<'_>,
        bounds: &Bounds,
        wanted: ReadAhead<'_>,
    ) -> ApiResult<(Stored, Ahead)> {
        if bounds.associate.is_some() || wanted.names.is_empty() {
            // An Associate gets a specific error for a document of another unit, which takes a separate read.
            return Ok((self.must_get_to_change(kind, address, bounds)?, self.read_ahead(wanted)?));
        }
        let (stored, ahead) = self.read_with(self.named(kind, address), wanted)?;
        Ok((self.must_be_admitted(kind, address, stored, bounds)?, ahead))
    }

    /// Reads several documents that will be changed and the prefetched documents of all changes, then the
    /// documents that the stored ones refer to: two batches. Not for Associates.
    pub(crate) fn get_each_to_change(
        &self,
        kind: KindId,
        addresses: &[&Address<'_>],
        bounds: &Bounds,
        mut wanted: ReadAhead<'_>,
    ) -> ApiResult<(Vec<ApiResult<Stored>>, Ahead)> {
        let names: Vec<Option<Name>> = addresses.iter().map(|address| self.named(kind, address)).collect();
        wanted.names.extend(names.iter().flatten().cloned());
        let mut ahead = Ahead { besides: Some(RefCell::default()), ..self.read_ahead(wanted)? };
        if let Some(behaviour) = self.behaviours.of(kind) {
            let mut further = ReadAhead::new(&self.model);
            for name in names.iter().flatten() {
                let found = ahead.get(&name.type_id, name.path.as_deref(), &name.value, &self.parsed)?;
                if let Some(found) = found.flatten() {
                    behaviour.read_ahead_of_stored(&found.document, &mut further);
                }
            }
            further.names.retain(|name| !ahead.documents.contains_key(name));
            ahead.documents.extend(self.read_ahead(further)?.documents);
        }
        let stored = names.iter().zip(addresses).map(|(name, address)| {
            let read = name.as_ref().and_then(|name| ahead.documents.get(name));
            self.must_be_admitted(kind, address, read.and_then(|read| read.stored.clone()), bounds)
        });
        Ok((stored.collect(), ahead))
    }

    /// Returns the prefetch name of an addressed document.
    fn named(&self, kind: KindId, address: &Address<'_>) -> Option<Name> {
        let (path, value) = self.stored_at(kind, address)?;
        let type_id = self.model.kind(self.model.stored(kind)).type_id.clone();
        Some(Name { type_id, path: path.map(str::to_owned), value: value.into_owned() })
    }

    fn must_be_admitted(
        &self,
        kind: KindId,
        address: &Address<'_>,
        stored: Option<Stored>,
        bounds: &Bounds,
    ) -> ApiResult<Stored> {
        let admitted = self.admitted(kind, stored, bounds)?;
        admitted.ok_or_else(|| ApiError::resource_not_found(&address.describe()))
    }

    /// Reads one document and prefetches others, in one batch.
    fn read_with(&self, one: Option<Name>, wanted: ReadAhead<'_>) -> ApiResult<(Option<Stored>, Ahead)> {
        if one.is_none() && wanted.names.is_empty() {
            return Ok((None, Ahead::default()));
        }
        let keys: Vec<_> = one.iter().chain(&wanted.names).map(Name::key).collect();
        let mut read = self.storage.get_batch_as_seen(&keys).map_err(storage_failure)?.into_iter();
        let stored = if one.is_some() { read.next().flatten() } else { None };
        let documents = wanted.names.into_iter().zip(read);
        let documents = documents.map(|(name, stored)| (name, Read { stored, found: OnceCell::new() }));
        Ok((stored, Ahead { documents: documents.collect(), ..Ahead::default() }))
    }
}
