//! Masks secrets in settings (e.g. access keys of destinations): the document contains the last characters only, the
//! whole value is stored outside of it.
//!
//! Source: reference types of destinations ("partially hidden on retrieval"), whose examples show the last four
//! characters.

use kontor_engine::document::{get, must_text, set, text, text_or_log};
use kontor_engine::{Document, Effects, shown_in_part, without_credentials};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Model, ShownInPart};

/// The mask in place of the hidden characters.
pub const HIDDEN: &str = kontor_engine::MASK;
/// Characters at the end that are shown, of texts with at least twice as many.
const SHOWN_CHARS: usize = 4;
/// The message for a secret that was sent in its masked form.
const SECRET_EXPECTED: &str = "Expected the whole secret: this is how a part of one is shown.";
pub(crate) const ADDRESS_EXPECTED: &str =
    "Expected the whole address: this is how one with credentials is shown.";

/// The secrets of one field of a document.
pub(crate) struct SecretField {
    /// The `typeId` of the document.
    pub(crate) type_id: &'static str,
    /// The field.
    pub(crate) field: &'static str,
    /// How much of a secret is shown.
    pub(crate) shown: fn(&str) -> String,
}

impl SecretField {
    /// Returns the name under which the whole value of the field is stored.
    pub(crate) fn hidden_name(&self, id: &str) -> String {
        format!("{}/{id}/{}", self.type_id, self.field)
    }

    /// Stores the value of the field outside of the document and leaves its masked form in the document. A masked form
    /// that a request sends back is accepted only if the whole field is unchanged, and refused otherwise: a caller with
    /// the right to change settings could otherwise have a secret sent to an address of their own, and an exported mask
    /// would be stored as the secret. Returns true if there is a new value.
    pub(crate) fn store_separately(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        model: &Model,
        effects: &mut Effects,
    ) -> ApiResult<bool> {
        let old = before.and_then(|before| before.get(self.field));
        if after.get(self.field) == old {
            return Ok(false);
        }
        let id = must_text(after, &["id"])?.to_owned();
        let Some(Value::Object(value)) = after.get_mut(self.field) else {
            effects.store_setting(&self.hidden_name(&id), None);
            return Ok(true);
        };
        let whole = Value::Object(value.clone());
        let mut has_secret = false;
        for (path, part) in marked(model, self.type_id, self.field, value) {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let Some(sent) = text(value, &path) else { continue };
            let (shown, expected) = match part {
                ShownInPart::Secret => (Some((self.shown)(sent)), SECRET_EXPECTED),
                ShownInPart::Address => (without_credentials(sent), ADDRESS_EXPECTED),
            };
            let Some(shown) = shown else { continue };
            if sent.contains(HIDDEN) {
                let field = format!("{}.{}", self.field, path.join("."));
                return Err(ApiError::invalid_field(&field, &json!(sent), expected, None));
            }
            set(value, &path, Some(json!(shown)));
            has_secret = true;
        }
        effects.store_setting(&self.hidden_name(&id), has_secret.then(|| whole.to_string()));
        Ok(true)
    }

    /// Nothing is kept of a document that goes.
    pub(crate) fn delete_secret(&self, document: &Document, model: &Model, effects: &mut Effects) {
        let has_secret = |value: &Document| {
            marked(model, self.type_id, self.field, value).iter().any(|(path, part)| match part {
                ShownInPart::Secret => true,
                ShownInPart::Address => get(value, path)
                    .and_then(Value::as_str)
                    .is_some_and(|url| without_credentials(url).is_some()),
            })
        };
        if document.get(self.field).and_then(Value::as_object).is_some_and(has_secret) {
            effects.store_setting(&self.hidden_name(text_or_log(document, &["id"])), None);
        }
    }
}

/// The values with `@shownInPart` in a field of a document.
fn marked(model: &Model, type_id: &str, field: &str, value: &Document) -> Vec<(Vec<String>, ShownInPart)> {
    let kind = model.kind_by_type_id(type_id);
    let shape = kind.and_then(|kind| {
        let fields = &model.object(model.kind(kind).object).fields;
        fields.iter().find(|one| one.name == field).map(|field| &field.shape)
    });
    shape.map_or_else(Vec::new, |shape| shown_in_part(model, shape, value))
}

/// The end of a secret.
pub(crate) fn end_of(secret: &str) -> String {
    let chars = secret.chars().count();
    let shown = if chars >= 2 * SHOWN_CHARS { SHOWN_CHARS } else { 0 };
    secret.chars().skip(chars - shown).fold(HIDDEN.to_owned(), |mut shown, char| {
        shown.push(char);
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_secret_is_shown_and_nothing_of_a_short_one() {
        assert_eq!(end_of("some-azure-function-code"), "****code");
        assert_eq!(end_of("eight888"), "****t888");
        assert_eq!(end_of("short"), "****");
        assert_eq!(end_of(""), "****");
    }
}
