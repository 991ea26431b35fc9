//! What a document is called in records (reference type `Label`).

use kontor_engine::{Document, document};
use serde_json::{Value, json};

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
    /// The label of a document.
    pub(crate) fn of(&self, subject: &Document) -> Value {
        match self {
            Self::Localized(field) => match subject.get(*field) {
                Some(value) => json!({"type": "LocalizedLabel", "value": value}),
                None => text(subject, "key"),
            },
            Self::Text(field) => text(subject, field),
            Self::Fields(ty, fields) => {
                let mut label = Document::new();
                label.insert("type".into(), json!(ty));
                for field in *fields {
                    if let Some(value) = subject.get(*field) {
                        label.insert((*field).to_owned(), value.clone());
                    }
                }
                Value::Object(label)
            }
            Self::Product => {
                let of_staged = |field| document::get(subject, &["masterData", "staged", field]);
                json!({"type": "ProductLabel", "slug": of_staged("slug"), "name": of_staged("name")})
            }
        }
    }
}

fn text(subject: &Document, field: &str) -> Value {
    json!({"type": "StringLabel", "value": document::text(subject, &[field]).unwrap_or_default()})
}
