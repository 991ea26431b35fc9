//! `kontor project`: creates, lists and removes projects.

use crate::arguments::ProjectCommand;
use crate::list_output;
use crate::operator::{self, OperatorConnection};
use crate::resource_paths::percent_encoded;
use anyhow::bail;
use axum::http::{Method, StatusCode};
use kontor_json::json;
use std::io::{IsTerminal as _, Write as _};

/// Asks for confirmation to remove a project. Without a terminal, `--yes` is required.
fn confirm(key: &str) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() {
        bail!("project '{key}' would be removed with everything in it: confirm with --yes");
    }
    let mut err = std::io::stderr();
    write!(err, "Remove the project '{key}' with everything in it? Type its key: ")?;
    err.flush()?;
    let mut response = String::new();
    std::io::stdin().read_line(&mut response)?;
    if response.trim() != key {
        bail!("project '{key}' stays");
    }
    Ok(())
}

/// Runs the command.
pub(crate) fn run(command: ProjectCommand) -> anyhow::Result<()> {
    operator::run_command(async move {
        let mut out = std::io::stdout();
        match command {
            ProjectCommand::Create { key, name, data } => {
                let operator = OperatorConnection::connect(&data, true).await?;
                let draft = json!({"key": key, "name": name});
                operator.send(Method::POST, "/_operator/projects", Some(&draft)).await?.accepted()?;
                writeln!(out, "project '{key}' created")?;
            }
            ProjectCommand::List { data, shown } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                let listed = operator.send(Method::GET, "/_operator/projects", None).await?.accepted()?;
                list_output::print_list(&mut out, &listed["results"], &["key", "createdAt", "name"], &shown)?;
            }
            ProjectCommand::Remove { key, yes, data } => {
                let operator = OperatorConnection::connect(&data, false).await?;
                if !yes {
                    confirm(&key)?;
                }
                let path = format!("/_operator/projects/{}", percent_encoded(&key));
                let reply = operator.send(Method::DELETE, &path, None).await?;
                if reply.status == StatusCode::NOT_FOUND.as_u16() {
                    operator.check_project(&key).await?;
                }
                reply.accepted()?;
                writeln!(out, "project '{key}' removed")?;
            }
        }
        Ok(())
    })
}
