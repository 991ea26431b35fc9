//! The `kontor` binary: command line, configuration, wiring, startup and shutdown.
//!
//! Start at [`platform`], which connects storage, engine, behaviours and HTTP server. Each command is a file or folder.
//! Commands other than `serve` and `demo` talk to the platform through an [`operator`], in this process or another.

mod addresses;
mod archive;
mod arguments;
mod backup;
mod client;
mod command_response;
mod command_runtime;
mod control_socket;
mod data_folder;
mod database;
mod demo;
mod developer_logs;
mod environment;
mod export;
mod first_start;
mod health;
mod help_files;
mod import;
mod import_order;
mod import_rules;
mod index_folder;
mod list_output;
mod log;
mod memory_size;
mod move_command;
mod operator;
#[cfg(feature = "console")]
mod operator_accounts_api;
mod operator_api;
#[cfg(feature = "console")]
mod operator_command;
mod operator_routes;
mod platform;
mod private_files;
mod project;
mod project_move;
mod pull;
mod remote;
#[cfg(feature = "console")]
mod remote_console;
mod resource_limit;
mod resource_paths;
mod resource_type_name;
mod restore;
mod restore_command;
mod restore_project;
mod secret_files;
mod serve;
mod synced_folders;
mod temporary_folder;
mod token_sweep;
mod trace_export;
mod verify;

use arguments::{CliArguments, CliCommand};
use clap::{CommandFactory as _, FromArgMatches as _};
use kontor_errors::report_panics;
use kontor_http::metric_descriptions;
use std::ffi::OsString;
use std::process::ExitCode;
use trace_export::TraceExporter;

/// JSON documents are many small allocations. mimalloc serves them in half the time of the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    disable_huge_pages();
    let (arguments, warnings) = match read_arguments() {
        Ok(read) => read,
        Err(error) => error.exit(),
    };
    let serves = arguments.command.serves();
    // Lives until the end of `main`, so that the last traces are sent.
    let traces = if serves { TraceExporter::start(|name| std::env::var(name).ok()) } else { Ok(None) };
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
    report_panics(metric_descriptions::count_panic, |panic| {
        let thread = std::thread::current();
        tracing::error!(panic = panic.message, place = panic.place, thread = thread.name(), "panicked");
    });
    for warning in warnings {
        if serves {
            tracing::warn!("{warning}");
        } else {
            eprintln!("kontor: {warning}");
        }
    }
    let done = |()| ExitCode::SUCCESS;
    let result = match arguments.command {
        CliCommand::Serve(serve) => serve::run(*serve).map(done),
        CliCommand::Demo(demo) => demo::run(demo).map(done),
        CliCommand::Project(command) => project::run(command).map(done),
        CliCommand::Client(command) => client::run(command).map(done),
        #[cfg(feature = "console")]
        CliCommand::Operator(command) => operator_command::run(command).map(done),
        #[cfg(feature = "console")]
        CliCommand::Console(console) => remote_console::run(console).map(done),
        CliCommand::Import(import) => import::run(import),
        CliCommand::Export(export) => export::run(export).map(done),
        CliCommand::Pull(pull) => pull::run(pull),
        CliCommand::Backup(backup) => backup::run(backup).map(done),
        CliCommand::Restore(restore) => restore_command::run(restore).map(done),
        CliCommand::Verify(verify) => verify::run(verify),
        CliCommand::Health(health) => health::run(&health).map(done),
        CliCommand::Move(arguments) => move_command::run(arguments).map(done),
        CliCommand::Completions { shell } => help_files::print_completions(shell).map(done),
        CliCommand::Man => help_files::print_manual().map(done),
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

/// Parses the command line and the environment. Returns warnings about unknown environment variables as well.
fn read_arguments() -> Result<(CliArguments, Vec<String>), clap::Error> {
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value));
    let variables: Vec<(String, OsString)> = std::env::vars_os().filter_map(text).collect();
    let mut command = CliArguments::command();
    let (matches, warnings) = environment::read(command.clone(), std::env::args_os().collect(), &variables)?;
    let arguments = CliArguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok((arguments, warnings))
}

/// Switches off huge pages for this process. The allocator requests them, and the kernel clears two megabytes at the
/// first touch: an idle server would use three times the memory and start half as long again. Failure is harmless.
fn disable_huge_pages() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_thp_disable(true);
}
