//! Values with `@masked`: shown only when their document itself is read by a client. Messages, expanded
//! documents and documents below `/me` contain a mask instead.
//!
//! Source: reference type `PaymentMethodToken`.

use crate::access_scope::AccessScope;
use crate::document::{self, Document, get, set};
use crate::shop::Shop;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::KindId;

/// The replacement of a masked value.
pub const MASK: &str = "****";

/// Masks the values at these paths.
pub(crate) fn mask(document: &mut Document, paths: &[Vec<String>]) {
    for path in paths {
        if get(document, path).is_some() {
            set(document, path, Some(json!(MASK)));
        }
    }
}

impl Shop {
    /// Returns the document for the caller: below `/me` with masks, otherwise the same bytes. Fails with an internal
    /// error if the body is not a JSON object.
    pub fn mask_document(&self, kind: KindId, body: Bytes, access_scope: &AccessScope) -> ApiResult<Bytes> {
        let paths = &self.model.kind(kind).masked;
        if access_scope.mine.is_none() || paths.is_empty() {
            return Ok(body);
        }
        let mut document = document::read(&body)?;
        mask(&mut document, paths);
        Ok(Value::Object(document).to_string().into())
    }
}
