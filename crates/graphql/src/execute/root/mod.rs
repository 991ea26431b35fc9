//! Executes root fields: one document, a page of documents, and changes. Each checks the caller's scopes first.

mod address;
mod mutation;
mod page;
mod query;

pub(in crate::execute) use address::{address, predicate_arguments, text};
pub(crate) use mutation::{ChangeResult, MutationInput, execute_change};
pub(crate) use page::page_below;
pub(crate) use query::start_query;

use super::invalid_document;
use crate::arguments::ArgumentValues;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_json::Value;

/// Serializes a value that is not stored.
fn bytes_of(document: &Value) -> ApiResult<Bytes> {
    kontor_json::to_vec(document).map(Bytes::from).map_err(invalid_document)
}
