//! Commands for developers and CI: `cargo xtask test|check|codegen|bench|…`.
//!
//! Each command is a file. A command calls the tools that a person would call by hand.

mod access;
mod bench;
mod check;
mod codegen;
mod dependencies;
mod dist;
mod examples;
mod faults;
mod fuzz_api;
mod parity;
mod release;
mod run;
mod server;
mod test;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>

  access    tries to reach other owners' resources by every reference of the API, and prints what each caller reaches
  bench     compares Kontor with its peers; see bench/README.md
  check     formatting, lints, licences of dependencies, and tidy
  codegen   writes the files that are derived from the model; --check only reports stale files
  dist      builds every artifact that people install into dist/: archive, npm, Python, Java, Go, image, .deb, .rpm;
            --check installs and uses each, --binary FILE packs that binary, --out FOLDER, --platform NAME
  faults    stops servers, connections and the database under load, 200 times (--rounds N): nothing may be lost
  fuzz-api  sends requests that our own API description allows and forbids: no request may fail inside the server
  parity    compares the OpenAPI document with the newest official SDKs: lists every name that it lacks
  release   builds the distributed binary: stripped, with its debug information in a separate file
  test      everything: check, all Rust tests, the conversations, the official TypeScript SDK
  tidy      rules that no compiler checks: resources named in generic code, long functions and files, circles of modules,
            repeated constants, broken links, samples that break when pasted, unclear sentences and names;
            --write removes mended entries of xtask/tidy.txt and lowers the budget of xtask/words.toml
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
        "dist" => dist::run_all(rest),
        "faults" => faults::run_all(rest),
        "fuzz-api" => fuzz_api::run_all(rest),
        "parity" => parity::run_all(rest),
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
