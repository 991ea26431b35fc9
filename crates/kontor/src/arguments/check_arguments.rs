//! The command lines of `kontor verify` and `kontor health`.

use crate::addresses::listen_address;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The data folder.
    #[arg(long, env = "KONTOR_DATA", default_value = "./kontor-data")]
    pub(crate) data: PathBuf,
    /// A folder, or a file that `kontor backup` wrote [default: the data folder].
    pub(crate) path: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HealthArguments {
    /// The address at which the server listens.
    #[arg(long, env = "KONTOR_LISTEN", default_value = "127.0.0.1:8989", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
}
