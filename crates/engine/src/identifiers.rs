//! The user-provided identifiers of documents, which Messages and notifications contain (reference type
//! `UserProvidedIdentifiers`).

use crate::document::Document;
use crate::event_policy::ChangeEvent;
use crate::rules::Rules;
use kontor_json::{ObjectWriter, Value};
use kontor_model::KindId;

/// Returns the identifiers of a document; `None` if it has none.
pub(crate) fn user_identifiers(kind: KindId, subject: &Document, rules: &Rules<'_>) -> Option<Value> {
    let mut identifiers = Document::new();
    for_each(kind, subject, rules, |name, value| {
        identifiers.insert(name, value.clone());
    });
    (!identifiers.is_empty()).then_some(Value::Object(identifiers))
}

impl ChangeEvent<'_> {
    /// Writes the identifiers of the document as the member `name`; `{}` if it has none.
    pub fn write_identifiers(&self, name: &'static str, writer: &mut ObjectWriter, rules: &Rules<'_>) {
        writer.object(name, |identifiers| {
            if let Some(subject) = self.after.or(self.before) {
                for_each(self.kind, subject, rules, |name, value| identifiers.member(name, value));
            }
        });
    }
}

/// A calculated identifier replaces a field of the same name.
fn for_each(kind: KindId, subject: &Document, rules: &Rules<'_>, mut visit: impl FnMut(&str, &Value)) {
    let provided = rules.behaviours.get(kind).map(|behaviour| behaviour.provided_identifiers(subject));
    let provided = provided.unwrap_or_default();
    for name in &rules.model.kind(kind).provided_identifiers {
        if let Some(value) = subject.get(name).filter(|_| !provided.contains_key(name)) {
            visit(name, value);
        }
    }
    for (name, value) in &provided {
        visit(name, value);
    }
}
