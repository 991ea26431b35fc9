//! Plays the files of `tests/api` once more, against a server that keeps everything in PostgreSQL: what storage there is makes no
//! difference to those who ask.
//!
//! `cargo test -p kontor-tests --test over_postgres -- states/` plays the files whose path contains `states/`.

use kontor_tests::{Server, conversation_files, play_once_more};
use std::process::ExitCode;

fn main() -> ExitCode {
    play_once_more(conversation_files(), "pg", || Server::start_over_postgres().map(Some))
}
