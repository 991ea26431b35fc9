//! Runs the files of `tests/api` once more: every change that GraphQL can express is sent through GraphQL, and the
//! document that it made is read through REST. The expectations are the same, since both APIs use one engine.
//!
//! `cargo test -p kontor-tests --test both_apis -- states/` runs the files whose path contains `states/`.

#![allow(clippy::print_stdout)] // Its output is what this test harness is for.

use kontor_tests::{Conversation, TestProject, TestedServer, conversation_files, file_name, play};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    fmt::Write,
    fs,
    path::Path,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Fewer translated changes than this mean that the translation is broken.
const CHANGES_MIN: usize = 1_000;

/// Folders about one API alone: its addresses, its bodies, its tokens.
const ONE_API_ONLY: &[&str] = &["bad-input", "graphql", "logs", "oauth", "test-controls"];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(4);
    let mut files = conversation_files();
    files.retain(|file| !ONE_API_ONLY.contains(&folder_of(file)));
    let server = match if arguments.list { Ok(None) } else { TestedServer::start().map(Some) } {
        Ok(server) => server,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let base_url = server.as_ref().map(|server| server.base_url.clone()).unwrap_or_default();
    let changes = Arc::new(AtomicUsize::new(0));
    let trials = files.iter().enumerate().map(|(index, file)| {
        let name = file_name(file);
        let (file, base_url, changes) = (file.clone(), base_url.clone(), Arc::clone(&changes));
        Trial::test(name, move || converse(&file, &base_url, &format!("both-{index}"), &changes))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let changes = changes.load(Ordering::Relaxed);
    println!("{changes} changes went through GraphQL");
    let all_played = conclusion.num_passed as usize == files.len();
    if all_played && changes < CHANGES_MIN {
        eprintln!("at least {CHANGES_MIN} were expected to");
        return ExitCode::FAILURE;
    }
    if conclusion.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn converse(file: &Path, base_url: &str, key: &str, changes: &AtomicUsize) -> Result<(), Failed> {
    let conversation = Conversation::read(&fs::read_to_string(file)?)?;
    let mut shop = TestProject::open(base_url, key)?;
    shop.change_over_graphql()?;
    let played = play(&conversation, &mut shop);
    changes.fetch_add(shop.translated(), Ordering::Relaxed);
    let mut report = String::new();
    for failure in played.failures.iter().take(3) {
        let _ = writeln!(report, "\n{}:{}: {}", file.display(), failure.line, failure.text);
    }
    if report.is_empty() { Ok(()) } else { Err(report.into()) }
}

/// The name of the folder that a file is in.
fn folder_of(file: &Path) -> &str {
    file.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
}
