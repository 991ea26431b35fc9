//! Unknown fields of a request: ignored and reported, or refused.

use super::Rules;
use crate::document::Document;
use kontor_model::{IgnoredFields, Location, Validator};

impl<'a> Rules<'a> {
    /// Returns the same rules with this treatment of unknown fields: `None` refuses them, otherwise they are
    /// ignored and reported.
    #[must_use]
    pub fn with_ignored_fields(self, ignored: Option<&'a IgnoredFields>) -> Self {
        Self { ignored, ..self }
    }

    /// Returns the validator for values defined by the project, such as custom fields; it treats unknown
    /// fields like the rest of the body.
    pub fn validator(&self) -> Validator<'a> {
        Validator::new(self.model).with_ignored_fields(self.ignored)
    }

    /// Removes unknown fields from an object at `place` and reports them; returns an error for the first one
    /// if they are refused.
    pub fn ignore_or_refuse(
        &self,
        entries: &mut Document,
        location: &Location<'_>,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        let Some(unknown) = entries.keys().find(|name| !is_known(name)) else { return Ok(()) };
        let Some(ignored) = self.ignored else { return Err(unknown.to_string()) };
        entries.retain(|name, _| {
            let is_known = is_known(name);
            if !is_known {
                ignored.add(Location::Member(location, name).to_string());
            }
            is_known
        });
        Ok(())
    }
}
