//! The command line. Every flag has an environment variable.

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

/// A commerce platform server that speaks the commercetools HTTP API.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) log: LogArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// What is logged, for example `info` or `kontor_engine=debug` [default: info when serving, warn otherwise].
    #[arg(long, env = "KONTOR_LOG", global = true)]
    pub(crate) log: Option<String>,
    /// Log lines as JSON.
    #[arg(long, env = "KONTOR_LOG_JSON", global = true)]
    pub(crate) log_json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serves the API.
    Serve(Box<ServeArguments>),
    /// Serves the API with a small shop to try, and prints how.
    Demo(DemoArguments),
    /// Creates, lists and removes projects.
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Creates, lists and removes API clients.
    #[command(subcommand)]
    Client(ClientCommand),
    /// Creates resources from files of drafts. Can be repeated: what is there already is left as it is.
    Import(ImportArguments),
    /// Writes the resources of a project as drafts that can be imported.
    Export(ExportArguments),
    /// Copies a project that runs anywhere, but its reviews and shopping lists, into files or into another project.
    Pull(PullArguments),
    /// Writes everything into one file, also while serving.
    Backup(BackupArguments),
    /// Makes a data folder of a backup, or brings back one of its projects.
    Restore(RestoreArguments),
    /// Checks that a data folder or a backup is as it was written, also while serving.
    Verify(VerifyArguments),
    /// Moves all projects into a PostgreSQL database, or from one into a folder, also while serving.
    Move(MoveArguments),
}

impl Command {
    /// True for the command whose log operators read. Of a demo people read what it prints.
    pub(crate) fn serves(&self) -> bool {
        matches!(self, Command::Serve(_))
    }
}

/// Where the data is.
#[derive(Debug, Args, Clone)]
pub(crate) struct DataArguments {
    /// The data folder.
    #[arg(long, env = "KONTOR_DATA", default_value = "./kontor-data")]
    pub(crate) data: PathBuf,
    /// Keep projects in a PostgreSQL database instead, `postgres://USER:PASSWORD@HOST/DATABASE`, for as many servers as share it.
    /// The data folder then has what can be made again: search indexes, and images where they are in no bucket.
    #[arg(long, env = "KONTOR_DATABASE_URL", hide_env_values = true)]
    pub(crate) database_url: Option<DatabaseOptions>,
}

/// Which project.
#[derive(Debug, Args, Clone)]
pub(crate) struct InProject {
    /// The project key.
    #[arg(long, env = "KONTOR_PROJECT")]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

/// A server anywhere, and the API client whose token is used there.
#[derive(Debug, Args, Clone)]
pub(crate) struct ServerArguments {
    /// Reach the project over the HTTP API of the server at this address, instead of in a data folder.
    #[arg(long, env = "KONTOR_URL", value_parser = server_address, requires_all = ["client_id", "client_secret"])]
    pub(crate) url: Option<String>,
    /// An API client of the project there.
    #[arg(long, env = "KONTOR_CLIENT_ID")]
    pub(crate) client_id: Option<String>,
    /// Its secret.
    #[arg(long, env = "KONTOR_CLIENT_SECRET", hide_env_values = true)]
    pub(crate) client_secret: Option<String>,
    /// Where the authorization service is [default: at the same address].
    #[arg(long, env = "KONTOR_AUTH_URL", value_parser = server_address)]
    pub(crate) auth_url: Option<String>,
    /// Scopes to ask for, separated by blanks [default: all that the client has].
    #[arg(long, env = "KONTOR_SCOPE")]
    pub(crate) scope: Option<String>,
}

/// A project in a data folder, or of a server anywhere.
#[derive(Debug, Args, Clone)]
pub(crate) struct Place {
    /// The project key.
    #[arg(long, env = "KONTOR_PROJECT")]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(flatten)]
    pub(crate) server: ServerArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PullArguments {
    /// The project key there.
    #[arg(long, env = "KONTOR_PROJECT")]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    /// Only this kind, for example `tax-category`; several times or separated by commas [default: all but reviews and
    /// shopping lists].
    #[arg(long, env = "KONTOR_PULL_KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Copy into this project: of `--to-url`, or of the data folder, where it is made if it is not there.
    #[arg(long, env = "KONTOR_TO_PROJECT", required_unless_present = "to", conflicts_with = "to")]
    pub(crate) to_project: Option<String>,
    /// The data folder of that project.
    #[arg(long, env = "KONTOR_DATA", default_value = "./kontor-data")]
    pub(crate) data: PathBuf,
    /// The server of that project.
    #[arg(long, env = "KONTOR_TO_URL", value_parser = server_address, requires_all = ["to_project", "to_client_id", "to_client_secret"])]
    pub(crate) to_url: Option<String>,
    /// How many documents of a kind that project may have, as `kontor serve --limit` has it. A server that runs has its own limits.
    #[arg(long, env = "KONTOR_LIMIT", value_delimiter = ',', value_name = "KIND=NUMBER")]
    pub(crate) limit: Vec<ResourceLimit>,
    /// An API client of that project.
    #[arg(long, env = "KONTOR_TO_CLIENT_ID")]
    pub(crate) to_client_id: Option<String>,
    /// Its secret.
    #[arg(long, env = "KONTOR_TO_CLIENT_SECRET", hide_env_values = true)]
    pub(crate) to_client_secret: Option<String>,
    /// Where its authorization service is [default: at the same address].
    #[arg(long, env = "KONTOR_TO_AUTH_URL", value_parser = server_address)]
    pub(crate) to_auth_url: Option<String>,
    /// A folder, made if it is not there, which gets one JSON array a kind; or `-` for JSON Lines on standard output.
    pub(crate) to: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// Keep the data only as long as the server runs.
    #[arg(long, env = "KONTOR_IN_MEMORY", conflicts_with_all = ["data", "database_url"])]
    pub(crate) in_memory: bool,
    /// Keep search indexes on an OpenSearch server, `http(s)://USER:PASSWORD@HOST:9200`, instead of the data folder: one of the servers that
    /// share a database writes, all ask. `?prefix=NAME` where several installations share it.
    #[arg(long, env = "KONTOR_SEARCH_URL", hide_env_values = true, conflicts_with = "in_memory")]
    pub(crate) search_url: Option<SearchAddress>,
    /// Create this project if it is not there.
    #[arg(long, env = "KONTOR_PROJECT", requires_all = ["client_id", "client_secret"])]
    pub(crate) project: Option<String>,
    /// Its first API client, with every scope of the project.
    #[arg(long, env = "KONTOR_CLIENT_ID", requires = "project")]
    pub(crate) client_id: Option<String>,
    /// The secret of that client.
    #[arg(long, env = "KONTOR_CLIENT_SECRET", requires = "project", hide_env_values = true)]
    pub(crate) client_secret: Option<String>,
    /// Files of drafts, or folders of such files, to import into that project before it is served. What is there already is
    /// left as it is.
    #[arg(long, env = "KONTOR_IMPORT", value_delimiter = ',', requires = "project")]
    pub(crate) import: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) face: FaceArguments,
}

/// What is served, and where.
#[derive(Debug, Args, Clone)]
pub(crate) struct FaceArguments {
    /// Address and port: `127.0.0.1:8989`, `localhost:8989`; `8989` is the same, and `:8989` is that port at all addresses of the
    /// machine. Port 0 takes a free one.
    #[arg(long, env = "KONTOR_LISTEN", default_value = "127.0.0.1:8989", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// Let `kontor demo` and `kontor serve --in-memory` listen at an address that others reach, such as in a container of a pipeline: what they hold
    /// is gone with them, and the passwords of the demo are known to all.
    #[arg(long, env = "KONTOR_ALLOW_PUBLIC_TRIAL")]
    pub(crate) allow_public_trial: bool,
    /// Serve `/metrics` at this address, and no longer at that of `--listen`.
    #[arg(long, env = "KONTOR_METRICS_LISTEN", value_parser = listen_address)]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Serve `/metrics` at the address of `--listen`, to everybody who reaches it. Without it, it is there only where the address is loopback
    /// and `--metrics-listen` names no other: figures name the keys of projects.
    #[arg(long, env = "KONTOR_PUBLIC_METRICS")]
    pub(crate) public_metrics: bool,
    /// Serve `/_test/…`: clock, reset, snapshots, faults.
    #[arg(long, env = "KONTOR_TEST_CONTROLS")]
    pub(crate) test_controls: bool,
    /// What calls of the test controls must carry in `X-Test-Token`. Needed where the address is not loopback.
    #[arg(long, env = "KONTOR_TEST_TOKEN", requires = "test_controls", hide_env_values = true)]
    pub(crate) test_token: Option<String>,
    /// Refuse fields of request bodies that nobody knows. Without it they are ignored, as the platform does, and named in the
    /// header `X-Kontor-Ignored` of the answer.
    #[arg(long, env = "KONTOR_STRICT")]
    pub(crate) strict: bool,
    /// States of Line Items that clients create are ordinary: they can be deleted and get other keys. Without it they are
    /// built in and initial.
    #[arg(long, env = "KONTOR_ORDINARY_LINE_ITEM_STATES")]
    pub(crate) ordinary_line_item_states: bool,
    /// Keep no records of changes: Change History answers what was recorded before, and nothing new.
    #[arg(long, env = "KONTOR_NO_CHANGE_HISTORY")]
    pub(crate) no_change_history: bool,
    /// Tell the log of searches that take so many milliseconds or longer: what was asked (of people, only in which fields), and
    /// where the time went. 0: of all.
    #[arg(long, env = "KONTOR_SLOW_SEARCH_MS", default_value_t = 1_000, value_name = "MS")]
    pub(crate) slow_search_ms: u64,
    /// How many documents of a kind a project may have, instead of as many as on the platform: `categories=200000`; several times or
    /// separated by commas. Only of kinds that have a limit.
    #[arg(long, env = "KONTOR_LIMIT", value_delimiter = ',', value_name = "KIND=NUMBER")]
    pub(crate) limit: Vec<ResourceLimit>,
    /// The memory that the process may use: `512M`, `2G`. Requests that would need more than their part of it are refused [default: the
    /// limit of the control group, or the memory of the machine].
    #[arg(long, env = "KONTOR_MEMORY_MAX", value_name = "BYTES")]
    pub(crate) memory_max: Option<MemorySize>,
    /// Where clients reach the server, for the addresses of images [default: where a request was sent to, if that is localhost or loopback,
    /// else the address of `--listen`].
    #[arg(long, env = "KONTOR_PUBLIC_URL", value_parser = server_address)]
    pub(crate) public_url: Option<String>,
    /// Keep uploaded images in a bucket that speaks S3, `s3://BUCKET/PREFIX`, instead of the data folder. Place and
    /// credentials come from AWS_ENDPOINT, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    #[arg(long, env = "KONTOR_IMAGE_STORE")]
    pub(crate) image_store: Option<String>,
    /// Keep the metadata of uploaded images, such as the place where a picture was taken. Without it only the orientation and colour profile stay.
    #[arg(long, env = "KONTOR_KEEP_IMAGE_METADATA")]
    pub(crate) keep_image_metadata: bool,
    /// Origins that browsers may call from; all when none is given.
    #[arg(long, env = "KONTOR_CORS_ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub(crate) cors_origins: Vec<String>,
    /// Host names at which `/oauth` still answers, with the header `Deprecation`.
    #[arg(long, env = "KONTOR_AUTH_ALIAS_HOSTS", value_delimiter = ',', value_parser = host_name)]
    pub(crate) auth_alias_hosts: Vec<String>,
    /// How many tokens each API client may request a second; 0: as many as it likes.
    #[arg(long, env = "KONTOR_TOKEN_REQUESTS_PER_SECOND", default_value_t = TOKEN_REQUESTS_A_SECOND_DEFAULT.get())]
    pub(crate) token_requests_per_second: u32,
    /// Let settings of projects, such as the address of an external OAuth server, lead to this machine and to private networks.
    /// Allowed in any case with `--test-controls`, and by `kontor demo`.
    #[arg(long, env = "KONTOR_ALLOW_PRIVATE_DESTINATIONS")]
    pub(crate) allow_private_destinations: bool,
    /// Let Subscriptions and API Extensions of all projects send with the credentials of this server: its key of AWS (`IAM`, EventBridge,
    /// Lambda without a key), its service account of Google.
    #[arg(long, env = "KONTOR_USE_SERVER_CREDENTIALS")]
    pub(crate) use_server_credentials: bool,
    /// Take destinations of Subscriptions that are out of reach when they are set, for setups without a network. Those are
    /// taken in any case with `--test-controls`, and by `kontor demo`.
    #[arg(long, env = "KONTOR_ACCEPT_UNREACHABLE_DESTINATIONS")]
    pub(crate) accept_unreachable_destinations: bool,
    /// Addresses or networks of proxies whose `X-Forwarded-For` is believed.
    #[arg(long, env = "KONTOR_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxies: Vec<IpNet>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// The data folder; left out, the data is gone when the server stops.
    #[arg(long, env = "KONTOR_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// The project key.
    #[arg(long, env = "KONTOR_PROJECT", default_value = "demo")]
    pub(crate) project: String,
    #[command(flatten)]
    pub(crate) face: FaceArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Creates a project.
    Create {
        /// The project key.
        key: String,
        /// The name for people [default: the key].
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
    /// Removes a project with its clients and everything in it. Asks first.
    Remove {
        /// The project key.
        key: String,
        /// Do not ask.
        #[arg(long, short, env = "KONTOR_YES")]
        yes: bool,
        #[command(flatten)]
        data: DataArguments,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Creates an API client and prints its id and secret, which is shown this one time.
    Create(NewClientArguments),
    /// Lists the API clients of a project, oldest first.
    List {
        #[command(flatten)]
        place: InProject,
        #[command(flatten)]
        shown: ListArguments,
    },
    /// Gives an API client another secret and prints it, which is shown this one time. The old one is refused from then on;
    /// tokens that it has stay valid.
    Rotate {
        #[command(flatten)]
        place: InProject,
        /// The id of the client.
        #[arg(env = "KONTOR_CLIENT_ID")]
        id: String,
        /// The new secret [default: random].
        #[arg(long, env = "KONTOR_CLIENT_SECRET", hide_env_values = true)]
        secret: Option<String>,
    },
    /// Removes an API client; its tokens are refused from then on.
    #[command(visible_alias = "delete")]
    Remove {
        #[command(flatten)]
        place: InProject,
        /// The id of the client.
        #[arg(env = "KONTOR_CLIENT_ID")]
        id: String,
    },
}

/// How a list is printed.
#[derive(Debug, Args, Clone)]
pub(crate) struct ListArguments {
    /// A JSON array, for programs.
    #[arg(long, env = "KONTOR_JSON")]
    pub(crate) json: bool,
}

/// What an API client is created from. Bounds are those of the API, which says them when they are passed.
#[derive(Debug, Args)]
pub(crate) struct NewClientArguments {
    #[command(flatten)]
    pub(crate) place: InProject,
    /// The name for people.
    #[arg(long, env = "KONTOR_CLIENT_NAME", default_value = "admin")]
    pub(crate) name: String,
    /// A scope such as `view_products`, several times or separated by commas [default: every scope].
    #[arg(long, env = "KONTOR_CLIENT_SCOPE", value_delimiter = ',')]
    pub(crate) scope: Vec<String>,
    /// How long its access tokens live, in seconds [default: 48 hours].
    #[arg(long, env = "KONTOR_ACCESS_TOKEN_VALIDITY_SECONDS")]
    pub(crate) access_token_validity_seconds: Option<i64>,
    /// How long its refresh tokens live after each use, in seconds [default: 200 days].
    #[arg(long, env = "KONTOR_REFRESH_TOKEN_VALIDITY_SECONDS")]
    pub(crate) refresh_token_validity_seconds: Option<i64>,
    /// After how many days it is deleted [default: never].
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
    pub(crate) place: Place,
    /// What the drafts are, for example `tax-category` [default: from the name of the file].
    #[arg(long, env = "KONTOR_IMPORT_KIND")]
    pub(crate) kind: Option<String>,
    /// How many drafts are sent at a time. With more than one, of drafts that exclude each other any may win.
    #[arg(long, env = "KONTOR_IMPORT_PARALLEL", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) parallel: u16,
    /// How many documents of a kind the project may have, as `kontor serve --limit` has it. A server that runs has its own limits.
    #[arg(long, env = "KONTOR_LIMIT", value_delimiter = ',', value_name = "KIND=NUMBER")]
    pub(crate) limit: Vec<ResourceLimit>,
    /// A list of expected refusals: succeed exactly when these drafts are refused, with these codes.
    #[arg(long, env = "KONTOR_IMPORT_EXPECT")]
    pub(crate) expect: Option<PathBuf>,
    /// Files of drafts (a JSON array, or JSON Lines), or folders of such files.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Only this kind, for example `tax-category`; several times or separated by commas.
    #[arg(long, env = "KONTOR_EXPORT_KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Write the resources as they are stored instead of drafts.
    #[arg(long, env = "KONTOR_EXPORT_DOCUMENTS")]
    pub(crate) documents: bool,
    /// Take along what the API does not give: ids, versions, and hashes of passwords. Only a file or folder that nobody else
    /// may read gets it, and only a data folder takes it back.
    #[arg(long, env = "KONTOR_EXPORT_WITH_SECRETS", conflicts_with_all = ["documents", "url"])]
    pub(crate) with_secrets: bool,
    /// A file of JSON Lines, `-` for standard output, or an existing folder, which gets one JSON array a kind.
    #[arg(default_value = "-")]
    pub(crate) to: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// The file, which must not be there yet; `-` for standard output.
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct MoveArguments {
    /// Where the projects are now.
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// Where they go: a database without projects, `postgres://USER:PASSWORD@HOST/DATABASE`, or a folder, empty or not there.
    #[arg(long, env = "KONTOR_MOVE_TO", hide_env_values = true)]
    pub(crate) to: String,
    /// Copy uploaded images of the data folder into this bucket, `s3://BUCKET/PREFIX` [default: into the folder that everything goes
    /// to; they stay where they are on the way to a database].
    #[arg(long, env = "KONTOR_MOVE_TO_IMAGE_STORE")]
    pub(crate) to_image_store: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The data folder to make, empty or not there; or a database without projects. With `--project`, the folder or database to
    /// bring that project into, also while a server serves it.
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// Restore this project of the backup only, beside the projects that are there.
    #[arg(long, env = "KONTOR_RESTORE_PROJECT", value_name = "KEY")]
    pub(crate) project: Option<String>,
    /// The key that it gets [default: the one that it had].
    #[arg(long = "as", env = "KONTOR_RESTORE_AS", value_name = "KEY", requires = "project")]
    pub(crate) as_project: Option<String>,
    /// The file that `kontor backup` wrote, of a data folder or a database.
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The data folder.
    #[arg(long, env = "KONTOR_DATA", default_value = "./kontor-data")]
    pub(crate) data: PathBuf,
    /// A folder, or a file that `kontor backup` wrote [default: the data folder].
    pub(crate) path: Option<PathBuf>,
}
