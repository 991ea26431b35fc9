//! Values with `@masked`: whole where their document is asked for, and nowhere else. Messages, documents inside of others
//! and those below `/me` have a mask in their place.
//!
//! Source: reference type `PaymentMethodToken`.

use crate::bounds::Bounds;
use crate::document::{self, Document, get, set};
use crate::shop::Shop;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::KindId;

/// Stands for a value that is not shown.
pub const MASK: &str = "****";

/// Masks what stands at some paths.
pub(crate) fn mask(document: &mut Document, paths: &[Vec<String>]) {
    for path in paths {
        if get(document, path).is_some() {
            set(document, path, Some(json!(MASK)));
        }
    }
}

impl Shop {
    /// A document as whoever asks may see it: below `/me` with masks. Everybody else gets the same bytes.
    pub fn masked(&self, kind: KindId, body: Bytes, bounds: &Bounds) -> ApiResult<Bytes> {
        let paths = &self.model.kind(kind).masked;
        if bounds.mine.is_none() || paths.is_empty() {
            return Ok(body);
        }
        let mut document = document::read(&body)?;
        mask(&mut document, paths);
        Ok(Value::Object(document).to_string().into())
    }
}
