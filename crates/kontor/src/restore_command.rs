//! `kontor restore`: restores all data ([`crate::restore`]), or with `--project` one project
//! ([`crate::restore_project`]).

use crate::arguments::RestoreArguments;
use crate::data_folder::IMAGES;
use crate::operator::{self, OperatorConnection};
use crate::restore;
use crate::restore_project::{RestoreRequest, RestoredProject};
use anyhow::Context as _;
use axum::http::Method;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::absolute;

/// Runs the command.
pub(crate) fn run(arguments: RestoreArguments) -> anyhow::Result<()> {
    // Checked first, so that a wrong file name changes nothing.
    File::open(&arguments.file).with_context(|| format!("{} cannot be opened", arguments.file.display()))?;
    match &arguments.project {
        Some(project) => restore_project(&arguments, project),
        None => restore::run(arguments),
    }
}

/// Sends the request to restore one project, and prints the result.
fn restore_project(arguments: &RestoreArguments, project: &str) -> anyhow::Result<()> {
    let to = arguments.as_project.as_deref().unwrap_or(project);
    let request = RestoreRequest {
        file: absolute(&arguments.file)?,
        project: project.to_owned(),
        to: to.to_owned(),
        data: absolute(&arguments.data.data)?,
    };
    operator::run_command(async {
        let operator = OperatorConnection::connect(&arguments.data, true).await?;
        let body = kontor_json::to_value(&request)?;
        let restored = operator.send(Method::POST, "/_operator/restore", Some(&body)).await?.accepted()?;
        print(&request, &kontor_json::from_value(restored)?)
    })
}

fn print(request: &RestoreRequest, restored: &RestoredProject) -> anyhow::Result<()> {
    let RestoreRequest { project, to, .. } = request;
    let RestoredProject { created_at, clients, taken_clients, image_files } = restored;
    let mut out = io::stdout();
    let name = if project == to { format!("'{to}'") } else { format!("'{project}' as '{to}'") };
    writeln!(
        out,
        "project {name} restored, as of {created_at}; API clients: {clients}, image files: {image_files}"
    )?;
    for id in taken_clients {
        writeln!(
            out,
            "the API client '{id}' is left out: another client has this id (kontor client create makes one)"
        )?;
    }
    writeln!(out, "tokens are not restored: clients request new ones, customers sign in again")?;
    if project != to && *image_files > 0 {
        writeln!(out, "documents still have the URLs of their uploaded images, below /{IMAGES}/{project}")?;
    }
    Ok(())
}
