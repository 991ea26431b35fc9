//! Several servers over one database.

use crate::harness::{Caller, Server, folder, kontor};
use kontor_json::Value;
use kontor_tests_postgres::Server as Postgres;
use std::fs::OpenOptions;
use tempfile::TempDir;

/// How many servers there are.
pub(crate) const SERVERS: usize = 3;

/// Where a server over a database writes its log, and how much of it is shown when something went wrong.
const LOG: &str = "log";
const LOG_LINES: usize = 40;

/// Servers over one database, each with a folder of its own.
pub(crate) struct Several {
    pub(crate) servers: Vec<Server>,
    pub(crate) folders: Vec<TempDir>,
    pub(crate) database: Postgres,
}

impl Several {
    pub(crate) fn start() -> Self {
        let database = Postgres::start().unwrap();
        let url = database.url();
        Self::over(database, &url)
    }

    /// With servers that reach the database at another address.
    pub(crate) fn over(database: Postgres, url: &str) -> Self {
        let mut several = Self { servers: Vec::new(), folders: Vec::new(), database };
        // Started at once: all of them make the tables, the project and the client.
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

    /// A caller of each server, all with the token that one of them gave.
    pub(crate) fn callers(&self) -> Vec<Caller> {
        let token = self.servers[0].client().token().to_owned();
        self.servers.iter().map(|server| server.with_token(&token)).collect()
    }
}

/// A server over a database.
pub(crate) fn serve(data: &TempDir, url: &str) -> Server {
    let mut command = kontor(data.path());
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command.args(["--database-url", url]);
    let log = OpenOptions::new().create(true).append(true).open(data.path().join(LOG)).unwrap();
    Server::start_with(command, log.into())
}

/// What the server over a folder has logged last.
pub(crate) fn last_words(data: &TempDir) -> String {
    let log = std::fs::read_to_string(data.path().join(LOG)).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

/// Makes a resource.
#[track_caller]
pub(crate) fn made(client: &Caller, kind: &str, draft: &Value) -> Value {
    let (status, answer) = client.post(&format!("/shop/{kind}"), draft);
    assert_eq!(status, 201, "{answer}");
    answer
}
