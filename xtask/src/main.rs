//! What developers and CI run: `cargo xtask test|check|codegen|bench|…`.
//!
//! Each command is a file. They call the same tools that a person would call by hand, and nothing else.

mod access;
mod bench;
mod check;
mod codegen;
mod dependencies;
mod examples;
mod faults;
mod fuzz_api;
mod release;
mod run;
mod test;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>

  access    tries to reach other owners' resources by every reference of the API, and prints what each caller reaches
  bench     measures Kontor beside its peers; see bench/README.md
  codegen   writes the files that are derived from the model; --check only says which are stale
  faults    lets servers, connections and the database go down under load, 200 times: nothing may be lost; --rounds says another number
  fuzz-api  sends what our own API description allows and forbids to a server: nothing may fail inside
  check     formatting, lints, licences of dependencies, and tidy
  release   the binary that people get: stripped, with what debuggers need in a file beside it
  test      everything: check, all Rust tests, the conversations, the official TypeScript SDK
  tidy      resources named in generic code, long functions and files, circles of modules, arguments of one use,
            constants that stand twice, links of the documentation that lead nowhere, samples that do
            not work where they are pasted; --write shortens xtask/tidy.txt
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match command {
        "access" => access::run_all(),
        "bench" => bench::run_all(rest),
        "check" => check::run_all(),
        "codegen" => codegen::run_all(rest),
        "faults" => faults::run_all(rest),
        "fuzz-api" => fuzz_api::run_all(rest),
        "release" => release::run_all(rest),
        "test" => test::run_all(rest),
        "tidy" => tidy::run_all(rest),
        _ => {
            eprint!("{HELP}");
            return if command == "help" { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask {command}: {problem}");
            ExitCode::FAILURE
        }
    }
}
