//! `kontor pull`: a copy of the settings, types, catalog and customers of a project that runs anywhere.
//!
//! It is an export as a client, followed by an import where the copy is to be a project. What happened in the shop (orders,
//! payments, reviews, lists of customers) stays where it is, unless it is asked for.

use crate::arguments::{DataArguments, Place, PullArguments, ServerArguments};
use crate::export::{Export, kinds_of};
use crate::import;
use crate::importable::embedded_model;
use crate::operator::{self, Operator};
use crate::temporary_folder;
use anyhow::{Context as _, bail};
use axum::http::Method;
use kontor_json::json;
use kontor_model::{KindId, Model};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Kinds that tell what happened in a shop.
const HISTORY: &[&str] = &["payment", "review", "shopping-list"];

/// Copies a project.
pub(crate) fn run(arguments: PullArguments) -> anyhow::Result<ExitCode> {
    let model = embedded_model()?;
    let kinds = pulled(&model, &arguments.kind)?;
    if arguments.server.url.is_none() {
        bail!(
            "kontor pull needs --url, the server that the project is pulled from (kontor export reads a data folder)"
        );
    }
    operator::run(async {
        let from = Place {
            project: arguments.project.clone(),
            data: DataArguments { data: arguments.data.clone(), database_url: None },
            server: arguments.server.clone(),
        };
        let source = Operator::reach_project(&from).await?;
        let mut export = Export::new(&source, &model, &arguments.project);
        export.check().await?;
        let Some(project) = &arguments.to_project else {
            let to = arguments.to.as_deref().unwrap_or(Path::new("-"));
            if to != Path::new("-") {
                fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
            }
            export.write_to(&kinds, to).await?;
            export.print_summary();
            return Ok(ExitCode::SUCCESS);
        };
        // Reached first: what is wrong with it is told before everything is read.
        let target = target(&arguments, project).await?;
        let folder = temporary_folder::new("kontor-pull-")?;
        let lines = folder.path().join(format!("{}.jsonl", arguments.project));
        export.write_to(&kinds, &lines).await?;
        export.print_summary();
        import::bring(&target, &model, project, &[lines]).await
    })
}

fn pulled(model: &Model, names: &[String]) -> anyhow::Result<Vec<KindId>> {
    let mut kinds = kinds_of(model, names)?;
    if names.is_empty() {
        kinds.retain(|kind| !HISTORY.contains(&model.kind(*kind).type_id.as_str()));
    }
    Ok(kinds)
}

/// Where the copy goes. In a data folder, the project is made.
async fn target(arguments: &PullArguments, project: &str) -> anyhow::Result<Operator> {
    let data = DataArguments { data: arguments.data.clone(), database_url: None };
    let server = ServerArguments {
        url: arguments.to_url.clone(),
        client_id: arguments.to_client_id.clone(),
        client_secret: arguments.to_client_secret.clone(),
        auth_url: arguments.to_auth_url.clone(),
        scope: None,
    };
    if server.url.is_some() {
        let place = Place { project: project.to_owned(), data, server };
        let operator = Operator::reach_project(&place).await?;
        operator.check_project(project).await?;
        return Ok(operator);
    }
    let operator = Operator::reach_within(&data, true, &arguments.limit).await?;
    let draft = json!({"key": project, "name": project});
    match operator.send(Method::POST, "/_operator/projects", Some(&draft)).await?.accepted() {
        Err(refusal) if refusal.code != "DuplicateField" => bail!(refusal),
        _ => Ok(operator),
    }
}
