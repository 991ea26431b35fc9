//! Labels of documents in records (reference type `Label`).

use crate::written::Written;
use kontor_engine::{Document, document};
use kontor_json::Value;

/// How documents of a kind are called.
pub(crate) enum Label {
    /// By a text in languages; by the key where there is none.
    Localized(&'static str),
    /// By a text.
    Text(&'static str),
    /// By fields: the type of the label, and their names.
    Fields(&'static str, &'static [&'static str]),
    /// By the name and the slug of the data that is worked on.
    Product,
}

impl Label {
    /// Writes the label of a document.
    pub(crate) fn write(&self, subject: &Document, label: &mut Written) {
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

fn text(subject: &Document, field: &str, label: &mut Written) {
    label.text("type", "StringLabel");
    label.text("value", document::text(subject, &[field]).unwrap_or_default());
}
