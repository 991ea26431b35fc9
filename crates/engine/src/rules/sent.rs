//! What was sent that nobody knows: named and passed over, or refused.

use super::Rules;
use crate::document::Document;
use kontor_model::{Ignored, Location, Validator};

impl<'a> Rules<'a> {
    /// The same rules for who sends fields that nobody knows: with `None` these are refused, else named and passed over.
    #[must_use]
    pub fn ignoring(self, ignored: Option<&'a Ignored>) -> Self {
        Self { ignored, ..self }
    }

    /// What checks values that are data of the project, such as those of custom fields, as it checks the rest of a body.
    pub fn validator(&self) -> Validator<'a> {
        Validator::new(self.model).ignoring(self.ignored)
    }

    /// Takes fields that nobody knows out of an object at `place`, and names them; the first of them is an answer where
    /// they are refused.
    pub fn pass_over(
        &self,
        entries: &mut Document,
        place: &Location<'_>,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        let Some(unknown) = entries.keys().find(|name| !is_known(name)) else { return Ok(()) };
        let Some(ignored) = self.ignored else { return Err(unknown.to_string()) };
        entries.retain(|name, _| {
            let is_known = is_known(name);
            if !is_known {
                ignored.add(Location::Member(place, name).to_string());
            }
            is_known
        });
        Ok(())
    }
}
