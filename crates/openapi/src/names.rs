//! Operation ids, tags, and names of security schemes.

use kontor_model::{PathSegment, ServedOperation};

/// The name of the security scheme of tokens.
pub(crate) const OAUTH: &str = "oauth2";
/// The name of the security scheme of client credentials.
pub(crate) const CLIENT: &str = "client";

/// The tag of the operations of the Change History API.
pub(crate) const HISTORY: &str = "Change History";
/// The tag of the operations of the Import API.
pub(crate) const IMPORT: &str = "Import";

/// Returns the operation id, by the rule of the public reference, e.g. `ByProjectKeyStatesKeyByKeyGet`.
pub(crate) fn operation_id(operation: &ServedOperation) -> String {
    let words = operation.path.iter().map(|segment| match segment {
        PathSegment::Fixed(text) => pascal(text),
        PathSegment::Value { prefix, name } => {
            format!("{}By{}", pascal(prefix.trim_end_matches('=')), pascal(name))
        }
    });
    let method = operation.method.as_str().to_ascii_lowercase();
    format!("{}{}", words.collect::<String>(), pascal(&method))
}

/// Converts e.g. `custom-objects` to `CustomObjects`.
pub(crate) fn pascal(text: &str) -> String {
    text.split('-')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

/// Converts e.g. `CustomObject` to `Custom Object`.
pub(crate) fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut follows_small = false;
    for letter in name.chars() {
        if follows_small && letter.is_ascii_uppercase() {
            text.push(' ');
        }
        follows_small = letter.is_ascii_lowercase();
        text.push(letter);
    }
    text
}
