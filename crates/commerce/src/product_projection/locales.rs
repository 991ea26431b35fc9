//! Reduces localized texts to the requested languages.

use crate::variant_list::variants_mut;
use kontor_engine::{Document, ViewOptions};
use kontor_json::Value;
use kontor_model::canonical_locale;

/// The localized texts of a projection.
pub(super) const TEXTS: [&str; 6] =
    ["name", "description", "slug", "metaTitle", "metaDescription", "metaKeywords"];

/// Returns the requested languages in the spelling of localized texts; requests may use any case.
pub(crate) fn asked_for(view_options: &ViewOptions) -> Vec<String> {
    view_options
        .parameters("localeProjection")
        .map(|language| canonical_locale(language).unwrap_or_else(|| language.to_owned()))
        .collect()
}

/// Removes texts in other languages from all localized texts, including those of Attributes, images and Assets. Without
/// languages nothing is removed.
pub(crate) fn retain_locales(document: &mut Document, languages: &[&str]) {
    if languages.is_empty() {
        return;
    }
    for name in TEXTS.into_iter().chain(["searchKeywords"]) {
        if let Some(Value::Object(texts)) = document.get_mut(name) {
            narrow(texts, languages);
        }
    }
    for name in ["attributes", "assets"] {
        if let Some(part) = document.get_mut(name) {
            keep_in(part, languages);
        }
    }
    for variant in variants_mut(document) {
        for name in ["attributes", "assets"] {
            if let Some(part) = variant.get_mut(name) {
                keep_in(part, languages);
            }
        }
    }
}

/// Like [`retain_locales`], for one value.
pub(super) fn keep_in_value(value: &mut Value, languages: &[&str]) {
    if !languages.is_empty() {
        keep_in(value, languages);
    }
}

fn narrow(texts: &mut Document, languages: &[&str]) {
    texts.retain(|locale, _| languages.contains(&locale.as_str()));
}

/// Texts at any depth. An object is a localized text where its names are languages and its values texts.
fn keep_in(value: &mut Value, languages: &[&str]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| keep_in(item, languages)),
        Value::Object(entries) if is_localized(entries) => narrow(entries, languages),
        Value::Object(entries) => {
            for (name, inner) in entries.iter_mut() {
                if name != "custom" {
                    keep_in(inner, languages);
                }
            }
        }
        _ => {}
    }
}

fn is_localized(entries: &Document) -> bool {
    !entries.is_empty() && entries.iter().all(|(name, text)| text.is_string() && is_language(name))
}

/// Matches two or three letters with subtags: `de`, `de-AT`. No field of an Attribute's value or an Asset has
/// such a name, apart from `key`, `uri` and `id`, whose sibling fields do not match.
fn is_language(name: &str) -> bool {
    let mut parts = name.split('-');
    let first = parts.next().unwrap_or("");
    (2..=3).contains(&first.len())
        && first.bytes().all(|letter| letter.is_ascii_lowercase())
        && !matches!(name, "id" | "key" | "uri")
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}
