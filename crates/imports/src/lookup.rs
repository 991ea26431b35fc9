//! Looks up documents of the project by key.

use kontor_engine::{Address, Document, Shop, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;

/// Returns the kind of a `typeId` that must be in the model.
pub(crate) fn kind(shop: &Shop, type_id: &str) -> ApiResult<KindId> {
    shop.model().kind_by_type_id(type_id).ok_or_else(|| ApiError::bug(format!("the model has no {type_id}")))
}

/// Returns the document of a kind with a key, parsed.
pub(crate) fn by_key(shop: &Shop, type_id: &str, key: &str) -> ApiResult<Option<Document>> {
    let stored = shop.get(kind(shop, type_id)?, &Address::Key(key))?;
    stored.as_ref().map(document::read_stored).transpose()
}
