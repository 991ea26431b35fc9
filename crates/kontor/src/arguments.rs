//! The command line: commands and flags as clap types.
//!
//! The documentation of each item is its `--help` text. Each flag has a variable: [`crate::environment`].

mod check_arguments;
#[cfg(feature = "console")]
mod console_arguments;
mod oidc_arguments;

use crate::addresses::{host_name, listen_address, network, origin, server_address};
use crate::memory_size::MemorySize;
use crate::resource_limit::ResourceLimit;
use clap::{Args, Parser, Subcommand};
use ipnet::IpNet;
use kontor_auth::TOKEN_REQUESTS_A_SECOND_DEFAULT;
use kontor_opensearch::SearchAddress;
use kontor_postgres::DatabaseOptions;
use std::net::SocketAddr;
use std::path::PathBuf;

pub(crate) use check_arguments::{HealthArguments, VerifyArguments};
#[cfg(feature = "console")]
pub(crate) use console_arguments::{ConsoleArguments, NewOperatorArguments, OperatorCommand};
pub(crate) use oidc_arguments::OidcArguments;

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
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// Delete all data when the server stops.
    #[arg(long, env = "KONTOR_IN_MEMORY", conflicts_with_all = ["data", "database_url"])]
    pub(crate) in_memory: bool,
    /// Keep search indexes on an OpenSearch server, `http(s)://USER:PASSWORD@HOST:9200`, instead of the data folder.
    /// One of the servers that share a database writes them, all read them. Add `?prefix=NAME` when several
    /// installations share it.
    #[arg(long, env = "KONTOR_SEARCH_URL", hide_env_values = true, conflicts_with = "in_memory")]
    pub(crate) search_url: Option<SearchAddress>,
    /// Create this project if it does not exist.
    #[arg(long, env = "KONTOR_PROJECT", requires_all = ["client_id", "client_secret"])]
    pub(crate) project: Option<String>,
    /// The id of its first API client, which gets all scopes of the project.
    #[arg(long, env = "KONTOR_CLIENT_ID", requires = "project")]
    pub(crate) client_id: Option<String>,
    /// The secret of that client.
    #[arg(long, env = "KONTOR_CLIENT_SECRET", requires = "project", hide_env_values = true)]
    pub(crate) client_secret: Option<String>,
    /// Files of drafts, or folders of such files, to import into that project before it is served. Existing resources
    /// are left unchanged.
    #[arg(long, env = "KONTOR_IMPORT", value_delimiter = ',', requires = "project")]
    pub(crate) import: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) http: HttpServerArguments,
}

/// Flags of `kontor serve` and `kontor demo`: addresses, limits and behaviour of the server.
#[derive(Debug, Args, Clone)]
pub(crate) struct HttpServerArguments {
    /// Address and port: `127.0.0.1:8989` and `localhost:8989`; `8989` means the same, and `:8989` all addresses of the
    /// machine. Port 0 chooses a free port.
    #[arg(long, env = "KONTOR_LISTEN", default_value = "127.0.0.1:8989", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// Let `kontor demo` and `kontor serve --in-memory` listen on an address that is not loopback, for example in a CI
    /// container. Their data is deleted when they stop, and the passwords of the demo are public.
    #[arg(long, env = "KONTOR_ALLOW_PUBLIC_TRIAL")]
    pub(crate) allow_public_trial: bool,
    /// Serve `/metrics` at this address, and no longer at the address of `--listen`.
    #[arg(long, env = "KONTOR_METRICS_LISTEN", value_parser = listen_address)]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Serve `/metrics` at the address of `--listen`, to every client. Without this flag, `/metrics` is served there
    /// only on loopback and without `--metrics-listen`, because the metrics contain project keys.
    #[arg(long, env = "KONTOR_PUBLIC_METRICS")]
    pub(crate) public_metrics: bool,
    /// Do not serve the console at `/console`.
    #[arg(long, env = "KONTOR_NO_CONSOLE")]
    pub(crate) no_console: bool,
    #[command(flatten)]
    pub(crate) oidc: OidcArguments,
    /// Serve the test controls at `/_test/…`: clock, reset, snapshots, faults.
    #[arg(long, env = "KONTOR_TEST_CONTROLS")]
    pub(crate) test_controls: bool,
    /// The token that calls of the test controls must send in `X-Test-Token`. Required if the address is not loopback.
    #[arg(long, env = "KONTOR_TEST_TOKEN", requires = "test_controls", hide_env_values = true)]
    pub(crate) test_token: Option<String>,
    /// Reject requests whose body has unknown fields. Without it, unknown fields are ignored, as on the platform, and
    /// listed in the response header `X-Kontor-Ignored`.
    #[arg(long, env = "KONTOR_STRICT")]
    pub(crate) strict: bool,
    /// Treat line item states that clients create as ordinary: they can be deleted and their keys changed. Without it
    /// they are built-in and initial.
    #[arg(long, env = "KONTOR_ORDINARY_LINE_ITEM_STATES")]
    pub(crate) ordinary_line_item_states: bool,
    /// Let all projects activate Product Projection Search and Search Term Suggestions, which are deprecated. Without it only
    /// projects that are older than their deprecation can, those of the demo and of `--project`, and test projects.
    #[arg(long, env = "KONTOR_PROJECTION_SEARCH")]
    pub(crate) projection_search: bool,
    /// Record no changes: Change History returns only what was recorded before.
    #[arg(long, env = "KONTOR_NO_CHANGE_HISTORY")]
    pub(crate) no_change_history: bool,
    /// Log searches that take at least this many milliseconds, with the query (for personal data, only the field names)
    /// and the time of each step. 0 logs all searches.
    #[arg(long, env = "KONTOR_SLOW_SEARCH_MS", default_value_t = 1_000, value_name = "MS")]
    pub(crate) slow_search_ms: u64,
    /// Limit the number of documents of a resource type in a project, instead of the platform's limit:
    /// `categories=200000`; can be repeated or separated by commas. Only for resource types that have a limit.
    #[arg(long, env = "KONTOR_LIMIT", value_delimiter = ',', value_name = "KIND=NUMBER")]
    pub(crate) limit: Vec<ResourceLimit>,
    /// The memory that the process may use: `512M`, `2G`. Requests that would exceed their share of it are rejected
    /// [default: the limit of the control group, or the memory of the machine].
    #[arg(long, env = "KONTOR_MEMORY_MAX", value_name = "BYTES")]
    pub(crate) memory_max: Option<MemorySize>,
    /// The URL at which clients reach the server, used for image URLs [default: the host of the request if it is
    /// localhost or loopback, else the address of `--listen`].
    #[arg(long, env = "KONTOR_PUBLIC_URL", value_parser = server_address)]
    pub(crate) public_url: Option<String>,
    /// Store uploaded images in an S3-compatible bucket, `s3://BUCKET/PREFIX`, instead of the data folder. Endpoint and
    /// credentials are read from AWS_ENDPOINT, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    #[arg(long, env = "KONTOR_IMAGE_STORE")]
    pub(crate) image_store: Option<String>,
    /// Keep the metadata of uploaded images, such as GPS coordinates. Without it, only orientation and colour profile
    /// stay.
    #[arg(long, env = "KONTOR_KEEP_IMAGE_METADATA")]
    pub(crate) keep_image_metadata: bool,
    /// CORS: origins from which browsers may call the API [default: all].
    #[arg(long, env = "KONTOR_CORS_ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub(crate) cors_origins: Vec<String>,
    /// Host names for which `/oauth` is still served, with the header `Deprecation`.
    #[arg(long, env = "KONTOR_AUTH_ALIAS_HOSTS", value_delimiter = ',', value_parser = host_name)]
    pub(crate) auth_alias_hosts: Vec<String>,
    /// Rate limit: tokens that each API client may request per second; 0 for no limit.
    #[arg(long, env = "KONTOR_TOKEN_REQUESTS_PER_SECOND", default_value_t = TOKEN_REQUESTS_A_SECOND_DEFAULT.get())]
    pub(crate) token_requests_per_second: u32,
    /// Allow project settings, such as the URL of an external OAuth server, to point to this machine and to private
    /// networks. Always allowed with `--test-controls`, and by `kontor demo`.
    #[arg(long, env = "KONTOR_ALLOW_PRIVATE_DESTINATIONS")]
    pub(crate) allow_private_destinations: bool,
    /// Let Subscriptions and API Extensions of all projects use the credentials of this server: its AWS key (`IAM`,
    /// EventBridge, Lambda without a key) and its Google service account.
    #[arg(long, env = "KONTOR_USE_SERVER_CREDENTIALS")]
    pub(crate) use_server_credentials: bool,
    /// Accept Subscriptions whose destination is unreachable when it is set, for setups without a network. Always
    /// accepted with `--test-controls`, and by `kontor demo`.
    #[arg(long, env = "KONTOR_ACCEPT_UNREACHABLE_DESTINATIONS")]
    pub(crate) accept_unreachable_destinations: bool,
    /// Addresses or networks of reverse proxies whose `X-Forwarded-For` is trusted.
    #[arg(long, env = "KONTOR_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxies: Vec<IpNet>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// The data folder [default: a temporary folder, deleted when the server stops].
    #[arg(long, env = "KONTOR_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// The project key.
    #[arg(long, env = "KONTOR_PROJECT", default_value = "demo")]
    pub(crate) project: String,
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
