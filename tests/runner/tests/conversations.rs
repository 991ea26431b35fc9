//! Runs every file of `tests/api`, one test each, against one server; each file has a project of its own.
//!
//! `cargo test -p kontor-tests --test conversations -- states/` runs the files whose path contains
//! `states/`; `UPDATE=1` rewrites the expected responses that failed.

#![allow(clippy::print_stdout)] // Its output is what this test harness is for.

use kontor_tests::{
    ActionCount, Conversation, TestProject, TestedServer, conversation_files, file_name, package_folder,
    play, rewrite,
};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

/// The update actions that all conversations together exercised.
type SharedActionCount = Arc<Mutex<ActionCount>>;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The conversations wait for the server most of the time.
    arguments.test_threads.get_or_insert(4);
    let root = package_folder().join("../..");
    let files = conversation_files();
    let account = SharedActionCount::default();
    let server = match if arguments.list { Ok(None) } else { TestedServer::start().map(Some) } {
        Ok(server) => server,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let base_url = server.as_ref().map(|server| server.base_url.clone()).unwrap_or_default();
    let trials = files.iter().enumerate().map(|(index, file)| {
        let name = file_name(file);
        let (file, base_url, account) = (file.clone(), base_url.clone(), Arc::clone(&account));
        Trial::test(name, move || converse(&file, &base_url, &format!("shop-{index}"), &account))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let all_played = conclusion.num_passed as usize == files.len();
    let account = account.lock().unwrap_or_else(PoisonError::into_inner);
    let complete = !all_played || is_complete(&root, &account);
    if let (true, Some(server)) = (conclusion.has_failed(), &server) {
        eprintln!("The server's log: {}", server.log.display());
    }
    if conclusion.has_failed() || !complete { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The number of failures shown of a file: later ones mostly follow from the first.
const FAILURES_SHOWN_MAX: usize = 3;

/// Runs one file, and rewrites it if `UPDATE` is set.
fn converse(file: &Path, base_url: &str, key: &str, account: &SharedActionCount) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let conversation = Conversation::read(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut shop = TestProject::open(base_url, key)?;
    let mut played = play(&conversation, &mut shop);
    account.lock().unwrap_or_else(PoisonError::into_inner).add(std::mem::take(&mut played.actions));
    let changes = !played.failures.is_empty() || !played.completed_bodies.is_empty();
    if changes && std::env::var("UPDATE").is_ok_and(|value| value == "1") {
        fs::write(file, rewrite(&text, &conversation, &played))?;
    }
    if played.failures.is_empty() {
        return Ok(());
    }
    let mut report = String::new();
    let shown = if std::env::var_os("ALL").is_some() { usize::MAX } else { FAILURES_SHOWN_MAX };
    for failure in played.failures.iter().take(shown) {
        let _ = writeln!(report, "\n{}:{}: {}", file.display(), failure.line, failure.text);
    }
    if played.failures.len() > shown {
        let _ = writeln!(report, "\n… and {} more (ALL=1 shows them)", played.failures.len() - shown);
    }
    Err(report.into())
}

/// Whether the update actions that no conversation exercises equal the committed list, which
/// may only become shorter.
fn is_complete(root: &Path, account: &ActionCount) -> bool {
    let sources: Vec<String> =
        graphql_files(&root.join("model")).iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    let all = ActionCount::actions_of_model(sources.iter().map(String::as_str));
    println!("update actions      done  refused  of");
    for (path, [done, refused, count]) in account.summary(&all) {
        println!("{path:18} {done:5} {refused:8} {count:3}");
    }
    let list = root.join("tests/api/uncovered-actions.txt");
    let listed: BTreeSet<String> =
        fs::read_to_string(&list).unwrap_or_default().lines().map(str::to_owned).collect();
    let missing = account.missing_outcomes(&all);
    let added: Vec<&String> = missing.difference(&listed).collect();
    let gone: Vec<&String> = listed.difference(&missing).collect();
    for line in &added {
        eprintln!("no conversation exercises: {line}");
    }
    if !gone.is_empty() && std::env::var("UPDATE").is_ok_and(|value| value == "1") {
        let kept: String = listed.intersection(&missing).map(|line| format!("{line}\n")).collect();
        return fs::write(&list, kept).is_ok() && added.is_empty();
    }
    for line in &gone {
        eprintln!("exercised now, remove it from {} (UPDATE=1 does): {line}", list.display());
    }
    added.is_empty() && gone.is_empty()
}

fn graphql_files(folder: &Path) -> Vec<PathBuf> {
    sorted(folder).into_iter().filter(|path| path.extension() == Some("graphql".as_ref())).collect()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
