//! `kontor project`.

use crate::arguments::ProjectCommand;
use crate::operator::{self, Operator};
use crate::resource::encoded;
use axum::http::Method;
use serde_json::json;
use std::io::Write as _;

/// Creates, lists and removes projects.
pub(crate) fn run(command: ProjectCommand) -> anyhow::Result<()> {
    operator::run(async move {
        let mut out = std::io::stdout();
        match command {
            ProjectCommand::Create { key, name, data } => {
                let operator = Operator::reach(&data, true).await?;
                let draft = json!({"key": key, "name": name});
                operator.send(Method::POST, "/_operator/projects", Some(&draft)).await?.accepted()?;
                writeln!(out, "project '{key}' created")?;
            }
            ProjectCommand::List { data } => {
                let operator = Operator::reach(&data, false).await?;
                let listed = operator.send(Method::GET, "/_operator/projects", None).await?.accepted()?;
                for project in listed["results"].as_array().into_iter().flatten() {
                    let text = |name: &str| project[name].as_str().unwrap_or_default();
                    writeln!(out, "{}\t{}\t{}", text("key"), text("createdAt"), text("name"))?;
                }
            }
            ProjectCommand::Remove { key, data } => {
                let operator = Operator::reach(&data, false).await?;
                let path = format!("/_operator/projects/{}", encoded(&key));
                operator.send(Method::DELETE, &path, None).await?.accepted()?;
                writeln!(out, "project '{key}' removed")?;
            }
        }
        Ok(())
    })
}
