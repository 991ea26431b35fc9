//! Labels of documents in records (reference type `Label`).

use crate::json_writer::JsonObjectWriter;
use kontor_engine::{Document, document};
use kontor_json::Value;

/// The label of documents of a kind.
pub(crate) enum Label {
    /// A localized text field; the key if it is missing.
    Localized(&'static str),
    /// A text field.
    Text(&'static str),
    /// Several fields: the type of the label, and the names of the fields.
    Fields(&'static str, &'static [&'static str]),
    /// Name and slug of the staged data.
    Product,
}

impl Label {
    /// Writes the label of a document.
    pub(crate) fn write(&self, subject: &Document, label: &mut JsonObjectWriter) {
        match self {
            Self::Localized(field) => match subject.get(*field) {
                Some(value) => {
                    label.text("type", "LocalizedLabel");
                    label.value("value", value);
                }
                None => text(subject, "key", label),
            },
            Self::Text(field) => text(subject, field, label),
            Self::Fields(ty, fields) => {
                label.text("type", ty);
                label.copies(subject, fields);
            }
            Self::Product => {
                label.text("type", "ProductLabel");
                for field in ["slug", "name"] {
                    let of_staged = document::get(subject, &["masterData", "staged", field]);
                    label.value(field, of_staged.unwrap_or(&Value::Null));
                }
            }
        }
    }
}

fn text(subject: &Document, field: &str, label: &mut JsonObjectWriter) {
    label.text("type", "StringLabel");
    label.text("value", document::text(subject, &[field]).unwrap_or_default());
}
