//! Access of rules to resident documents, which are always in memory.

use super::Rules;
use crate::standing::{AllOfKind, StandingDocuments};
use kontor_errors::ApiResult;

impl<'a> Rules<'a> {
    /// Returns the same rules with the resident documents of a shop.
    pub(crate) fn with_standing(self, standing: &'a StandingDocuments) -> Self {
        Self { standing: Some(standing), ..self }
    }

    /// Returns all documents of a resident kind, without a precondition.
    pub fn standing(&self, type_id: &str) -> ApiResult<AllOfKind> {
        match self.standing.and_then(|standing| standing.of(type_id)) {
            Some(all) => Ok(all),
            None => self.peek_all(type_id),
        }
    }
}
