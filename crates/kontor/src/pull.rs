//! `kontor pull`: copies a project from any server.
//!
//! It exports the project as an API client, and imports the result if the target is a project. Reviews and shopping
//! lists are copied only when they are named. Payments are copied together with the carts and orders that refer to
//! them.

use crate::arguments::{DataArguments, ProjectPlace, PullArguments, RemoteServerArguments};
use crate::export::{Export, exported_kinds};
use crate::import;
use crate::import_order;
use crate::import_rules::embedded_model;
use crate::operator::{self, OperatorConnection};
use crate::temporary_folder;
use anyhow::{Context as _, bail};
use axum::http::Method;
use kontor_json::json;
use kontor_model::{KindId, Model};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Resource types that are copied only when they are named.
const ONLY_NAMED: [&str; 2] = ["review", "shopping-list"];
/// The resource type that is copied together with the resources that refer to it.
const ALONG: &str = "payment";

/// Runs the command.
pub(crate) fn run(arguments: PullArguments) -> anyhow::Result<ExitCode> {
    let model = embedded_model()?;
    let (kinds, left_out) = select_kinds(&model, &arguments)?;
    let say_left_out = || left_out.iter().for_each(|what| eprintln!("left out: {what}"));
    if arguments.server.url.is_none() {
        bail!(
            "kontor pull needs --url, the server that the project is pulled from (kontor export reads a data folder)"
        );
    }
    operator::run_command(async {
        let from = ProjectPlace {
            project: arguments.project.clone(),
            data: DataArguments { data: arguments.data.clone(), database_url: None },
            server: arguments.server.clone(),
        };
        let source = OperatorConnection::connect_to_project(&from).await?;
        let mut export = Export::new(&source, &model, &arguments.project);
        export.check().await?;
        let Some(project) = &arguments.to_project else {
            let to = arguments.to.as_deref().unwrap_or(Path::new("-"));
            if to != Path::new("-") {
                fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
            }
            export.write_to(&kinds, to).await?;
            export.print_summary();
            say_left_out();
            return Ok(ExitCode::SUCCESS);
        };
        // Connected first, so that errors of the target are reported before everything is read.
        let target = connect_target(&arguments, project).await?;
        let folder = temporary_folder::create_private("kontor-pull-")?;
        let lines = folder.path().join(format!("{}.jsonl", arguments.project));
        export.write_to(&kinds, &lines).await?;
        export.print_summary();
        say_left_out();
        import::import_and_print(&target, &model, project, &[lines]).await
    })
}

/// Returns the resource types to copy, and a line for each kind of data that is not copied, with the reason.
fn select_kinds(model: &Model, arguments: &PullArguments) -> anyhow::Result<(Vec<KindId>, Vec<String>)> {
    let mut left_out = Vec::new();
    let name = |kind: KindId| model.kind(kind).type_id.as_str();
    let mut kinds = exported_kinds(model, &arguments.kind)?;
    if arguments.kind.is_empty() {
        kinds.retain(|kind| !ONLY_NAMED.contains(&name(*kind)));
        let names = ONLY_NAMED.join(",");
        left_out.push(format!("{names}: copied only when they are named (--kind {names})"));
        if arguments.to_url.is_some() {
            let is_whole = |kind: &KindId| model.kind(*kind).exports_stored;
            let whole: Vec<&str> = kinds.iter().copied().filter(is_whole).map(name).collect();
            left_out.push(format!(
                "{}: no client can create them as they were; pull into a data folder (--data, without --to-url)",
                whole.join(",")
            ));
            kinds.retain(|kind| !is_whole(kind));
        }
    } else if let Some(along) = model.kind_by_type_id(ALONG)
        && kinds
            .iter()
            .any(|kind| model.kind(*kind).exports_stored && import_order::refers_to(model, *kind, along))
    {
        let wanted: HashSet<KindId> = kinds.into_iter().chain([along]).collect();
        kinds = exported_kinds(model, &[])?;
        kinds.retain(|kind| wanted.contains(kind));
    }
    left_out.push("API clients: their secrets cannot be read; kontor client create creates new ones".into());
    left_out.push("Messages and Change History: they belong to that project".into());
    left_out.push("uploaded images: documents keep the URLs of that server".into());
    Ok((kinds, left_out))
}

/// Connects to the target project. In a data folder, creates it if missing.
async fn connect_target(arguments: &PullArguments, project: &str) -> anyhow::Result<OperatorConnection> {
    let data = DataArguments { data: arguments.data.clone(), database_url: None };
    let server = RemoteServerArguments {
        url: arguments.to_url.clone(),
        client_id: arguments.to_client_id.clone(),
        client_secret: arguments.to_client_secret.clone(),
        auth_url: arguments.to_auth_url.clone(),
        scope: None,
    };
    if server.url.is_some() {
        let place = ProjectPlace { project: project.to_owned(), data, server };
        let operator = OperatorConnection::connect_to_project(&place).await?;
        operator.check_project(project).await?;
        return Ok(operator);
    }
    let operator = OperatorConnection::connect_with_limits(&data, true, &arguments.limit).await?;
    let draft = json!({"key": project, "name": project});
    match operator.send(Method::POST, "/_operator/projects", Some(&draft)).await?.accepted() {
        Err(refusal) if refusal.code != "DuplicateField" => bail!(refusal),
        _ => Ok(operator),
    }
}
