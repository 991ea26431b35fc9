//! The registry of projects.

use std::sync::Arc;

use kontor_errors::ApiError;
use serde_json::json;

use crate::{Result, System, file::ProjectRow};

/// The shortest and the longest project key, in characters.
pub const PROJECT_KEY_CHARS: std::ops::RangeInclusive<usize> = 2..=64;

/// First segments of paths that are not projects.
const RESERVED_KEYS: [&str; 5] = ["oauth", "health", "metrics", "console", "openapi"];

/// A project: a key, a name and the time when it was created. What is in it is stored elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub(crate) key: Arc<str>,
    pub(crate) name: String,
    pub(crate) created_at_ms: i64,
}

impl Project {
    /// The key, which is also the first segment of its paths.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When it was created, in milliseconds since 1970.
    pub fn created_at_ms(&self) -> i64 {
        self.created_at_ms
    }
}

/// Checks that a key can be a project's: lower-case letters, digits, `_` and `-`, beginning with a letter or a
/// digit (paths that begin with `_` are the server's own), and none of the server's own paths.
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

impl System {
    /// Creates a project without clients.
    ///
    /// Fails with 400 `InvalidField` for a key that cannot be one, 400 `DuplicateField` for one that is taken.
    pub async fn create_project(
        &self,
        key: &str,
        name: &str,
        now_ms: i64,
    ) -> std::result::Result<Arc<Project>, ApiError> {
        check_project_key(key)?;
        let project = Arc::new(Project { key: key.into(), name: name.to_owned(), created_at_ms: now_ms });
        let row = ProjectRow { key: key.to_owned(), name: name.to_owned(), created_at_ms: now_ms };
        let (shared, published) = (self.shared.clone(), project.clone());
        let is_created = self
            .file
            .writer()
            .write(
                move |connection| row.insert(connection),
                move |is_created| {
                    if *is_created {
                        shared.registry.write().add_project(published);
                    }
                },
            )
            .await?;
        if is_created { Ok(project) } else { Err(ApiError::duplicate_field("key", json!(key))) }
    }

    /// All projects, by key.
    pub fn projects(&self) -> Vec<Arc<Project>> {
        self.shared.registry.read().projects().cloned().collect()
    }

    /// A project by key.
    pub fn project(&self, key: &str) -> Option<Arc<Project>> {
        self.shared.registry.read().project(key).cloned()
    }

    /// Removes a project with its clients and their tokens, which are refused from then on; `false` where there is
    /// none. What is in the project is not touched.
    pub async fn remove_project(&self, key: &str) -> Result<bool> {
        let (shared, key) = (self.shared.clone(), Arc::<str>::from(key));
        let removed = key.clone();
        self.file
            .writer()
            .write(
                move |connection| ProjectRow::remove(connection, &key),
                move |_| shared.registry.write().remove_project(&removed),
            )
            .await
    }
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
