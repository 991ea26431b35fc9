//! The ways in which files are imported: by the command, by another command, and before a server starts.

use super::report::Report;
use super::{Importer, expected, source};
use crate::arguments::ImportArguments;
use crate::importable::embedded_model;
use crate::operator::{self, Operator};
use anyhow::bail;
use kontor_model::Model;
use std::path::PathBuf;
use std::process::ExitCode;

/// Imports files. Fails where a draft was refused, or, with a list of expected refusals, where others were.
pub(crate) fn run(arguments: ImportArguments) -> anyhow::Result<ExitCode> {
    let model = embedded_model()?;
    let sources = source::read(&model, &arguments.files, arguments.kind.as_deref())?;
    // A file may well have no drafts; whoever names it knows what it is.
    let are_folders = arguments.files.iter().all(|file| file.is_dir());
    if are_folders && sources.batches.is_empty() && sources.notes.is_empty() {
        bail!(
            "there is nothing to import: a folder has files that are named by the kinds of their drafts, such as state.jsonl \
             or products.json. kontor export makes one"
        );
    }
    let expected = arguments.expect.as_deref().map(expected::read).transpose()?;
    let report = operator::run(async {
        let operator = Operator::reach_project_within(&arguments.place, &arguments.limit).await?;
        let mut importer = Importer::quiet(&operator, &model, &arguments.place.project);
        importer.parallel = arguments.parallel.into();
        importer.import_watched(sources).await
    })?;
    report.print(&model, std::io::stdout().lock())?;
    Ok(match &expected {
        Some(expected) => expected::compare(expected, &report)?,
        None => exit_code(&report),
    })
}

/// Imports files into a project that was reached already, and prints what became of them.
pub(crate) async fn bring(
    operator: &Operator,
    model: &Model,
    project: &str,
    files: &[PathBuf],
) -> anyhow::Result<ExitCode> {
    let sources = source::read(model, files, None)?;
    let report = Importer::quiet(operator, model, project).import_watched(sources).await?;
    report.print(model, std::io::stdout().lock())?;
    Ok(exit_code(&report))
}

fn exit_code(report: &Report) -> ExitCode {
    if report.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Imports files into a project of this process before it is served. What is refused is told in the log and stops nothing.
pub(crate) async fn seed(operator: &Operator, project: &str, files: &[PathBuf]) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let model = embedded_model()?;
    let sources = source::read(&model, files, None)?;
    let report = Importer::quiet(operator, &model, project).import(sources).await?;
    let mut told = Vec::new();
    report.print(&model, &mut told)?;
    for line in String::from_utf8_lossy(&told).lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with("refused") {
            tracing::warn!(project, "import: {line}");
        } else {
            tracing::info!(project, "import: {line}");
        }
    }
    Ok(())
}
