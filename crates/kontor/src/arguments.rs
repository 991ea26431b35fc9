//! The command line: commands and flags as clap types.
//!
//! The documentation of each item is its `--help` text. Each flag has a variable: [`crate::environment`].

mod check_arguments;
#[cfg(feature = "console")]
mod console_arguments;
mod oidc_arguments;
mod serve_arguments;

use crate::addresses::server_address;
use crate::resource_limit::ResourceLimit;
use clap::{Args, Parser, Subcommand};
use kontor_postgres::DatabaseOptions;
use std::path::PathBuf;

pub(crate) use check_arguments::{HealthArguments, VerifyArguments};
#[cfg(feature = "console")]
pub(crate) use console_arguments::{ConsoleArguments, NewOperatorArguments, OperatorCommand};

pub(crate) use serve_arguments::{HttpServerArguments, ServeArguments};

/// A commerce platform server that speaks the commercetools HTTP API.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct CliArguments {
    #[command(flatten)]
    pub(crate) log: LogArguments,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Log filter, for example `info` or `kontor_engine=debug` [default: info when serving, warn otherwise].
    #[arg(long, env = "KONTOR_LOG", global = true)]
    pub(crate) log: Option<String>,
    /// Log lines as JSON.
    #[arg(long, env = "KONTOR_LOG_JSON", global = true)]
    pub(crate) log_json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Serves the API.
    Serve(Box<ServeArguments>),
    /// Serves the API with a small demo shop, and prints how to try it.
    Demo(DemoArguments),
    /// Creates, lists and removes projects.
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Creates, lists and removes API clients.
    #[command(subcommand)]
    Client(ClientCommand),
    /// Creates, lists and removes operators of the console.
    #[cfg(feature = "console")]
    #[command(subcommand)]
    Operator(OperatorCommand),
    /// Serves the console on this machine for a project on any server, as an API client.
    #[cfg(feature = "console")]
    Console(ConsoleArguments),
    /// Creates resources from files of drafts. Can be repeated: existing resources are left unchanged.
    Import(ImportArguments),
    /// Writes the resources of a project as drafts that can be imported.
    Export(ExportArguments),
    /// Copies a project from any server into files or into another project, without reviews and shopping lists by
    /// default.
    Pull(PullArguments),
    /// Writes all data into one file, also while a server runs.
    Backup(BackupArguments),
    /// Creates a data folder from a backup, or restores one of its projects.
    Restore(RestoreArguments),
    /// Checks a data folder or a backup for damage, also while a server runs.
    Verify(VerifyArguments),
    /// Asks a server on this machine whether it serves. For health checks of containers without a shell.
    Health(HealthArguments),
    /// Moves all projects from a folder into a PostgreSQL database, or back, also while a server runs.
    Move(MoveArguments),
    /// Prints a script that completes commands and flags in a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual page, for `man -l -`.
    Man,
}

impl CliCommand {
    /// True for `kontor serve`, which logs for operators: at `info` and with errors as log lines. Users of `kontor
    /// demo` read its output instead.
    pub(crate) fn serves(&self) -> bool {
        matches!(self, CliCommand::Serve(_))
    }
}

/// Flags that say where the data is.
#[derive(Debug, Args, Clone)]
pub(crate) struct DataArguments {
    /// The data folder.
    #[arg(long, env = "KONTOR_DATA", default_value = "./kontor-data")]
    pub(crate) data: PathBuf,
    /// Store projects in a PostgreSQL database instead, `postgres://USER:PASSWORD@HOST/DATABASE`, which several servers
    /// may share. The data folder then only has search indexes, which can be rebuilt, and images unless they are in a
    /// bucket.
    #[arg(long, env = "KONTOR_DATABASE_URL", hide_env_values = true)]
    pub(crate) database_url: Option<DatabaseOptions>,
}

/// A project and the place of its data.
#[derive(Debug, Args, Clone)]
pub(crate) struct ProjectArguments {
    /// The project key.
    #[arg(long, env = "KONTOR_PROJECT")]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

/// Flags for any server, and for the API client to authenticate with.
#[derive(Debug, Args, Clone)]
pub(crate) struct RemoteServerArguments {
    /// Access the project over the HTTP API of the server at this URL, instead of in a data folder.
    #[arg(long, env = "KONTOR_URL", value_parser = server_address, requires_all = ["client_id", "client_secret"])]
    pub(crate) url: Option<String>,
    /// The id of an API client of that project.
    #[arg(long, env = "KONTOR_CLIENT_ID")]
    pub(crate) client_id: Option<String>,
    /// Its secret.
    #[arg(long, env = "KONTOR_CLIENT_SECRET", hide_env_values = true)]
    pub(crate) client_secret: Option<String>,
    /// The URL of the authorization service [default: the same URL].
    #[arg(long, env = "KONTOR_AUTH_URL", value_parser = server_address)]
    pub(crate) auth_url: Option<String>,
    /// Scopes to request, separated by spaces [default: all scopes of the client].
    #[arg(long, env = "KONTOR_SCOPE")]
    pub(crate) scope: Option<String>,
}

/// A project in a data folder, or on any server.
#[derive(Debug, Args, Clone)]
pub(crate) struct ProjectPlace {
    /// The project key.
    #[arg(long, env = "KONTOR_PROJECT")]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(flatten)]
    pub(crate) server: RemoteServerArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PullArguments {
    /// The project key on that server.
    #[arg(long, env = "KONTOR_PROJECT")]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) server: RemoteServerArguments,
    /// Copy only this resource type, for example `tax-category`; can be repeated or separated by commas [default: all
    /// but reviews and shopping lists].
    #[arg(long, env = "KONTOR_PULL_KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Copy into this project, of `--to-url` or of the data folder. In a data folder it is created if it does not
    /// exist.
    #[arg(long, env = "KONTOR_TO_PROJECT", required_unless_present = "to", conflicts_with = "to")]
    pub(crate) to_project: Option<String>,
    /// The data folder of the target project.
    #[arg(long, env = "KONTOR_DATA", default_value = "./kontor-data")]
    pub(crate) data: PathBuf,
    /// The URL of the server of the target project.
    #[arg(long, env = "KONTOR_TO_URL", value_parser = server_address, requires_all = ["to_project", "to_client_id", "to_client_secret"])]
    pub(crate) to_url: Option<String>,
    /// Limit the number of documents of a resource type, as in `kontor serve --limit`. A running server keeps its own
    /// limits.
    #[arg(long, env = "KONTOR_LIMIT", value_delimiter = ',', value_name = "KIND=NUMBER")]
    pub(crate) limit: Vec<ResourceLimit>,
    /// The id of an API client of the target project.
    #[arg(long, env = "KONTOR_TO_CLIENT_ID")]
    pub(crate) to_client_id: Option<String>,
    /// Its secret.
    #[arg(long, env = "KONTOR_TO_CLIENT_SECRET", hide_env_values = true)]
    pub(crate) to_client_secret: Option<String>,
    /// The URL of the authorization service of the target [default: the same URL].
    #[arg(long, env = "KONTOR_TO_AUTH_URL", value_parser = server_address)]
    pub(crate) to_auth_url: Option<String>,
    /// The folder to write one JSON array per resource type to, created if missing; or `-` for JSON Lines on standard
    /// output.
    pub(crate) to: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// The data folder [default: a temporary folder, deleted when the server stops].
    #[arg(long, env = "KONTOR_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// The project key.
    #[arg(long, env = "KONTOR_PROJECT", default_value = "demo")]
    pub(crate) project: String,
    /// The secret of the API client `demo-client` [default: `demo-secret` on loopback, otherwise a new one at each start].
    #[arg(long, env = "KONTOR_CLIENT_SECRET", hide_env_values = true)]
    pub(crate) client_secret: Option<String>,
    #[command(flatten)]
    pub(crate) http: HttpServerArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Creates a project.
    Create {
        /// The project key.
        key: String,
        /// The display name [default: the key].
        #[arg(long, env = "KONTOR_PROJECT_NAME")]
        name: Option<String>,
        #[command(flatten)]
        data: DataArguments,
    },
    /// Lists all projects.
    List {
        #[command(flatten)]
        data: DataArguments,
        #[command(flatten)]
        shown: ListArguments,
    },
    /// Removes a project with its clients and all its data, after a confirmation.
    Remove {
        /// The project key.
        key: String,
        /// Do not ask for confirmation.
        #[arg(long, short, env = "KONTOR_YES")]
        yes: bool,
        #[command(flatten)]
        data: DataArguments,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Creates an API client and prints its id and secret. The secret is shown only once.
    Create(NewClientArguments),
    /// Lists the API clients of a project, oldest first.
    List {
        #[command(flatten)]
        place: ProjectArguments,
        #[command(flatten)]
        shown: ListArguments,
    },
    /// Gives an API client a new secret and prints it. The secret is shown only once. The old secret is rejected from
    /// then on; issued tokens stay valid.
    Rotate {
        #[command(flatten)]
        place: ProjectArguments,
        /// The id of the client.
        #[arg(env = "KONTOR_CLIENT_ID")]
        id: String,
        /// The new secret [default: random].
        #[arg(long, env = "KONTOR_CLIENT_SECRET", hide_env_values = true)]
        secret: Option<String>,
    },
    /// Removes an API client; its tokens are rejected from then on.
    #[command(visible_alias = "delete")]
    Remove {
        #[command(flatten)]
        place: ProjectArguments,
        /// The id of the client.
        #[arg(env = "KONTOR_CLIENT_ID")]
        id: String,
    },
}

/// The output format of lists.
#[derive(Debug, Args, Clone)]
pub(crate) struct ListArguments {
    /// Print a JSON array, for scripts.
    #[arg(long, env = "KONTOR_JSON")]
    pub(crate) json: bool,
}

/// Flags of `kontor client create`. The API checks the values, and its errors name the allowed ranges.
#[derive(Debug, Args)]
pub(crate) struct NewClientArguments {
    #[command(flatten)]
    pub(crate) place: ProjectArguments,
    /// The display name.
    #[arg(long, env = "KONTOR_CLIENT_NAME", default_value = "admin")]
    pub(crate) name: String,
    /// A scope such as `view_products`; can be repeated or separated by commas [default: all scopes].
    #[arg(long, env = "KONTOR_CLIENT_SCOPE", value_delimiter = ',')]
    pub(crate) scope: Vec<String>,
    /// Lifetime of its access tokens, in seconds [default: 48 hours].
    #[arg(long, env = "KONTOR_ACCESS_TOKEN_VALIDITY_SECONDS")]
    pub(crate) access_token_validity_seconds: Option<i64>,
    /// Lifetime of its refresh tokens after each use, in seconds [default: 200 days].
    #[arg(long, env = "KONTOR_REFRESH_TOKEN_VALIDITY_SECONDS")]
    pub(crate) refresh_token_validity_seconds: Option<i64>,
    /// Delete the client after this many days [default: never].
    #[arg(long, env = "KONTOR_DELETE_DAYS_AFTER_CREATION")]
    pub(crate) delete_days_after_creation: Option<i64>,
    /// The id [default: random].
    #[arg(long, env = "KONTOR_CLIENT_ID")]
    pub(crate) id: Option<String>,
    /// The secret [default: random].
    #[arg(long, env = "KONTOR_CLIENT_SECRET", hide_env_values = true)]
    pub(crate) secret: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    #[command(flatten)]
    pub(crate) place: ProjectPlace,
    /// The resource type of the drafts, for example `tax-category` [default: from the file name].
    #[arg(long, env = "KONTOR_IMPORT_KIND")]
    pub(crate) kind: Option<String>,
    /// How many drafts are sent in parallel. With more than one, any of several conflicting drafts may win.
    #[arg(long, env = "KONTOR_IMPORT_PARALLEL", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) parallel: u16,
    /// Limit the number of documents of a resource type, as in `kontor serve --limit`. A running server keeps its own
    /// limits.
    #[arg(long, env = "KONTOR_LIMIT", value_delimiter = ',', value_name = "KIND=NUMBER")]
    pub(crate) limit: Vec<ResourceLimit>,
    /// A list of expected errors: the import succeeds only if exactly these drafts fail, with these error codes.
    #[arg(long, env = "KONTOR_IMPORT_EXPECT")]
    pub(crate) expect: Option<PathBuf>,
    /// Files of drafts (a JSON array, or JSON Lines), or folders of such files.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) place: ProjectPlace,
    /// Export only this resource type, for example `tax-category`; can be repeated or separated by commas.
    #[arg(long, env = "KONTOR_EXPORT_KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Write the stored resources instead of drafts.
    #[arg(long, env = "KONTOR_EXPORT_DOCUMENTS")]
    pub(crate) documents: bool,
    /// Include what the API does not return: ids, versions, and password hashes. Needs a file or folder that only its
    /// owner can read; only an import into a data folder accepts it.
    #[arg(long, env = "KONTOR_EXPORT_WITH_SECRETS", conflicts_with_all = ["documents", "url"])]
    pub(crate) with_secrets: bool,
    /// A file for JSON Lines, `-` for standard output, or an existing folder for one JSON array per resource type.
    #[arg(default_value = "-")]
    pub(crate) to: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// The file, which must not exist yet; `-` for standard output.
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct MoveArguments {
    /// The current place of the projects.
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// The target: a database without projects, `postgres://USER:PASSWORD@HOST/DATABASE`, or an empty or new folder.
    #[arg(long, env = "KONTOR_MOVE_TO", hide_env_values = true)]
    pub(crate) to: String,
    /// Copy the uploaded images of the data folder into this bucket, `s3://BUCKET/PREFIX` [default: into the target
    /// folder; on a move to a database they are not copied].
    #[arg(long, env = "KONTOR_MOVE_TO_IMAGE_STORE")]
    pub(crate) to_image_store: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The data folder to create, empty or missing; or a database without projects. With `--project`, the folder or
    /// database to restore that project into, also while a server runs.
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// Restore only this project of the backup, next to the existing projects.
    #[arg(long, env = "KONTOR_RESTORE_PROJECT", value_name = "KEY")]
    pub(crate) project: Option<String>,
    /// The new key of that project [default: its key in the backup].
    #[arg(long = "as", env = "KONTOR_RESTORE_AS", value_name = "KEY", requires = "project")]
    pub(crate) as_project: Option<String>,
    /// The file that `kontor backup` wrote, from a data folder or a database.
    pub(crate) file: PathBuf,
}
