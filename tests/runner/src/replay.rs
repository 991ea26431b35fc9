//! Runs conversations against a server with another storage or search index.

use crate::{Conversation, TestProject, TestedServer, file_name, play};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The default number of conversations that run concurrently.
const PLAYED_AT_ONCE: usize = 4;

/// Runs each file in a project of its own, whose key is `prefix` and a number. Skips all of them if `start` returns no
/// server.
pub fn play_once_more(
    files: impl IntoIterator<Item = PathBuf>,
    prefix: &str,
    start: impl FnOnce() -> Result<Option<TestedServer>, String>,
) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(PLAYED_AT_ONCE);
    let server = match if arguments.list { Ok(None) } else { start() } {
        Ok(server) => server,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    if server.is_none() && !arguments.list {
        return ExitCode::SUCCESS;
    }
    let base_url = server.as_ref().map(|server| server.base_url.clone()).unwrap_or_default();
    let trials = files.into_iter().enumerate().map(|(index, file)| {
        let (base_url, key) = (base_url.clone(), format!("{prefix}-{index}"));
        Trial::test(file_name(&file), move || converse(&file, &base_url, &key))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if let (true, Some(server)) = (conclusion.has_failed(), &server) {
        eprintln!("The server's log: {}", server.log.display());
    }
    if conclusion.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn converse(file: &Path, base_url: &str, key: &str) -> Result<(), Failed> {
    let conversation = Conversation::read(&fs::read_to_string(file)?)?;
    let played = play(&conversation, &mut TestProject::open(base_url, key)?);
    let mut report = String::new();
    for failure in played.failures.iter().take(3) {
        let _ = writeln!(report, "\n{}:{}: {}", file.display(), failure.line, failure.text);
    }
    if report.is_empty() { Ok(()) } else { Err(report.into()) }
}
