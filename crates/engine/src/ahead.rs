//! Reading ahead what was named in [`ReadAhead`], in one batch.

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

/// What was read ahead, for one attempt of a change, or for those of several changes that are prepared beside each other.
#[derive(Default)]
pub(crate) struct Ahead {
    documents: HashMap<Name, Read>,
    /// Those that were asked for by a unique key, by kind and id: who has found one so mostly goes on by its id.
    by_id: RefCell<HashMap<(String, String), Found>>,
    /// What the rules of a change read besides, for those of the changes that come after it; `None`: it is the only one.
    besides: Option<RefCell<HashMap<Name, Option<Found>>>>,
    /// What is on its way to the disk and is gone on from, the latest first.
    pub(crate) underway: Vec<Underway>,
}

struct Read {
    stored: Option<Stored>,
    /// The same, parsed when a rule first asks for it.
    found: OnceCell<Option<Found>>,
}

impl Ahead {
    /// The document that is named so; `None` where it was not read ahead, `Some(None)` where there is no such document.
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

    /// Whether the documents that were read are large together, so that rules about them take long.
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

    /// A document as it will be on disk, where a commit that is gone on from writes it.
    pub(crate) fn underway(&self, type_id: &str, id: &str) -> Option<&Stored> {
        self.underway.iter().find_map(|underway| underway.document(type_id, id))
    }

    /// Keeps what was read besides, where other changes may ask for it.
    pub(crate) fn keep(&self, type_id: &str, path: Option<&str>, value: &str, found: Option<&Found>) {
        if let Some(besides) = &self.besides {
            let name =
                Name { type_id: type_id.to_owned(), path: path.map(str::to_owned), value: value.to_owned() };
            besides.borrow_mut().insert(name, found.cloned());
        }
    }

    /// A stored document, which may be parsed already.
    pub(crate) fn read(&self, type_id: &str, stored: &Stored, parsed: &Parsed) -> ApiResult<Found> {
        match self.get(type_id, None, &stored.id, parsed)?.flatten() {
            Some(found) if found.revision == stored.revision => Ok(found),
            _ => Found::read(stored),
        }
    }
}

impl Shop {
    /// Reads ahead.
    pub(crate) fn read_ahead(&self, wanted: ReadAhead<'_>) -> ApiResult<Ahead> {
        Ok(self.read_with(None, wanted)?.1)
    }

    /// As [`must_get_to_change`](Self::must_get_to_change), in one batch with what is read ahead.
    pub(crate) fn must_get_to_change_and(
        &self,
        kind: KindId,
        address: &Address<'_>,
        bounds: &Bounds,
        wanted: ReadAhead<'_>,
    ) -> ApiResult<(Stored, Ahead)> {
        if bounds.associate.is_some() || wanted.names.is_empty() {
            // Associates are told about documents of other units, which takes a read of its own.
            return Ok((self.must_get_to_change(kind, address, bounds)?, self.read_ahead(wanted)?));
        }
        let (stored, ahead) = self.read_with(self.named(kind, address), wanted)?;
        Ok((self.must_be_admitted(kind, address, stored, bounds)?, ahead))
    }

    /// Reads several documents that are to be changed, what is read ahead of all their changes, and what they themselves lead
    /// to: two batches. Associates are not served so.
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

    /// What an address means, as it is read ahead.
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

    /// Reads one document, and what is read ahead.
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
