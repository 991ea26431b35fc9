//! The command lines of `kontor console` and `kontor operator`.

use crate::addresses::listen_address;
use crate::arguments::{DataArguments, ListArguments, RemoteServerArguments};
use clap::{Args, Subcommand};
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

#[derive(Debug, Subcommand)]
pub(crate) enum OperatorCommand {
    /// Creates an operator and prints a link to sign in. The link can be used once, within an hour.
    Create(NewOperatorArguments),
    /// Lists the operators.
    List {
        #[command(flatten)]
        data: DataArguments,
        #[command(flatten)]
        shown: ListArguments,
    },
    /// Gives an operator other roles, in place of all its roles; or without an operator, lists the roles with their
    /// scopes.
    Roles {
        /// The e-mail address of the operator.
        #[arg(env = "KONTOR_OPERATOR_EMAIL", requires = "roles")]
        email: Option<String>,
        /// A role in all projects, e.g. `support`, or in one, e.g. `shop:support`.
        #[arg(value_name = "ROLE")]
        roles: Vec<String>,
        #[command(flatten)]
        data: DataArguments,
        #[command(flatten)]
        shown: ListArguments,
    },
    /// Removes an operator; its sessions and tokens end.
    #[command(visible_alias = "delete")]
    Remove {
        /// The e-mail address of the operator.
        #[arg(env = "KONTOR_OPERATOR_EMAIL")]
        email: String,
        #[command(flatten)]
        data: DataArguments,
    },
    /// Prints a link to sign in. The link can be used once, within an hour.
    Link {
        /// The e-mail address of the operator.
        #[arg(env = "KONTOR_OPERATOR_EMAIL")]
        email: String,
        #[command(flatten)]
        data: DataArguments,
    },
    /// Removes the password of an operator, ends its sessions, and prints a link to set a new one.
    ResetPassword {
        /// The e-mail address of the operator.
        #[arg(env = "KONTOR_OPERATOR_EMAIL")]
        email: String,
        #[command(flatten)]
        data: DataArguments,
    },
}

/// Flags of `kontor operator create`.
#[derive(Debug, Args)]
pub(crate) struct NewOperatorArguments {
    /// The e-mail address, which the operator signs in with.
    #[arg(env = "KONTOR_OPERATOR_EMAIL")]
    pub(crate) email: String,
    /// The display name [default: the e-mail address].
    #[arg(long, env = "KONTOR_OPERATOR_NAME")]
    pub(crate) name: Option<String>,
    /// A role in all projects, e.g. `support`, or in one, e.g. `shop:support`; can be repeated or separated by commas.
    #[arg(
        long,
        env = "KONTOR_OPERATOR_ROLE",
        value_name = "ROLE",
        value_delimiter = ',',
        default_value = "administrator"
    )]
    pub(crate) role: Vec<String>,
    /// The password, for installations by scripts [default: none; the operator sets one by the printed link].
    #[arg(long, env = "KONTOR_OPERATOR_PASSWORD", hide_env_values = true)]
    pub(crate) password: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}
