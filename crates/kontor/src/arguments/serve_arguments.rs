//! The flags of `kontor serve`, most of which `kontor demo` has too.

use super::DataArguments;
use super::oidc_arguments::OidcArguments;
use crate::addresses::{host_name, listen_address, network, origin, server_address};
use crate::memory_size::MemorySize;
use crate::resource_limit::ResourceLimit;
use clap::Args;
use ipnet::IpNet;
use kontor_auth::TOKEN_REQUESTS_A_SECOND_DEFAULT;
use kontor_opensearch::SearchAddress;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// Delete all data when the server stops.
    #[arg(long, help_heading = "Data", env = "KONTOR_IN_MEMORY", conflicts_with_all = ["data", "database_url"])]
    pub(crate) in_memory: bool,
    /// Keep search indexes on an OpenSearch server, `http(s)://USER:PASSWORD@HOST:9200`, instead of the data folder.
    /// One of the servers that share a database writes them, all read them. Add `?prefix=NAME` when several
    /// installations share it.
    #[arg(
        long,
        help_heading = "Data",
        env = "KONTOR_SEARCH_URL",
        hide_env_values = true,
        conflicts_with = "in_memory"
    )]
    pub(crate) search_url: Option<SearchAddress>,
    /// Create this project if it does not exist. Without `--client-id`, a new project gets an API client whose secret is
    /// printed once.
    #[arg(long, help_heading = "First project", env = "KONTOR_PROJECT")]
    pub(crate) project: Option<String>,
    /// The id of its first API client, which gets all scopes of the project.
    #[arg(long, help_heading = "First project", env = "KONTOR_CLIENT_ID", requires_all = ["project", "client_secret"])]
    pub(crate) client_id: Option<String>,
    /// The secret of that client.
    #[arg(long, help_heading = "First project", env = "KONTOR_CLIENT_SECRET", requires_all = ["project", "client_id"], hide_env_values = true)]
    pub(crate) client_secret: Option<String>,
    /// Files of drafts, or folders of such files, to import into that project before it is served. Existing resources
    /// are left unchanged.
    #[arg(
        long,
        help_heading = "First project",
        env = "KONTOR_IMPORT",
        value_delimiter = ',',
        requires = "project"
    )]
    pub(crate) import: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) http: HttpServerArguments,
}

/// Flags of `kontor serve` and `kontor demo`: addresses, limits and behaviour of the server.
#[derive(Debug, Args, Clone)]
pub(crate) struct HttpServerArguments {
    /// Address and port: `127.0.0.1:8989` and `localhost:8989`; `8989` means the same, and `:8989` all addresses of the
    /// machine. Port 0 chooses a free port.
    #[arg(long, help_heading = "Addresses", env = "KONTOR_LISTEN", default_value = "127.0.0.1:8989", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// Let `kontor demo` and `kontor serve --in-memory` listen on an address that is not loopback, for example in a CI
    /// container. Their data is deleted when they stop, and the passwords of the demo are public.
    #[arg(long, help_heading = "Addresses", env = "KONTOR_ALLOW_PUBLIC_TRIAL")]
    pub(crate) allow_public_trial: bool,
    /// Serve `/metrics` at this address, and no longer at the address of `--listen`.
    #[arg(long, help_heading = "Addresses", env = "KONTOR_METRICS_LISTEN", value_parser = listen_address)]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Serve `/metrics` at the address of `--listen`, to every client. Without this flag, `/metrics` is served there
    /// only on loopback and without `--metrics-listen`, because the metrics contain project keys.
    #[arg(long, help_heading = "Addresses", env = "KONTOR_PUBLIC_METRICS")]
    pub(crate) public_metrics: bool,
    /// Do not serve the console at `/console`.
    #[arg(long, help_heading = "Console and test controls", env = "KONTOR_NO_CONSOLE")]
    pub(crate) no_console: bool,
    #[command(flatten)]
    pub(crate) oidc: OidcArguments,
    /// Serve the test controls at `/_test/…`: clock, reset, snapshots, faults.
    #[arg(long, help_heading = "Console and test controls", env = "KONTOR_TEST_CONTROLS")]
    pub(crate) test_controls: bool,
    /// The token that calls of the test controls must send in `X-Test-Token`. Required if the address is not loopback.
    #[arg(
        long,
        help_heading = "Console and test controls",
        env = "KONTOR_TEST_TOKEN",
        requires = "test_controls",
        hide_env_values = true
    )]
    pub(crate) test_token: Option<String>,
    /// Reject requests whose body has unknown fields. Without it, unknown fields are ignored, as on the platform, and
    /// listed in the response header `X-Kontor-Ignored`.
    #[arg(long, help_heading = "Behaviour of the API", env = "KONTOR_STRICT")]
    pub(crate) strict: bool,
    /// Treat line item states that clients create as ordinary: they can be deleted and their keys changed. Without it
    /// they are built-in and initial.
    #[arg(long, help_heading = "Behaviour of the API", env = "KONTOR_ORDINARY_LINE_ITEM_STATES")]
    pub(crate) ordinary_line_item_states: bool,
    /// Let all projects activate Product Projection Search and Search Term Suggestions, which are deprecated. Without it only
    /// projects that are older than their deprecation can, those of the demo and of `--project`, and test projects.
    #[arg(long, help_heading = "Behaviour of the API", env = "KONTOR_PROJECTION_SEARCH")]
    pub(crate) projection_search: bool,
    /// Record no changes: Change History returns only what was recorded before.
    #[arg(long, help_heading = "Behaviour of the API", env = "KONTOR_NO_CHANGE_HISTORY")]
    pub(crate) no_change_history: bool,
    /// Log searches that take at least this many milliseconds, with the query (for personal data, only the field names)
    /// and the time of each step. 0 logs all searches.
    #[arg(
        long,
        help_heading = "Limits",
        env = "KONTOR_SLOW_SEARCH_MS",
        default_value_t = 1_000,
        value_name = "MS"
    )]
    pub(crate) slow_search_ms: u64,
    /// Limit the number of documents of a resource type in a project, instead of the platform's limit:
    /// `categories=200000`; can be repeated or separated by commas. Only for resource types that have a limit.
    #[arg(
        long,
        help_heading = "Limits",
        env = "KONTOR_LIMIT",
        value_delimiter = ',',
        value_name = "KIND=NUMBER"
    )]
    pub(crate) limit: Vec<ResourceLimit>,
    /// The memory that the process may use: `512M`, `2G`. Requests that would exceed their share of it are rejected
    /// [default: the limit of the control group, or the memory of the machine].
    #[arg(long, help_heading = "Limits", env = "KONTOR_MEMORY_MAX", value_name = "BYTES")]
    pub(crate) memory_max: Option<MemorySize>,
    /// The URL at which clients reach the server, used for image URLs [default: the host of the request if it is
    /// localhost or loopback, else the address of `--listen`].
    #[arg(long, help_heading = "Addresses", env = "KONTOR_PUBLIC_URL", value_parser = server_address)]
    pub(crate) public_url: Option<String>,
    /// Store uploaded images in an S3-compatible bucket, `s3://BUCKET/PREFIX`, instead of the data folder. Endpoint and
    /// credentials are read from AWS_ENDPOINT, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    #[arg(long, help_heading = "Images", env = "KONTOR_IMAGE_STORE")]
    pub(crate) image_store: Option<String>,
    /// Keep the metadata of uploaded images, such as GPS coordinates. Without it, only orientation and colour profile
    /// stay.
    #[arg(long, help_heading = "Images", env = "KONTOR_KEEP_IMAGE_METADATA")]
    pub(crate) keep_image_metadata: bool,
    /// CORS: origins from which browsers may call the API [default: all].
    #[arg(long, help_heading = "Addresses", env = "KONTOR_CORS_ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub(crate) cors_origins: Vec<String>,
    /// Host names for which `/oauth` is still served, with the header `Deprecation`.
    #[arg(long, help_heading = "Addresses", env = "KONTOR_AUTH_ALIAS_HOSTS", value_delimiter = ',', value_parser = host_name)]
    pub(crate) auth_alias_hosts: Vec<String>,
    /// Rate limit: tokens that each API client may request per second; 0 for no limit.
    #[arg(long, help_heading = "Limits", env = "KONTOR_TOKEN_REQUESTS_PER_SECOND", default_value_t = TOKEN_REQUESTS_A_SECOND_DEFAULT.get())]
    pub(crate) token_requests_per_second: u32,
    /// Allow project settings, such as the URL of an external OAuth server, to point to this machine and to private
    /// networks. Always allowed with `--test-controls`, and by `kontor demo`.
    #[arg(long, help_heading = "Requests to other servers", env = "KONTOR_ALLOW_PRIVATE_DESTINATIONS")]
    pub(crate) allow_private_destinations: bool,
    /// Let Subscriptions and API Extensions of all projects use the credentials of this server: its AWS key (`IAM`,
    /// EventBridge, Lambda without a key) and its Google service account.
    #[arg(long, help_heading = "Requests to other servers", env = "KONTOR_USE_SERVER_CREDENTIALS")]
    pub(crate) use_server_credentials: bool,
    /// Accept Subscriptions whose destination is unreachable when it is set, for setups without a network. Always
    /// accepted with `--test-controls`, and by `kontor demo`.
    #[arg(long, help_heading = "Requests to other servers", env = "KONTOR_ACCEPT_UNREACHABLE_DESTINATIONS")]
    pub(crate) accept_unreachable_destinations: bool,
    /// Addresses or networks of reverse proxies whose `X-Forwarded-For` is trusted.
    #[arg(long, help_heading = "Addresses", env = "KONTOR_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxies: Vec<IpNet>,
}
