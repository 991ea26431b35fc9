//! Documents that stand in memory.

use super::Rules;
use crate::standing::{AllOfKind, StandingDocuments};
use kontor_errors::ApiResult;

impl<'a> Rules<'a> {
    /// The same rules for a shop with documents that stand in memory.
    pub(crate) fn with_standing(self, standing: &'a StandingDocuments) -> Self {
        Self { standing: Some(standing), ..self }
    }

    /// All documents of a kind that stands in memory, only looking.
    pub fn standing(&self, type_id: &str) -> ApiResult<AllOfKind> {
        match self.standing.and_then(|standing| standing.of(type_id)) {
            Some(all) => Ok(all),
            None => self.peek_all(type_id),
        }
    }
}
