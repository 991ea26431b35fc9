//! A server process for commands that send requests to one.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use kontor_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// The line that the server prints when it is ready.
const READY: &str = "kontor listening on ";

/// The project of a server, and its first API client.
pub(crate) struct ServerProject {
    pub(crate) key: &'static str,
    pub(crate) client_id: &'static str,
    pub(crate) client_secret: &'static str,
}

impl ServerProject {
    /// Returns the client's credentials for HTTP Basic.
    pub(crate) fn credentials(&self) -> String {
        BASE64_STANDARD.encode(format!("{}:{}", self.client_id, self.client_secret))
    }
}

/// A server in memory on a free port. It ends with this value.
pub(crate) struct Server {
    process: Child,
    project: ServerProject,
    pub(crate) url: String,
}

impl Server {
    /// Starts a server by `command`, to which the flags are added, and waits until it is ready.
    pub(crate) fn start(mut command: Command, project: ServerProject) -> Result<Self, String> {
        command.args(["serve", "--in-memory", "--listen", "127.0.0.1:0", "--log", "warn"]);
        command.args(["--project", project.key, "--client-id", project.client_id]);
        command.args(["--client-secret", project.client_secret]);
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the server cannot be started: {error}"))?;
        let output = process.stdout.take();
        let mut server = Self { process, project, url: String::new() };
        let mut lines =
            output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok);
        let url = lines.find_map(|line| Some(line.split_once(READY)?.1.trim().to_owned()));
        server.url = url.ok_or("the server ended before it was ready")?;
        Ok(server)
    }

    /// Requests an access token for the client.
    pub(crate) fn token(&self) -> Result<String, String> {
        let reply = ureq::post(format!("{}/oauth/token", self.url))
            .header("Authorization", format!("Basic {}", self.project.credentials()))
            .content_type("application/x-www-form-urlencoded")
            .send("grant_type=client_credentials")
            .and_then(|mut reply| reply.body_mut().read_to_string())
            .map_err(|error| format!("no token: {error}"))?;
        let reply: Value = kontor_json::from_str(&reply).map_err(|error| format!("no token: {error}"))?;
        reply["access_token"].as_str().map(str::to_owned).ok_or_else(|| "no token in the response".to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
