//! Documents that a dialect reaches by an id in a text field, and the function that loads them.

use kontor_errors::ApiResult;
use kontor_json::Map;
use std::sync::Arc;

/// The root of predicates over several objects.
pub const TOP: &str = "";

/// A row of a dialect's table: a text `field` of objects holds the id of a document.
#[derive(Debug)]
pub struct DocumentIdField {
    /// The name of the document in predicates.
    pub name: &'static str,
    /// The field with the id.
    pub field: &'static str,
    /// The `typeId` of its kind.
    pub type_id: &'static str,
    /// Whether predicates may use all fields of the document, or only its id and key.
    pub has_all_fields: bool,
    /// Fields of the object that replace fields of the document if there is none: field of the document, own field.
    pub otherwise: &'static [(&'static str, &'static str)],
}

/// A document as the engine provides it.
pub(crate) type DocumentMap = Map;

/// Loads the document with a `typeId` and an id.
pub type DocumentLoader<'a> = dyn Fn(&str, &str) -> ApiResult<Option<Arc<DocumentMap>>> + 'a;
