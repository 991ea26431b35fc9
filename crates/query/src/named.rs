//! Documents that objects name by an id, and how they are found.

use kontor_errors::ApiResult;
use kontor_json::Map;
use std::sync::Arc;

/// The place where predicates begin that are about several objects.
pub const TOP: &str = "";

/// That objects with the text `field` name a document by its id.
#[derive(Debug)]
pub struct Named {
    /// The name of the document in predicates.
    pub name: &'static str,
    /// The field with the id.
    pub field: &'static str,
    /// The `typeId` of its kind.
    pub type_id: &'static str,
    /// All its fields may be asked for, not its id and key alone.
    pub whole: bool,
    /// Fields of the object that replace those of an unnamed document: fields of the document, and its own.
    pub otherwise: &'static [(&'static str, &'static str)],
}

/// A document as the engine hands it out.
pub(crate) type Document = Map;

/// Finds the document of a `typeId` with an id.
pub type Find<'a> = dyn Fn(&str, &str) -> ApiResult<Option<Arc<Document>>> + 'a;
