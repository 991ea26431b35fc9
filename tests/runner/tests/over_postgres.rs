//! Plays the files of `tests/api` once more, against a server that keeps everything in PostgreSQL: what storage there is makes no
//! difference to those who ask.
//!
//! `cargo test -p kontor-tests --test over_postgres -- states/` plays the files whose path contains `states/`.

use kontor_tests::{Conversation, Server, Shop, conversation_files, file_name, play};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{fmt::Write, fs, path::Path, process::ExitCode};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(4);
    let server = match if arguments.list { Ok(None) } else { Server::start_over_postgres().map(Some) } {
        Ok(server) => server,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let base_url = server.as_ref().map(|server| server.base_url.clone()).unwrap_or_default();
    let trials = conversation_files().into_iter().enumerate().map(|(index, file)| {
        let base_url = base_url.clone();
        Trial::test(file_name(&file), move || converse(&file, &base_url, &format!("pg-{index}")))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if let (true, Some(server)) = (conclusion.has_failed(), &server) {
        eprintln!("The server's log: {}", server.log.display());
    }
    if conclusion.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
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
