//! Reading ahead what was named in [`ReadAhead`], in one batch.

use crate::address::Address;
use crate::bounds::Bounds;
use crate::failure::storage_failure;
use crate::read_ahead::{Name, ReadAhead};
use crate::rules::Found;
use crate::shop::Shop;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;
use kontor_storage::Stored;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

/// What was read ahead, for one attempt of a change.
#[derive(Default)]
pub(crate) struct Ahead {
    documents: HashMap<Name, Read>,
    /// Those that were asked for by a unique key, by kind and id: who has found one so mostly goes on by its id.
    by_id: RefCell<HashMap<(String, String), Found>>,
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
    ) -> ApiResult<Option<Option<Found>>> {
        if self.documents.is_empty() {
            return Ok(None);
        }
        let name =
            Name { type_id: type_id.to_owned(), path: path.map(str::to_owned), value: value.to_owned() };
        let Some(read) = self.documents.get(&name) else {
            let known = path.is_none().then_some((name.type_id, name.value));
            return Ok(known.and_then(|known| self.by_id.borrow().get(&known).cloned()).map(Some));
        };
        if let Some(found) = read.found.get() {
            return Ok(Some(found.clone()));
        }
        let found = read.stored.as_ref().map(Found::read).transpose()?;
        if let Some(found) = found.as_ref().filter(|_| path.is_some()) {
            self.by_id.borrow_mut().insert((name.type_id, found.id.clone()), found.clone());
        }
        Ok(Some(read.found.get_or_init(|| found).clone()))
    }

    /// A stored document, which may be parsed already.
    pub(crate) fn read(&self, type_id: &str, stored: &Stored) -> ApiResult<Found> {
        match self.get(type_id, None, &stored.id)?.flatten() {
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
        let type_id = &self.model.kind(self.model.stored(kind)).type_id;
        let name = self.stored_at(kind, address).map(|(path, value)| Name {
            type_id: type_id.clone(),
            path: path.map(str::to_owned),
            value: value.into_owned(),
        });
        let (stored, ahead) = self.read_with(name, wanted)?;
        match self.admitted(kind, stored, bounds)? {
            Some(stored) => Ok((stored, ahead)),
            None => Err(ApiError::resource_not_found(&address.describe())),
        }
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
        Ok((stored, Ahead { documents: documents.collect(), by_id: RefCell::default() }))
    }
}
