//! Runs the files of `tests/api` once more, against a server with all data in PostgreSQL: the responses must not depend
//! on the storage.
//!
//! `cargo test -p kontor-tests --test over_postgres -- states/` runs the files whose path contains `states/`.

use kontor_tests::{TestedServer, conversation_files, play_once_more};
use std::process::ExitCode;

fn main() -> ExitCode {
    play_once_more(conversation_files(), "pg", || TestedServer::start_over_postgres().map(Some))
}
