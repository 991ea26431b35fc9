//! Reading one document.

use crate::failure::storage_failure;
use crate::shop::Shop;
use crate::write::joined_key;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Addressing, KindId};
use kontor_storage::Stored;

/// Which document of a kind is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address<'a> {
    /// By id.
    Id(&'a str),
    /// By its unique key.
    Key(&'a str),
    /// By the values of the fields that address the kind, `/{container}/{key}`.
    Fields(Vec<&'a str>),
    /// The only one.
    Only,
}

impl Address<'_> {
    /// Completes "The Resource … was not found".
    pub fn describe(&self) -> String {
        match self {
            Address::Id(id) => format!("with ID '{id}'"),
            Address::Key(key) => format!("with key '{key}'"),
            Address::Fields(parts) => format!("at '{}'", parts.join("/")),
            Address::Only => "itself".to_owned(),
        }
    }
}

impl Shop {
    /// The stored bytes of a document, which go to the client unparsed.
    pub fn get(&self, kind: KindId, address: &Address<'_>) -> ApiResult<Option<Stored>> {
        let entry = self.model.kind(kind);
        let found = match address {
            Address::Id(id) => self.storage.get(&entry.type_id, id),
            Address::Key(key) => self.storage.get_by_unique(&entry.type_id, "key", key),
            Address::Fields(parts) => {
                let Addressing::Fields(fields) = &entry.addressing else { return Ok(None) };
                let Some(last) = fields.last() else { return Ok(None) };
                self.storage.get_by_unique(&entry.type_id, last, &joined_key(parts))
            }
            Address::Only => self.storage.get(&entry.type_id, &self.key),
        };
        found.map_err(storage_failure)
    }

    /// As [`Shop::get`]; nothing there is 404 ResourceNotFound.
    pub fn must_get(&self, kind: KindId, address: &Address<'_>) -> ApiResult<Stored> {
        self.get(kind, address)?.ok_or_else(|| ApiError::resource_not_found(&address.describe()))
    }
}
