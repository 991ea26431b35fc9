//! The entry points of the import: the command itself, another command, and the import before a server starts.

use super::import_report::DraftImportReport;
use super::{Importer, draft_files, expected_failures};
use crate::arguments::ImportArguments;
use crate::import_rules::embedded_model;
use crate::operator::{self, OperatorConnection};
use anyhow::bail;
use kontor_model::Model;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the command. The exit code is a failure if a draft fails, or with `--expect`, if others than the listed ones
/// do.
pub(crate) fn run(arguments: ImportArguments) -> anyhow::Result<ExitCode> {
    let model = embedded_model()?;
    let sources = draft_files::read_drafts(&model, &arguments.files, arguments.kind.as_deref())?;
    // A named file may be empty on purpose; a folder without drafts is likely a mistake.
    let are_folders = arguments.files.iter().all(|file| file.is_dir());
    if are_folders && sources.batches.is_empty() && sources.notes.is_empty() {
        bail!(
            "there is nothing to import: name the files of a folder after the kinds of their drafts, such as \
             state.jsonl or products.json. kontor export writes such a folder"
        );
    }
    let expected = arguments.expect.as_deref().map(expected_failures::read).transpose()?;
    let report = operator::run_command(async {
        let operator =
            OperatorConnection::connect_to_project_with_limits(&arguments.place, &arguments.limit).await?;
        let mut importer = Importer::without_progress(&operator, &model, &arguments.place.project);
        importer.parallel = arguments.parallel.into();
        importer.import_watched(sources).await
    })?;
    report.print(&model, std::io::stdout().lock())?;
    Ok(match &expected {
        Some(expected) => expected_failures::compare(expected, &report)?,
        None => exit_code(&report),
    })
}

/// Imports files over an existing connection, and prints the report.
pub(crate) async fn import_and_print(
    operator: &OperatorConnection,
    model: &Model,
    project: &str,
    files: &[PathBuf],
) -> anyhow::Result<ExitCode> {
    let sources = draft_files::read_drafts(model, files, None)?;
    let report = Importer::without_progress(operator, model, project).import_watched(sources).await?;
    report.print(model, std::io::stdout().lock())?;
    Ok(exit_code(&report))
}

fn exit_code(report: &DraftImportReport) -> ExitCode {
    if report.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Imports files into a project of this process before it is served. Failed drafts are logged, and do not stop the
/// start.
pub(crate) async fn import_before_serving(
    operator: &OperatorConnection,
    project: &str,
    files: &[PathBuf],
) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let model = embedded_model()?;
    let sources = draft_files::read_drafts(&model, files, None)?;
    let report = Importer::without_progress(operator, &model, project).import(sources).await?;
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
