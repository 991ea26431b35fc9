//! `/console/model.json`: the description of the API for the console, derived and compressed once.

use crate::compression::StaticBody;
use axum::http::HeaderValue;
use kontor_console::{entity_tag, model_document};
use kontor_model::Model;

/// The file and its `ETag`.
#[derive(Debug)]
pub(crate) struct ConsoleModel {
    pub(crate) body: StaticBody,
    pub(crate) tag: HeaderValue,
}

impl ConsoleModel {
    /// Derives the file from the model.
    pub(crate) fn from_model(model: &Model) -> Self {
        let text = model_document(model, env!("CARGO_PKG_VERSION")).to_string();
        ConsoleModel { tag: entity_tag(text.as_bytes()), body: StaticBody::new(text) }
    }
}
