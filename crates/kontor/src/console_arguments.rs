//! The command line of `kontor console`.

use crate::addresses::listen_address;
use crate::arguments::RemoteServerArguments;
use clap::Args;
use std::net::SocketAddr;

#[derive(Debug, Args)]
pub(crate) struct ConsoleArguments {
    /// The project key on that server.
    #[arg(long, env = "KONTOR_PROJECT")]
    pub(crate) project: String,
    /// Address and port on this machine; port 0 chooses a free one.
    #[arg(long, env = "KONTOR_LISTEN", default_value = "127.0.0.1:8990", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) server: RemoteServerArguments,
}
