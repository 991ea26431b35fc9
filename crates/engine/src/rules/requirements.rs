//! Preconditions that rules add to the commit.

use super::Rules;
use kontor_storage::Precondition;

/// The number of latest preconditions that a new one is compared with.
const REQUIREMENTS_COMPARED: usize = 64;

impl Rules<'_> {
    /// Adds a precondition of the commit, in addition to those of its reads.
    pub fn require(&self, precondition: Precondition) {
        let mut requirements = self.requirements.borrow_mut();
        // A duplicate is only checked twice; comparing each with all others would take quadratic time.
        let compared_from = requirements.len().saturating_sub(REQUIREMENTS_COMPARED);
        if !requirements[compared_from..].contains(&precondition) {
            requirements.push(precondition);
        }
    }

    /// Like `require`, for a precondition that is certainly new: it is not compared with the others, of which
    /// there may be many.
    pub(crate) fn require_another(&self, precondition: Precondition) {
        self.requirements.borrow_mut().push(precondition);
    }

    /// Takes the preconditions collected so far.
    pub(crate) fn take_requirements(&self) -> Vec<Precondition> {
        std::mem::take(&mut self.requirements.borrow_mut())
    }
}
