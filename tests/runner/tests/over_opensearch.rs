//! Plays the files of `tests/api` that search once more, against a server that has its indexes on an OpenSearch server and everything else
//! in PostgreSQL: which index there is makes no difference to those who ask. Without Java 21 they are left out, loudly; where `CI`
//! is set that is a failure.
//!
//! `cargo test -p kontor-tests --test over_opensearch -- orders/` plays the files whose path contains `orders/`; where `CI` or
//! `KONTOR_TEST_ALL` is set, all of them are there, those that do not search too.

use kontor_tests::{Server, conversation_files, play_once_more};
use std::{fs, path::Path, process::ExitCode};

/// Update actions of the Project that turn searches on.
const SEARCHES: [&str; 4] = [
    "changeProductSearchIndexingEnabled",
    "changeOrderSearchStatus",
    "changeCustomerSearchStatus",
    "changeBusinessUnitSearchStatus",
];

fn main() -> ExitCode {
    let files = conversation_files().into_iter().filter(|file| searches(file));
    play_once_more(files, "os", Server::start_over_postgres_and_opensearch)
}

/// Whether a conversation turns a search on.
fn searches(file: &Path) -> bool {
    ["CI", "KONTOR_TEST_ALL"].iter().any(|name| std::env::var_os(name).is_some())
        || fs::read_to_string(file).is_ok_and(|text| SEARCHES.iter().any(|action| text.contains(action)))
}
