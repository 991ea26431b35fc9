//! Runs the files of `tests/api` that search once more, against a server with its indexes on an OpenSearch server and
//! its data in PostgreSQL: the responses must not depend on the index. Without Java 21 they are skipped with a message;
//! if `CI` is set, that is a failure.
//!
//! `cargo test -p kontor-tests --test over_opensearch -- orders/` runs the files whose path contains `orders/`; if `CI`
//! or `KONTOR_TEST_ALL` is set, files that do not search run too.

use kontor_tests::{TestedServer, conversation_files, play_once_more};
use std::{fs, path::Path, process::ExitCode};

/// Update actions of the Project that activate searches.
const SEARCHES: [&str; 4] = [
    "changeProductSearchIndexingEnabled",
    "changeOrderSearchStatus",
    "changeCustomerSearchStatus",
    "changeBusinessUnitSearchStatus",
];

fn main() -> ExitCode {
    let files = conversation_files().into_iter().filter(|file| searches(file));
    play_once_more(files, "os", TestedServer::start_over_postgres_and_opensearch)
}

/// Whether a conversation activates a search.
fn searches(file: &Path) -> bool {
    ["CI", "KONTOR_TEST_ALL"].iter().any(|name| std::env::var_os(name).is_some())
        || fs::read_to_string(file).is_ok_and(|text| SEARCHES.iter().any(|action| text.contains(action)))
}
