//! Restores one project of a backup, next to the existing projects.
//!
//! The process that owns the data does it: the server, or without one the command ([`crate::restore_command`]). The
//! project is listed last, so that an interrupted restore leaves no project.

use crate::data_folder::{IMAGES, PROJECTS, SYSTEM_FILE};
use crate::platform::Platform;
use crate::restore::unpack;
use anyhow::{Context as _, anyhow, bail};
use kontor_auth::check_project_key;
use kontor_auth::store::{NewClient, ProjectRow, SystemContents};
use kontor_errors::ApiError;
use kontor_http::Server;
use kontor_images::Images;
use kontor_json::Value;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The body of `POST /_operator/restore`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RestoreRequest {
    /// The path of the backup.
    pub(crate) file: PathBuf,
    /// The project key in the backup.
    pub(crate) project: String,
    /// The new project key.
    pub(crate) to: String,
    /// The data folder of the command. It gets the uploaded images if the projects are in a database without a bucket.
    pub(crate) data: PathBuf,
}

/// The response to `POST /_operator/restore`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RestoredProject {
    /// When the backup was made.
    pub(crate) created_at: String,
    /// Number of restored API clients.
    pub(crate) clients: usize,
    /// Ids of API clients that were not restored, because another client has the same id.
    pub(crate) taken_clients: Vec<String>,
    pub(crate) image_files: usize,
}

/// Restores a project. Fails if the new key is taken.
pub(crate) async fn restore(
    platform: &Platform,
    server: &Server,
    request: RestoreRequest,
) -> anyhow::Result<RestoredProject> {
    let RestoreRequest { file, project, to, data } = request;
    check_project_key(&to).map_err(|error| message_error(&error))?;
    platform.auth.catch_up().await?;
    if platform.auth.project(&to).is_some() {
        bail!(
            "there is a project '{to}' already: give the restored one another key (--as), or remove that one"
        );
    }
    let parts = platform.folder.create_backup_parts()?;
    let folder = parts.path().to_owned();
    let (backup, row, contents) = {
        let key = project.clone();
        tokio::task::spawn_blocking(move || unpack_project(&file, &key, &folder)).await??
    };
    let images = parts.path().join(IMAGES);
    retain_images(&images, &project, &to)?;
    let brought = async {
        let file = parts.path().join(PROJECTS).join(format!("{project}.db"));
        let shop = platform.shops.create(&to, &row.name).await?;
        let from = project.clone();
        tokio::task::spawn_blocking(move || shop.restore_backup(&file, &from)).await??;
        let image_files = copy_images_to_server(platform, server, &images, &data).await?;
        platform.auth.create_project(&to, &row.name, row.created_at_ms).await?;
        Ok::<_, anyhow::Error>(image_files)
    };
    let image_files = match brought.await {
        Ok(image_files) => image_files,
        Err(error) => {
            // The error is returned in any case; remaining files are renamed when the folder is opened the next time.
            let _ = server.images().remove_project(&to).await;
            let _ = platform.shops.remove(&to).await;
            return Err(error);
        }
    };
    let mut restored =
        RestoredProject { created_at: backup, clients: 0, taken_clients: Vec::new(), image_files };
    for client in contents.clients.into_iter().map(|row| row.client) {
        if client.project_key != project {
            continue;
        }
        let id = client.id.clone();
        if platform.auth.restore_client(with_project_key(client, &to)).await? {
            restored.clients += 1;
        } else {
            restored.taken_clients.push(id);
        }
    }
    Ok(restored)
}

fn message_error(error: &ApiError) -> anyhow::Error {
    anyhow!("{}", error.message())
}

/// Unpacks and checks a backup. Returns its creation time, the row of the project, and the system contents.
fn unpack_project(
    file: &Path,
    project: &str,
    to: &Path,
) -> anyhow::Result<(String, ProjectRow, SystemContents)> {
    let unpacked = unpack(file, to).and_then(|backup| {
        let contents = SystemContents::from_file(&to.join(SYSTEM_FILE))?;
        let Some(row) = contents.projects.iter().find(|row| row.key == project).cloned() else {
            let keys: Vec<&str> = contents.projects.iter().map(|row| row.key.as_str()).collect();
            bail!("it has no project '{project}': it has {}", keys.join(", "));
        };
        Ok((backup.created_at, row, contents))
    });
    unpacked.with_context(|| format!("{} cannot be restored", file.display()))
}

/// Removes the images of other projects from an unpacked backup, and renames the folder of this one to its new key.
fn retain_images(images: &Path, project: &str, to: &str) -> io::Result<()> {
    let Ok(folders) = fs::read_dir(images) else { return Ok(()) };
    for folder in folders {
        let folder = folder?;
        if folder.file_name() != project {
            fs::remove_dir_all(folder.path())?;
        }
    }
    let (from, to) = (images.join(project), images.join(to));
    if from.exists() && from != to { fs::rename(from, to) } else { Ok(()) }
}

/// Copies images to the image store of the server; for a database without a running server, into the data folder.
async fn copy_images_to_server(
    platform: &Platform,
    server: &Server,
    images: &Path,
    data: &Path,
) -> anyhow::Result<usize> {
    let is_there = fs::read_dir(images).is_ok_and(|mut folders| folders.next().is_some());
    if !is_there {
        return Ok(0);
    }
    let mut copied = HashSet::new();
    let from = Images::in_folder(images)?;
    if platform.folder.is_permanent() {
        from.copy_to(server.images(), &mut copied).await?;
    } else {
        fs::create_dir_all(data.join(IMAGES))?;
        from.copy_to(&Images::in_folder(&data.join(IMAGES))?, &mut copied).await?;
    }
    Ok(copied.len())
}

/// Returns the client with the project key in it and in its scopes replaced.
fn with_project_key(client: NewClient, to: &str) -> NewClient {
    let scope = client.scope.split(' ').map(|scope| with_scope_key(scope, &client.project_key, to));
    let scope = scope.collect::<Vec<_>>().join(" ");
    NewClient { scope, project_key: to.to_owned(), ..client }
}

/// Replaces the project key of a scope such as `manage_orders:KEY:STORE`.
fn with_scope_key(scope: &str, from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = scope.split(':').collect();
    if let Some(key) = parts.get_mut(1).filter(|key| **key == from) {
        *key = to;
    }
    parts.join(":")
}

/// Parses the request body.
pub(crate) fn parse_request(given: Value) -> Result<RestoreRequest, ApiError> {
    kontor_json::from_value(given).map_err(|error| ApiError::invalid_input(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_follow_the_key_of_their_project() {
        for (scope, expected) in [
            ("manage_project:shop", "manage_project:copy"),
            ("manage_orders:shop:berlin", "manage_orders:copy:berlin"),
            ("manage_orders:other:shop", "manage_orders:other:shop"),
        ] {
            assert_eq!(with_scope_key(scope, "shop", "copy"), expected);
        }
    }
}
