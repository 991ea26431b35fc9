//! Executes root fields: one document, a page of documents, and changes. Each checks the caller's scopes first.

mod address;
mod change;
mod page;
mod query;

pub(in crate::execute) use address::{address, predicates, text};
pub(crate) use change::{Change, change};
pub(crate) use page::below;
pub(crate) use query::query;

use super::no_document;
use crate::arguments::Arguments;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::Value;

/// Serializes a value that is not stored.
fn bytes_of(document: &Value) -> ApiResult<Bytes> {
    kontor_json::to_vec(document).map(Bytes::from).map_err(no_document)
}
