//! The lines for the operator that `kontor serve` prints if there is nothing to serve yet: a new API client, or the next steps.

use crate::operator::OperatorConnection;
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_json::json;
use std::io::{self, Write as _};

/// Creates a project with an API client unless it exists. Returns the lines that show the client; empty for a project
/// that exists, because its secrets cannot be shown again.
pub(crate) async fn ensure_project(operator: &OperatorConnection, project: &str) -> anyhow::Result<String> {
    let draft = json!({"key": project});
    match operator.send(Method::POST, "/_operator/projects", Some(&draft)).await?.accepted() {
        Err(refusal) if refusal.code == "DuplicateField" => return Ok(String::new()),
        created => created?,
    };
    let clients = format!("/_operator/projects/{}/clients", percent_encoded(project));
    let draft = json!({"name": "First client"});
    let client = operator.send(Method::POST, &clients, Some(&draft)).await?.accepted()?;
    let text = |field: &str| client[field].as_str().unwrap_or_default().to_owned();
    Ok(format!(
        "\nproject key:   {project}   (new)\nclient id:     {}\nclient secret: {}   (shown only now)\n",
        text("id"),
        text("secret")
    ))
}

/// Returns the lines that say how to get a first project.
pub(crate) fn next_steps(is_in_memory: bool) -> String {
    let steps: &[(&str, &str)] = if is_in_memory {
        &[("kontor serve --in-memory --project shop", "with a project and an API client")]
    } else {
        &[
            ("kontor project create shop", "creates a project"),
            ("kontor client create --project shop", "creates an API client for it, and prints its secret"),
        ]
    };
    let demo = ("kontor demo", "or, instead of this server: a shop to try");
    let lines = steps.iter().chain([&demo]).map(|(command, what)| format!("  {command:<42}{what}\n"));
    format!("\nThere is no project yet. Next:\n{}", lines.collect::<String>())
}

/// Prints lines for the operator. Fails if standard output cannot be written.
pub(crate) fn print(lines: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(lines.as_bytes())?;
    out.flush()
}
