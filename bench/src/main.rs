//! Measures Kontor and its peers on one machine, in one run, on the same data, and prints the ratios.
//!
//! `cargo xtask bench` starts it. The servers run as processes of their own, pinned to one core, with the load
//! generator on another. The main figure is the server's CPU time per request: the throughput of two programs that
//! share a machine depends on the load generator as much as on the server. Start reading at [`scenarios`].

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
    /// Serves one captured response with bare hyper. Started by `run`.
    #[command(hide = true)]
    PeerHttp {
        /// The file of the captured response.
        reply: PathBuf,
    },
    /// Runs a bare SQLite group-commit loop. Started by `run`.
    #[command(hide = true)]
    PeerSqlite(peers::GroupCommitArguments),
    /// Measures the embedded search index and a flat one. Started by `run`.
    #[command(hide = true)]
    PeerSearch(search::SearchArguments),
    /// Measures Kontor's storage alone. Started by `run`.
    #[command(hide = true)]
    PeerStorage(peers::StorageAloneArguments),
}

/// The allocator of Kontor, so that the comparison with bare hyper does not depend on the allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The server binary to measure.
    #[arg(long, default_value = "target/release/kontor")]
    server: PathBuf,
    /// The folder for data of the run, on a real disk. Removed afterwards.
    #[arg(long, default_value = "target/bench")]
    scratch: PathBuf,
    /// Numbers of States to measure with; several times or separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    sizes: Vec<usize>,
    /// Also measure with a million States, a million access tokens and ten million refresh tokens.
    #[arg(long)]
    large: bool,
    /// Run only these scenarios; several times or separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<scenarios::ScenarioName>,
    /// Skip the Node mock, if Node or the network is missing.
    #[arg(long)]
    no_mock: bool,
    /// Also import these folders of drafts; several times or separated by commas.
    #[arg(long, value_delimiter = ',')]
    drafts: Vec<PathBuf>,
    /// Write the table into bench/README.md; with `--only`, the rows of these scenarios into the table there.
    #[arg(long)]
    write: bool,
}

/// The folder of this package, with the peers and the README.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::PeerHttp { reply: answer } => peers::bare_http(&answer),
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
