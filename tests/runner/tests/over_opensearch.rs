//! Plays the files of `tests/api` that search once more, against a server that has its indexes on an OpenSearch server and everything else
//! in PostgreSQL: which index there is makes no difference to those who ask. Without Java 21 they are left out, loudly; where `CI`
//! is set that is a failure.
//!
//! `cargo test -p kontor-tests --test over_opensearch -- orders/` plays the files whose path contains `orders/`; with `KONTOR_TEST_ALL` set,
//! all of them are there, those that do not search too.

use kontor_tests::{Conversation, Server, Shop, conversation_files, file_name, play};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{fmt::Write, fs, path::Path, process::ExitCode};

/// Update actions of the Project that turn searches on.
const SEARCHES: [&str; 4] = [
    "changeProductSearchIndexingEnabled",
    "changeOrderSearchStatus",
    "changeCustomerSearchStatus",
    "changeBusinessUnitSearchStatus",
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(4);
    let server = match if arguments.list { Ok(None) } else { Server::start_over_postgres_and_opensearch() } {
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
    let trials =
        conversation_files().into_iter().filter(|file| searches(file)).enumerate().map(|(index, file)| {
            let base_url = base_url.clone();
            Trial::test(file_name(&file), move || converse(&file, &base_url, &format!("os-{index}")))
        });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if let (true, Some(server)) = (conclusion.has_failed(), &server) {
        eprintln!("The server's log: {}", server.log.display());
    }
    if conclusion.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether a conversation turns a search on.
fn searches(file: &Path) -> bool {
    std::env::var_os("KONTOR_TEST_ALL").is_some()
        || fs::read_to_string(file).is_ok_and(|text| SEARCHES.iter().any(|action| text.contains(action)))
}

fn converse(file: &Path, base_url: &str, key: &str) -> Result<(), Failed> {
    let conversation = Conversation::read(&fs::read_to_string(file)?)?;
    let played = play(&conversation, &mut Shop::open(base_url, key)?);
    let mut report = String::new();
    for failure in played.failures.iter().take(3) {
        let _ = writeln!(report, "\n{}:{}: {}", file.display(), failure.line, failure.text);
    }
    if report.is_empty() { Ok(()) } else { Err(report.into()) }
}
