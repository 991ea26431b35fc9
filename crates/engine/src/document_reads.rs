//! Reads single documents, and many by their ids. Start at [`Shop::get`].

use crate::access_scope::{self, AccessScope};
use crate::address::Address;
use crate::document_writes::joined_key;
use crate::memory_budget::ResponseMeter;
use crate::rules::FoundDocument;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Addressing, KindId};
use kontor_storage::StoredDocument;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Number of documents in the first batch of many, when their sizes are not known yet.
const FIRST_READ_DOCUMENTS: usize = 32;
/// The approximate size of a batch in bytes, by the mean size of the documents before.
const READ_BYTES_USUAL: usize = 4 * 1024 * 1024;

impl Shop {
    /// Returns many documents of a kind, in the order of their ids. Charges the meter while they are read, so that
    /// reading ends if they are too large.
    ///
    /// # Errors
    /// `too_large` of the meter, or 503 `OverCapacity`.
    pub fn get_many_charged(
        &self,
        type_id: &str,
        ids: &[&str],
        meter: &ResponseMeter,
        too_large: impl Fn(&ResponseMeter) -> ApiError,
    ) -> ApiResult<Vec<Option<StoredDocument>>> {
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

    /// Reads many documents in batches of about [`READ_BYTES_USUAL`], by the mean size of those before.
    pub(crate) fn read_in_parts(
        &self,
        type_id: &str,
        ids: &[&str],
        take: &mut dyn FnMut(Vec<Option<StoredDocument>>) -> ControlFlow<()>,
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

    /// Returns a stored document, whose bytes are the response, unparsed; `None` if it does not exist or the kind has no
    /// such addresses. Fails if the storage fails.
    pub fn get(&self, kind: KindId, address: &Address<'_>) -> ApiResult<Option<StoredDocument>> {
        let type_id = &self.model.kind(self.model.stored_kind(kind)).type_id;
        let found = match self.storage_address(kind, address) {
            Some((None, id)) => self.storage.get_cached(type_id, &id),
            Some((Some(path), value)) => self.storage.get_by_unique(type_id, path, &value),
            None => return Ok(None),
        };
        found.map_err(storage_failure)
    }

    /// Converts an address for the storage: an id, or the path and the value of a unique key. Returns `None` if the
    /// kind has no such addresses.
    pub(crate) fn storage_address<'a>(
        &'a self,
        kind: KindId,
        address: &Address<'a>,
    ) -> Option<(Option<&'a str>, Cow<'a, str>)> {
        match address {
            Address::Id(id) => Some((None, Cow::Borrowed(*id))),
            Address::Key(key) => {
                let field = &self.model.kind(self.model.stored_kind(kind)).key_field;
                Some((Some(field), Cow::Borrowed(*key)))
            }
            Address::Fields(parts) => {
                let Addressing::Fields(fields) = &self.model.kind(self.model.stored_kind(kind)).addressing
                else {
                    return None;
                };
                Some((Some(fields.last()?), Cow::Owned(joined_key(parts))))
            }
            Address::Only => Some((None, Cow::Borrowed(&self.key))),
        }
    }

    /// Like [`Shop::get`]. Fails with 404 ResourceNotFound if the document is missing.
    pub fn must_get(&self, kind: KindId, address: &Address<'_>) -> ApiResult<StoredDocument> {
        self.must_get_in_scope(kind, address, &access_scope::EVERYTHING)
    }

    /// Like [`Shop::get`], within the access scope of a request. Fails with 403 if an Associate may not view the document.
    pub fn get_in_scope(
        &self,
        kind: KindId,
        address: &Address<'_>,
        access_scope: &AccessScope,
    ) -> ApiResult<Option<StoredDocument>> {
        let found = self.get_unauthorized(kind, address, access_scope)?;
        if let Some(stored) = &found {
            self.authorize_view(kind, stored, access_scope)?;
        }
        Ok(found)
    }

    /// Like [`Shop::get_in_scope`], without the check of permissions: changes have permissions of their own.
    pub(crate) fn get_unauthorized(
        &self,
        kind: KindId,
        address: &Address<'_>,
        access_scope: &AccessScope,
    ) -> ApiResult<Option<StoredDocument>> {
        let found = match self.key_in_unit(kind, address, access_scope) {
            Some((type_id, key)) => {
                self.storage.get_by_unique(type_id, "key", &key).map_err(storage_failure)?
            }
            None => self.get(kind, address)?,
        };
        self.filter_by_scope(kind, found, access_scope)
    }

    /// Returns a stored document if it is within the access scope of a request.
    pub(crate) fn filter_by_scope(
        &self,
        kind: KindId,
        found: Option<StoredDocument>,
        access_scope: &AccessScope,
    ) -> ApiResult<Option<StoredDocument>> {
        let Some(stored) = found else { return Ok(None) };
        let is_within = access_scope.contains(&self.model, kind, &stored.body)
            || self.is_in_each_store(kind, &stored, access_scope)?;
        Ok(is_within.then_some(stored))
    }

    /// True if the document is only outside of the Store of the request, and its kind shows it in each Store.
    fn is_in_each_store(
        &self,
        kind: KindId,
        stored: &StoredDocument,
        access_scope: &AccessScope,
    ) -> ApiResult<bool> {
        let Some(behaviour) = self.behaviours.get(kind).filter(|_| access_scope.store.is_some()) else {
            return Ok(false);
        };
        let wider = AccessScope { store: None, ..access_scope.clone() };
        Ok(wider.contains(&self.model, kind, &stored.body)
            && behaviour.is_in_each_store(&FoundDocument::read(stored)?.document))
    }

    /// True if the key is unique only within the unit of the request: in another unit it names another document.
    pub(crate) fn is_key_in_unit(
        &self,
        kind: KindId,
        address: &Address<'_>,
        access_scope: &AccessScope,
    ) -> bool {
        self.key_in_unit(kind, address, access_scope).is_some()
    }

    /// Returns `typeId` and unique key of a document whose key is unique within its unit, if the request names the
    /// unit.
    fn key_in_unit<'s>(
        &'s self,
        kind: KindId,
        address: &Address<'_>,
        access_scope: &AccessScope,
    ) -> Option<(&'s str, String)> {
        let Address::Key(key) = address else { return None };
        let unit = access_scope.associate.as_ref()?.unit.as_deref()?;
        let entry = self.model.kind(kind);
        let within = [entry.associates.as_ref()?.unit.join(".")];
        let is_so = entry.unique.iter().any(|unique| unique.field == "key" && unique.with == within);
        is_so.then(|| (entry.type_id.as_str(), joined_key(&[unit, key])))
    }

    /// Like [`Shop::get_in_scope`]. Fails with 404 ResourceNotFound if the document is missing, and with
    /// InvalidOperation if it belongs to another unit than that of the path.
    pub fn must_get_in_scope(
        &self,
        kind: KindId,
        address: &Address<'_>,
        access_scope: &AccessScope,
    ) -> ApiResult<StoredDocument> {
        if let Some(stored) = self.get_in_scope(kind, address, access_scope)? {
            return Ok(stored);
        }
        if access_scope.associate.is_some() {
            let elsewhere = AccessScope { associate: None, ..access_scope.clone() };
            if let Some(stored) = self.get_in_scope(kind, address, &elsewhere)? {
                self.must_be_in_unit(kind, &stored, access_scope)?;
            }
        }
        Err(ApiError::resource_not_found(&address.describe()))
    }

    /// Fails with 404 ResourceNotFound unless a Store has this key.
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
