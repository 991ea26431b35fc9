//! Access of rules to resident documents, which are in memory unless they could not be read.

use super::Rules;
use crate::resident_documents::{AllOfKind, ResidentDocuments};
use kontor_errors::ApiResult;

impl<'a> Rules<'a> {
    /// Returns the same rules with the resident documents of a shop.
    pub(crate) fn with_resident_documents(self, resident_documents: &'a ResidentDocuments) -> Self {
        Self { resident_documents: Some(resident_documents), ..self }
    }

    /// Returns all documents of a resident kind, without a precondition. Fails if the storage fails.
    pub fn resident_documents(&self, type_id: &str) -> ApiResult<AllOfKind> {
        match self.resident_documents.and_then(|resident_documents| resident_documents.get(type_id)) {
            Some(all) => Ok(all),
            None => self.peek_all(type_id),
        }
    }
}
