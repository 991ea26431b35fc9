//! The registry of projects: create, look up, list, remove.

use futures_util::future::BoxFuture;
use std::sync::Arc;

use kontor_errors::ApiError;
use kontor_json::json;

use crate::{
    AuthService, Project, Result, check_project_key,
    store::{ProjectRow, SystemChange, SystemChangeResult},
};

impl AuthService {
    /// Creates a project without clients.
    ///
    /// Fails with 400 `InvalidField` for an invalid key, 400 `DuplicateField` for one that is taken.
    pub fn create_project<'a>(
        &'a self,
        key: &'a str,
        name: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, std::result::Result<Arc<Project>, ApiError>> {
        Box::pin(async move {
            check_project_key(key)?;
            let project = Arc::new(Project { key: key.into(), name: name.to_owned(), created_at_ms: now_ms });
            let row = ProjectRow { key: key.to_owned(), name: name.to_owned(), created_at_ms: now_ms };
            let (shared, published) = (self.shared.clone(), project.clone());
            let publish = move |changed: &SystemChangeResult| {
                if changed.is_done() {
                    shared.registry.write().add_project(published);
                }
            };
            let changed = self.store.change(SystemChange::AddProject(row), Box::new(publish)).await?;
            if changed.is_done() { Ok(project) } else { Err(ApiError::duplicate_field("key", json!(key))) }
        })
    }

    /// Returns all projects, by key.
    pub fn projects(&self) -> Vec<Arc<Project>> {
        self.shared.registry.read().projects().cloned().collect()
    }

    /// Returns whether there is no project at all.
    pub fn has_no_projects(&self) -> bool {
        self.shared.registry.read().projects().next().is_none()
    }

    /// Returns a project by key.
    pub fn project(&self, key: &str) -> Option<Arc<Project>> {
        self.shared.registry.read().project(key).cloned()
    }

    /// Removes a project with its clients and their tokens, which are refused from then on; `false` if there is no
    /// such project. The documents of the project stay.
    pub fn remove_project<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let (shared, removed) = (self.shared.clone(), key.to_owned());
            let publish = move |_: &SystemChangeResult| shared.registry.write().remove_project(&removed);
            let change = SystemChange::RemoveProject(key.to_owned());
            Ok(self.store.change(change, Box::new(publish)).await?.is_done())
        })
    }
}
