//! A project of the authorization service.

use std::sync::Arc;

use kontor_errors::ApiError;
use kontor_json::json;

/// The shortest and the longest project key, in characters.
pub const PROJECT_KEY_CHARS: std::ops::RangeInclusive<usize> = 2..=64;

/// First segments of paths that are not projects.
const RESERVED_KEYS: [&str; 11] = [
    "oauth",
    "health",
    "metrics",
    "console",
    "openapi",
    "images",
    "import",
    "history",
    "checkout",
    "mcp",
    "in-store-application",
];

/// A project: a key, a name and the time of its creation. Its content is stored elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub(crate) key: Arc<str>,
    pub(crate) name: String,
    pub(crate) created_at_ms: i64,
}

impl Project {
    /// Returns the key, which is also the first segment of its paths.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When it was created, in milliseconds since 1970.
    pub fn created_at_ms(&self) -> i64 {
        self.created_at_ms
    }
}

/// Validates a project key: lower-case letters, digits, `_` and `-`, beginning with a letter or a digit (paths that
/// begin with `_` are the server's own), and none of the server's own paths. Fails with 400 `InvalidField` for any
/// other key.
pub fn check_project_key(key: &str) -> std::result::Result<(), ApiError> {
    let is_word = key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    let begins_well = key.starts_with(|first: char| first.is_ascii_alphanumeric());
    if is_word && begins_well && PROJECT_KEY_CHARS.contains(&key.len()) && !RESERVED_KEYS.contains(&key) {
        return Ok(());
    }
    let expected = format!(
        "Expected: {} to {} lower-case letters, digits, '_' and '-', the first a letter or a digit, and none of {}.",
        PROJECT_KEY_CHARS.start(),
        PROJECT_KEY_CHARS.end(),
        RESERVED_KEYS.join(", ")
    );
    Err(ApiError::invalid_field("key", &json!(key), &expected, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_must_fit_into_a_path_and_a_scope() {
        for key in ["demo", "a1", "my-shop_2"] {
            assert!(check_project_key(key).is_ok(), "{key}");
        }
        for key in
            ["", "a", "Demo", "a:b", "a b", "a/b", "_test", "-a", "oauth", "health", "ä1", &"a".repeat(65)]
        {
            assert!(check_project_key(key).is_err(), "{key}");
        }
    }
}
