//! Starts an installed server, and uses it once: health, a token, a query.

use crate::dist::step::run_quietly;
use kontor_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A server process that ends with this value.
struct RunningServer(Child);

impl Drop for RunningServer {
    fn drop(&mut self) {
        // A process that has ended already cannot be killed.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a server in memory by `command`, to which the flags are added, and uses it. `health` is the same program, for
/// `kontor health`.
pub(super) fn exercise_server(mut command: Command, mut health: Command) -> Result<(), String> {
    command.args(["serve", "--in-memory", "--listen", "127.0.0.1:0", "--project", "shop"]);
    command.args(["--client-id", "me", "--client-secret", "secret"]);
    let child = command.stdout(Stdio::piped()).stdin(Stdio::null()).stderr(Stdio::inherit()).spawn();
    let mut server = RunningServer(child.map_err(|error| format!("the server cannot be started: {error}"))?);
    let url = read_address(&mut server.0)?;
    run_quietly(health.args(["health", "--listen", url.trim_start_matches("http://")]))?;
    let token = send_request(
        ureq::post(format!("{url}/oauth/token")).header("Authorization", "Basic bWU6c2VjcmV0"),
        "grant_type=client_credentials",
    )?;
    let token = token["access_token"].as_str().ok_or("the server gives no token")?.to_owned();
    let zone = ureq::post(format!("{url}/shop/zones")).header("Authorization", format!("Bearer {token}"));
    let zone = send_request(zone, r#"{"name": "Europe"}"#)?;
    if zone["name"] == "Europe" { Ok(()) } else { Err(format!("expected the Zone, got {zone}")) }
}

fn send_request(
    request: ureq::RequestBuilder<ureq::typestate::WithBody>,
    body: &str,
) -> Result<Value, String> {
    let kind = if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
    let mut response = request.header("Content-Type", kind).send(body).map_err(|error| error.to_string())?;
    let text = response.body_mut().read_to_string().map_err(|error| error.to_string())?;
    kontor_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
}

/// The address that the server prints when it is ready.
fn read_address(server: &mut Child) -> Result<String, String> {
    let output = server.stdout.take().ok_or("the server has no output")?;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| error.to_string())?;
        if let Some(start) = line.find("http:") {
            let url = line[start..].split_whitespace().next().unwrap_or_default();
            return Ok(url.to_owned());
        }
    }
    Err("the server ended before it was ready".to_owned())
}
