//! The Kontor server: flags, configuration, wiring, start and stop.
//!
//! Start at [`platform`], which joins storage, engine, behaviours and faces. Each command is a file or folder.
//! Commands that do not serve reach the platform through an [`operator`], wherever it runs.

mod archive;
mod arguments;
mod backup;
mod client;
mod control;
mod control_socket;
mod data_folder;
mod database;
mod demo;
mod export;
mod import;
mod importable;
mod index_folder;
mod kind_name;
mod listing;
mod log;
mod move_command;
mod moving;
mod operator;
mod platform;
mod private;
mod project;
mod pull;
mod remote;
mod reply;
mod resource;
mod resource_limit;
mod restore;
mod secret_files;
mod sequence;
mod serve;
mod sweep;
mod synced_folders;
mod temporary_folder;
mod threads;
mod traces;

use arguments::{Arguments, Command};
use clap::{CommandFactory as _, Parser as _};
use std::process::ExitCode;
use traces::Traces;

/// JSON documents are many small allocations, which this one serves in half the time of the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    keep_pages_small();
    let arguments = match secret_files::added(&Arguments::command(), std::env::args_os().collect(), |name| {
        std::env::var_os(name)
    }) {
        Ok(arguments) => Arguments::parse_from(arguments),
        Err(error) => {
            eprintln!("kontor: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    let serves = arguments.command.serves();
    // Until the end, so that the last traces are sent.
    let traces = if serves { Traces::start(|name| std::env::var(name).ok()) } else { Ok(None) };
    let started = traces.and_then(|traces| {
        log::start(&arguments.log, if serves { "info" } else { "warn" }, traces.as_ref())?;
        Ok(traces)
    });
    let _traces = match started {
        Ok(traces) => traces,
        Err(error) => {
            eprintln!("kontor: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    let done = |()| ExitCode::SUCCESS;
    let result = match arguments.command {
        Command::Serve(serve) => serve::run(serve).map(done),
        Command::Demo(demo) => demo::run(demo).map(done),
        Command::Project(command) => project::run(command).map(done),
        Command::Client(command) => client::run(command).map(done),
        Command::Import(import) => import::run(import),
        Command::Export(export) => export::run(export).map(done),
        Command::Pull(pull) => pull::run(pull),
        Command::Backup(backup) => backup::run(backup).map(done),
        Command::Restore(restore) => restore::run(restore).map(done),
        Command::Move(arguments) => move_command::run(arguments).map(done),
    };
    temporary_folder::remove_all();
    result.unwrap_or_else(|error| {
        if serves {
            tracing::error!("{error:#}");
        } else {
            eprintln!("kontor: {error:#}");
        }
        ExitCode::FAILURE
    })
}

/// The allocator asks for huge pages, of which the system clears two megabytes at the first touch: a server at rest would keep
/// three times the memory, and need half as long again to start. Where it cannot be asked for, nothing is lost but that.
fn keep_pages_small() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_thp_disable(true);
}
