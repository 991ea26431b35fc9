//! What comes along with a document that was somewhere else before: its id, its version, and hashes in the place of secrets.
//!
//! The platform makes all of this itself for whoever creates a document; only who has the data anyway may bring it.

use crate::document::Document;
use crate::read::Address;
use crate::rules::Found;
use crate::shop::Shop;
use kontor_errors::ApiResult;
use kontor_model::KindId;

/// What is kept of a document's earlier life when it is created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept<'a> {
    /// Its id. Refused with DuplicateField where it is taken, so that whoever repeats a call whose answer was lost creates
    /// nothing twice.
    pub id: Option<&'a str>,
    /// Its version, from 1.
    pub version: Option<i64>,
    /// The fields with `@secret` have hashes, as [`Shop::kept_secrets`] gives them. What is no such hash is InvalidInput.
    pub is_hashed: bool,
}

impl Shop {
    /// The hashes that are kept of the secrets of a document, by the fields of its draft; nothing where there is no such
    /// document. For copies of the whole shop: no face shows them.
    pub fn kept_secrets(&self, kind: KindId, id: &str) -> ApiResult<Document> {
        let (Some(behaviour), Some(stored)) = (self.behaviours.of(kind), self.get(kind, &Address::Id(id))?)
        else {
            return Ok(Document::new());
        };
        let found = Found::read(&stored)?;
        self.read_by_rules(|rules| behaviour.kept_secrets(&found.document, rules))
    }
}
