//! Starts several servers over one database, for other tests.

use crate::harness::{ApiCaller, ServerUnderTest, folder, kontor};
use kontor_json::Value;
use kontor_tests_postgres::PostgresServer as Postgres;
use std::fs::OpenOptions;
use tempfile::TempDir;

/// Number of servers.
pub(crate) const SERVERS: usize = 3;

/// The log file of a server, and how many of its lines are printed when a test fails.
const LOG: &str = "log";
const LOG_LINES: usize = 40;

/// Servers over one database, each with its own data folder.
pub(crate) struct TestCluster {
    pub(crate) servers: Vec<ServerUnderTest>,
    pub(crate) folders: Vec<TempDir>,
    pub(crate) database: Postgres,
}

impl TestCluster {
    pub(crate) fn start() -> Self {
        let database = Postgres::start().unwrap();
        let url = database.url();
        Self::over(database, &url)
    }

    /// Starts servers that connect to the database by another URL, e.g. through a relay.
    pub(crate) fn over(database: Postgres, url: &str) -> Self {
        let mut several = Self { servers: Vec::new(), folders: Vec::new(), database };
        // Started at the same time: all of them create the tables, the project and the client.
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..SERVERS)
                .map(|_| {
                    scope.spawn(move || {
                        let data = folder();
                        (serve(&data, url), data)
                    })
                })
                .collect();
            for started in started {
                let (server, data) = started.join().unwrap();
                several.servers.push(server);
                several.folders.push(data);
            }
        });
        several
    }

    /// Returns a caller for each server, all with the same token.
    pub(crate) fn callers(&self) -> Vec<ApiCaller> {
        let token = self.servers[0].client().token().to_owned();
        self.servers.iter().map(|server| server.with_token(&token)).collect()
    }
}

/// Starts a server over a database.
pub(crate) fn serve(data: &TempDir, url: &str) -> ServerUnderTest {
    let mut command = kontor(data.path());
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command.args(["--database-url", url]);
    let log = OpenOptions::new().create(true).append(true).open(data.path().join(LOG)).unwrap();
    ServerUnderTest::start_with(command, log.into())
}

/// Returns the last log lines of a server.
pub(crate) fn last_log_lines(data: &TempDir) -> String {
    let log = std::fs::read_to_string(data.path().join(LOG)).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

/// Creates a resource.
#[track_caller]
pub(crate) fn create_resource(client: &ApiCaller, kind: &str, draft: &Value) -> Value {
    let (status, response) = client.post(&format!("/shop/{kind}"), draft);
    assert_eq!(status, 201, "{response}");
    response
}
