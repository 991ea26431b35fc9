//! Measures Kontor beside its peers on one machine, in one run, on the same data, and prints ratios.
//!
//! `cargo xtask bench` starts it. The servers run as processes of their own, pinned to one core, with the load
//! generator on another: what counts is the CPU time that a request costs the server, because throughput of
//! two programs that share a machine says as much about the one that asks as about the one that answers.
//! Start reading at [`scenarios`].

mod document;
mod kontor;
mod load;
mod machine;
mod making;
mod node_peer;
mod peers;
mod process;
mod scenarios;
mod search;
mod states;
mod table;
mod tokens;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};

#[derive(Debug, Parser)]
#[command(about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measures, and prints the table.
    Run(RunArguments),
    /// A bare hyper server that sends one captured answer. Started by `run`.
    #[command(hide = true)]
    PeerHttp {
        /// The captured answer.
        answer: PathBuf,
    },
    /// A bare SQLite group-commit loop. Started by `run`.
    #[command(hide = true)]
    PeerSqlite(peers::GroupCommitArguments),
    /// The embedded search index and a flat one. Started by `run`.
    #[command(hide = true)]
    PeerSearch(search::SearchArguments),
    /// Kontor's storage alone. Started by `run`.
    #[command(hide = true)]
    PeerStorage(peers::StorageAloneArguments),
}

/// The one that Kontor has: what is measured is not which allocator is faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is measured, and where the parts are.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The server to measure.
    #[arg(long, default_value = "target/release/kontor")]
    server: PathBuf,
    /// Where data is written while measuring: a folder on a real disk. Removed afterwards.
    #[arg(long, default_value = "target/bench")]
    scratch: PathBuf,
    /// With so many States; several times or separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    sizes: Vec<usize>,
    /// Also with a million States, a million access tokens and ten million refresh tokens.
    #[arg(long)]
    large: bool,
    /// Only these scenarios; several times or separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<scenarios::Name>,
    /// Without the Node mock, where there is no Node or no network.
    #[arg(long)]
    no_mock: bool,
    /// Import these folders of drafts, too; several times or separated by commas.
    #[arg(long, value_delimiter = ',')]
    drafts: Vec<PathBuf>,
    /// Write the table into bench/README.md; with `--only`, the rows of these scenarios into the table there.
    #[arg(long)]
    write: bool,
}

/// The folder of this package, for what lies beside its source.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::PeerHttp { answer } => peers::bare_http(&answer),
        Command::PeerSqlite(arguments) => peers::group_commit(&arguments),
        Command::PeerStorage(arguments) => peers::storage_alone(&arguments),
        Command::PeerSearch(arguments) => search::measure(&arguments),
        Command::Run(arguments) => {
            // Before any thread is started: threads inherit the core.
            let cores = machine::pin_this_process();
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("the load generator cannot be started")?
                .block_on(scenarios::run(&arguments, cores))
        }
    }
}
