//! Reading one document.

use crate::address::Address;
use crate::bounds::{self, Bounds};
use crate::failure::storage_failure;
use crate::memory::ResponseMeter;
use crate::rules::Found;
use crate::shop::Shop;
use crate::write::joined_key;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Addressing, KindId};
use kontor_storage::Stored;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// How many documents are read at first where many are to be read, and nothing is known of their sizes.
const FIRST_READ_DOCUMENTS: usize = 32;
/// How many bytes are read at once about, by the mean size of the documents before.
const READ_BYTES_USUAL: usize = 4 * 1024 * 1024;

impl Shop {
    /// Many documents of a kind, in the sequence of their ids. The meter is charged for their bytes while they are read, so that
    /// reading ends where they are too large.
    ///
    /// # Errors
    /// `too_large` of the meter, or 503 `OverCapacity`.
    pub fn get_many_charged(
        &self,
        type_id: &str,
        ids: &[&str],
        meter: &ResponseMeter,
        too_large: impl Fn(&ResponseMeter) -> ApiError,
    ) -> ApiResult<Vec<Option<Stored>>> {
        let mut all = Vec::with_capacity(ids.len());
        let mut refused = Ok(());
        let result = self.read_in_parts(type_id, ids, &mut |part| {
            let bytes = part.iter().flatten().map(|stored| stored.body.len()).sum();
            refused = meter.charge_or(bytes, || too_large(meter));
            all.extend(part);
            if refused.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result.map_err(storage_failure)?;
        refused.map(|()| all)
    }

    /// Reads many documents in parts: as many at once as take about [`READ_BYTES_USUAL`], by the mean size of those before.
    pub(crate) fn read_in_parts(
        &self,
        type_id: &str,
        ids: &[&str],
        take: &mut dyn FnMut(Vec<Option<Stored>>) -> ControlFlow<()>,
    ) -> kontor_storage::Result<()> {
        let (mut left, mut at_once) = (ids, FIRST_READ_DOCUMENTS);
        let (mut bytes, mut documents) = (0, 0);
        while !left.is_empty() {
            let (now, later) = left.split_at(at_once.min(left.len()));
            let part = self.storage.get_many(type_id, now)?;
            bytes += part.iter().flatten().map(|stored| stored.body.len()).sum::<usize>();
            documents += now.len();
            left = later;
            at_once = (READ_BYTES_USUAL / (bytes / documents).max(1)).clamp(1, ids.len());
            if take(part).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The stored bytes of a document, which go to the client unparsed.
    pub fn get(&self, kind: KindId, address: &Address<'_>) -> ApiResult<Option<Stored>> {
        let type_id = &self.model.kind(self.model.stored(kind)).type_id;
        let found = match self.stored_at(kind, address) {
            Some((None, id)) => self.storage.get_as_seen(type_id, &id),
            Some((Some(path), value)) => self.storage.get_by_unique(type_id, path, &value),
            None => return Ok(None),
        };
        found.map_err(storage_failure)
    }

    /// What an address stands for in the storage: an id, or the path and the value of a unique key. `None` where the kind
    /// has no such addresses.
    pub(crate) fn stored_at<'a>(
        &'a self,
        kind: KindId,
        address: &Address<'a>,
    ) -> Option<(Option<&'a str>, Cow<'a, str>)> {
        match address {
            Address::Id(id) => Some((None, Cow::Borrowed(*id))),
            Address::Key(key) => {
                let field = &self.model.kind(self.model.stored(kind)).key_field;
                Some((Some(field), Cow::Borrowed(*key)))
            }
            Address::Fields(parts) => {
                let Addressing::Fields(fields) = &self.model.kind(self.model.stored(kind)).addressing else {
                    return None;
                };
                Some((Some(fields.last()?), Cow::Owned(joined_key(parts))))
            }
            Address::Only => Some((None, Cow::Borrowed(&self.key))),
        }
    }

    /// As [`Shop::get`]; nothing there is 404 ResourceNotFound.
    pub fn must_get(&self, kind: KindId, address: &Address<'_>) -> ApiResult<Stored> {
        self.must_get_within(kind, address, &bounds::EVERYTHING)
    }

    /// As [`Shop::get`], for a request that is limited to some documents. Others are not there.
    pub fn get_within(
        &self,
        kind: KindId,
        address: &Address<'_>,
        bounds: &Bounds,
    ) -> ApiResult<Option<Stored>> {
        let found = self.get_in_bounds(kind, address, bounds)?;
        if let Some(stored) = &found {
            self.admit_view(kind, stored, bounds)?;
        }
        Ok(found)
    }

    /// The same, without the permission to view it: changes ask for permissions of their own.
    pub(crate) fn get_in_bounds(
        &self,
        kind: KindId,
        address: &Address<'_>,
        bounds: &Bounds,
    ) -> ApiResult<Option<Stored>> {
        let found = match self.key_in_unit(kind, address, bounds) {
            Some((type_id, key)) => {
                self.storage.get_by_unique(type_id, "key", &key).map_err(storage_failure)?
            }
            None => self.get(kind, address)?,
        };
        self.admitted(kind, found, bounds)
    }

    /// What was found, where a request that is limited to some documents may know it.
    pub(crate) fn admitted(
        &self,
        kind: KindId,
        found: Option<Stored>,
        bounds: &Bounds,
    ) -> ApiResult<Option<Stored>> {
        let Some(stored) = found else { return Ok(None) };
        let is_within =
            bounds.admit(&self.model, kind, &stored.body) || self.is_in_each_store(kind, &stored, bounds)?;
        Ok(is_within.then_some(stored))
    }

    /// True where the Store is all that a document lies outside of, and its kind says that it is in each of them.
    fn is_in_each_store(&self, kind: KindId, stored: &Stored, bounds: &Bounds) -> ApiResult<bool> {
        let Some(behaviour) = self.behaviours.of(kind).filter(|_| bounds.store.is_some()) else {
            return Ok(false);
        };
        let wider = Bounds { store: None, ..bounds.clone() };
        Ok(wider.admit(&self.model, kind, &stored.body)
            && behaviour.is_in_each_store(&Found::read(stored)?.document))
    }

    /// True where a key is unique in the unit of the request only: that of another unit means another document.
    pub(crate) fn is_key_in_unit(&self, kind: KindId, address: &Address<'_>, bounds: &Bounds) -> bool {
        self.key_in_unit(kind, address, bounds).is_some()
    }

    /// The unique key of a document whose key is unique in its unit only, where the request names the unit.
    fn key_in_unit<'s>(
        &'s self,
        kind: KindId,
        address: &Address<'_>,
        bounds: &Bounds,
    ) -> Option<(&'s str, String)> {
        let Address::Key(key) = address else { return None };
        let unit = bounds.associate.as_ref()?.unit.as_deref()?;
        let entry = self.model.kind(kind);
        let within = [entry.associates.as_ref()?.unit.join(".")];
        let is_so = entry.unique.iter().any(|unique| unique.field == "key" && unique.with == within);
        is_so.then(|| (entry.type_id.as_str(), joined_key(&[unit, key])))
    }

    /// As [`Shop::get_within`]; nothing there is 404 ResourceNotFound, what belongs to another unit than that of the
    /// path InvalidOperation.
    pub fn must_get_within(&self, kind: KindId, address: &Address<'_>, bounds: &Bounds) -> ApiResult<Stored> {
        if let Some(stored) = self.get_within(kind, address, bounds)? {
            return Ok(stored);
        }
        if bounds.associate.is_some() {
            let elsewhere = Bounds { associate: None, ..bounds.clone() };
            if let Some(stored) = self.get_within(kind, address, &elsewhere)? {
                self.must_be_in_unit(kind, &stored, bounds)?;
            }
        }
        Err(ApiError::resource_not_found(&address.describe()))
    }

    /// 404 ResourceNotFound unless there is a Store with this key.
    pub fn must_have_store(&self, key: &str) -> ApiResult<()> {
        let found = match self.model.store_kind() {
            Some(kind) => self
                .storage
                .find_unique(&self.model.kind(kind).type_id, "key", key)
                .map_err(storage_failure)?,
            None => None,
        };
        match found {
            Some(_) => Ok(()),
            None => Err(ApiError::resource_not_found(&Address::Key(key).describe())),
        }
    }
}
