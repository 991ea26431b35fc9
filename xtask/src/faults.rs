//! `cargo xtask faults`: runs several servers over one database under load, and stops one or another of them at random.
//!
//! The test command runs a few rounds (`crates/kontor/tests/it/faults.rs`; `search_server.rs` tests the search server).

use crate::run::{root, run_in_with};
use std::path::Path;

/// Rounds, unless said otherwise.
const ROUNDS: &str = "200";

/// Runs the tests with that many rounds.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let rounds = match arguments {
        [] => ROUNDS,
        [flag, rounds] if flag == "--rounds" && rounds.parse::<usize>().is_ok() => rounds,
        _ => return Err("expected nothing, or --rounds and a number".to_owned()),
    };
    let test = ["test", "--package", "kontor", "--test", "it", "faults", "--", "--test-threads", "1"];
    run_in_with(root(), &[("KONTOR_FAULT_ROUNDS", Path::new(rounds))], "cargo", &test)
}
